package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Some hosts take no context after a compaction. Then an empty file in the state directory remembers, until the
// conversation's next prompt, that rules and decisions must be said again.

func (h *hooked) compactedPath() string {
	sum := sha256.Sum256([]byte(h.conversation()))
	return filepath.Join(h.state, "hosts", "compacted", hex.EncodeToString(sum[:16]))
}

func (h *hooked) markCompacted() error {
	path := h.compactedPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

// takeCompacted reports whether the conversation was compacted since its last prompt, and forgets that.
func (h *hooked) takeCompacted() bool {
	err := os.Remove(h.compactedPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.log.Warn("forget a compaction", "err", err)
	}
	return err == nil
}
