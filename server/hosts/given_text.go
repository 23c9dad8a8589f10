package hosts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/secrets"
)

// The texts themselves are kept for a day, so that a person can read what a model got: one line of
// JSON for each, in a file for each day, which ends at mostTexts bytes. They may quote any
// conversation and any item of knowledge, so whatever is forgotten, all of them go.
const (
	textsFolder = "texts"
	mostTexts   = 4 << 20
	keepTexts   = 24 * time.Hour
)

type textLine struct {
	At     time.Time `json:"at"`
	Prompt string    `json:"prompt,omitempty"`
	Text   string    `json:"text"`
}

// textsPath returns the file for the texts of a day.
func textsPath(stateDir string, day time.Time) string {
	return filepath.Join(stateDir, "hosts", textsFolder, day.UTC().Format(time.DateOnly)+".jsonl")
}

var scanning = sync.OnceValues(func() (*secrets.Scanner, error) { return secrets.New(nil) })

// recordText keeps a text that was given and its prompt, without secrets. One that is too large is
// not kept.
func recordText(stateDir string, g Given) error {
	scanner, err := scanning()
	if err != nil {
		return err
	}
	kept := textLine{At: g.At}
	kept.Prompt, _ = scanner.Redact(g.Prompt)
	kept.Text, _ = scanner.Redact(g.Text) // an answer may quote what was asked
	line, err := json.Marshal(kept)
	if err != nil || len(line) > mostTexts {
		return err
	}
	path := textsPath(stateDir, g.At)
	info, err := os.Stat(path)
	if err != nil { // the first one of the day
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		removeOldTexts(stateDir, g.At)
	} else if info.Size()+int64(len(line)) > mostTexts {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// removeOldTexts removes the files of the days before yesterday.
func removeOldTexts(stateDir string, now time.Time) {
	today, yesterday := filepath.Base(textsPath(stateDir, now)), filepath.Base(textsPath(stateDir, now.Add(-keepTexts)))
	dir := filepath.Dir(textsPath(stateDir, now))
	list, err := os.ReadDir(dir)
	if err != nil {
		return // the next call retries
	}
	for _, e := range list {
		if e.Name() != today && e.Name() != yesterday {
			_ = os.Remove(filepath.Join(dir, e.Name())) // as above
		}
	}
}

// ReadTexts returns what was given in the last day, by the time, as far as it is kept: the prompts
// and the texts. Damaged lines are passed over.
func ReadTexts(stateDir string, now time.Time) (map[time.Time]Given, error) {
	removeOldTexts(stateDir, now)
	out := map[time.Time]Given{}
	for _, day := range []time.Time{now.Add(-keepTexts), now} {
		if err := readTexts(textsPath(stateDir, day), now.Add(-keepTexts), out); err != nil {
			return nil, fmt.Errorf("read what was given: %w", err)
		}
	}
	return out, nil
}

func readTexts(path string, since time.Time, into map[time.Time]Given) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostTexts+1)
	for lines.Scan() {
		var l textLine
		if json.Unmarshal(lines.Bytes(), &l) == nil && !l.At.Before(since) {
			into[l.At.UTC()] = Given{At: l.At, Prompt: l.Prompt, Text: l.Text}
		}
	}
	return lines.Err()
}

// RemoveTexts removes the texts that were given, to whatever conversation: which of them quote what
// is forgotten cannot be told.
func RemoveTexts(stateDir string) error {
	if err := os.RemoveAll(filepath.Join(stateDir, "hosts", textsFolder)); err != nil {
		return fmt.Errorf("forget what was given: %w", err)
	}
	return nil
}
