package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxFrameBytes bounds the body of one message.
const MaxFrameBytes = 64 << 20

// maxHeaderLine and maxHeaderLines bound what stands before a body, so that a stream that is no LSP
// is recognised as such instead of being read for ever.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 64
	readBuffer     = 64 << 10
)

// HeaderError says that the stream does not hold what the base protocol says. Nothing that follows
// can be trusted to be the beginning of a message, so the connection ends.
type HeaderError struct {
	Line string // the beginning of the line at fault; "" when the header as a whole is
	What string
}

// Error leaves out a line that is no header at all: it may be the inside of a message, and errors
// are logged.
func (e *HeaderError) Error() string {
	if len(e.Line) < len(lengthHeader) || !strings.EqualFold(e.Line[:len(lengthHeader)], lengthHeader) {
		return "read message header: " + e.What
	}
	return fmt.Sprintf("read message header %q: %s", e.Line, e.What)
}

const lengthHeader = "Content-Length:"

// maxSkippedBytes bounds what is read over of a message that is too large. A length above it is no
// message's: to wait for its end would be to hear nothing more.
const maxSkippedBytes = 4 << 30

// TooLargeError says that a message was longer than MaxFrameBytes. It has been read over: the next
// one can be read.
type TooLargeError struct{ Bytes int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("read message: its %d bytes are over the limit of %d", e.Bytes, MaxFrameBytes)
}

// FrameReader reads framed messages. Their bodies are valid UTF-8, as JSON and the base protocol
// want it: each byte that is not becomes U+FFFD, so that no answer can repeat it. Not safe for
// concurrent use.
type FrameReader struct{ in *bufio.Reader }

// NewFrameReader reads from in.
func NewFrameReader(in io.Reader) *FrameReader {
	return &FrameReader{bufio.NewReaderSize(in, readBuffer)}
}

// Next returns the body of the next message; the caller owns it. Errors: io.EOF where the stream
// ends between messages, io.ErrUnexpectedEOF where it ends inside one, *HeaderError, and
// *TooLargeError, after which Next may be called again.
func (r *FrameReader) Next() ([]byte, error) {
	body, _, err := r.next(func(int64) (func(), error) { return func() {}, nil })
	return body, err
}

// next is Next that asks before it takes a large message whole. release gives back what admit gave;
// it is never nil. A further error is admit's.
func (r *FrameReader) next(admit func(bytes int64) (release func(), err error)) (body []byte, release func(), err error) {
	release = func() {}
	length, err := r.header()
	if err != nil {
		return nil, release, err
	}
	if length > MaxFrameBytes {
		if _, err := io.CopyN(io.Discard, r.in, length); err != nil {
			return nil, release, inside(err)
		}
		return nil, release, &TooLargeError{length}
	}
	// A length is only a claim: what is more than a little is asked for when some of it is there.
	first := make([]byte, min(length, smallFrame))
	if _, err := io.ReadFull(r.in, first); err != nil {
		return nil, release, inside(err)
	}
	if length <= smallFrame {
		return ValidUTF8(first), release, nil
	}
	given, err := admit(length)
	if err != nil {
		return nil, release, err
	}
	body = make([]byte, length)
	if _, err := io.ReadFull(r.in, body[copy(body, first):]); err != nil {
		given()
		return nil, release, inside(err)
	}
	return ValidUTF8(body), given, nil
}

// ValidUTF8 returns body itself where it is valid, else a copy with U+FFFD for each byte that is
// not.
func ValidUTF8(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		out = utf8.AppendRune(out, r)
		body = body[size:]
	}
	return out
}

// inside turns the end of the stream into the one that is inside a message.
func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads up to the empty line and returns the length of the body.
func (r *FrameReader) header() (int64, error) {
	length := int64(-1)
	for n := 0; ; n++ {
		line, err := r.line()
		switch {
		case errors.Is(err, io.EOF) && n == 0 && len(line) == 0:
			return 0, io.EOF
		case err != nil:
			return 0, inside(err)
		case n == maxHeaderLines:
			return 0, &HeaderError{What: "it has too many lines"}
		case len(line) == 0 && length < 0:
			return 0, &HeaderError{What: "it has no Content-Length"}
		case len(line) == 0:
			return length, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || !isName(name) {
			return 0, &HeaderError{excerpt(line), "it is not a header"}
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		given, ok := number(bytes.TrimSpace(value))
		if !ok || given > maxSkippedBytes || length >= 0 && given != length {
			return 0, &HeaderError{excerpt(line), "it is not the length of one message"}
		}
		length = given
	}
}

// isName reports whether a header may be called so (RFC 9110 §5.6.2, without the odd characters).
func isName(name []byte) bool {
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return len(name) > 0
}

// line returns a line without its end, in the reader's buffer. What cannot be the beginning of a
// header is told before its line has ended, which may be never.
func (r *FrameReader) line() ([]byte, error) {
	if first, err := r.in.Peek(1); err == nil && !isName(first) && first[0] != '\r' && first[0] != '\n' {
		return nil, &HeaderError{excerpt(first), "it is not a header"}
	}
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > maxHeaderLine {
		return nil, &HeaderError{excerpt(line), "it is too long"}
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// number reads decimal digits. It reports false for anything else, and for what no number holds.
func number(digits []byte) (int64, bool) {
	if len(digits) == 0 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, err == nil
}

func excerpt(line []byte) string { return string(line[:min(len(line), 60)]) }

// FrameWriter writes framed messages, each with one call of Write. What is written is valid UTF-8,
// see FrameReader. Safe for concurrent use.
type FrameWriter struct {
	mu  sync.Mutex // guards buf and the order of writes
	out io.Writer
	buf []byte
}

// NewFrameWriter writes to out.
func NewFrameWriter(out io.Writer) *FrameWriter { return &FrameWriter{out: out} }

// keptBuffer is the size up to which the buffer of a message is kept for the next.
const keptBuffer = 1 << 20

// Write writes one message. It blocks as long as the peer does not read.
func (w *FrameWriter) Write(body []byte) error {
	body = ValidUTF8(body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf[:0], "Content-Length: "...)
	w.buf = strconv.AppendInt(w.buf, int64(len(body)), 10)
	w.buf = append(w.buf, "\r\n\r\n"...)
	w.buf = append(w.buf, body...)
	_, err := w.out.Write(w.buf)
	if cap(w.buf) > keptBuffer {
		w.buf = nil
	}
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}
