package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/contexture-dev/contexture/server/transport/daemon"
	"golang.org/x/term"
)

// environment is what the program takes from outside. A command takes it from nowhere else.
type environment struct {
	args   []string // the command line without the program's name
	getenv func(string) string
	dir    string // the working directory, absolute; "" where it is not known
	stdin  io.ReadCloser
	stdout io.WriteCloser
	stderr io.Writer
	out    terminal // what standard output is
	err    terminal // what standard error is

	// dial asks for the daemon of a state directory; errNoDaemon where none runs. nil = there is
	// never one.
	dial func(ctx context.Context, state string, h daemon.Hello) (io.ReadWriteCloser, error)

	// words are what a command has read of standard input, nil before: it is read once, also where
	// the command is run again.
	words []byte
}

// terminal is what a command has to know of a stream: whether it is a terminal, and how wide that
// is, 0 where it is not known.
type terminal struct {
	On      bool
	Columns int
}

// processEnvironment is that of this process.
func processEnvironment() *environment {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return &environment{
		args: os.Args[1:], getenv: os.Getenv, dir: dir, stdin: os.Stdin, stdout: os.Stdout, stderr: plainWriter{os.Stderr},
		out: terminalOf(os.Stdout), err: terminalOf(os.Stderr), dial: dialDaemon,
	}
}

// plainWriter shows nothing of a file but that it can be written: what is written may not depend on
// more.
type plainWriter struct{ io.Writer }

// terminalOf describes a stream of this process.
func terminalOf(f *os.File) terminal {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return terminal{}
	}
	columns, _, err := term.GetSize(fd)
	if err != nil || columns < 0 {
		columns = 0
	}
	return terminal{On: true, Columns: columns}
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
	return &interruptible{e.stdin, ctx}
}

// read returns standard input whole, but for what is beyond most bytes. It is the same when it is
// read again.
func (e *environment) read(ctx context.Context, most int64) ([]byte, error) {
	if e.words == nil {
		data, err := io.ReadAll(io.LimitReader(e.input(ctx), most))
		if err != nil {
			return nil, err
		}
		e.words = data
	}
	return e.words, nil
}

// printed reports whether the command has written something to standard output.
func (e *environment) printed() bool {
	n, ok := e.stdout.(*noted)
	return ok && n.some
}

// outPalette marks up what goes to standard output, errPalette what goes to standard error.
func (e *environment) outPalette() palette { return e.palette(e.out) }
func (e *environment) errPalette() palette { return e.palette(e.err) }

// palette honours NO_COLOR (no-color.org) and terminals that say that they are dumb.
func (e *environment) palette(t terminal) palette {
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
