package remote

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// kind says what a frame holds.
type kind byte

// The frames of the person's side.
const (
	request kind = 'R' // a Request in JSON; the first frame, and only that
	input   kind = 'I' // bytes of standard input; not empty
	ended   kind = 'E' // standard input gave no more: a fault, of no text where it just ended
	written kind = 'A' // the last output was taken: a fault, empty where all is well
	stop    kind = 'S' // the command is to be stopped; empty
)

// The frames of the command's side.
const (
	output kind = 'O' // bytes for standard output
	said   kind = 'D' // bytes for standard error
	need   kind = 'N' // standard input is wanted: how much at most, as four bytes
	exit   kind = 'X' // the command has ended: its code, as one byte; the last frame
	refuse kind = 'F' // the command was not begun, and why; the last frame
)

const (
	// chunk bounds the bytes of a stream in one frame.
	chunk = 64 << 10
	// maxRequest bounds a request. Systems give a program at most some 2 MiB of arguments and
	// environment, which JSON carries as base64.
	maxRequest = 8 << 20
	// maxFault bounds the text of an error.
	maxFault = 16 << 10
)

// limit returns the most bytes that a frame of a kind may hold; negative for what is no kind.
func (k kind) limit() int {
	switch k {
	case request:
		return maxRequest
	case input, output, said:
		return chunk
	case ended, written, refuse:
		return maxFault
	case stop:
		return 0
	case need:
		return 4
	case exit:
		return 1
	}
	return -1
}

// errFrame says that the stream is none of this package's, or no longer.
var errFrame = errors.New("it is not a frame")

// reader reads frames. Not safe for concurrent use.
type reader struct {
	in   *bufio.Reader
	body []byte
}

func newReader(in io.Reader) *reader { return &reader{in: bufio.NewReaderSize(in, chunk)} }

// next reads a frame; the body is good until the next call. Errors: io.EOF between frames,
// io.ErrUnexpectedEOF inside one, errFrame for what is none.
func (r *reader) next() (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return 0, nil, err
	}
	k, size := kind(head[0]), binary.BigEndian.Uint32(head[1:])
	if most := k.limit(); most < 0 || size > uint32(most) {
		return 0, nil, fmt.Errorf("%w: kind %q with %d bytes", errFrame, head[0], size)
	}
	if cap(r.body) < int(size) {
		r.body = make([]byte, size)
	}
	r.body = r.body[:size]
	if _, err := io.ReadFull(r.in, r.body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return k, r.body, nil
}

// writer writes frames, each with one call of Write. Safe for concurrent use.
type writer struct {
	mu  sync.Mutex // guards buf and the order of writes
	out io.Writer
	buf []byte
}

// write sends a frame. The body must be within the kind's limit.
func (w *writer) write(k kind, body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf[:0], byte(k))
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(body)))
	w.buf = append(w.buf, body...)
	_, err := w.out.Write(w.buf)
	return err
}
