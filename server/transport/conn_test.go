package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// patienceOfTests is how long a test waits for what must come.
const patienceOfTests = 3 * time.Minute

// fake is a handler made of functions.
type fake struct {
	request func(method string, params json.RawMessage) Work
	notify  func(method string, params json.RawMessage) error
}

func (f *fake) Request(_ context.Context, method string, params json.RawMessage) Work {
	return f.request(method, params)
}

func (f *fake) Notify(_ context.Context, method string, params json.RawMessage) error {
	return f.notify(method, params)
}

// peer is the other end of a connection under test.
type peer struct {
	t    *testing.T
	end  net.Conn
	in   *FrameReader
	log  *lockedBuffer
	conn *Conn
	done chan error // gets what Serve returned
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func serve(t *testing.T, h Handler) *peer {
	near, far := net.Pipe()
	p := &peer{t: t, end: far, in: NewFrameReader(far), log: &lockedBuffer{}, done: make(chan error, 1)}
	p.conn = NewConn(near, slog.New(slog.NewTextHandler(p.log, nil)), Options{})
	if err := far.SetDeadline(time.Now().Add(patienceOfTests)); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.conn.Serve(t.Context(), h) }()
	t.Cleanup(func() {
		_ = far.Close()
		p.ended()
	})
	return p
}

// ended waits for the end of Serve.
func (p *peer) ended() error {
	select {
	case err := <-p.done:
		p.done <- err
		return err
	case <-time.After(patienceOfTests):
		p.t.Fatal("the connection does not end")
		return nil
	}
}

func (p *peer) send(bodies ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.end, framed(bodies...)); err != nil {
		p.t.Fatal(err)
	}
}

// answer is a message from the connection under test.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (a answer) code() int {
	if a.Error == nil {
		return 0
	}
	return a.Error.Code
}

func (p *peer) receive() answer {
	p.t.Helper()
	body, err := p.in.Next()
	if err != nil {
		p.t.Fatalf("read an answer: %v", err)
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		p.t.Fatalf("%s: %v", body, err)
	}
	return a
}

// echo answers with the parameters, panics, fails, or waits for its cancellation, as the method
// says.
func echo() *fake {
	return &fake{
		request: func(method string, params json.RawMessage) Work {
			switch method {
			case "panicEarly":
				panic("early")
			case "inline":
				return Work{Inline: true, Run: func(context.Context) (any, error) { return params, nil }}
			}
			return Work{Run: func(ctx context.Context) (any, error) {
				switch method {
				case "panic":
					panic("late: secret")
				case "fail":
					return nil, errors.New("no luck")
				case "wait":
					<-ctx.Done()
					return "a result after the cancel", nil
				case "nothing":
					return nil, nil
				case "unencodable":
					return func() {}, nil
				}
				return params, nil
			}}
		},
		notify: func(method string, _ json.RawMessage) error {
			switch method {
			case "panic":
				panic("in a notification")
			case "fail":
				return errors.New("the notification is wrong")
			}
			return nil
		},
	}
}

