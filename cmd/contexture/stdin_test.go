package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestInputEndsWithItsContext checks that a blocked read returns when its command is interrupted.
func TestInputEndsWithItsContext(t *testing.T) {
	in, _ := io.Pipe() // never returns data
	e := &environment{stdin: in}
	ctx, cancel := context.WithCancel(t.Context())
	read := make(chan error)
	go func() {
		_, err := e.input(ctx).Read(make([]byte, 8))
		read <- err
	}()
	cancel()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := e.input(ctx).Read(make([]byte, 8)); !errors.Is(err, context.Canceled) {
		t.Errorf("then %v", err)
	}
}

// TestInputIsReadOnce checks that a command that is run again gets the same input.
func TestInputIsReadOnce(t *testing.T) {
	e := &environment{stdin: io.NopCloser(iotest.HalfReader(strings.NewReader("a prompt that goes on")))}
	for range 2 {
		if got, err := e.read(t.Context(), 8); err != nil || string(got) != "a prompt" {
			t.Errorf("read %q, %v", got, err)
		}
	}
	odd := errors.New("odd")
	e = &environment{stdin: io.NopCloser(iotest.ErrReader(odd))}
	if _, err := e.read(t.Context(), 8); !errors.Is(err, odd) {
		t.Errorf("got %v", err)
	}
}

func TestNoInput(t *testing.T) {
	if got, err := io.ReadAll((&environment{}).input(t.Context())); err != nil || len(got) > 0 {
		t.Errorf("read %q, %v", got, err)
	}
}

// TestStdioDoesNotWait holds that a session ends although the system cannot interrupt a read of
// standard input, for which its Close waits.
func TestStdioDoesNotWait(t *testing.T) {
	in := &stuck{read: make(chan struct{}), closed: make(chan struct{})}
	out, other := io.Pipe()
	if err := (stdio{in, other}).Close(); err != nil {
		t.Error(err)
	}
	if _, err := out.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("standard output is not closed: %v", err)
	}
	close(in.read)
	<-in.closed
}

// stuck is a stream whose Close waits for a read.
type stuck struct {
	io.Reader
	read, closed chan struct{}
}

func (s *stuck) Close() error {
	<-s.read
	close(s.closed)
	return nil
}
