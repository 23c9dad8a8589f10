package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/hosts"
)

// captureOffer asks for the consent that contexture install asks for in a terminal.
const captureOffer = `Contexture brings context with your prompts. It does not capture your conversations until you agree:
  contexture capture on claude-code    they are remembered on this machine, without secrets
  contexture capture off claude-code   they are not`

// offerCapture returns the offer to capture conversations, at the start of a session: a plugin has
// no other place to ask. It comes once, and not to a person who has decided.
func (h *hooked) offerCapture() string {
	if !h.plugin || h.event.Kind != hosts.Start || h.event.By != hosts.ClaudeCode || h.state == "" {
		return ""
	}
	consent, err := capture.Consent(h.state)
	if err != nil {
		h.log.Warn("read the consent", "err", err)
		return ""
	}
	if _, decided := consent[capture.ClaudeCode]; decided {
		return ""
	}
	mark := filepath.Join(h.state, "hosts", "offered-"+capture.ClaudeCode)
	err = os.MkdirAll(filepath.Dir(mark), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
			err = f.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return ""
	}
	if err != nil {
		h.log.Warn("record that capture was offered", "err", err)
	}
	return captureOffer
}
