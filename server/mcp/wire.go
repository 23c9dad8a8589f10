package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/transport"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine limits a message, in bytes, as the contract limits a request.
	maxLine = 64 << 20
	// farewell is how long the server keeps waiting for answers after the client's input has ended.
	farewell = 3 * time.Second
)

// stream is the transport over standard input and output: one message per line. The SDK's own
// transport ends the session at a line that is not a message; this one responds to it with an
// error, as JSON-RPC 2.0 §5.1 requires, and continues. It handles the messages of a batch in
// sequence. Its output is valid UTF-8.
type stream struct {
	in  io.ReadCloser
	out io.WriteCloser
}

// Connect implements sdk.Transport.
func (s stream) Connect(context.Context) (sdk.Connection, error) {
	w := &wire{
		stream: s, messages: make(chan jsonrpc.Message), over: make(chan struct{}), closed: make(chan struct{}),
		pending: map[jsonrpc.ID]int{}, answered: make(chan struct{}, 1),
	}
	go w.read() // ends with the input, or with Close if nothing interrupts the system's read
	return w, nil
}

// wire is a connection over a stream.
type wire struct {
	stream
	messages chan jsonrpc.Message
	over     chan struct{} // closed when the input has ended; readErr is set before
	readErr  error
	once     sync.Once
	closed   chan struct{} // closed by Close
	closeErr error

	writing sync.Mutex // held while a line is written

	mu       sync.Mutex         // guards pending
	pending  map[jsonrpc.ID]int // requests that were read and not yet answered
	answered chan struct{}      // holds one value when none are left
}

var _ sdk.Connection = (*wire)(nil)

// SessionID implements sdk.Connection.
func (w *wire) SessionID() string { return "" }

// Read returns the next message. Its errors are ctx's, io.EOF if the input has ended and every
// request is answered, or the input's.
func (w *wire) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-w.messages:
		return m, nil
	case <-w.over:
		w.settle(ctx)
		return nil, w.readErr
	case <-w.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// settle waits, for a limited time, until all requests are answered.
func (w *wire) settle(ctx context.Context) {
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	for {
		w.mu.Lock()
		left := len(w.pending)
		w.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-w.answered:
		case <-timer.C:
			return
		case <-w.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write writes a message on a line of its own.
func (w *wire) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, answers := m.(*jsonrpc.Response)
	if answers {
		r.Error = plain(r.Error)
	}
	body, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	err = w.line(body)
	if answers {
		w.note(r.ID, -1)
	}
	return err
}

// misread matches the SDK's error for parameters of the wrong type, which names its own types.
var misread = regexp.MustCompile(`(?s)^.*unmarshaling .* into a \*?\w+\.\w+: json: cannot unmarshal(?:.*Go struct field \w+\.\w+\.([\w.]+) of type)?.*$`)

// plain returns an error of the SDK as a client should see it: with a code, and without internals
// of the program.
func plain(err error) error {
	if err == nil {
		return nil
	}
	out := jsonrpc.Error{Code: jsonrpc.CodeInternalError}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		out = *e
	}
	out.Message = err.Error()
	if m := misread.FindStringSubmatch(out.Message); m != nil {
		out.Message = "invalid params: they are of the wrong type"
		if m[1] != "" {
			out.Message = "invalid params: " + m[1] + " is of the wrong type"
		}
	}
	return &out
}

func (w *wire) line(body []byte) error {
	body = append(transport.ValidUTF8(body), '\n')
	w.writing.Lock()
	defer w.writing.Unlock()
	if _, err := w.out.Write(body); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// Close closes both streams. It may be called again; the error is that of the first time.
func (w *wire) Close() error {
	w.once.Do(func() {
		close(w.closed)
		w.closeErr = errors.Join(w.in.Close(), w.out.Close())
	})
	return w.closeErr
}

// note adds n to the number of unanswered requests with an id.
func (w *wire) note(id jsonrpc.ID, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[id] += n; w.pending[id] <= 0 {
		delete(w.pending, id)
	}
	if len(w.pending) == 0 {
		select {
		case w.answered <- struct{}{}:
		default:
		}
	}
}

// read passes on messages until the input ends.
func (w *wire) read() {
	in := bufio.NewReaderSize(w.in, 64<<10)
	var err error
	for err == nil {
		var line []byte
		line, err = readLine(in)
		switch {
		case errors.Is(err, errLong):
			err = w.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is over the limit of %d bytes", maxLine))
		case len(line) > 0:
			if failed := w.take(line); failed != nil {
				err = failed
			}
		}
	}
	w.readErr = err
	close(w.over)
}

// errLong reports that a line was longer than maxLine; the line has been skipped.
var errLong = errors.New("the line is too long")

// readLine returns a line without its end and the white space around it.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLong
		default:
			return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))), err
		}
	}
}

// take passes on the messages of a line, and responds to anything else with an error.
func (w *wire) take(line []byte) error {
	line = transport.ValidUTF8(line)
	if !json.Valid(line) {
		return w.refuse(jsonrpc.CodeParseError, "the line is not JSON")
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' {
		batch = nil
		if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
			return w.refuse(jsonrpc.CodeInvalidRequest, "the batch is empty")
		}
	}
	for _, body := range batch {
		m, err := jsonrpc.DecodeMessage(body)
		if err != nil || !exact(body) {
			if err := w.refuse(jsonrpc.CodeInvalidRequest, "the message is neither a request nor an answer of JSON-RPC 2.0, nor a notification"); err != nil {
				return err
			}
			continue
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			w.note(r.ID, 1)
		}
		select {
		case w.messages <- m:
		case <-w.closed:
			return io.EOF
		}
	}
	return nil
}

// exact reports whether the SDK preserves a message's id: it parses numbers as floating point.
func exact(body []byte) bool {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(body, &m) != nil {
		return false
	}
	if len(m.ID) == 0 || m.ID[0] == '"' || m.ID[0] == 'n' {
		return true
	}
	const most = 1 << 53
	n, err := strconv.ParseInt(string(m.ID), 10, 64)
	return err == nil && n >= -most && n <= most
}

// refuse responds to input that is not a message. Its sender's id is unknown, so the id is null.
func (w *wire) refuse(code int, text string) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return err
	}
	return w.line(body)
}
