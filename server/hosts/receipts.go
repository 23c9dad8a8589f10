package hosts

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
)

// What hooks gave to a conversation is kept in a file of the state directory, named by a hash of
// the conversation's id: one line of JSON for each answer. A file ends at mostGiven bytes, and is
// removed keepGiven after its last line.
const (
	receiptsFolder = "receipts"
	mostGiven      = 1 << 20
	keepGiven      = 30 * 24 * time.Hour
)

// ConversationDeliveries is what one conversation of a workspace was given, the earliest first.
type ConversationDeliveries struct {
	Root         string // of the workspace
	Conversation string
	Given        []receipt.Delivery
}

type givenLine struct {
	Root         string `json:"root"`
	Conversation string `json:"conversation"`
	receipt.Delivery
}

// Moments that receipts tell apart.
const (
	AtStart      = "atStart"
	BeforePrompt = "beforePrompt"
)

// AskedBy begins the ids under which servers of the Model Context Protocol record what they
// answered: they are not told the conversation.
const AskedBy = "mcp:"

// Moment returns the name of an event's moment, as its setting has it; "" for one at which nothing
// is given.
func (e Event) Moment() string {
	switch e.Kind {
	case Start:
		return AtStart
	case Prompt:
		return BeforePrompt
	case Editing:
		return "beforeEdit"
	case Failed:
		return "afterFailure"
	case Delegating:
		return "beforeSubagent"
	case Compacted:
		return "afterCompaction"
	}
	return ""
}

func receiptsPath(stateDir, conversation string) string {
	sum := sha256.Sum256([]byte(conversation))
	return filepath.Join(stateDir, "hosts", receiptsFolder, hex.EncodeToString(sum[:16])+".jsonl")
}

// Given is what was given to a conversation at one moment.
type Given struct {
	At     time.Time
	Moment string // see receipt.Delivery
	Prompt string // "" where there is none
	Text   string
	Took   time.Duration // until the text was there
}

// RecordGiven records what a conversation was given, and keeps the text and the prompt for a day.
// It is safe for concurrent use, also by several processes.
func RecordGiven(stateDir, root, conversation string, g Given) error {
	line, err := json.Marshal(givenLine{root, conversation, receipt.Give(g.At, g.Moment, g.Text, g.Took)})
	if err != nil {
		return fmt.Errorf("record what was given: %w", err)
	}
	path := receiptsPath(stateDir, conversation)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("record what was given: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Size()+int64(len(line)) > mostGiven {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("record what was given: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close(), recordText(stateDir, g)); err != nil {
		return fmt.Errorf("record what was given: %w", err)
	}
	return nil
}

// ReadGiven returns what the conversations were given that want accepts, the one that was given
// something last first. Damaged lines, such as one that a full disk cut, are passed over. It
// removes files that are too old.
func ReadGiven(stateDir string, now time.Time, want func(root, conversation string) bool) ([]ConversationDeliveries, error) {
	dir := filepath.Join(stateDir, "hosts", receiptsFolder)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was given: %w", err)
	}
	var out []ConversationDeliveries
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		if now.Sub(info.ModTime()) > keepGiven {
			_ = os.Remove(path) // the next call retries
			continue
		}
		h, err := readGiven(path, want)
		if err != nil {
			return nil, fmt.Errorf("read what was given: %w", err)
		}
		if len(h.Given) > 0 {
			out = append(out, h)
		}
	}
	SortGiven(out)
	return out, nil
}

// SortGiven orders what conversations were given, the one that was given something last first.
func SortGiven(list []ConversationDeliveries) {
	slices.SortFunc(list, func(a, b ConversationDeliveries) int {
		return cmp.Or(b.Given[len(b.Given)-1].At.Compare(a.Given[len(a.Given)-1].At), cmp.Compare(a.Conversation, b.Conversation))
	})
}

// RemoveGiven removes the records of the conversations for which gone returns true, and all texts.
func RemoveGiven(stateDir string, gone func(root, conversation string) bool) error {
	list, err := ReadGiven(stateDir, time.Time{}, gone)
	err = errors.Join(err, RemoveTexts(stateDir))
	for _, h := range list {
		if e := os.Remove(receiptsPath(stateDir, h.Conversation)); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("forget what was given: %w", e))
		}
	}
	return err
}

func readGiven(path string, want func(root, conversation string) bool) (h ConversationDeliveries, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostGiven+1)
	for lines.Scan() {
		var l givenLine
		if json.Unmarshal(lines.Bytes(), &l) != nil || l.Conversation == "" {
			continue
		}
		if h.Conversation == "" && !want(l.Root, l.Conversation) {
			return h, nil
		}
		h.Root, h.Conversation, h.Given = l.Root, l.Conversation, append(h.Given, l.Delivery)
	}
	slices.SortStableFunc(h.Given, func(a, b receipt.Delivery) int { return a.At.Compare(b.At) })
	return h, lines.Err()
}
