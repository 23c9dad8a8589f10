package forward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"go.lsp.dev/jsonrpc2"
)

// link is the connection to one daemon. Its own goroutine reads the daemon's messages.
type link struct {
	f        *forwarder
	number   int // from 1
	conn     net.Conn
	out      *transport.FrameWriter
	done     chan struct{} // closed when no more messages come
	away     chan struct{} // closed when the daemon has sent Away
	sayAway  func()
	begun    time.Time
	spoke    atomic.Bool // a message arrived
	answered atomic.Bool // a request of the editor was answered
	release  func() bool // from the context
	draining sync.Once

	restored jsonrpc2.ID                // of the initialize request that restore sent
	tokens   map[string]json.RawMessage // of progress: session token → editor token; used by the link's goroutine
}

// pendingRequest is a request of a session that the editor has not answered.
type pendingRequest struct {
	link          *link
	id            jsonrpc2.ID // the session's
	registrations []string    // ids, if it is registerCapability
}

// newLink takes ownership of a connection. It ends with ctx.
func newLink(ctx context.Context, f *forwarder, conn net.Conn, number int) *link {
	l := &link{
		f: f, number: number, conn: conn, out: transport.NewFrameWriter(conn), done: make(chan struct{}), away: make(chan struct{}), begun: time.Now(),
		restored: jsonrpc2.NewStringID(fmt.Sprintf("contexture/%d", number)), tokens: map[string]json.RawMessage{},
	}
	l.sayAway = sync.OnceFunc(func() { close(l.away) })
	l.release = context.AfterFunc(ctx, func() { _ = conn.Close() })
	go func() { // the owner of the link waits for done, unless the editor does not read
		defer close(l.done)
		l.read()
	}()
	return l
}

// close closes the connection.
func (l *link) close() {
	l.release()
	_ = l.conn.Close() // no message can be lost any more
}

// hang signals the daemon the end of the editor's messages.
func (l *link) hang() {
	c, ok := l.conn.(interface{ CloseWrite() error })
	if !ok {
		_ = l.conn.Close()
		return
	}
	if err := c.CloseWrite(); err != nil {
		l.drain(err)
	}
}

// send sends a message. If that fails, the link is over; the replay and the requests still hold
// everything that matters.
func (l *link) send(body []byte) {
	if err := l.out.Write(body); err != nil {
		l.drain(err)
	}
}

// drain ends a link that takes no more messages, after reading what the daemon sent before it left.
func (l *link) drain(why error) {
	l.f.log.Debug("message not sent", "err", why)
	l.draining.Do(func() { // once: further messages do not put the end off
		if err := l.conn.SetReadDeadline(time.Now().Add(farewell)); err != nil {
			_ = l.conn.Close()
		}
	})
}

// restore restores the editor's state in a new session, and sends the unanswered requests again.
func (l *link) restore() {
	f := l.f
	var out [][]byte
	add := func(m jsonrpc2.Message) {
		body, err := jsonrpc2.EncodeMessage(m)
		if err != nil {
			f.log.Error("message not repeated", "err", err)
			return
		}
		out = append(out, body)
	}
	f.mu.Lock()
	if f.replay.accepted {
		add(jsonrpc2.NewCall(l.restored, methodInitialize, jsonrpc2.RawMessage(f.replay.initialize)))
	}
	again := func(beginning bool) {
		for _, r := range f.pending {
			if beginning == (r.method == methodInitialize) {
				r.sent++
				out = append(out, r.body)
			}
		}
	}
	again(true)
	for _, m := range f.replay.messages() {
		add(jsonrpc2.NewNotification(m.method, jsonrpc2.RawMessage(m.params)))
	}
	again(false)
	f.mu.Unlock()
	for _, body := range out {
		l.send(body)
	}
}

// read passes on the daemon's messages until there are no more.
func (l *link) read() {
	in := transport.NewFrameReader(l.conn)
	for {
		body, err := in.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				l.f.log.Info("connection to the daemon", "err", err)
			}
			return
		}
		l.spoke.Store(true)
		if err := l.take(body); err != nil {
			l.f.cancel(err)
			return
		}
	}
}

