package main

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// pagerOf returns the program, with its arguments, through which a person reads what is longer than
// the screen: CONTEXTURE_PAGER, else PAGER, else less. It returns "" if the first of them that is
// set is empty or cat.
func pagerOf(lookup func(name string) (string, bool)) string {
	for _, name := range []string{"CONTEXTURE_PAGER", "PAGER"} {
		if text, ok := lookup(name); ok {
			if text = strings.TrimSpace(text); text == "cat" {
				text = ""
			}
			return text
		}
	}
	return "less"
}

// page writes a text for a person to standard output, on a terminal that is too small for it
// through the pager, and blocks until the person has left that. A pager that cannot be started is
// as none.
func (e *environment) page(text string) error {
	words := strings.Fields(e.pager)
	if len(words) == 0 || e.out.file == nil || strings.Count(text, "\n") < e.out.Rows || e.getenv("TERM") == "dumb" {
		_, err := io.WriteString(e.stdout, text)
		return err
	}
	pager := exec.Command(words[0], words[1:]...)
	pager.Stdin = strings.NewReader(unlinked(text)) // older versions of less print the addresses
	pager.Stdout, pager.Stderr = e.out.file, e.out.file
	if e.getenv("LESS") == "" {
		pager.Env = append(os.Environ(), "LESS=FRX")
	}
	interrupts := make(chan os.Signal, 1) // are the pager's, which uses them for itself
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if err := pager.Start(); err != nil {
		_, err := io.WriteString(e.stdout, text)
		return err
	}
	if n, ok := e.stdout.(*noted); ok {
		n.some = true
	}
	_ = pager.Wait() // that the person left it early, or how it ended, is no failure of the command
	return nil
}
