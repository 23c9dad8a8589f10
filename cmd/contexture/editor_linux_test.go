package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// newTerminal returns the program's end of a new terminal.
func newTerminal(t *testing.T) *os.File {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	if err := unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	near, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = near.Close() })
	return near
}

// TestOpenTerminalEditor checks that an editor without a window gets the terminal itself as each of
// its streams, and that it is offered only where both standard input and standard error are one.
func TestOpenTerminalEditor(t *testing.T) {
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	editor := filepath.Join(dir, "vi")
	script := "#!/bin/sh\ntest -t 0 && test -t 1 && test -t 2 && printf '%s|' \"$@\" >" + said + "\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	tty := newTerminal(t)
	both := environment{
		getenv: func(name string) string { return map[string]string{"EDITOR": editor}[name] },
		stdin:  tty, stderr: &foldingWriter{plainWriter{tty}, 80}, in: terminalOf(tty), err: terminalOf(tty),
	}
	open, wait := both.openEditor()
	if open == nil {
		t.Fatal("the editor is not offered")
	}
	if err := open(t.Context(), "/w/a b.go", 7); err != nil {
		t.Fatal(err)
	}
	wait()
	if text, err := os.ReadFile(said); err != nil || string(text) != "+7|/w/a b.go|" {
		t.Errorf("arguments %q, %v", text, err)
	}
	for name, lack := range map[string]func(*environment){
		"standard input": func(e *environment) { e.in = terminal{} },
		"standard error": func(e *environment) { e.err = terminal{} },
	} {
		e := both
		lack(&e)
		if open, _ := e.openEditor(); open != nil {
			t.Errorf("an editor is offered although %s is no terminal", name)
		}
	}
}
