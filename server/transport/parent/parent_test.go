package parent

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// asChild has the tests' program be a child.
const asChild = "CONTEXTURE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin) // until it ends, whatever comes
		return
	}
	os.Exit(m.Run())
}

// child is a process that lives until its input ends or it is killed.
func child(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asChild+"=1")
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// ways are Gone by what the system reports and by looking.
var ways = map[string]func(context.Context, int) bool{"reported": Gone, "polled": poll}

func TestGone(t *testing.T) {
	for way, gone := range ways {
		t.Run(way, func(t *testing.T) { testGone(t, gone) })
	}
}

func testGone(t *testing.T, wait func(context.Context, int) bool) {
	for _, tt := range []struct {
		name string
		end  func(c *exec.Cmd)
	}{
		{"killed and asked for", func(c *exec.Cmd) { _ = c.Process.Kill(); _ = c.Wait() }},
		{"killed, and nobody asks", func(c *exec.Cmd) { _ = c.Process.Kill() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := child(t)
			gone := make(chan bool, 1)
			go func() { gone <- wait(t.Context(), c.Process.Pid) }()
			tt.end(c)
			select {
			case is := <-gone:
				if !is {
					t.Error("it is said to live")
				}
			case <-time.After(30 * time.Second):
				t.Error("its end is not seen")
			}
		})
	}
}

func TestStillThere(t *testing.T) {
	for way, gone := range ways {
		t.Run(way, func(t *testing.T) {
			c := child(t)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if gone(ctx, c.Process.Pid) {
				t.Error("it is said to be gone")
			}
		})
	}
}

// TestNobody: a process that ended long ago is gone at once.
func TestNobody(t *testing.T) {
	c := child(t)
	_ = c.Process.Kill()
	_ = c.Wait()
	for way, gone := range ways {
		if !gone(t.Context(), c.Process.Pid) {
			t.Errorf("%s: it is said to live", way)
		}
	}
}
