package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/remote"
	"golang.org/x/term"
)

// environment is what the program takes from outside. A command takes it from nowhere else: it may
// run in a process that was started elsewhere, see remote.go.
type environment struct {
	args   []string // the command line without the program's name
	getenv func(string) string
	dir    string // the working directory, absolute; "" where it is not known
	stdin  io.ReadCloser
	stdout io.WriteCloser
	stderr io.Writer
	out    remote.Terminal // what standard output is
	err    remote.Terminal // what standard error is

	// server is the one of the daemon, whose process this is; nil has the command make its own. It
	// is not the command's to close.
	server *server.Server
	// daemon tells of the daemon, where this is its process; caller is the build of the program
	// that asked it.
	daemon *daemonFacts
	caller string
	// dial asks for the daemon of a state directory; errNoDaemon where none runs. nil = there is
	// never one.
	dial func(ctx context.Context, state string) (io.ReadWriteCloser, error)

	tape *tape
}

// processEnvironment is that of this process.
func processEnvironment() *environment {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return &environment{
		args: os.Args[1:], getenv: os.Getenv, dir: dir, stdin: os.Stdin, stdout: os.Stdout, stderr: plainWriter{os.Stderr},
		out: terminal(os.Stdout), err: terminal(os.Stderr), dial: dialDaemon,
	}
}

// plainWriter shows nothing of a file but that it can be written: what is written may not depend on
// more, since the file may be another process's.
type plainWriter struct{ io.Writer }

// terminal tells of a stream of this process.
func terminal(f *os.File) remote.Terminal {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return remote.Terminal{}
	}
	columns, _, err := term.GetSize(fd)
	if err != nil || columns < 0 {
		columns = 0
	}
	return remote.Terminal{On: true, Columns: columns}
}

// abs makes a path absolute, as filepath.Abs does with the process's working directory.
func (e *environment) abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if e.dir == "" {
		return "", errors.New("the working directory is not known; give absolute paths")
	}
	return filepath.Join(e.dir, path), nil
}

// input is standard input for a command: reads end with ctx.
func (e *environment) input(ctx context.Context) io.Reader {
	if e.server != nil {
		return e.stdin // the other side's, which does so itself
	}
	if e.tape == nil {
		e.tape = newTape(e.stdin)
	}
	return e.tape.reader(ctx)
}

// outPalette marks up what goes to standard output, errPalette what goes to standard error.
func (e *environment) outPalette() palette { return e.palette(e.out) }
func (e *environment) errPalette() palette { return e.palette(e.err) }

// palette honours NO_COLOR (no-color.org) and terminals that say that they are dumb.
func (e *environment) palette(t remote.Terminal) palette {
	return palette{t.On && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"}
}

// columns is the width of standard error in characters; 0 where it is not known.
func (e *environment) columns() int {
	if e.err.Columns > 0 || !e.err.On {
		return e.err.Columns
	}
	n, err := strconv.Atoi(e.getenv("COLUMNS"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// report writes an error for the person and gives the exit code.
func (e *environment) report(err error) (code int) {
	if err == nil {
		return 0
	}
	code = exitFailed
	var exit *exitError
	if errors.As(err, &exit) {
		code = exit.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(e.stderr, "contexture: "+lines(text))
	}
	return code
}

// helpWidth is the number of columns that help is written in: the terminal's, within what reads
// well.
func (e *environment) helpWidth() int {
	if e.out.Columns == 0 {
		return 80
	}
	return min(max(e.out.Columns, 40), 100)
}
