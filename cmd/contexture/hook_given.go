package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/hosts"
)

// What a hook must remember of a conversation's earlier events is stored in the state directory, in
// small files named by a hash of the conversation's id: the ids of the items that it was given, and
// whether it was compacted if the host does not accept context at that event.

const (
	givenFolder     = "given"
	compactedFolder = "compacted"
	// givenMost limits the ids that are remembered, in bytes: older items may be given again.
	givenMost = 64 << 10
	// givenFor is how long the ids are kept.
	givenFor = 30 * 24 * time.Hour
)

// remembered returns the path of the conversation's file in a folder.
func (h *hooked) remembered(folder string) string {
	sum := sha256.Sum256([]byte(h.conversation()))
	return filepath.Join(h.state, "hosts", folder, hex.EncodeToString(sum[:16]))
}

// given returns the ids of the items that the conversation was given since its start or last
// compaction.
func (h *hooked) given() []string {
	data, err := os.ReadFile(h.remembered(givenFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.log.Warn("read what a conversation was sent", "err", err)
	}
	return strings.Fields(string(data[max(0, len(data)-givenMost):]))
}

// give adds ids to those of given. If that fails, the items are given again.
func (h *hooked) give(ids []string) {
	if len(ids) == 0 {
		return
	}
	if err := appendLines(h.remembered(givenFolder), ids); err != nil {
		h.log.Warn("record what a conversation was sent", "err", err)
	}
}

// appendLines appends lines to a file, which need not exist.
func appendLines(path string, lines []string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, f.Close())
}

// handed records an answer for receipts, and the time until it was there.
func (h *hooked) handed(text string, took time.Duration) error {
	if text == "" || !h.event.Answered() || h.root == "" {
		return nil
	}
	g := hosts.Given{At: h.begun.UTC(), Moment: h.event.Moment(), Text: text, Took: took}
	if h.event.Kind == hosts.Prompt {
		g.Prompt = h.event.Text
	}
	return hosts.RecordGiven(h.state, h.root, h.conversation(), g)
}

// forgetGiven removes the ids of the conversation if the model no longer has their items. It also
// removes the files of conversations that ended long ago.
func (h *hooked) forgetGiven() {
	path := h.remembered(givenFolder)
	if h.event.Forgets() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.log.Warn("forget what a conversation was sent", "err", err)
		}
	}
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // there is none
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > givenFor {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name())) // if this fails, the next call retries
		}
	}
}

func (h *hooked) markCompacted() error {
	path := h.remembered(compactedFolder)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

// takeCompacted reports whether the conversation was compacted since its last prompt, and clears
// that mark.
func (h *hooked) takeCompacted() bool {
	err := os.Remove(h.remembered(compactedFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.log.Warn("forget a compaction", "err", err)
	}
	return err == nil
}
