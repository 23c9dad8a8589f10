package forward

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/jsonrpc2"
)

// request is an unanswered request of the editor.
type request struct {
	id        jsonrpc2.ID
	method    string
	params    json.RawMessage
	body      []byte // the message
	number    int64  // from 1
	sent      int    // number of daemons that it was sent to
	cancelled bool
}

// fromEditor passes on a message of the editor; over reports that it was the last one.
func (f *forwarder) fromEditor(ctx context.Context, body []byte) (over bool) {
	var m jsonrpc2.Message
	if json.Valid(body) {
		m, _ = jsonrpc2.DecodeMessage(body) // the session refuses an invalid message
	}
	switch m := m.(type) {
	case *jsonrpc2.Call:
		return f.request(ctx, m, body)
	case *jsonrpc2.Notification:
		return f.notification(ctx, m, body)
	case *jsonrpc2.Response:
		f.answered(m)
		return false
	}
	if f.link != nil {
		f.link.send(body)
	}
	return false
}

func (f *forwarder) request(ctx context.Context, m *jsonrpc2.Call, body []byte) (over bool) {
	params := json.RawMessage(m.Params())
	if f.link == nil {
		f.toEditor(jsonrpc2.NewResponse(m.ID(), nil, jsonrpc2.Errorf(command.CodeInvalidRequest, "%s after shutdown", transport.Clip(m.Method()))))
		return false
	}
	pid := 0
	if m.Method() == methodInitialize {
		params, pid = withoutProcess(params)
		if whole, err := jsonrpc2.EncodeMessage(jsonrpc2.NewCall(m.ID(), methodInitialize, jsonrpc2.RawMessage(params))); err == nil {
			body = whole
		}
	}
	f.mu.Lock()
	f.requests++
	f.pending = append(f.pending, &request{id: m.ID(), method: m.Method(), params: params, body: body, number: f.requests, sent: 1})
	first := m.Method() == methodInitialize && !f.replay.begun
	if first {
		f.replay.begun, f.replay.initialize = true, params
	}
	f.mu.Unlock()
	if first && pid > 0 {
		f.watch(ctx, pid)
	}
	f.link.send(body)
	return false
}

func (f *forwarder) notification(ctx context.Context, m *jsonrpc2.Notification, body []byte) (over bool) {
	params := json.RawMessage(m.Params())
	f.mu.Lock()
	if m.Method() == methodCancel {
		f.cancelLocked(params)
	} else {
		f.replay.note(message{m.Method(), params}, f.requests)
	}
	f.mu.Unlock()
	if m.Method() == methodExit {
		f.finish(ctx, body)
		return true
	}
	if f.link != nil {
		f.link.send(body)
	}
	return false
}

// cancelLocked marks a request as cancelled; mu is held.
func (f *forwarder) cancelLocked(params json.RawMessage) {
	id, err := transport.CancelledID(params)
	if err != nil {
		return
	}
	for _, r := range f.pending {
		if r.id == id {
			r.cancelled = true
		}
	}
}

// answered passes on the editor's answer to a request of the current session; an answer for an
// earlier session is dropped.
func (f *forwarder) answered(m *jsonrpc2.Response) {
	n, ok := m.ID().Number()
	if !ok {
		return
	}
	f.mu.Lock()
	a, ok := f.asked[n]
	delete(f.asked, n)
	if ok && m.Err() == nil {
		f.kept.registeredAll(a.registrations)
	}
	f.mu.Unlock()
	if !ok || f.link == nil || a.link != f.link {
		return
	}
	body, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(a.id, m.Result(), m.Err()))
	if err != nil {
		f.log.Warn("answer not passed on", "err", err)
		return
	}
	f.link.send(body)
}

// takeLocked removes the unanswered request with an id from the list and returns it, or nil. mu is
// held.
func (f *forwarder) takeLocked(id jsonrpc2.ID) *request {
	for i, r := range f.pending {
		if r.id == id {
			f.pending = append(f.pending[:i:i], f.pending[i+1:]...)
			return r
		}
	}
	return nil
}

// bury cleans up after a session that has ended: it ends unfinished progress, and answers the
// requests that are not sent again.
func (f *forwarder) bury() {
	f.mu.Lock()
	out := f.kept.endProgress()
	f.asked = map[int64]pendingRequest{}
	var rest []*request
	for _, r := range f.pending {
		switch {
		case r.method == methodShutdown:
			f.ended = true
			out = append(out, jsonrpc2.NewResponse(r.id, nil, nil))
		case r.cancelled:
			out = append(out, jsonrpc2.NewResponse(r.id, nil, jsonrpc2.NewError(command.CodeRequestCancelled, "request cancelled")))
		case policyOf(r.method, r.params) == never:
			out = append(out, jsonrpc2.NewResponse(r.id, nil, unknown()))
		case r.sent >= maxSent:
			out = append(out, jsonrpc2.NewResponse(r.id, nil, failure("the server has died %d times while this ran", r.sent)))
		default:
			rest = append(rest, r)
		}
	}
	f.pending = rest
	f.mu.Unlock()
	for _, m := range out {
		f.toEditor(m)
	}
}

// unknown returns the answer to a command that may or may not have been executed.
func unknown() *jsonrpc2.Error {
	return failure("the server was restarted while this ran; whether it was done is not known: look, and send it again where it was not")
}

func failure(format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{
		Code: command.CodeRequestFailed, Message: fmt.Sprintf(format, args...), Data: jsonrpc2.RawMessage(`{"code":"` + command.DataFailed + `"}`),
	}
}
