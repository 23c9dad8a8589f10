package remote

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

const (
	// requestPatience is how long a request may take to come.
	requestPatience = 10 * time.Second
	// endPatience is how long a person's process may take to see that its command has ended.
	endPatience = 3 * time.Second
)

// Call is a command to run. Reads and writes of its streams block as long as the person's do; a
// read ends with the command's context besides.
type Call struct {
	Request
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// errGone is the error of reads and writes when the person's process is gone. It is that of a pipe
// whose reader is.
var errGone = fmt.Errorf("the process that asked is gone: %w", syscall.EPIPE)

// Serve takes one command from conn, has it run, and closes conn. The context that run gets ends
// when the person stops the command, when the person's process is gone, and with ctx: then the
// person's side is told nothing but that the connection has ended. Streams are not to be used after
// run has returned. The error says why no command was run.
func Serve(ctx context.Context, conn io.ReadWriteCloser, run func(ctx context.Context, c *Call) (code int)) error {
	end := sync.OnceFunc(func() { _ = conn.Close() })
	defer end()
	in := newReader(conn)
	w := &writer{out: conn}
	r, err := receive(ctx, in, end)
	if errors.Is(err, errRequest) {
		text := err.Error()
		_ = w.write(refuse, []byte(text[:min(len(text), maxFault)])) // to a process that may be anything
	}
	if err != nil {
		return fmt.Errorf("take command: %w", err)
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer end()
	over := make(chan struct{})
	defer close(over)
	process := ctx
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // abandon ends it
	defer cancel()
	tasks.Go(func() { abandon(process, over, end, cancel) })
	s := &side{ctx: ctx, w: w, gone: make(chan struct{}), inputs: make(chan piece, 1), acks: make(chan error, 1)}
	heard := make(chan struct{})
	tasks.Go(func() {
		defer close(heard)
		defer cancel()
		s.listen(in, cancel)
	})
	code := run(ctx, &Call{Request: r, Stdin: s, Stdout: stream{s, output}, Stderr: stream{s, said}})
	timer := time.AfterFunc(endPatience, end)
	defer timer.Stop()
	if err := w.write(exit, []byte{byte(code)}); err != nil {
		end()
	}
	<-heard // the person's side closes first, so that it has read everything
	return nil
}

// abandon ends conn, and then the command, when this process has to go: the person's side learns by
// it that the command was not finished, and may have it run elsewhere. What the command says of its
// end would be of no use there.
func abandon(ctx context.Context, over <-chan struct{}, end, cancel func()) {
	select {
	case <-over:
	case <-ctx.Done():
		end()
		cancel()
	}
}

var errRequest = errors.New("no command was understood")

// receive reads the request. It ends conn where none comes.
func receive(ctx context.Context, in *reader, end func()) (Request, error) {
	timer := time.AfterFunc(requestPatience, end)
	defer timer.Stop()
	defer context.AfterFunc(ctx, end)()
	k, body, err := in.next()
	if err != nil {
		return Request{}, err
	}
	if k != request {
		return Request{}, fmt.Errorf("%w: %w", errRequest, errFrame)
	}
	r, err := decode(body)
	if err != nil {
		return r, fmt.Errorf("%w: %w", errRequest, err)
	}
	return r, nil
}

// side is the command's side.
type side struct {
	ctx    context.Context
	w      *writer
	gone   chan struct{} // closed when the person's process is gone
	inputs chan piece    // answers to need; holds one
	acks   chan error    // answers to output and said; holds one

	readMu sync.Mutex // guards the three below, and that one read runs at a time
	asked  bool       // input is on its way
	rest   []byte
	failed error // what every read gives from now on

	writeMu sync.Mutex // held until a write has been answered
}

// piece is some input, or why there is none.
type piece struct {
	data []byte
	err  error
}

// listen takes what the person's side sends until it is gone, or does what it may not.
func (s *side) listen(in *reader, cancel func()) {
	defer close(s.gone)
	for {
		k, body, err := in.next()
		if err != nil {
			return
		}
		ok := true
		switch k {
		case input:
			ok = len(body) > 0 && offer(s.inputs, piece{data: bytes.Clone(body)})
		case ended:
			err := decodeFault(body)
			if err == nil {
				err = io.EOF
			}
			ok = offer(s.inputs, piece{err: err})
		case written:
			ok = offer(s.acks, decodeFault(body))
		case stop:
			cancel()
		default:
			ok = false
		}
		if !ok {
			return
		}
	}
}

func offer[T any](to chan T, v T) bool {
	select {
	case to <- v:
		return true
	default:
		return false
	}
}

// Read asks the person's side for input.
func (s *side) Read(p []byte) (int, error) {
	s.readMu.Lock()
	defer s.readMu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if len(s.rest) == 0 {
		if err := s.fill(min(len(p), chunk)); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// fill waits for input. readMu is held.
func (s *side) fill(most int) error {
	if s.failed != nil {
		return s.failed
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if !s.asked {
		if err := s.w.write(need, binary.BigEndian.AppendUint32(nil, uint32(most))); err != nil {
			return errGone
		}
		s.asked = true
	}
	select {
	case got := <-s.inputs:
		s.asked = false
		s.rest, s.failed = got.data, got.err
		return got.err
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-s.gone:
		return errGone
	}
}

// stream is one of the two outputs.
type stream struct {
	side *side
	kind kind
}

// Write returns when the person's stream has taken p. It does not end with the command's context:
// what a stopped command has to say is to be seen.
func (o stream) Write(p []byte) (n int, err error) {
	s := o.side
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	for len(p) > 0 {
		part := p[:min(len(p), chunk)]
		if err := s.w.write(o.kind, part); err != nil {
			return n, errGone
		}
		select {
		case err := <-s.acks:
			if err != nil {
				return n, err
			}
		case <-s.gone:
			return n, errGone
		}
		n += len(part)
		p = p[len(part):]
	}
	return n, nil
}
