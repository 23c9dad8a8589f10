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

// maxHeaderLine and maxHeaderLines bound the header, so that a stream that is not LSP is recognised
// instead of being read forever.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 64
	readBuffer     = 64 << 10
)

// HeaderError means that the stream violates the base protocol. The start of the next message is
// then unknown, so the connection ends.
type HeaderError struct {
	Line string // the beginning of the invalid line; "" if the header as a whole is invalid
	What string
}

// Error omits a line that is not a header at all: it may be part of a message's content, and errors
// are logged.
func (e *HeaderError) Error() string {
	if len(e.Line) < len(lengthHeader) || !strings.EqualFold(e.Line[:len(lengthHeader)], lengthHeader) {
		return "read message header: " + e.What
	}
	return fmt.Sprintf("read message header %q: %s", e.Line, e.What)
}

const lengthHeader = "Content-Length:"

// maxSkippedBytes bounds how much of an oversized message is skipped. A larger length is invalid:
// waiting for its end would block the connection.
const maxSkippedBytes = 4 << 30

// TooLargeError means that a message was longer than MaxFrameBytes. It has been skipped: the next
// one can be read.
type TooLargeError struct{ Bytes int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("read message: its %d bytes are over the limit of %d", e.Bytes, MaxFrameBytes)
}

// FrameReader reads framed messages. Their bodies are valid UTF-8, as required by JSON and the base
// protocol: each invalid byte becomes U+FFFD, so that no answer can repeat it. Not safe for
// concurrent use.
type FrameReader struct{ in *bufio.Reader }

// NewFrameReader returns a reader of the messages in in.
func NewFrameReader(in io.Reader) *FrameReader {
	return &FrameReader{bufio.NewReaderSize(in, readBuffer)}
}

// Next returns the body of the next message; the caller owns it. Errors: io.EOF if the stream ends
// between messages, io.ErrUnexpectedEOF if it ends inside one, *HeaderError, and *TooLargeError,
// after which Next may be called again.
func (r *FrameReader) Next() ([]byte, error) {
	body, _, err := r.next(func(int64) (func(), error) { return func() {}, nil })
	return body, err
}

// next is like Next, but calls admit before it reads the whole of a large message. release is what
// admit returned; it is never nil. It also returns errors of admit.
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
	// A length is only a claim: a large body is requested once its beginning has arrived.
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

// ValidUTF8 returns body itself if it is valid, else a copy with U+FFFD for each invalid byte.
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

// inside converts io.EOF into io.ErrUnexpectedEOF, for an end inside a message.
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

// isName reports whether name is a valid header name (RFC 9110 §5.6.2, without the odd characters).
func isName(name []byte) bool {
	for _, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return len(name) > 0
}

// line returns a line without its end, in the reader's buffer. A line that cannot begin a header is
// rejected before its end, which may never come.
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

// number parses decimal digits. It reports false for anything else, and for an overflow.
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

// FrameWriter writes framed messages, each with one call of Write. The output is valid UTF-8, see
// FrameReader. Safe for concurrent use.
type FrameWriter struct {
	mu  sync.Mutex // guards buf and the order of writes
	out io.Writer
	buf []byte
}

// NewFrameWriter returns a writer of messages to out.
func NewFrameWriter(out io.Writer) *FrameWriter { return &FrameWriter{out: out} }

// keptBuffer is the size up to which the buffer of a message is reused for the next.
const keptBuffer = 1 << 20

// Write writes one message. It blocks while the peer does not read.
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
