package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/contexture-dev/contexture/server/transport/daemon"
	"golang.org/x/term"
)

// environment is what the program takes from outside, and where it writes. A command takes and
// writes nothing elsewhere.
type environment struct {
	args   []string // the command line without the program's name
	getenv func(string) string
	dir    string // the working directory, absolute; "" if unknown
	stdin  io.ReadCloser
	stdout io.WriteCloser
	stderr io.Writer
	in     terminal // what standard input is
	out    terminal // what standard output is
	err    terminal // what standard error is
	host   string   // the name of this machine, for hyperlinks; "" if unknown
	pager  string   // see pagerOf

	// now is the clock by which the work for an answer is timed; nil for the system's.
	now func() time.Time

	// dial connects to the daemon of a state directory; errNoDaemon if none runs. nil means that
	// there is never one.
	dial func(ctx context.Context, state string, h daemon.Hello) (io.ReadWriteCloser, error)
	// start starts a daemon and connects to it; nil means that none may be started.
	start func(ctx context.Context, t daemon.Target) (io.ReadWriteCloser, error)

	// completeWithin is the time for the ids that a shell completes, for which a person waits in
	// the middle of a line; 0 means no limit.
	completeWithin time.Duration

	// words is what a command has read from standard input, nil before the first read: it is read
	// only once, even if the command runs again.
	words []byte
}

// clock returns the time for measuring how long work takes.
func (e *environment) clock() time.Time {
	if e.now == nil {
		return time.Now()
	}
	return e.now()
}

// terminal describes a stream for a command: whether it is a terminal, and its size. A width of 0
// is unknown.
type terminal struct {
	On      bool
	Columns int
	Rows    int // 0 if unknown
	// file is the terminal itself, for a program that takes it over; nil if On is false.
	file *os.File
}

// processEnvironment returns the environment of this process.
func processEnvironment() *environment {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return &environment{
		args: os.Args[1:], getenv: getenv, dir: dir, host: host, pager: pagerOf(os.LookupEnv), completeWithin: 200 * time.Millisecond, stdin: os.Stdin, stdout: os.Stdout, stderr: plainWriter{os.Stderr},
		in: terminalOf(os.Stdin), out: terminalOf(os.Stdout), err: terminalOf(os.Stderr), dial: dialDaemon, start: startDaemon,
	}
}

// getenv returns a setting of the environment. HOME is the user's folder on Windows too, where it
// has another name.
func getenv(name string) string {
	text := os.Getenv(name)
	if name != "HOME" || text != "" {
		return text
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// plainWriter hides every property of a file except that it can be written: output must not depend
// on the others.
type plainWriter struct{ io.Writer }

// terminalOf describes a stream of this process.
func terminalOf(f *os.File) terminal {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return terminal{}
	}
	columns, rows, err := term.GetSize(fd)
	if err != nil {
		columns, rows = 0, 0
	}
	return terminal{On: true, Columns: max(0, columns), Rows: rows, file: f}
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

// input returns standard input for a command: reads end with ctx.
func (e *environment) input(ctx context.Context) io.Reader {
	return &interruptible{e.stdin, ctx}
}

// read returns all of standard input, but at most most bytes. Reading again returns the same.
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

// outPalette is the palette for standard output, errPalette that for standard error.
func (e *environment) outPalette() palette { return e.palette(e.out) }
func (e *environment) errPalette() palette { return e.palette(e.err) }

// palette honours NO_COLOR (no-color.org) and TERM=dumb.
func (e *environment) palette(t terminal) palette {
	return palette{t.On && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"}
}

// columns returns the width of standard error in characters; 0 if unknown.
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

// widthOf returns the number of columns into which text for a person is folded on a stream; 0 if it
// is no terminal, where each line stays whole.
func (e *environment) widthOf(t terminal) int {
	if !t.On || t.Columns > 0 {
		return t.Columns
	}
	return e.columnsNamed()
}

// columnsNamed returns the width that the environment names, 80 if it names none.
func (e *environment) columnsNamed() int {
	if n, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}

// report writes an error for the person and returns the exit code.
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

// helpWidth returns the number of columns for help: the terminal's, within readable limits.
func (e *environment) helpWidth() int {
	columns := e.widthOf(e.out)
	if columns == 0 {
		columns = e.columnsNamed()
	}
	return min(max(columns, 40), 100)
}
