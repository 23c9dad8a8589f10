package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// stopPatience is how long a command that was told to stop may take: longer than the program itself
// gives an index to write down what is left.
const stopPatience = 15 * time.Second

// Streams are the person's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// RefusedError says that the other process did not begin the command.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// LostError says that the connection ended before the command did. What it has done by then is not
// known.
type LostError struct {
	// Printed says that something went to standard output.
	Printed bool
	// Late says that the command was told to stop and did not.
	Late bool
	Err  error
}

func (e *LostError) Error() string {
	if e.Late {
		return fmt.Sprintf("it did not stop within %s", stopPatience)
	}
	return e.Err.Error()
}

func (e *LostError) Unwrap() error { return e.Err }

// Run has the process at the other end of conn run a command, lends it the streams, and gives its
// exit code. When ctx ends the command is told to stop, and Run goes on until it has. conn is
// closed.
//
// Errors: *RefusedError where the command was not begun, *LostError, and that of a request that is
// too long, where nothing was sent. A read of In that is under way when the command ends stays
// behind until In gives something: standard input cannot be interrupted.
func Run(ctx context.Context, conn io.ReadWriteCloser, r Request, s Streams) (code int, err error) {
	body, err := r.encode()
	if err != nil {
		return 0, errors.Join(err, conn.Close())
	}
	c := &client{conn: conn, w: writer{out: conn}, streams: s, wants: make(chan int, 1)}
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { c.watch(ctx, over) })
	defer func() {
		close(over)
		_ = conn.Close() // so that nothing waits to be sent
		watch.Wait()
		close(c.wants)
	}()
	if err := c.w.write(request, body); err != nil {
		return 0, c.lost(err)
	}
	return c.serve(newReader(conn))
}

// client is the person's side of a command.
type client struct {
	conn    io.Closer
	w       writer
	streams Streams
	wants   chan int // how many bytes of input are wanted; nil once it is fed

	feeding bool
	printed bool
	late    atomic.Bool
}

// watch tells the command to stop when ctx ends, and gives it up where it does not.
func (c *client) watch(ctx context.Context, over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	}
	timer := time.AfterFunc(stopPatience, func() {
		c.late.Store(true)
		_ = c.conn.Close() // who reads from it tells
	})
	defer timer.Stop()
	_ = c.w.write(stop, nil) // where this fails, so does reading
	<-over
}

func (c *client) lost(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &LostError{Printed: c.printed, Late: c.late.Load(), Err: err}
}

// serve does what the command asks for until it has ended.
func (c *client) serve(in *reader) (code int, err error) {
	for {
		k, body, err := in.next()
		if err != nil {
			return 0, c.lost(err)
		}
		switch {
		case k == output:
			c.printed = c.print(c.streams.Out, body) || c.printed
		case k == said:
			c.print(c.streams.Err, body)
		case k == need && len(body) == 4 && c.want(body):
		case k == exit && len(body) == 1:
			return int(body[0]), nil
		case k == refuse:
			return 0, &RefusedError{string(body)}
		default:
			return 0, c.lost(errFrame)
		}
	}
}

// print writes what the command prints, and tells it how that went. That the telling fails shows at
// the next read.
func (c *client) print(to io.Writer, body []byte) (some bool) {
	n, err := to.Write(body)
	_ = c.w.write(written, encodeFault(err))
	return n > 0
}

// want has input fed. It is false for a command that wants more before it has got what it wanted.
func (c *client) want(body []byte) bool {
	n := int(body[0])<<24 | int(body[1])<<16 | int(body[2])<<8 | int(body[3])
	if n < 1 || n > chunk {
		return false
	}
	if !c.feeding {
		c.feeding = true
		go c.feed() // ends with Run, or with the read that is under way then
	}
	select {
	case c.wants <- n:
		return true
	default:
		return false
	}
}

// feed sends input as it is wanted.
func (c *client) feed() {
	buf := make([]byte, chunk)
	for want := range c.wants {
		var n int
		var err error
		for n == 0 && err == nil {
			n, err = c.streams.In.Read(buf[:want])
		}
		switch {
		case n > 0: // an error comes again at the next read
			err = c.w.write(input, buf[:n])
		case errors.Is(err, io.EOF):
			err = c.w.write(ended, nil)
		default:
			err = c.w.write(ended, encodeFault(err))
		}
		if err != nil {
			return
		}
	}
}
