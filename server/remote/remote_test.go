package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// outcome is what became of a command on both sides.
type outcome struct {
	code     int
	err      error // of Run
	served   error // of Serve
	out, say bytes.Buffer
}

// handOver runs a command over a pipe.
func handOver(ctx context.Context, r Request, in io.Reader, run func(ctx context.Context, c *Call) int) *outcome {
	var o outcome
	o.over(ctx, r, Streams{In: in, Out: &o.out, Err: &o.say}, run)
	return &o
}

func (o *outcome) over(ctx context.Context, r Request, s Streams, run func(ctx context.Context, c *Call) int) {
	near, far := net.Pipe()
	var both sync.WaitGroup
	both.Go(func() { o.served = Serve(context.Background(), far, run) })
	if r.Dir == "" {
		r.Dir = "/"
	}
	o.code, o.err = Run(ctx, near, r, s)
	both.Wait()
}

func TestCommandSeesWhereItWasTyped(t *testing.T) {
	want := Request{
		Args: []string{"bundle", "--root", "a b", "caf\xe9 \x00 ünïcode", ""}, Dir: "/some/where", Version: "contexture 1",
		Env: map[string]string{"HOME": "/home/\xff", "TERM": "xterm"}, Out: Terminal{On: true, Columns: 80}, Err: Terminal{On: true},
	}
	var got Request
	o := handOver(t.Context(), want, nil, func(_ context.Context, c *Call) int {
		got = c.Request
		return 7
	})
	if o.err != nil || o.served != nil || o.code != 7 {
		t.Fatalf("code %d, %v, %v", o.code, o.err, o.served)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it saw %+q, want %+q", got.Args, want.Args)
	}
}

func TestOutputComesInOrder(t *testing.T) {
	var want, both bytes.Buffer
	var o outcome
	o.over(t.Context(), Request{}, Streams{Out: &both, Err: &both}, func(_ context.Context, c *Call) int {
		for i := range 100 {
			to := c.Stdout
			if i%3 == 0 {
				to = c.Stderr
			}
			for _, w := range []io.Writer{to, &want} {
				fmt.Fprintf(w, "%d\n", i)
			}
		}
		return 0
	})
	if o.err != nil || both.String() != want.String() {
		t.Errorf("%v, printed %q", o.err, &both)
	}
}

func TestLargeStreams(t *testing.T) {
	big := strings.Repeat("a line of some sixty bytes, to be carried there and back again\n", 200_000) // 12 MB
	for name, in := range map[string]io.Reader{"whole": strings.NewReader(big), "bytes first": iotest.HalfReader(strings.NewReader(big))} {
		t.Run(name, func(t *testing.T) {
			o := handOver(t.Context(), Request{}, in, func(_ context.Context, c *Call) int {
				if _, err := io.Copy(c.Stdout, c.Stdin); err != nil {
					t.Error(err)
				}
				return 0
			})
			if o.err != nil || o.out.String() != big {
				t.Errorf("%v, %d bytes of %d", o.err, o.out.Len(), len(big))
			}
		})
	}
}

// counting tells how much was read of it.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestInputIsReadOnDemand(t *testing.T) {
	in := &counting{Reader: strings.NewReader("0123456789")}
	o := handOver(t.Context(), Request{}, in, func(_ context.Context, c *Call) int {
		buf := make([]byte, 4)
		if n, err := io.ReadFull(c.Stdin, buf); n != 4 || err != nil {
			t.Errorf("read %d, %v", n, err)
		}
		return 0
	})
	if o.err != nil || in.n != 4 {
		t.Errorf("%v, %d bytes were taken from the person", o.err, in.n)
	}
}

func TestInputEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   io.Reader
		want error
	}{
		{"at its end", strings.NewReader("x"), io.EOF},
		{"by an error", iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("xy"))), iotest.ErrTimeout},
		{"by one of the system", io.MultiReader(strings.NewReader("x"), iotest.ErrReader(&os.PathError{Op: "read", Path: "stdin", Err: syscall.EISDIR})), syscall.EISDIR},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var first, second error
			o := handOver(t.Context(), Request{}, tt.in, func(_ context.Context, c *Call) int {
				buf := make([]byte, 8)
				if n, err := c.Stdin.Read(buf); n != 1 || err != nil {
					t.Errorf("read %d, %v", n, err)
				}
				_, first = c.Stdin.Read(buf)
				_, second = c.Stdin.Read(buf)
				return 0
			})
			var errno syscall.Errno
			same := first != nil && first.Error() == second.Error()
			if !same || !strings.Contains(first.Error(), tt.want.Error()) || errors.As(tt.want, &errno) && !errors.Is(first, errno) {
				t.Errorf("%v: %v, then %v", o.err, first, second)
			}
		})
	}
}

