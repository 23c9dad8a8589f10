package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// readyTime limits how long a workspace is made ready in the background.
const readyTime = 5 * time.Minute

// readyMark returns the path of the file that marks a folder as being made ready by a process. It
// exists from before the start of the process until its end.
func readyMark(state, folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(state, "hosts", "ready", hex.EncodeToString(sum[:16]))
}

// takeReadyMark reports whether this process may begin to make a folder ready: only if no other
// process does.
func takeReadyMark(path string) (bool, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > readyTime+sessionEnd {
		_ = os.Remove(path) // of a process that was killed
	}
	mark, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, mark.Close()
}

// ready starts a process that outlives the hook, which starts the daemon and brings the index up to
// date. Only one such process runs at a time.
func (h *hooked) ready() error {
	mark := readyMark(h.state, h.root)
	if free, err := takeReadyMark(mark); err != nil || !free {
		return err
	}
	err := h.detach()
	if err != nil {
		_ = os.Remove(mark)
	}
	return err
}

// detach starts the process that makes the event's workspace ready.
func (h *hooked) detach() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	args := []string{"hook", "--ready", h.root, "--state-dir", h.state, "--log-level", h.f.logLevel}
	if h.event.Kind == hosts.Start {
		args = append(args, "--receipts")
	}
	if h.f.offline {
		args = append(args, "--offline")
	}
	if h.f.config != "" {
		args = append(args, "--config", h.f.config)
	}
	return daemon.Program{Path: exe, Args: args, LogFile: daemonLog(h.state)}.Detach()
}

// makeReady starts the daemon if none runs, and waits until its index of a folder is up to date;
// with receipts, also until it has counted what the places named by hooks spared. A daemon that
// exits in the meantime is not restarted.
func makeReady(ctx context.Context, f *flags, folder string, receipts bool) (err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	state, err := f.state()
	if err != nil {
		return err
	}
	log, closeLog, err := f.logger(state)
	if err != nil {
		return err
	}
	defer func() {
		log.Info("made a workspace ready", "err", err)
		err = errors.Join(err, closeLog())
		_ = os.Remove(readyMark(state, folder))
	}()
	target, err := f.target(daemon.Session, state)
	if err != nil {
		return err
	}
	conn, err := daemon.Connect(ctx, target)
	if err != nil {
		return err
	}
	c, err := transport.NewClient(ctx, conn, transport.ClientOptions{Folders: []string{folder}, Name: "contexture hook", Version: readVersion().Version, Logger: log})
	if err != nil {
		return fmt.Errorf("begin session: %w", err)
	}
	err = awaitIndex(ctx, c)
	if receipts {
		err = errors.Join(err, execute(ctx, c, "contexture.receipts", map[string]any{"limit": 1}, nil)) // which counts them
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), sessionEnd)
	defer stop()
	return errors.Join(err, c.Close(end))
}

// awaitIndex waits until the index of a session's folder is up to date, or cannot become so.
func awaitIndex(ctx context.Context, c *transport.Client) error {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		var st command.IndexStatusResult
		if err := execute(ctx, c, "contexture.index.status", nil, &st); err != nil {
			return err
		}
		if st.State == "idle" || st.State == "error" {
			return nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
