package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// patience limits every wait of a test.
const patience = 3 * time.Minute

// client is the other end of a server's streams.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error // gets what Serve returned
}

// serve starts a server whose commands are answered by execute.
func serve(t *testing.T, execute func(ctx context.Context) (json.RawMessage, error)) *client {
	t.Helper()
	return serveOptions(t, Options{Execute: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) { return execute(ctx) }})
}

// serveOptions starts a server with options.
func serveOptions(t *testing.T, opts Options) *client {
	t.Helper()
	opts.Version, opts.Logger = "test", slog.New(slog.DiscardHandler)
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	c := &client{t, in, bufio.NewReader(out), make(chan error, 1)}
	go func() { c.done <- s.Serve(context.WithoutCancel(t.Context()), toServer, fromServer) }()
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
		c.ended()
	})
	c.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if a := c.read(); a.code() != 0 {
		t.Fatalf("initialize: %+v", a)
	}
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) write(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// answer is a message from the server.
type answer struct {
	ID    json.RawMessage `json:"id"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Result json.RawMessage `json:"result"`
}

func (a answer) code() int {
	if a.Error == nil {
		return 0
	}
	return a.Error.Code
}

func (c *client) read() (a answer) {
	c.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = c.in.CloseWithError(errors.New("no answer comes")) })
	defer timer.Stop()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	if !utf8.Valid(line) {
		c.t.Errorf("not UTF-8: %q", line)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	return a
}

// ended waits until Serve returns.
func (c *client) ended() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		c.done <- err
		return err
	case <-time.After(patience):
		c.t.Error("the server does not end")
		return nil
	}
}

func ready(context.Context) (json.RawMessage, error) { return json.RawMessage(`{"hits":[]}`), nil }

// TestInvalidLinesAreAnswered checks that no line ends a session: an invalid message is answered,
// and the next one is served.
func TestInvalidLinesAreAnswered(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tt := range []struct {
		name, in string
		codes    []int // of the answers; 0 means a result
	}{
		{"no JSON", "this is no JSON", []int{-32700}},
		{"half a message", `{"jsonrpc":"2.0","id":1,"met`, []int{-32700}},
		{"a header of the other protocol", "Content-Length: 40", []int{-32700}},
		{"two messages on a line", ping + ping, []int{-32700}},
		{"bytes that are no UTF-8", "\xff\xfe", []int{-32700}},
		{"deep nesting", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), []int{-32700}},
		{"no version", `{"id":1,"method":"ping"}`, []int{-32600}},
		{"scalar", "12", []int{-32600}},
		{"null", "null", []int{-32600}},
		{"no method and no id", `{"jsonrpc":"2.0"}`, []int{-32600}},
		{"method that is no string", `{"jsonrpc":"2.0","id":1,"method":5}`, []int{-32600}},
		{"id of a wrong type", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, []int{-32600}},
		{"empty batch", "[]", []int{-32600}},
		{"batch", "[" + ping + ",1,{}]", []int{-32600, -32600, 0}},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"foo` + "\xff" + `"}`, []int{-32601}},
		{"invalid bytes in the id", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`, []int{0}},
		{"fraction as an id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []int{-32600}},
		{"id that a float does not hold", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, []int{-32600}},
		{"largest id", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, []int{0}},
		{"second initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, []int{-32603}},
		{"parameters of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, []int{-32602}},
		{"parameter of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, []int{-32602}},
		{"nested parameter of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x","arguments":{"prompt":7}}}`, []int{-32602}},
		{"parameters that are a string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, []int{-32602}},
		{"answer to nothing", `{"jsonrpc":"2.0","id":77,"result":{}}`, nil},
		{"empty line", "", nil},
		{"white space", " \t\r", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, ready)
			c.write(tt.in)
			left := map[int]int{}
			for _, code := range tt.codes {
				left[code]++
			}
			for range tt.codes {
				a := c.read()
				if left[a.code()]--; left[a.code()] < 0 {
					t.Errorf("answered %d: %+v", a.code(), a.Error)
				}
				if a.Error != nil && (strings.Contains(a.Error.Message, "json:") || strings.Contains(a.Error.Message, "*mcp.")) {
					t.Errorf("it shows what the program is made of: %s", a.Error.Message)
				}
				if (a.code() == -32700 || a.code() == -32600) && string(a.ID) != "null" {
					t.Errorf("the id is %s", a.ID)
				}
			}
			c.write(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
			if a := c.read(); a.code() != 0 || string(a.ID) != `"after"` {
				t.Errorf("afterwards the answer is %+v", a)
			}
		})
	}
}

// TestLineTooLong checks that a line above the limit is skipped.
func TestLineTooLong(t *testing.T) {
	c := serve(t, ready)
	go func() {
		part := strings.Repeat(" ", 1<<20)
		for range maxLine/len(part) + 1 {
			_, _ = io.WriteString(c.in, part) // the answers show the result
		}
		_, _ = io.WriteString(c.in, "\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	}()
	if a := c.read(); a.code() != -32600 || !strings.Contains(a.Error.Message, fmt.Sprint(maxLine)) {
		t.Errorf("answered %+v", a)
	}
	if a := c.read(); a.code() != 0 || string(a.ID) != "1" {
		t.Errorf("afterwards the answer is %+v", a)
	}
}

// TestAnswersBeforeItEnds checks that requests read before the end of the input are answered,
// including a last line without a newline.
func TestAnswersBeforeItEnds(t *testing.T) {
	closed := make(chan struct{})
	c := serve(t, func(ctx context.Context) (json.RawMessage, error) {
		select {
		case <-closed:
			return ready(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	c.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}`)
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if a := c.read(); string(a.ID) != "2" || a.code() != 0 { // so the end has been read
		t.Errorf("the last line is answered %+v", a)
	}
	close(closed)
	if a := c.read(); string(a.ID) != "1" || a.code() != 0 {
		t.Errorf("what ran is answered %+v", a)
	}
	if _, err := c.out.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("then comes %v", err)
	}
	if err := c.ended(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
