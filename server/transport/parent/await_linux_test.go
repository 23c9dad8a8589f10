package parent

import (
	"testing"
)

// TestReported: on Linux the kernel reports the end of a process, so that nothing wakes to look for
// it.
func TestReported(t *testing.T) {
	c := child(t)
	known := make(chan bool, 1)
	go func() {
		gone, is := awaitEnd(t.Context(), c.Process.Pid)
		known <- gone && is
	}()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if !<-known {
		t.Error("the kernel is not asked")
	}
}