// take passes on a message of the daemon. The error is of writing to the editor.
func (l *link) take(body []byte) error {
	if id, ok := answerID(body); ok {
		return l.answer(id, body)
	}
	m, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		l.f.log.Warn("message of the daemon not understood", "err", err)
		return nil
	}
	switch m := m.(type) {
	case *jsonrpc2.Response:
		return l.answer(m.ID(), body)
	case *jsonrpc2.Call:
		return l.ask(m)
	case *jsonrpc2.Notification:
		return l.tell(m, body)
	}
	return nil
}

// answer passes on an answer.
func (l *link) answer(id jsonrpc2.ID, body []byte) error {
	f := l.f
	if id == l.restored {
		if err := errorOf(body); err != nil {
			f.log.Error("the session was not restored", "err", err)
		}
		return nil
	}
	f.mu.Lock()
	r := f.takeLocked(id)
	if r != nil {
		l.answered.Store(true)
		f.replay.recent.seen(r.number)
		switch r.method {
		case methodInitialize:
			f.begunLocked(r, body)
		case methodShutdown:
			f.ended = f.ended || errorOf(body) == nil
		}
	}
	quiet := len(f.pending) == 0
	f.mu.Unlock()
	if r != nil && r.sent > 1 {
		body = settled(r, body)
	}
	err := f.editor.Write(body)
	if quiet {
		select {
		case f.quiet <- struct{}{}:
		default:
		}
	}
	return err
}

// begunLocked records the answer to initialize; f.mu is held.
func (f *forwarder) begunLocked(r *request, body []byte) {
	if f.replay.accepted {
		return // a second one is refused
	}
	var answer struct {
		Result *struct {
			Capabilities struct {
				PositionEncoding string `json:"positionEncoding"`
			} `json:"capabilities"`
		} `json:"result"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Result == nil {
		f.replay = replay{}
		return
	}
	f.replay.accepted, f.replay.initialize = true, r.params
	f.replay.units = transport.Encoding(answer.Result.Capabilities.PositionEncoding)
}

// ask passes on a request of the session, under a new id for the editor.
func (l *link) ask(m *jsonrpc2.Call) error {
	f := l.f
	params := json.RawMessage(m.Params())
	a := pendingRequest{link: l, id: m.ID()}
	f.mu.Lock()
	switch m.Method() {
	case methodRegister:
		a.registrations = registrations(params)
		if f.kept.hasAll(a.registrations) {
			f.mu.Unlock()
			body, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(m.ID(), nil, nil))
			if err == nil {
				l.send(body)
			}
			return nil
		}
	case methodToken:
		params = l.withToken(params)
	}
	f.asks++
	id := f.asks
	f.asked[id] = a
	f.mu.Unlock()
	return f.write(jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), m.Method(), jsonrpc2.RawMessage(params)))
}

// tell passes on a notification.
func (l *link) tell(m *jsonrpc2.Notification, body []byte) error {
	f := l.f
	params := json.RawMessage(m.Params())
	switch m.Method() {
	case daemon.Away:
		l.sayAway()
		return nil
	case methodProgress:
		params = l.withToken(params)
		f.mu.Lock()
		f.kept.progressed(params)
		f.mu.Unlock()
		if l.number > 1 {
			return f.write(jsonrpc2.NewNotification(m.Method(), jsonrpc2.RawMessage(params)))
		}
	case methodShow:
		f.mu.Lock()
		known := f.kept.show(params)
		f.mu.Unlock()
		if known && l.number > 1 {
			return nil // an earlier session has shown it
		}
	}
	return f.editor.Write(body)
}

// withToken replaces the progress token of any session but the first by a unique one.
func (l *link) withToken(params json.RawMessage) json.RawMessage {
	if l.number == 1 {
		return params
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || members["token"] == nil {
		return params
	}
	theirs := string(members["token"])
	if l.tokens[theirs] == nil {
		var name string
		if json.Unmarshal(members["token"], &name) != nil {
			name = theirs
		}
		ours, err := json.Marshal(fmt.Sprintf("%s.%d", name, l.number))
		if err != nil {
			return params
		}
		l.tokens[theirs] = ours
	}
	members["token"] = l.tokens[theirs]
	out, err := json.Marshal(members)
	if err != nil {
		return params
	}
	return out
}

func (f *forwarder) write(m jsonrpc2.Message) error {
	body, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		f.log.Error("message not passed on", "err", err)
		return nil
	}
	return f.editor.Write(body)
}
