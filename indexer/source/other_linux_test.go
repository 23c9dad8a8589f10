package source

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// asOther runs fn without root's right to read everything: on a thread that takes another user's
// identity for files and ends afterwards.
func asOther(t *testing.T, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		fn()
		return
	}
	// The test's own folders are closed to other users above the first level.
	for dir := t.TempDir(); dir != os.TempDir() && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		fn()
	}()
	<-done
}
