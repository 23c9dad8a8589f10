package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clone is a checkout of a repository in a folder of its own, which shares the objects of the
// original. The original is only read.
type clone struct {
	dir    string // of the workspace's root
	top    string // of the clone
	commit string // that is checked out, "" for none
	branch string // the commit from whose past commits are taken
}

// Settings under which git runs no program of the repository, asks nobody and talks to no other
// machine.
var (
	cloneSettings = []string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never", "-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false",
		"-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false", "-c", "core.fsmonitor=false",
	}
	cloneVariables = []string{"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}
)

// errNotGit is the error of a workspace whose earlier states are not known.
var errNotGit = errors.New("is not in a Git repository with a commit: what it was like at each prompt is not known")

// cloneOf makes a clone of the repository that a workspace is in.
func cloneOf(ctx context.Context, root, dir string) (*clone, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("git is needed to rebuild the workspace at each prompt: %w", err)
	}
	top, err := gitIn(ctx, root, "rev-parse", "--show-toplevel")
	if err == nil {
		_, err = gitIn(ctx, root, "rev-parse", "--verify", "-q", "HEAD^{commit}")
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", root, errors.Join(errNotGit, ctx.Err()))
	}
	below := "."
	if real, err := filepath.EvalSymlinks(root); err == nil {
		if rel, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(rel) {
			below = rel
		}
	}
	if _, err := gitIn(ctx, root, "clone", "-q", "--shared", "--no-checkout", "--", top, dir); err != nil {
		return nil, err
	}
	c := &clone{top: dir, dir: filepath.Join(dir, below)}
	c.branch, err = gitIn(ctx, root, "rev-parse", "HEAD")
	return c, err
}

// at checks out the last commit before a time. commit is "" if there was none; moved reports
// whether it is another one than before.
func (c *clone) at(ctx context.Context, when time.Time) (moved bool, err error) {
	commit, err := gitIn(ctx, c.top, "rev-list", "-1", "--before=@"+strconv.FormatInt(when.Unix(), 10), c.branch)
	if err != nil || commit == c.commit {
		return false, err
	}
	if c.commit = commit; commit == "" {
		return true, nil
	}
	if _, err := gitIn(ctx, c.top, "checkout", "-q", "-f", "--detach", commit); err != nil {
		c.commit = "" // what is there now is a part of it
		return true, err
	}
	return true, os.MkdirAll(c.dir, 0o755) // a folder that did not exist then
}

// gitIn runs git in a folder and returns what it prints.
func gitIn(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, cloneSettings...), args...)...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, cloneVariables...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], errors.Join(err, ctx.Err()), oneLine(failed.String(), 300))
	}
	return strings.TrimSpace(out.String()), nil
}
