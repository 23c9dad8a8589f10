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

// ErrLeft means that a started daemon has exited without reporting a reason.
var ErrLeft = errors.New("it left at once")

// Program is the command that starts a daemon.
type Program struct {
	Path string   // of the executable
	Args []string // after its name; --ready-fd=N is added, the descriptor to report to
	// LogFile receives the output of the process when it crashes; its folder is created.
	LogFile string
}

// listening is the report of a daemon that has started; any other report is an error's text.
const listening = "listening"

// Start starts the daemon detached from this process, its terminal and its standard streams, with
// this process's environment, and waits until it listens. The error is the daemon's own or ctx's.
func (p Program) Start(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(p.LogFile), 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(p.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600) // does not block on a pipe
	if err != nil {
		return err
	}
	defer log.Close()
	report, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer report.Close()
	// Not with ctx: the daemon outlives its starter.
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir = "/" // does not keep a folder from being removed or unmounted
	cmd.Stderr = log
	cmd.SysProcAttr = detached()
	fd, err := handOver(cmd, theirs)
	if err == nil {
		cmd.Args = append(cmd.Args, fmt.Sprintf("--ready-fd=%d", fd))
		err = cmd.Start()
	}
	_ = theirs.Close() // the daemon has its own
	if err != nil {
		return err
	}
	// Reap the daemon when it ends, so that no zombie stays. The goroutine is not awaited, since
	// the daemon may outlive this process.
	go func() { _ = cmd.Wait() }()
	stop := context.AfterFunc(ctx, func() { _ = report.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	const most = 4 << 10
	text, err := io.ReadAll(io.LimitReader(report, most))
	switch said := strings.TrimSpace(string(text)); {
	case said == listening:
		return nil
	case said != "":
		return errors.New(strings.TrimPrefix(said, startFailed)) // the caller adds it too
	case ctx.Err() != nil:
		return fmt.Errorf("process %d does not come up in time; %s may say why", cmd.Process.Pid, p.LogFile)
	case err != nil:
		return err
	}
	return fmt.Errorf("process %d: %w; %s may say why", cmd.Process.Pid, ErrLeft, p.LogFile)
}

// Detach starts the program detached from this process, its terminal and its standard streams, with
// this process's environment, and does not wait. Args are passed unchanged.
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
	cmd.Dir = "/" // does not keep a folder from being removed or unmounted
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

// Report tells the starter of this daemon that it listens, or why it cannot, and closes the
// descriptor. It is meant for [Options].Ready.
func Report(fd *os.File, err error) error {
	text := listening
	if err != nil {
		text = err.Error()
	}
	_, failed := io.WriteString(fd, text+"\n")
	return errors.Join(failed, fd.Close())
}
