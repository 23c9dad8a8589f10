package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestTapeReadsAgain(t *testing.T) {
	p := newTape(iotest.HalfReader(strings.NewReader("a prompt")))
	if _, err := io.ReadFull(p.reader(t.Context()), make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if !p.rewinds() {
		t.Error("it does not rewind")
	}
	if got, err := io.ReadAll(p.reader(t.Context())); err != nil || string(got) != "a prompt" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestTapeKeepsLittle(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), tapeBytes/8)
	p := newTape(bytes.NewReader(long))
	got, err := io.ReadAll(p.reader(t.Context()))
	if err != nil || !bytes.Equal(got, long) {
		t.Errorf("%d bytes of %d, %v", len(got), len(long), err)
	}
	if p.rewinds() || len(p.kept) > tapeBytes {
		t.Errorf("%d bytes are kept", len(p.kept))
	}
}

// TestTapeReadEndsWithItsContext: what comes later is for the next reader.
func TestTapeReadEndsWithItsContext(t *testing.T) {
	in, out := io.Pipe()
	p := newTape(in)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.reader(ctx).Read(make([]byte, 8)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	read := make(chan error)
	go func() {
		_, err := p.reader(ctx).Read(make([]byte, 8))
		read <- err
	}()
	cancel()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	go func() {
		_, _ = io.WriteString(out, "late")
		_ = out.CloseWithError(errors.New("odd"))
	}()
	got, err := io.ReadAll(p.reader(t.Context()))
	if string(got) != "late" || err == nil || err.Error() != "odd" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestNoInput(t *testing.T) {
	if got, err := io.ReadAll((&environment{}).input(t.Context())); err != nil || len(got) > 0 {
		t.Errorf("read %q, %v", got, err)
	}
}
