package panel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Events passes the server's notifications on to the open pages. The zero value is ready for use.
// It is safe for concurrent use.
type Events struct {
	mu    sync.Mutex // guards all fields below
	pages map[chan struct{}]*backlog
}

// backlog holds the notifications that a page has not yet received: the latest of each kind and
// workspace, because each replaces the one before.
type backlog struct {
	order  []string
	bodies map[string][]byte
}

// kinds maps the notifications that a page follows to the field that holds their parameters in the
// page's events.
var kinds = map[string]string{"contexture/status": "status", "contexture/learning": "learning", "contexture/memory": ""}

// Publish passes a notification to all pages. It does not block and does not keep params. A method
// that pages do not follow is ignored.
func (e *Events) Publish(method string, params json.RawMessage) {
	field, ok := kinds[method]
	if !ok {
		return
	}
	body, key, err := event(method, field, params)
	if err != nil {
		return // cannot happen: the server writes JSON; a page requests the state again by itself
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for signal, of := range e.pages {
		if _, waits := of.bodies[key]; !waits {
			of.order = append(of.order, key)
		}
		of.bodies[key] = body
		select {
		case signal <- struct{}{}:
		default: // it was told to look already
		}
	}
}

// event returns a notification in the page's format: {kind, status}, {kind, learning} or {kind,
// version}. key is the same for notifications that replace each other.
func event(method, field string, params json.RawMessage) (body []byte, key string, err error) {
	var about struct {
		Workspace string          `json:"workspace"`
		Version   json.RawMessage `json:"version,omitempty"`
	}
	if err := json.Unmarshal(params, &about); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", method, err)
	}
	kind := method[len("contexture/"):]
	out := map[string]any{"kind": kind}
	if field != "" {
		out[field] = params
	} else {
		out["version"] = about.Version
	}
	body, err = json.Marshal(out)
	return body, method + " " + about.Workspace, err
}

// follow returns a channel that receives a value when take has something to return, until stop is
// called.
func (e *Events) follow() (signal <-chan struct{}, take func() [][]byte, stop func()) {
	s := make(chan struct{}, 1)
	of := &backlog{bodies: map[string][]byte{}}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pages == nil {
		e.pages = map[chan struct{}]*backlog{}
	}
	e.pages[s] = of
	take = func() [][]byte {
		e.mu.Lock()
		defer e.mu.Unlock()
		var out [][]byte
		for _, key := range of.order {
			out = append(out, of.bodies[key])
		}
		of.order, of.bodies = nil, map[string][]byte{}
		return out
	}
	stop = func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.pages, s)
	}
	return s, take, stop
}

// heartbeat is the time between two keep-alive messages on an idle stream, so that a page notices
// sooner that the program has ended.
const heartbeat = 15 * time.Second

// events streams the published notifications to the page, as server-sent events, until the page is
// closed or Serve ends.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	if p.opts.Events == nil {
		http.NotFound(w, r)
		return
	}
	signal, take, stop := p.opts.Events.follow()
	defer stop()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a test's recorder does not support it
	w.Header().Set("Content-Type", "text/event-stream")
	write := func(text string, args ...any) bool {
		_, err := fmt.Fprintf(w, text, args...)
		return err == nil && control.Flush() == nil
	}
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for ok := write(": open\n\n"); ok; {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
			ok = write(": here\n\n")
		case <-signal:
			for _, body := range take() {
				ok = ok && write("data: %s\n\n", body)
			}
		}
	}
}
