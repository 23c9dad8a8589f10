package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// graphical are the editors with a window of their own, by program name, each with the form of the
// arguments that open a file at a line. Every other editor is assumed to run in the terminal and to
// accept +line.
var graphical = map[string]func(path string, line int) []string{
	"code": gotoFlag, "code-insiders": gotoFlag, "codium": gotoFlag, "cursor": gotoFlag, "windsurf": gotoFlag, "positron": gotoFlag,
	"subl": pathAndLine, "zed": pathAndLine, "zeditor": pathAndLine, "lapce": pathAndLine,
	"gedit": plusLine, "gvim": plusLine, "neovide": plusLine, "kate": lineFlag,
	"idea": longLineFlag, "goland": longLineFlag, "pycharm": longLineFlag, "webstorm": longLineFlag,
}

func gotoFlag(path string, line int) []string    { return []string{"-g", pathAndLine(path, line)[0]} }
func pathAndLine(path string, line int) []string { return []string{path + ":" + strconv.Itoa(line)} }
func plusLine(path string, line int) []string    { return []string{"+" + strconv.Itoa(line), path} }
func lineFlag(path string, line int) []string    { return []string{"-l", strconv.Itoa(line), path} }
func longLineFlag(path string, line int) []string {
	return []string{"--line", strconv.Itoa(line), path}
}

// openEditor returns open, which shows a file in the editor that VISUAL or EDITOR names, and a
// function that waits until no editor uses the terminal. open is nil if neither variable is set, or
// if the editor would need a terminal that this process does not have.
//
// An editor with a window is started and left alone. One that runs in the terminal takes over the
// terminal of this process, one at a time; a second request in the meantime is an error.
func (e environment) openEditor() (open func(ctx context.Context, path string, line int) error, wait func()) {
	words := strings.Fields(e.getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(e.getenv("EDITOR"))
	}
	if len(words) == 0 {
		return nil, func() {}
	}
	arguments, window := graphical[strings.TrimSuffix(filepath.Base(words[0]), ".exe")]
	if !window {
		if e.in.file == nil || e.err.file == nil {
			return nil, func() {}
		}
		arguments = plusLine
	}
	var busy sync.Mutex // held while an editor uses the terminal
	open = func(ctx context.Context, path string, line int) error {
		// The editor outlives the request and the page, so that the person loses no edits.
		c := exec.CommandContext(context.WithoutCancel(ctx), words[0], append(words[1:len(words):len(words)], arguments(path, line)...)...)
		if !window {
			if !busy.TryLock() {
				return fmt.Errorf("%s is still open in the terminal of contexture panel; close it first", words[0])
			}
			// Standard output is for results only, and e.stderr folds lines.
			c.Stdin, c.Stdout, c.Stderr = e.in.file, e.err.file, e.err.file
		}
		if err := c.Start(); err != nil {
			if !window {
				busy.Unlock()
			}
			return fmt.Errorf("start the editor: %w", err)
		}
		// For an editor with a window, this goroutine has no waiter: the window may outlive this
		// process.
		go func() {
			_ = c.Wait() // its exit status does not concern this process
			if !window {
				busy.Unlock()
			}
		}()
		return nil
	}
	return open, func() {
		busy.Lock()
		defer busy.Unlock()
	}
}
