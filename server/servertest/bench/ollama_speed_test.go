//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"
)

// speed measures indexing against a bare loop, and a query during indexing.
func (m *modelled) speed() error {
	if err := m.throughput(); err != nil {
		return err
	}
	return m.beside()
}

// meter is a proxy of a model server that records when embedding requests arrived and were
// answered.
type meter struct {
	url string

	mu       sync.Mutex
	requests []metered
}

type metered struct {
	begin, end time.Time
	texts      []string
	body       []byte
}

// newMeter starts a meter that stops with the benchmark.
func (m *modelled) newMeter() (*meter, error) {
	to, err := url.Parse(m.server.URL)
	if err != nil {
		return nil, err
	}
	through, met := httputil.NewSingleHostReverseProxy(to), &meter{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		var sent struct{ Input []string }
		begin := time.Now()
		r.Body = io.NopCloser(bytes.NewReader(body))
		through.ServeHTTP(w, r)
		if r.URL.Path == "/api/embed" && json.Unmarshal(body, &sent) == nil {
			met.mu.Lock()
			met.requests = append(met.requests, metered{begin, time.Now(), m.documents(sent.Input), body})
			met.mu.Unlock()
		}
	}))
	m.b.Cleanup(server.Close)
	met.url = server.URL
	return met, nil
}

// taken returns the requests with documents since the last call, the time from the start of the
// first to the end of the last, and the part of it between two requests.
func (m *meter) taken() (requests []metered, took, gaps time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	requests = slices.DeleteFunc(m.requests, func(r metered) bool { return len(r.texts) == 0 })
	m.requests = nil
	for i := 1; i < len(requests); i++ {
		gaps += requests[i].begin.Sub(requests[i-1].end)
	}
	if len(requests) > 0 {
		took = requests[len(requests)-1].end.Sub(requests[0].begin)
	}
	return requests, took, gaps
}

// turns is the number of comparisons of indexing with the bare loops.
const turns = 5

// throughput indexes a workspace from nothing, then sends the same texts in bare loops of requests
// of sixteen and of sixty-four texts, several times in alternation. On a busy machine only adjacent
// measurements can be compared, so the result is the median of the ratios to the loop with the
// faster median. The time in which the server had no request during indexing is reported too: only
// the program causes it.
func (m *modelled) throughput() error {
	met, err := m.newMeter()
	if err != nil {
		return err
	}
	root := m.b.TempDir()
	if err := sources(root, 0, 100); err != nil { // enough to outweigh the first second
		return err
	}
	var ours, idle, sixteen, sixtyFour []time.Duration
	var texts []string
	for range turns {
		c, err := m.start(root, m.b.TempDir(), met.url)
		if err != nil {
			return err
		}
		if err := errors.Join(c.embedded(time.Minute), c.stop()); err != nil {
			return err
		}
		requests, took, gaps := met.taken()
		if len(requests) == 0 {
			return errors.New("nothing was embedded")
		}
		ours, idle, texts = append(ours, took), append(idle, gaps), nil
		for _, r := range requests {
			texts = append(texts, r.texts...)
		}
		for batch, times := range map[int]*[]time.Duration{16: &sixteen, 64: &sixtyFour} {
			if err := met.loop(texts, requests[0].body, batch); err != nil {
				return err
			}
			_, took, _ := met.taken()
			*times = append(*times, took)
		}
	}
	loops := sixteen
	if percentile(sixtyFour, .5) < percentile(sixteen, .5) {
		loops = sixtyFour
	}
	ratios := make([]float64, turns)
	for i := range ratios {
		ratios[i] = loops[i].Seconds() / ours[i].Seconds()
	}
	slices.Sort(ratios)
	took, bare, n := percentile(ours, .5), percentile(loops, .5), float64(len(texts))
	m.table.least("indexing by the server, against a bare loop", 100*ratios[turns/2], 95, " %",
		"%.0f texts, %.1f a second against %.1f: medians of %d, the ratio's from %.0f to %.0f %%; without a request for %.1f ms of %.0f ms",
		n, n/took.Seconds(), n/bare.Seconds(), turns, 100*ratios[0], 100*ratios[turns-1], ms(percentile(idle, .5)), ms(took))
	return nil
}

// loop sends texts in the simplest way, with the options of a recorded request.
func (m *meter) loop(texts []string, like []byte, batch int) error {
	var request map[string]any
	if err := json.Unmarshal(like, &request); err != nil {
		return err
	}
	for part := range slices.Chunk(texts, batch) {
		request["input"] = part
		body, err := json.Marshal(request)
		if err != nil {
			return err
		}
		answer, err := http.Post(m.url+"/api/embed", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("a bare request: %s %w", answer.Status, err)
		}
	}
	return nil
}

// beside measures searches by meaning while idle and while everything is embedded again.
func (m *modelled) beside() error {
	root := m.b.TempDir()
	if err := sources(root, 0, 200); err != nil {
		return err
	}
	return m.with(root, m.b.TempDir(), m.server.URL, func(c *client) error {
		if err := c.embedded(time.Minute); err != nil {
			return err
		}
		if _, err := c.queries(asking("warm", 5), nil); err != nil {
			return err
		}
		idle, err := c.queries(asking("idle", 80), nil)
		if err != nil {
			return err
		}
		if err := c.command("contexture.index.rebuild", map[string]any{"scope": "embeddings"}, nil); err != nil {
			return err
		}
		err = poll(5*time.Millisecond, time.Minute, func() (bool, error) { return c.pending() })
		if err != nil {
			return fmt.Errorf("wait until indexing begins: %w", err)
		}
		busy, err := c.queries(asking("busy", 80), c.pending)
		if err != nil {
			return err
		}
		if len(busy) < 20 {
			return fmt.Errorf("indexing ended after %d queries", len(busy))
		}
		i, b := percentile(idle, .5), percentile(busy, .5)
		m.table.add("query while indexing, against idle: p50", float64(b)/float64(i), 2, " ×",
			"%.1f ms against %.1f ms; %d and %d searches by meaning; p95 %.1f ms against %.1f ms", ms(b), ms(i), len(busy), len(idle), ms(percentile(busy, .95)), ms(percentile(idle, .95)))
		return nil
	})
}

// pending reports whether texts wait to be embedded.
func (c *client) pending() (bool, error) {
	var s status
	err := c.command("contexture.index.status", map[string]any{}, &s)
	return s.Embedder.Source == "ollama" && s.Embedder.Pending > 0, err
}

// queries times searches by meaning, each after a pause as of a person, as long as more, if not
// nil, returns true.
func (c *client) queries(questions []string, more func() (bool, error)) (times []time.Duration, err error) {
	pause := time.NewTicker(25 * time.Millisecond)
	defer pause.Stop()
	for _, q := range questions {
		<-pause.C
		if more != nil {
			if ok, err := more(); !ok || err != nil {
				return times, err
			}
		}
		var r found
		begin := time.Now()
		if err := c.command("contexture.search", map[string]any{"query": q, "mode": "semantic", "limit": 10}, &r); err != nil {
			return times, err
		}
		times = append(times, time.Since(begin))
		for _, d := range r.Degraded {
			if d["reason"] != "indexing" {
				return times, fmt.Errorf("%q is answered without the model: %v", q, d)
			}
		}
	}
	return times, nil
}
