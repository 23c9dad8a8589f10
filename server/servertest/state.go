package servertest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/contexture-dev/contexture/server/transport"
)

// State is what a server has told so far, in order.
type State struct {
	Messages  []string          // window/showMessage
	Statuses  []Status          // contexture/status
	Learned   []Learning        // contexture/learning
	Changed   []MemoryChange    // contexture/memory
	Progress  []Progress        // $/progress
	Asked     []string          // methods of the server's requests
	Notified  []string          // methods of its notifications
	Unmatched []json.RawMessage // answers without an id
	Wholes    []string          // each of Statuses as it was sent
}

// Status is the body of contexture/status, as far as tests look at it.
type Status struct {
	Workspace  string `json:"workspace"`
	State      string `json:"state"`
	Files      int    `json:"files"`
	FilesTotal int    `json:"filesTotal"`
	Chunks     int    `json:"chunks"`
	Queue      int    `json:"queue"`
	Version    uint64 `json:"version"`
	IndexedAt  string `json:"indexedAt"`
	Embedder   struct {
		Name    string `json:"name"`
		Pending int    `json:"pending"`
	} `json:"embedder"`
}

// Learning is the body of contexture/learning, as far as tests look at it.
type Learning struct {
	Workspace string `json:"workspace"`
	State     string `json:"state"`
	Progress  *struct {
		Stage string  `json:"stage"`
		Share float64 `json:"share"`
	} `json:"progress"`
	Changes []struct {
		Act   string `json:"act"`
		Kind  string `json:"kind"`
		Label string `json:"label"`
	} `json:"changes"`
}

// MemoryChange is the body of contexture/memory.
type MemoryChange struct {
	Workspace string `json:"workspace"`
	Version   uint64 `json:"version"`
}

// Idle reports whether the index is up to date.
func (s Status) Idle() bool { return s.State == "idle" && s.Queue == 0 && s.IndexedAt != "" }

// Progress is one $/progress.
type Progress struct {
	Token string `json:"token"`
	Value struct {
		Kind       string `json:"kind"`
		Percentage int    `json:"percentage"`
		Title      string `json:"title"`
		Message    string `json:"message"`
	} `json:"value"`
}

// Last is the latest status; the zero Status before the first.
func (s *State) Last() Status {
	if len(s.Statuses) == 0 {
		return Status{}
	}
	return s.Statuses[len(s.Statuses)-1]
}

// Idle reports whether every workspace of which something was told is up to date, and there are at
// least n.
func (s *State) Idle(n int) bool {
	last := map[string]Status{}
	for _, st := range s.Statuses {
		last[st.Workspace] = st
	}
	if len(last) > 1 {
		delete(last, "") // there was no root then
	}
	for _, st := range last {
		if !st.Idle() {
			return false
		}
	}
	return len(last) >= n
}

// Verdict is what an expectation says of a state.
type Verdict int

// The verdicts. What is Unmeetable fails at once instead of when patience ends.
const (
	Unmet Verdict = iota
	Met
	Unmeetable
)

// If is Met or Unmet.
func If(met bool) Verdict {
	if met {
		return Met
	}
	return Unmet
}

// Await waits until the expectation is met.
func (e *Editor) Await(what string, expect func(*State) Verdict) {
	e.t.Helper()
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	for {
		e.mu.Lock()
		verdict, changed, over := expect(&e.state), e.changed, e.over
		state := e.state
		e.mu.Unlock()
		switch {
		case verdict == Met:
			return
		case verdict == Unmeetable || over:
			e.t.Fatalf("%s: cannot be met any more: %+v", what, state)
		}
		select {
		case <-changed:
		case <-timer.C:
			e.t.Fatalf("%s: not met: %+v", what, state)
		}
	}
}

// State returns a copy of what has been told so far.
func (e *Editor) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.state
	s.Messages, s.Statuses, s.Progress = slices.Clone(s.Messages), slices.Clone(s.Statuses), slices.Clone(s.Progress)
	s.Asked, s.Notified, s.Wholes, s.Learned = slices.Clone(s.Asked), slices.Clone(s.Notified), slices.Clone(s.Wholes), slices.Clone(s.Learned)
	s.Changed = slices.Clone(s.Changed)
	return s
}

// AwaitIdle waits until the server has told that the indexes of all roots are up to date.
func (e *Editor) AwaitIdle() {
	e.t.Helper()
	e.Await("indexes are idle", func(s *State) Verdict { return If(s.Idle(max(1, len(e.opts.Roots)))) })
}

// Eventually tries until f reports true. It is for what the disk or another process changes, of
// which nobody tells.
func (e *Editor) Eventually(what string, f func() bool) {
	e.t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(Patience); !f(); <-ticker.C {
		if time.Now().After(end) {
			e.t.Fatalf("%s: does not come true", what)
		}
	}
}

// read takes messages until the stream ends.
func (e *Editor) read() {
	in := transport.NewFrameReader(e.stream)
	for {
		body, err := in.Next()
		if err != nil {
			break
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Errorf("the server wrote %q: %v", body, err)
			continue
		}
		e.take(m, body)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	for id, ch := range e.pending {
		close(ch)
		delete(e.pending, id)
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

// take remembers a message and answers it when it is a request.
func (e *Editor) take(m message, body []byte) {
	e.mu.Lock()
	switch {
	case m.Method != "" && len(m.ID) > 0:
		e.state.Asked = append(e.state.Asked, m.Method)
		go e.reply(m) // the reader must not wait for a server that does not read
	case m.Method != "":
		e.remember(m)
	default:
		id, err := strconv.Atoi(string(m.ID))
		if ch := e.pending[id]; err == nil && ch != nil {
			ch <- m
			delete(e.pending, id)
		} else {
			e.state.Unmatched = append(e.state.Unmatched, body)
		}
	}
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()
}

// remember keeps a notification. mu is held.
func (e *Editor) remember(m message) {
	e.state.Notified = append(e.state.Notified, m.Method)
	var err error
	switch m.Method {
	case "window/showMessage":
		var p struct{ Message string }
		err = json.Unmarshal(m.Params, &p)
		e.state.Messages = append(e.state.Messages, p.Message)
	case "contexture/status":
		var s Status
		err = json.Unmarshal(m.Params, &s)
		e.state.Statuses, e.state.Wholes = append(e.state.Statuses, s), append(e.state.Wholes, string(m.Params))
	case "contexture/learning":
		var l Learning
		err = json.Unmarshal(m.Params, &l)
		e.state.Learned = append(e.state.Learned, l)
	case "contexture/memory":
		var c MemoryChange
		err = json.Unmarshal(m.Params, &c)
		e.state.Changed = append(e.state.Changed, c)
	case "$/progress":
		var p Progress
		err = json.Unmarshal(m.Params, &p)
		e.state.Progress = append(e.state.Progress, p)
	}
	if err != nil {
		e.t.Errorf("%s: %v in %s", m.Method, err, m.Params)
	}
}

// reply answers a request of the server.
func (e *Editor) reply(m message) {
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil}
	switch {
	case m.Method == "workspace/configuration" && e.opts.Configuration != nil:
		answer["result"] = []any{e.opts.Configuration()}
	case m.Method == "window/workDoneProgress/create" && e.opts.RefuseProgress:
		delete(answer, "result")
		answer["error"] = map[string]any{"code": -32601, "message": "no progress here"}
	}
	e.send(answer)
}
