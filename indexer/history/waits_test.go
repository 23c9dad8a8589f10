//go:build unix

package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe in place of any of Git's files blocks neither this package nor a git that it starts.
func TestPipesAreNotWaitedFor(t *testing.T) {
	for _, name := range strings.Fields("HEAD config index packed-refs shallow commondir config.worktree refs/heads/main objects/info/alternates") {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			hash := r.commit("one", "a", "1")
			file := filepath.Join(r.dir, ".git", filepath.FromSlash(name))
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, headErr := Head(ctx, r.dir)
				_, listErr := List(ctx, r.dir, 10)
				loadErr := Load(ctx, r.dir, []string{hash}, func(Commit) error { return nil })
				if ctx.Err() != nil {
					t.Errorf("ended by the deadline: %v, %v, %v", headErr, listErr, loadErr)
				}
			}()
			select {
			case <-done:
			case <-time.After(15 * time.Second):
				t.Fatal("something waits")
			}
		})
	}
}

// A .git file that is a pipe is no repository.
func TestPipeForAPointer(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := GitDirs(dir); ok {
		t.Error("a pipe is taken for a repository")
	}
}

// A git that prints nothing is killed, one that continues to print is not.
func TestSilentGit(t *testing.T) {
	const silent = 2 * time.Second
	for script, want := range map[string]error{
		"exec sleep 600":         errSilent,
		"echo a; exec sleep 600": errSilent,
		"for i in 1 2 3 4 5 6; do echo a; sleep 0.5; done": nil,
	} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nexec 2>/dev/null\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		g, err := newGit(context.Background(), bin, "anything")
		if err != nil {
			t.Fatal(err)
		}
		g.silent = silent
		out, err := g.start()
		if err != nil {
			t.Fatal(err)
		}
		text, readErr := io.ReadAll(out)
		if err := g.wait(context.Background()); !errors.Is(err, want) || want == nil && (err != nil || bytes.Count(text, []byte("a")) != 6) {
			t.Errorf("%q: %v, read %q, %v", script, err, text, readErr)
		}
	}
}
