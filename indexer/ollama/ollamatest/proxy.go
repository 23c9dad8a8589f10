package ollamatest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Proxy is a server on loopback in front of another one. It passes every request on unchanged
// unless a fault is set, and records the requests. Its methods may be called from any goroutine.
type Proxy struct {
	URL string

	upstream string
	client   *http.Client
	ended    chan struct{}

	mu     sync.Mutex
	faults []Fault
	calls  []Call
	open   map[string]int // by path
	most   map[string]int
	more   chan struct{} // closed, and replaced, when calls grows
}

// Call is one request to a proxy.
type Call struct {
	Method, Path string
	Body         []byte
	Fault        Kind // the fault that was applied
}

// NewProxy starts a proxy in front of the server at the URL upstream; it ends with the test.
// Requests that meet a fault of the proxy's own need no server there.
func NewProxy(t testing.TB, upstream string) *Proxy {
	t.Helper()
	p := &Proxy{
		upstream: strings.TrimSuffix(upstream, "/"),
		client: &http.Client{
			// Do not use the environment's proxy, and leave redirects to the client.
			Transport:     &http.Transport{},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		ended: make(chan struct{}),
		open:  map[string]int{},
		most:  map[string]int{},
		more:  make(chan struct{}),
	}
	server := httptest.NewServer(p)
	p.URL = server.URL
	t.Cleanup(func() {
		close(p.ended)
		server.Close() // waits for requests
		p.client.CloseIdleConnections()
	})
	return p
}

// Set applies a fault to requests from now on, replacing one with the same Path and Holding. Of
// several that match a request, the one set last applies. A fault of kind [None] passes on requests
// that an earlier fault would match.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = slices.DeleteFunc(p.faults, func(old Fault) bool { return old.Path == f.Path && old.Holding == f.Holding })
	p.faults = append(p.faults, f)
}

// Clear removes all faults. Requests that already hang continue to hang.
func (p *Proxy) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = nil
}

// Calls returns the number of requests for a path, with or without a fault; for "" the total.
func (p *Proxy) Calls(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.countLocked(path)
}

func (p *Proxy) countLocked(path string) int {
	n := 0
	for _, c := range p.calls {
		if path == "" || c.Path == path {
			n++
		}
	}
	return n
}

// Requests returns the requests for a path, or all for "", in order. The bodies belong to the
// proxy: do not change them.
func (p *Proxy) Requests(path string) []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.calls), func(c Call) bool { return path != "" && c.Path != path })
}

// Texts returns the texts sent for embedding, in order, including repetitions.
func (p *Proxy) Texts() []string {
	var out []string
	for _, c := range p.Requests("/api/embed") {
		var one struct{ Input string }
		var many struct{ Input []string }
		if json.Unmarshal(c.Body, &many) == nil {
			out = append(out, many.Input...)
		} else if json.Unmarshal(c.Body, &one) == nil {
			out = append(out, one.Input)
		}
	}
	return out
}

// Most returns the maximum number of concurrent requests for a path.
func (p *Proxy) Most(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most[path]
}

// Forget discards the recorded calls, so that the counts restart at 0.
func (p *Proxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = nil
	p.most = maps.Clone(p.open)
}

// Await blocks until at least n requests for a path have arrived. They need not have been answered.
// It fails the test after half a minute.
func (p *Proxy) Await(t testing.TB, path string, n int) {
	t.Helper()
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		p.mu.Lock()
		have, more := p.countLocked(path), p.more
		p.mu.Unlock()
		if have >= n {
			return
		}
		select {
		case <-more:
		case <-late.C:
			t.Fatalf("the proxy got %d requests for %q within %v, want %d", have, path, wait, n)
		}
	}
}

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has disconnected
	}
	f := p.enter(r, body)
	defer p.leave(r.URL.Path)
	p.answer(w, r, body, f)
}

// enter records a request and returns the fault that applies to it.
func (p *Proxy) enter(r *http.Request, body []byte) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	path := r.URL.Path
	var f Fault
	for i, candidate := range slices.Backward(p.faults) {
		if candidate.Path != "" && candidate.Path != path || !bytes.Contains(body, []byte(candidate.Holding)) {
			continue
		}
		f = candidate
		if f.Times == 1 {
			p.faults = slices.Delete(p.faults, i, i+1)
		} else if f.Times > 1 {
			p.faults[i].Times--
		}
		break
	}
	p.calls = append(p.calls, Call{r.Method, path, body, f.Kind})
	p.open[path]++
	p.most[path] = max(p.most[path], p.open[path])
	close(p.more)
	p.more = make(chan struct{})
	return f
}

func (p *Proxy) leave(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[path]--
}
