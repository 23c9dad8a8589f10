package forward

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/transport"
)

// waitsForInput is the environment variable with which the tests' program only reads its input to
// the end, on every system.
const waitsForInput = "CONTEXTURE_TEST_WAITS_FOR_INPUT"

func TestMain(m *testing.M) {
	if os.Getenv(waitsForInput) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must come.
const patience = 3 * time.Minute

// scene is a forwarder between an editor and daemons that a test plays.
type scene struct {
	t       *testing.T
	editor  *peer
	stream  net.Conn // the editor's end
	daemons chan *peer
	refuse  chan error // answers of Connect instead of a daemon
	over    chan struct{}
	code    int // once over is closed
	err     error
}

// peer is one end of a stream of messages.
type peer struct {
	t    *testing.T
	conn net.Conn
	out  *transport.FrameWriter
	in   chan wire
}

// wire is any message.
type wire struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *answerError    `json:"error"`
}

func newPeer(t *testing.T, conn net.Conn) *peer {
	p := &peer{t: t, conn: conn, out: transport.NewFrameWriter(conn), in: make(chan wire, 10_000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(p.in)
		in := transport.NewFrameReader(conn)
		for {
			body, err := in.Next()
			if err != nil {
				return
			}
			var m wire
			if err := json.Unmarshal(body, &m); err != nil {
				m.Method = "broken: " + string(body)
			}
			p.in <- m
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return p
}

func newScene(t *testing.T) *scene {
	return newSceneOver(t, func(c net.Conn) net.Conn { return c })
}

// newSceneOver is newScene with another connection to each daemon, made of one.
func newSceneOver(t *testing.T, wrap func(net.Conn) net.Conn) *scene {
	near, far := net.Pipe()
	s := &scene{t: t, stream: near, daemons: make(chan *peer, 100), refuse: make(chan error, 1), over: make(chan struct{})}
	s.editor = newPeer(t, near)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(s.over)
		before := false
		s.code, s.err = Run(ctx, far, Options{Connect: func(_ context.Context, again bool) (net.Conn, error) {
			if again != before {
				t.Errorf("connected before: %t, and it is asked for one again: %t", before, again)
			}
			select {
			case err := <-s.refuse:
				return nil, err
			default:
			}
			before = true
			ours, theirs := net.Pipe()
			s.daemons <- newPeer(t, theirs)
			return wrap(ours), nil
		}})
	}()
	t.Cleanup(func() {
		cancel()
		<-s.over
	})
	return s
}

// daemon is the next one that the forwarder connects to.
func (s *scene) daemon() *peer {
	s.t.Helper()
	select {
	case p := <-s.daemons:
		return p
	case <-time.After(patience):
		s.t.Fatal("no daemon is asked for")
		return nil
	}
}

// left waits until the forwarder has.
func (s *scene) left() (int, error) {
	s.t.Helper()
	select {
	case <-s.over:
		return s.code, s.err
	case <-time.After(patience):
		s.t.Fatal("the forwarder does not leave")
		return 0, nil
	}
}

// begun is a session that has begun, and its daemon.
func (s *scene) begun() *peer {
	s.t.Helper()
	d := s.daemon()
	s.editor.call(1, "initialize", `{"processId":null,"capabilities":{}}`)
	d.expect("initialize")
	d.answer("1", `{"capabilities":{"positionEncoding":"utf-16"}}`)
	s.editor.gets("1")
	s.editor.notify("initialized", `{}`)
	d.expect("initialized")
	return d
}

// die ends a daemon as kill -9 does.
func (p *peer) die() {
	p.t.Helper()
	if err := p.conn.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	if err := p.out.Write(fmt.Appendf(nil, format, args...)); err != nil {
		p.t.Logf("send: %v", err) // what does not come tells
	}
}

func (p *peer) call(id int, method, params string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func (p *peer) command(id int, name, args string) {
	p.t.Helper()
	p.call(id, methodExecute, fmt.Sprintf(`{"command":"contexture.%s","arguments":[%s]}`, name, args))
}

func (p *peer) notify(method, params string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// answer answers with a result, as the server writes it.
func (p *peer) answer(id, result string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func (p *peer) fail(id string, code int, data string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no","data":{"code":%q}}}`, id, code, data)
}

// next is the next message.
func (p *peer) next() wire {
	p.t.Helper()
	select {
	case m, ok := <-p.in:
		if !ok {
			p.t.Fatal("the stream has ended")
		}
		return m
	case <-time.After(patience):
		p.t.Fatal("nothing comes")
	}
	return wire{}
}

// expect is the next message, which must have a method.
func (p *peer) expect(method string) wire {
	p.t.Helper()
	m := p.next()
	if m.Method != method {
		p.t.Fatalf("%s %s %s %s came, want %s", m.Method, m.ID, m.Params, m.Result, method)
	}
	return m
}

// gets is the next message, which must be the answer to a request.
func (p *peer) gets(id string) wire {
	p.t.Helper()
	m := p.next()
	if m.Method != "" || string(m.ID) != id {
		p.t.Fatalf("%s %s %s %s came, want the answer to %s", m.Method, m.ID, m.Params, m.Result, id)
	}
	return m
}

// ends waits until the stream has; nothing more may come.
func (p *peer) ends() {
	p.t.Helper()
	select {
	case m, ok := <-p.in:
		if ok {
			p.t.Fatalf("%s %s came, want the end", m.Method, m.ID)
		}
	case <-time.After(patience):
		p.t.Fatal("the stream does not end")
	}
}

// restored takes the replay of a session without documents by a new daemon.
func (p *peer) restored() {
	p.t.Helper()
	m := p.expect("initialize")
	p.answer(string(m.ID), `{"capabilities":{}}`)
	p.expect("initialized")
}