// TestOutputFails: an error of the person's stream is the command's, with its text and as the
// system calls it.
func TestOutputFails(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	for _, want := range []error{full, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, errors.New("odd")} {
		var got error
		var o outcome
		o.over(t.Context(), Request{}, Streams{Out: failing{want}, Err: io.Discard}, func(_ context.Context, c *Call) int {
			_, got = io.WriteString(c.Stdout, "x")
			return 1
		})
		var errno syscall.Errno
		if o.err != nil || o.code != 1 || got == nil || got.Error() != want.Error() || errors.As(want, &errno) && !errors.Is(got, errno) {
			t.Errorf("got %v for %v; %d, %v", got, want, o.code, o.err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestStopEndsTheCommandsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe() // never gives anything
	t.Cleanup(func() { _ = in.Close() })
	o := handOver(ctx, Request{}, in, func(ctx context.Context, c *Call) int {
		cancel()
		if _, err := c.Stdin.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("read gives %v", err)
		}
		<-ctx.Done()
		fmt.Fprint(c.Stderr, "stopped")
		return 1
	})
	if o.err != nil || o.code != 1 || o.say.String() != "stopped" {
		t.Errorf("code %d, %v, said %q", o.code, o.err, &o.say)
	}
}

func TestACommandThatDoesNotStopIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		over := make(chan struct{})
		o := handOver(ctx, Request{}, nil, func(_ context.Context, c *Call) int {
			cancel()
			time.AfterFunc(time.Minute, func() { close(over) })
			<-over
			return 0
		})
		var lost *LostError
		if !errors.As(o.err, &lost) || !lost.Late || !strings.Contains(lost.Error(), "did not stop within 15s") {
			t.Errorf("%v after %s", o.err, time.Since(begun))
		}
	})
}

func TestThePersonLeaves(t *testing.T) {
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(context.Background(), far, func(ctx context.Context, c *Call) int {
			_ = near.Close()
			<-ctx.Done()
			_, written := io.WriteString(c.Stdout, "x")
			_, read := c.Stdin.Read(make([]byte, 1))
			if !errors.Is(written, syscall.EPIPE) || read == nil {
				t.Errorf("write gives %v, read %v", written, read)
			}
			return 0
		})
	}()
	body, err := (&Request{Dir: "/"}).encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := (&writer{out: near}).write(request, body); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestTheProcessLeaves: the person's side learns that nothing is known, and whether there is
// output.
func TestTheProcessLeaves(t *testing.T) {
	for _, prints := range []bool{false, true} {
		ctx, leave := context.WithCancel(t.Context())
		near, far := net.Pipe()
		var both sync.WaitGroup
		both.Go(func() {
			_ = Serve(ctx, far, func(ctx context.Context, c *Call) int {
				fmt.Fprint(c.Stderr, "begun")
				if prints {
					fmt.Fprint(c.Stdout, "half")
				}
				leave()
				<-ctx.Done()
				fmt.Fprint(c.Stderr, "stopped")
				return 1
			})
		})
		var out, say bytes.Buffer
		_, err := Run(t.Context(), near, Request{Dir: "/"}, Streams{Out: &out, Err: &say})
		both.Wait()
		var lost *LostError
		if !errors.As(err, &lost) || lost.Printed != prints || lost.Late || say.String() != "begun" {
			t.Errorf("%v, said %q", err, &say)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, frame := range map[string]struct {
		kind kind
		body string
	}{
		"no request":      {stop, ""},
		"no JSON":         {request, "x"},
		"another version": {request, `{"protocol":2,"news":1}`},
		"unknown member":  {request, `{"protocol":1,"dir":"Lw==","x":1}`},
		"no directory":    {request, `{"protocol":1}`},
		"no terminal":     {request, `{"protocol":1,"dir":"Lw==","out":{"columns":-1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- Serve(context.Background(), far, func(context.Context, *Call) int {
					t.Error("it runs")
					return 0
				})
			}()
			if err := (&writer{out: near}).write(frame.kind, []byte(frame.body)); err != nil {
				t.Fatal(err)
			}
			k, body, err := newReader(near).next()
			if err != nil || k != refuse || len(body) == 0 {
				t.Errorf("answered with %q %q, %v", k, body, err)
			}
			if err := <-ended; err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestOddProcesses: whatever is at the other end, Run comes back.
func TestOddProcesses(t *testing.T) {
	for name, say := range map[string]string{
		"nothing":            "",
		"no frame":           "HTTP/1.1 400 Bad Request\r\n\r\n",
		"half a frame":       "O\x00\x00\x00\x05ab",
		"too much":           "O\xff\xff\xff\xff",
		"a person's frame":   "I\x00\x00\x00\x01a",
		"no code":            "X\x00\x00\x00\x00",
		"wants nothing":      "N\x00\x00\x00\x04\x00\x00\x00\x00",
		"wants too much":     "N\x00\x00\x00\x04\x7f\x00\x00\x00",
		"wants again at all": strings.Repeat("N\x00\x00\x00\x04\x00\x00\x00\x01", 8),
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			var both sync.WaitGroup
			both.Go(func() {
				_, _, _ = newReader(far).next()
				_, _ = io.WriteString(far, say)
				_ = far.Close()
			})
			in, stay := io.Pipe()
			defer stay.Close()
			_, err := Run(t.Context(), near, Request{Dir: "/"}, Streams{In: in, Out: io.Discard, Err: io.Discard})
			both.Wait()
			var lost *LostError
			if !errors.As(err, &lost) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestALongCommandLineIsNotSent(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	_, err := Run(t.Context(), near, Request{Dir: "/", Args: []string{strings.Repeat("x", maxRequest)}}, Streams{})
	var lost *LostError
	if err == nil || errors.As(err, &lost) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
}
