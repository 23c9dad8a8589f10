package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// maxStderrBytes bounds the part of git's error output that is kept for the error.
	maxStderrBytes = 4 << 10
	// killGrace is how long a killed git's pipes may stay open before they are closed.
	killGrace = 2 * time.Second
	// silence is how long git may print nothing before it is considered blocked: a configuration
	// may name any file, including a pipe.
	silence = 2 * time.Minute
)

// fixedArgs precede every subcommand. They override the configuration of the user and of the
// repository, which may name programs to run and switch output formats.
var fixedArgs = []string{
	"--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs",
	"-c", "protocol.allow=never",
	"-c", "safe.bareRepository=explicit",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.quotepath=false",
	"-c", "log.showSignature=false",
	"-c", "diff.renames=false",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
}

// keptVariables are git's variables that locate git and its configuration. All others that begin
// with GIT_ are dropped: an editor started by a hook passes on GIT_DIR and GIT_INDEX_FILE.
var keptVariables = map[string]bool{
	"GIT_EXEC_PATH": true, "GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true,
	"GIT_CONFIG_NOSYSTEM": true, "GIT_CEILING_DIRECTORIES": true, "GIT_DISCOVERY_ACROSS_FILESYSTEM": true,
}

// git is one run of the git command in a folder.
type git struct {
	cmd    *exec.Cmd
	stderr head
	root   string
	end    context.CancelCauseFunc // kills it
	ctx    context.Context         // done when it is killed
	silent time.Duration           // how long it may print nothing
}

// newGit prepares a run without starting it. It fails with ErrNoGit.
func newGit(ctx context.Context, root string, args ...string) (*git, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoGit, err)
	}
	g := &git{root: root, silent: silence}
	g.ctx, g.end = context.WithCancelCause(ctx)
	g.cmd = exec.CommandContext(g.ctx, path, append(append([]string{}, fixedArgs...), args...)...)
	g.cmd.Dir = root
	g.cmd.Env = environment(os.Environ(), root)
	g.cmd.Stderr = &g.stderr
	g.cmd.WaitDelay = killGrace
	return g, nil
}

// environment returns the environment for git. An empty GIT_ALLOW_PROTOCOL forbids every transport
// regardless of the repository's protocol.* settings, also for versions of git without
// GIT_NO_LAZY_FETCH (before 2.45).
func environment(ours []string, root string) []string {
	env := make([]string, 0, len(ours)+8)
	for _, v := range ours {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GIT_") && !keptVariables[name] {
			continue
		}
		switch name {
		case "LC_ALL", "LANGUAGE", "PWD":
			continue
		}
		env = append(env, v)
	}
	return append(env, "LC_ALL=C", "LANGUAGE=C", "PWD="+root, "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1")
}

// start runs the command and returns its output, which must be read to its end or abandoned by
// cancelling the context before wait.
func (g *git) start() (io.ReadCloser, error) {
	out, err := g.cmd.StdoutPipe()
	if err == nil {
		err = g.cmd.Start()
	}
	if err != nil {
		g.end(err)
		return nil, err
	}
	lowerPriority(g.cmd.Process.Pid)
	return &gitOutput{ReadCloser: out, timer: time.AfterFunc(g.silent, func() { g.end(errSilent) }), silent: g.silent}, nil
}

// errSilent is the reason why git was killed.
var errSilent = errors.New("git printed nothing for a long time and was killed")

// gitOutput is git's output; each read resets the timer.
type gitOutput struct {
	io.ReadCloser
	timer  *time.Timer
	silent time.Duration
}

func (h *gitOutput) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if h.timer.Reset(h.silent); err != nil {
		h.timer.Stop()
	}
	return n, err
}

// wait waits for the end of the run and converts git's error output into an error that states what
// to do.
func (g *git) wait(ctx context.Context) error {
	err := g.cmd.Wait()
	silent := errors.Is(context.Cause(g.ctx), errSilent)
	g.end(nil)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case silent:
		return errSilent
	}
	if err == nil {
		return nil
	}
	said := strings.TrimSpace(g.stderr.String())
	switch {
	case strings.Contains(said, "dubious ownership"), strings.Contains(said, "safe.directory"):
		return fmt.Errorf("%w: to trust it run: git config --global --add safe.directory %q", ErrUntrusted, g.root)
	case strings.Contains(said, "not a git repository"):
		return errNoRepository
	case lacksObjects(said):
		return fmt.Errorf("%w: %s", ErrNoTrees, firstLine(said))
	case said == "":
		return err
	}
	return fmt.Errorf("%w: %s", err, firstLine(said))
}

// errNoRepository means that git finds no repository where GitDirs does: it is beyond a mount point
// or a ceiling, or has a HEAD that git rejects. Callers treat it as no repository.
var errNoRepository = errors.New("not a git repository")

// lacksObjects reports whether git failed because an object is missing from the repository.
func lacksObjects(said string) bool {
	for _, mark := range []string{"promisor remote", "unable to read tree", "bad tree object", "missing tree"} {
		if strings.Contains(said, mark) {
			return true
		}
	}
	return false
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// output runs git and returns its output.
func output(ctx context.Context, root string, args ...string) ([]byte, error) {
	g, err := newGit(ctx, root, args...)
	if err != nil {
		return nil, err
	}
	out, err := g.start()
	if err != nil {
		return nil, err
	}
	data, readErr := io.ReadAll(out)
	if err := g.wait(ctx); err != nil {
		return nil, err
	}
	return data, readErr
}

// head keeps the beginning of what is written to it and discards the rest.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := maxStderrBytes - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
