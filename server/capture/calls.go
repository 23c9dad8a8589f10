package capture

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// calls pairs the calls of tools with their results. A call is a message of its own, and complete
// when it is added: the memory does not change a message that it has. Until its result comes it
// waits here, but not beyond the person's next prompt.
type calls struct{ waiting []waitingCall }

// waitingCall is a call without a result.
type waitingCall struct {
	session, id, author, reasoning string
	at                             time.Time
	call                           dialogue.ToolCall
}

// begin notes a call.
func (c *calls) begin(w waitingCall) { c.waiting = append(c.waiting, w) }

// end adds the call of an id with its result. A result whose call is not known is kept as a tool's
// message.
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

// flush adds the calls of a session that wait, without results; "" means all sessions.
func (c *calls) flush(session string, out *Found) {
	c.waiting = slices.DeleteFunc(c.waiting, func(w waitingCall) bool {
		if session != "" && w.session != session {
			return false
		}
		w.emit(out)
		return true
	})
}
