package store

import (
	"errors"
	"fmt"
	"log/slog"
	"syscall"
)

// quiet sends Pebble's messages to the log instead of standard error. Its fatal messages (a write that failed in the
// background, mostly a full disk) become errors in the log: Pebble then refuses writes, and reads go on.
type quiet struct{ log *slog.Logger }

func (q quiet) Infof(format string, args ...any) { q.log.Debug(fmt.Sprintf(format, args...)) }

func (q quiet) Errorf(format string, args ...any) { q.log.Warn(fmt.Sprintf(format, args...)) }

func (q quiet) Fatalf(format string, args ...any) {
	q.log.Error(fmt.Sprintf(format, args...))
	panic(fatal(fmt.Sprintf(format, args...)))
}

// fatal is what a store panics with when Pebble says that it cannot go on.
type fatal string

func (f fatal) Error() string { return string(f) }

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}
