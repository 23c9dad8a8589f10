package parent

import (
	"context"
	"errors"

	"golang.org/x/sys/windows"
)

// awaitEnd is Gone by a handle of the process, which is signalled when the process ends, without
// polling. known is false for a process that this user may not wait for.
func awaitEnd(ctx context.Context, pid int) (gone, known bool) {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return true, true
	case err != nil:
		return false, false
	}
	defer func() { _ = windows.CloseHandle(process) }() // only used for waiting
	enough, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return false, false
	}
	defer func() { _ = windows.CloseHandle(enough) }() // no longer waited for
	set := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(set)
		_ = windows.SetEvent(enough) // an open event can be set
	})
	first, err := windows.WaitForMultipleObjects([]windows.Handle{process, enough}, false, windows.INFINITE)
	if !stop() {
		<-set
	}
	return first == windows.WAIT_OBJECT_0, err == nil
}

// alive reports whether a process exists, also one of another user. A process that has ended exists
// as long as another process has a handle of it.
func alive(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(process) }() // only used for the query
	event, err := windows.WaitForSingleObject(process, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}