func call(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

// TestSurvives: each of these would end a connection of jsonrpc2.
func TestSurvives(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		code     int    // of the answer; 0 where there is none
		id       string // of the answer
		logged   string
	}{
		{"panicking request", call(1, "panic", "{}"), -32603, "1", "conn_test.go"},
		{"panicking before the work", call(1, "panicEarly", "{}"), -32603, "1", "conn_test.go"},
		{"panicking notification", `{"jsonrpc":"2.0","method":"panic"}`, 0, "", "conn_test.go"},
		{"failing notification", `{"jsonrpc":"2.0","method":"fail","params":[1]}`, 0, "", "the notification is wrong"},
		{"failing request", call(1, "fail", "{}"), -32603, "1", ""},
		{"result without JSON", call(1, "unencodable", "{}"), -32603, "1", ""},
		{"no JSON", "{", -32700, "null", ""},
		{"empty body", "", -32700, "null", ""},
		{"two values", "{} {}", -32700, "null", ""},
		{"invalid inside", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":tru}}`, -32700, "null", ""},
		{"deep nesting", `{"jsonrpc":"2.0","id":1,"method":"x","params":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", -32700, "null", ""},
		{"no message", "[]", -32600, "null", ""},
		{"batch", "[" + call(1, "x", "{}") + "]", -32600, "null", ""},
		{"scalar", "12", -32600, "null", ""},
		{"no version", `{"id":1,"method":"x"}`, -32600, "null", ""},
		{"id of a wrong type", `{"jsonrpc":"2.0","id":{},"method":"x"}`, -32600, "null", ""},
		{"answer to nothing", `{"jsonrpc":"2.0","id":77,"result":null}`, 0, "", ""},
		{"answer with an odd id", `{"jsonrpc":"2.0","id":"x","result":null}`, 0, "", ""},
		{"cancel of nothing", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}`, 0, "", ""},
		{"cancel without sense", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[3]}`, 0, "", "cancelRequest"},
		{"cancel without parameters", `{"jsonrpc":"2.0","method":"$/cancelRequest"}`, 0, "", "cancelRequest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, echo())
			p.send(tt.in)
			if tt.code != 0 {
				if a := p.receive(); a.code() != tt.code || string(a.ID) != tt.id {
					t.Errorf("answer %d for id %s, want %d for %s", a.code(), a.ID, tt.code, tt.id)
				} else if strings.Contains(a.Error.Message, "secret") {
					t.Errorf("the answer tells what the panic said: %s", a.Error.Message)
				}
			}
			p.send(call(2, "echo", `{"a":"<&>"}`))
			if a := p.receive(); a.code() != 0 || string(a.Result) != `{"a":"<&>"}` {
				t.Errorf("afterwards the answer is %s, %+v", a.Result, a.Error)
			}
			if !strings.Contains(p.log.String(), tt.logged) {
				t.Errorf("the log lacks %q:\n%s", tt.logged, p.log)
			}
		})
	}
}

func TestTooLargeRequestIsRefused(t *testing.T) {
	p := serve(t, echo())
	go func() {
		_, _ = fmt.Fprintf(p.end, "Content-Length: %d\r\n\r\n", MaxFrameBytes+10)
		_, _ = io.Copy(p.end, io.LimitReader(zeros{}, MaxFrameBytes+10))
		_, _ = io.WriteString(p.end, framed(call(1, "echo", "3")))
	}()
	if a := p.receive(); a.code() != -32600 || !strings.Contains(a.Error.Message, fmt.Sprint(MaxFrameBytes)) {
		t.Errorf("answer %+v", a.Error)
	}
	if a := p.receive(); string(a.Result) != "3" {
		t.Errorf("afterwards the answer is %s", a.Result)
	}
}

func TestResults(t *testing.T) {
	p := serve(t, echo())
	p.send(call(1, "nothing", "{}"))
	if a := p.receive(); string(a.Result) != "null" {
		t.Errorf("no result is written as %q", a.Result)
	}
	p.send(`{"jsonrpc":"2.0","id":"a\"b","method":"echo","params":{"x":1}}`)
	if a := p.receive(); string(a.ID) != `"a\"b"` || string(a.Result) != `{"x":1}` {
		t.Errorf("id %s, result %s", a.ID, a.Result)
	}
}

func TestCancel(t *testing.T) {
	p := serve(t, echo())
	p.send(call(1, "wait", "{}"), call(2, "inline", "2"))
	if a := p.receive(); string(a.ID) != "2" {
		t.Fatalf("the second request waits for the first: %+v", a)
	}
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	if a := p.receive(); string(a.ID) != "1" || a.code() != CodeRequestCancelled {
		t.Errorf("the answer to a cancelled request is %+v, %s", a.Error, a.Result)
	}
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`, call(1, "echo", "3"))
	if a := p.receive(); string(a.Result) != "3" {
		t.Errorf("a late cancel took the next request of that id: %+v", a)
	}
	p.send(`{"jsonrpc":"2.0","id":"s","method":"wait"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"s"}}`)
	if a := p.receive(); string(a.ID) != `"s"` || a.code() != CodeRequestCancelled {
		t.Errorf("cancel by a string: %+v", a)
	}
}

func TestIDInUse(t *testing.T) {
	p := serve(t, echo())
	p.send(call(1, "wait", "{}"), call(1, "echo", "{}"))
	if a := p.receive(); a.code() != -32600 {
		t.Errorf("a second request of the same id: %+v", a)
	}
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	if a := p.receive(); a.code() != CodeRequestCancelled {
		t.Errorf("the first: %+v", a)
	}
}

// TestOrder: a request sees every notification before it and none after it, and parameters stay as
// they were.
func TestOrder(t *testing.T) {
	const n = 3000
	var last int
	var kept []json.RawMessage
	h := &fake{
		notify: func(_ string, params json.RawMessage) error {
			kept = append(kept, params)
			return json.Unmarshal(params, &last)
		},
		request: func(string, json.RawMessage) Work {
			seen := last
			return Work{Run: func(context.Context) (any, error) { return seen, nil }}
		},
	}
	p := serve(t, h)
	go func() {
		for i := 1; i <= n; i++ {
			_, err := io.WriteString(p.end, framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"set","params":%d}`, i), call(i, "get", "{}")))
			if err != nil {
				return // receive tells
			}
		}
	}()
	for range n {
		if a := p.receive(); string(a.ID) != string(a.Result) {
			t.Fatalf("request %s saw notification %s", a.ID, a.Result)
		}
	}
	for i, raw := range kept {
		if string(raw) != fmt.Sprint(i+1) {
			t.Fatalf("the parameters %d that were kept became %s", i+1, raw)
		}
	}
}

func TestCallsThePeer(t *testing.T) {
	h := echo()
	var conn *Conn
	h.request = func(string, json.RawMessage) Work {
		return Work{Run: func(ctx context.Context) (any, error) {
			var got string
			err := conn.Call(ctx, "ask", map[string]int{"n": 1}, &got)
			return got, err
		}}
	}
	p := serve(t, h)
	conn = p.conn
	p.send(call(1, "x", "{}"))
	ask := p.receive()
	if ask.Method != "ask" || string(ask.Params) != `{"n":1}` {
		t.Fatalf("the call is %+v", ask)
	}
	p.send(`{"jsonrpc":"2.0","id":` + string(ask.ID) + `,"result":"yes"}`)
	if a := p.receive(); string(a.Result) != `"yes"` {
		t.Errorf("the answer did not come back: %+v", a)
	}
	p.send(call(2, "x", "{}"))
	ask = p.receive()
	p.send(`{"jsonrpc":"2.0","id":` + string(ask.ID) + `,"error":{"code":-32601,"message":"no such thing"}}`)
	if a := p.receive(); a.code() != -32601 {
		t.Errorf("the peer's error became %+v", a.Error)
	}
	p.send(call(3, "x", "{}"), `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}`)
	a := p.receive()
	for a.Method != "" { // the call, where it was made by then, and that it is cancelled, which may come before the answer or after
		a = p.receive()
	}
	if a.code() != CodeRequestCancelled {
		t.Errorf("a call that is waited for in vain: %+v", a)
	}
}

func TestNotificationsGoOutInOrder(t *testing.T) {
	p := serve(t, echo())
	for i := range 100 {
		p.conn.Notify("n", i)
	}
	for i := range 100 {
		if a := p.receive(); string(a.Params) != fmt.Sprint(i) {
			t.Fatalf("notification %d is %s", i, a.Params)
		}
	}
}

// TestNotifyNeverBlocks: a peer that does not read loses notifications, and nobody waits for it.
func TestNotifyNeverBlocks(t *testing.T) {
	p := serve(t, echo())
	for i := range 3 * maxPosts {
		p.conn.Notify("n", i)
	}
	if !strings.Contains(p.log.String(), "notification lost") {
		t.Error("nothing was lost, or the log does not say so")
	}
}

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(p *peer)
		want error
		as   bool // want is a type
	}{
		{"stream ends", func(p *peer) { _ = p.end.Close() }, nil, false},
		{"stream ends inside a message", func(p *peer) {
			_, _ = io.WriteString(p.end, "Content-Length: 100\r\n\r\n{")
			_ = p.end.Close()
		}, io.ErrUnexpectedEOF, false},
		{"malformed header", func(p *peer) { _, _ = io.WriteString(p.end, "hello\r\n") }, &HeaderError{}, true},
		{"stopped", func(p *peer) { p.conn.Stop() }, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := serve(t, echo())
			p.send(call(1, "wait", "{}")) // runs until the end cancels it
			tt.do(p)
			err := p.ended()
			var header *HeaderError
			switch {
			case tt.as && !errors.As(err, &header), !tt.as && !errors.Is(err, tt.want):
				t.Errorf("Serve() = %v, want %v", err, tt.want)
			}
		})
	}
}

// TestNothingAfterStop: what arrives after Stop is not handled.
func TestNothingAfterStop(t *testing.T) {
	var p *peer
	got := make(chan string, 10)
	p = serve(t, &fake{notify: func(method string, _ json.RawMessage) error {
		got <- method
		p.conn.Stop()
		return nil
	}})
	go func() {
		_, _ = io.WriteString(p.end, framed(`{"jsonrpc":"2.0","method":"exit"}`, `{"jsonrpc":"2.0","method":"late"}`))
	}()
	if err := p.ended(); err != nil {
		t.Fatal(err)
	}
	if first := <-got; first != "exit" || len(got) != 0 {
		t.Errorf("%s and %d more were handled", first, len(got))
	}
}
