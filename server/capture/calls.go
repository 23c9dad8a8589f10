package capture

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// calls pairs tool calls with their results. A call is a message of its own and complete when it is
// added, since the memory does not change a stored message. A call is held here until its result
// arrives, but at most until the person's next prompt.
type calls struct{ waiting []waitingCall }

// waitingCall is a call without a result.
type waitingCall struct {
	session, id, author, reasoning string
	at                             time.Time
	call                           dialogue.ToolCall
}

// begin adds a call without a result.
func (c *calls) begin(w waitingCall) { c.waiting = append(c.waiting, w) }

// end adds the call of an id with its result to out. A result without a known call is kept as a
// tool's message.
func (c *calls) end(session, id string, result json.RawMessage, failed bool, at time.Time, out *Found) {
	i := slices.IndexFunc(c.waiting, func(w waitingCall) bool { return w.id == id && w.session == session })
	if i < 0 {
		text, ok := textOf(result)
		if !ok {
			text = string(result)
		}
		out.add(session, dialogue.Message{Role: dialogue.Tool, ID: id + "/result", Content: text, At: at})
		return
	}
	w := c.waiting[i]
	c.waiting = slices.Delete(c.waiting, i, i+1)
	w.call.Result, w.call.IsError = result, failed
	w.emit(out)
}

// emit adds the call as a message.
func (w waitingCall) emit(out *Found) {
	out.add(w.session, dialogue.Message{
		Role: dialogue.Assistant, ID: w.id, Author: w.author, At: w.at, Reasoning: w.reasoning, ToolCalls: []dialogue.ToolCall{w.call},
	})
}

// flush adds the waiting calls of a session, without results; "" means all sessions.
func (c *calls) flush(session string, out *Found) {
	c.waiting = slices.DeleteFunc(c.waiting, func(w waitingCall) bool {
		if session != "" && w.session != session {
			return false
		}
		w.emit(out)
		return true
	})
}
