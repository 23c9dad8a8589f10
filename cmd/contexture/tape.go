package main

import (
	"context"
	"errors"
	"io"
	"sync"
)

// tapeBytes is how much of standard input is kept to be read again. A prompt is no longer.
const tapeBytes = 2 << 20

// tape is standard input as commands read it: a read ends with its context, though nothing can
// interrupt the one of the system below, and what was read can be read again from the beginning
// while it is little. Safe for concurrent use by readers of which only the latest is read from.
type tape struct {
	in io.Reader

	mu      sync.Mutex    // guards all below
	kept    []byte        // what came, from the byte after the first gone ones on
	gone    int           // bytes that are kept no longer
	err     error         // what ended the input
	reading chan struct{} // closed when the read under way has ended; nil while there is none
}

func newTape(in io.Reader) *tape { return &tape{in: in} }

// rewinds reports whether a new reader would begin where the first one did.
func (t *tape) rewinds() bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone == 0
}

// reader reads from the beginning, or from what is left of it.
func (t *tape) reader(ctx context.Context) io.Reader { return &head{t: t, ctx: ctx} }

// head is a place on a tape.
type head struct {
	t   *tape
	ctx context.Context
	at  int // bytes read so far
}

func (h *head) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, wait, err := h.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-wait:
		case <-h.ctx.Done():
			return 0, h.ctx.Err()
		}
	}
}

// take returns what is there, or the channel to wait on.
func (h *head) take(p []byte) (n int, wait <-chan struct{}, err error) {
	t := h.t
	t.mu.Lock()
	defer t.mu.Unlock()
	h.at = max(h.at, t.gone)
	if n = copy(p, t.kept[h.at-t.gone:]); n > 0 {
		h.at += n
		if h.at > tapeBytes { // too much to be read again
			t.kept = t.kept[h.at-t.gone:]
			t.gone = h.at
		}
		return n, nil, nil
	}
	if t.err != nil {
		return 0, nil, t.err
	}
	if err := h.ctx.Err(); err != nil {
		return 0, nil, err
	}
	if t.reading == nil {
		t.reading = make(chan struct{})
		go t.fill(len(p), t.reading) // ends with the system's read, which nothing interrupts
	}
	return 0, t.reading, nil
}

// fill reads once, at most so many bytes, and closes done.
func (t *tape) fill(most int, done chan struct{}) {
	buf := make([]byte, min(most, 64<<10))
	n, err := 0, io.EOF
	if t.in != nil {
		n, err = t.in.Read(buf)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, buf[:n]...)
	if err != nil {
		t.err = err
		if errors.Is(err, io.EOF) {
			t.err = io.EOF
		}
	}
	t.reading = nil
	close(done)
}
