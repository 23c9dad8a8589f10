package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeliveredByTheCaller checks that the file named by -o is written relative to the person's
// folder, with a daemon and without, and that a failed answer leaves the file unchanged.
func TestDeliveredByTheCaller(t *testing.T) {
	root := bank(t)
	for _, daemon := range []bool{false, true} {
		w := newWorld(t, filepath.Join(root, "sub"))
		if daemon {
			w.haveDaemon()
		}
		file := filepath.Join(t.TempDir(), "out.txt")
		if err := os.WriteFile(file, []byte("before"), 0o640); err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(w.dir, file)
		if err != nil {
			t.Fatal(err)
		}
		if r := w.run("", "bundle", "-o", relative, "--encoding", "morse", "x"); r.code != exitUsage {
			t.Errorf("leaves with %d: %s", r.code, r.err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != "before" {
			t.Errorf("an answer that failed left %q, %v", text, err)
		}
		want := w.run("", "bundle", "what does Balance tell?")
		r := w.run("", "bundle", "-o", relative, "what does Balance tell?")
		text, err := os.ReadFile(file)
		if err != nil || r.code != 0 || r.out != "" || string(text) != want.out {
			t.Errorf("daemon %t: left with %d, printed %q, wrote %q, %v", daemon, r.code, r.out, text, err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
	}
}

// TestTerminalClipboard checks that the terminal fills the clipboard if no tool can, with no more
// than it accepts.
func TestTerminalClipboard(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said bytes.Buffer
	e := &environment{getenv: func(string) string { return "" }, stderr: &said, err: terminal{On: true}}
	put, err := e.clipboard()
	if err != nil {
		t.Fatal(err)
	}
	if err := put([]byte("héllo")); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("héllo")) + "\a"; !strings.HasPrefix(said.String(), want) {
		t.Errorf("the terminal was told %q", &said)
	}
	if err := put(bytes.Repeat([]byte("x"), terminalClip+1)); err == nil || !strings.Contains(err.Error(), "-o FILE") {
		t.Errorf("too much: %v", err)
	}
	e.err.On = false
	if _, err := e.clipboard(); err == nil || !strings.Contains(err.Error(), "xclip (needs DISPLAY)") {
		t.Errorf("without a terminal: %v", err)
	}
}

func TestUTF16(t *testing.T) {
	if got := utf16Text([]byte("aé😀")); !bytes.Equal(got, []byte{0xff, 0xfe, 'a', 0, 0xe9, 0, 0x3d, 0xd8, 0x00, 0xde}) {
		t.Errorf("% x", got)
	}
}

// TestShellWord checks that an id can be typed as it is shown.
func TestShellWord(t *testing.T) {
	for id, want := range map[string]string{"2026-10-31-login": "2026-10-31-login", "two words": "'two words'", "it's": `'it'\''s'`, "": "''", "~x": "'~x'", "$(x)": "'$(x)'"} {
		if got := shellWord(id); got != want {
			t.Errorf("%q is %s, want %s", id, got, want)
		}
	}
}
