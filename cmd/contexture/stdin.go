package main

import (
	"context"
	"errors"
	"io"
)

// interruptible is a stream whose reads end with a context, although the underlying system read
// cannot be interrupted: what that read returns later is lost. It is not safe for concurrent use.
type interruptible struct {
	in  io.Reader
	ctx context.Context
}

// got is the result of a read.
type got struct {
	data []byte
	err  error
}

// Read implements io.Reader.
func (r *interruptible) Read(p []byte) (int, error) {
	if r.in == nil {
		return 0, io.EOF
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	const most = 64 << 10
	read := make(chan got, 1)
	go func() { // ends with the system read, which cannot be interrupted
		buf := make([]byte, min(len(p), most))
		n, err := r.in.Read(buf)
		if errors.Is(err, io.EOF) {
			err = io.EOF
		}
		read <- got{buf[:n], err}
	}()
	select {
	case g := <-read:
		return copy(p, g.data), g.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}
