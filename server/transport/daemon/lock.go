package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// HeldError means that another process holds an exclusive resource; PID is 0 if it is unknown.
type HeldError struct {
	Path string
	PID  int
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s is held by another process; end that, or choose another place with --state-dir DIR", e.Path)
	}
	return fmt.Sprintf("%s is held by process %d; end it with %[3]s %[2]d, or choose another place with --state-dir DIR", e.Path, e.PID, Kill)
}

// lock is a lock file that this process holds.
type lock struct{ file *os.File }

// lockInterval is the time between two attempts to take a lock that another process holds.
const lockInterval = 5 * time.Millisecond

// errBusy means that another process holds the lock.
var errBusy = errors.New("held by another")

// signed writes this process's ID into the lock.
func (l *lock) signed() *lock {
	// The holder's ID is only for messages: a failed write is ignored.
	if l.file.Truncate(0) == nil {
		_, _ = l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return l
}

// await takes a lock file. It waits for the holder until ctx is done, or until stays, which may be
// nil, reports that the holder keeps it; then it returns a *HeldError.
func (p *place) await(ctx context.Context, name string, stays func() bool) (*lock, error) {
	path := filepath.Join(p.run, name)
	file, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	ticker := time.NewTicker(lockInterval)
	defer ticker.Stop()
	for {
		err := tryLock(file)
		if err == nil {
			return &lock{file}, nil
		}
		if !errors.Is(err, errBusy) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		}
		if stays != nil && stays() {
			return nil, errors.Join(&HeldError{path, holder(path)}, file.Close())
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, errors.Join(&HeldError{path, holder(path)}, file.Close())
		}
	}
}

// release releases the lock. The file stays, because processes that wait for the lock have it open,
// but no longer contains an ID.
func (l *lock) release() error {
	_ = l.file.Truncate(0)
	return l.file.Close()
}

// holder returns the ID of a lock's holder, 0 if unknown.
func holder(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
