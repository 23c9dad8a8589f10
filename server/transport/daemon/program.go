package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrLeft says that a daemon that was started is gone and has not said why.
var ErrLeft = errors.New("it left at once")

// Program is how a daemon is started.
type Program struct {
	Path string   // of the executable
	Args []string // behind its name; the number of the descriptor to report to is added as --ready-fd=N
	// LogFile takes what the process says when it breaks; its folder is made.
	LogFile string
}

// listening is what a daemon reports when all is well; anything else is an error's text.
const listening = "listening"

// Start starts the daemon apart from this process, its terminal and its standard streams, with this
// one's environment, and waits until it listens. Error: what the daemon says why it cannot, or
// ctx's.
func (p Program) Start(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(p.LogFile), 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(p.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600) // a pipe has no reader to wait for
	if err != nil {
		return err
	}
	defer log.Close()
	report, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer report.Close()
	// Not with ctx: the daemon outlives who starts it.
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir = "/" // no folder is kept from being removed or unmounted
	cmd.Stderr = log
	cmd.SysProcAttr = detached()
	fd, err := handOver(cmd, theirs)
	if err == nil {
		cmd.Args = append(cmd.Args, fmt.Sprintf("--ready-fd=%d", fd))
		err = cmd.Start()
	}
	_ = theirs.Close() // it has its own
	if err != nil {
		return err
	}
	// Waits for the daemon's end, so that no zombie stays, which may be after this process's own:
	// nobody waits for it.
	go func() { _ = cmd.Wait() }()
	stop := context.AfterFunc(ctx, func() { _ = report.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	const most = 4 << 10
	text, err := io.ReadAll(io.LimitReader(report, most))
	switch said := strings.TrimSpace(string(text)); {
	case said == listening:
		return nil
	case said != "":
		return errors.New(strings.TrimPrefix(said, startFailed)) // who asked for it says so too
	case ctx.Err() != nil:
		return fmt.Errorf("process %d does not come up in time; %s may say why", cmd.Process.Pid, p.LogFile)
	case err != nil:
		return err
	}
	return fmt.Errorf("process %d: %w; %s may say why", cmd.Process.Pid, ErrLeft, p.LogFile)
}

// Detach starts the program apart from this process, its terminal and its standard streams, with
// this one's environment, and waits for nothing. Args are taken as they are.
func (p Program) Detach() error {
	if err := os.MkdirAll(filepath.Dir(p.LogFile), 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(p.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir = "/" // no folder is kept from being removed or unmounted
	cmd.Stderr = log
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // as in Start
	return nil
}

// startFailed begins the errors of a daemon that cannot start.
const startFailed = "start daemon: "

// Report returns who started this daemon that it listens, or why it cannot, and closes the
// descriptor. It is what [Options].Ready is for.
func Report(fd *os.File, err error) error {
	text := listening
	if err != nil {
		text = err.Error()
	}
	_, failed := io.WriteString(fd, text+"\n")
	return errors.Join(failed, fd.Close())
}
