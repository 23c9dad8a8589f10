//go:build linux

package bench

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
)

// struck are the tested faults of a model server, by their names in the table.
var struck = []struct {
	name  string
	fault ollamatest.Fault
}{
	{"slow", ollamatest.Fault{Kind: ollamatest.Slow, Delay: 300 * time.Millisecond}},
	{"hangs", ollamatest.Fault{Kind: ollamatest.Hang}},
	{"cut off", ollamatest.Fault{Kind: ollamatest.Cut}},
	{"dropped", ollamatest.Fault{Kind: ollamatest.Drop}},
	{"500", ollamatest.Fault{Kind: ollamatest.Error, Message: "it does not work"}},
	{"503", ollamatest.Fault{Kind: ollamatest.Error, Status: 503, Message: "server busy, please try again.  maximum pending requests exceeded"}},
	{"garbage", ollamatest.Fault{Kind: ollamatest.Garbage}},
	{"empty", ollamatest.Fault{Kind: ollamatest.Empty}},
	{"truncated JSON", ollamatest.Fault{Kind: ollamatest.Truncated}},
	{"model missing", ollamatest.Fault{Kind: ollamatest.Missing}},
	{"redirection", ollamatest.Fault{Kind: ollamatest.Redirect, Location: "http://127.0.0.1:9"}},
	{"a vector too few", ollamatest.Fault{Kind: ollamatest.TooFew}},
	{"a vector too many", ollamatest.Fault{Kind: ollamatest.TooMany}},
	{"no vectors", ollamatest.Fault{Kind: ollamatest.NoVectors}},
	{"wrong dimension", ollamatest.Fault{Kind: ollamatest.WrongDimension}},
	{"one vector short", ollamatest.Fault{Kind: ollamatest.OneShort}},
	{"NaN", ollamatest.Fault{Kind: ollamatest.NotANumber}},
	{"infinite", ollamatest.Fault{Kind: ollamatest.Infinite}},
	{"null", ollamatest.Fault{Kind: ollamatest.Null}},
	{"zero vector", ollamatest.Fault{Kind: ollamatest.Zero}},
	{"not normalised", ollamatest.Fault{Kind: ollamatest.Unnormalised}},
}

// together is the number of faults tested concurrently: most of the time is waiting.
const together = 6

// recovery is the time allowed until no trace of a fault is left: longer than the timeout of a
// request that hangs.
const recovery = 4 * time.Minute

// faults tests each fault on a workspace of its own and compares with a workspace without faults.
func (m *modelled) faults() error {
	questions := [2][]string{asking("one", 12), asking("two", 12)}
	var clean [2][][]place
	root := m.b.TempDir()
	if err := sources(root, 0, faultFiles); err != nil {
		return err
	}
	err := m.with(root, m.b.TempDir(), m.server.URL, func(c *client) (err error) {
		if err := c.embedded(time.Minute); err != nil {
			return err
		}
		for i := range questions {
			answers, err := c.places(questions[i])
			for _, a := range answers {
				if a.degraded != "" || len(a.places) == 0 {
					err = errors.Join(err, fmt.Errorf("without a fault: %d places, degraded: %s", len(a.places), a.degraded))
				}
				clean[i] = append(clean[i], a.places)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	trials := make([]*trial, len(struck))
	errs := make([]error, len(struck))
	places := make(chan struct{}, together)
	var work sync.WaitGroup
	for i, s := range struck {
		t := &trial{modelled: m, proxy: ollamatest.NewProxy(m.b, m.server.URL), root: m.b.TempDir(), state: m.b.TempDir(), questions: questions, clean: clean}
		trials[i] = t
		work.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			s.fault.Path = "/api/embed"
			errs[i] = t.try(s.fault)
		})
	}
	work.Wait()
	for i, t := range trials {
		if errs[i] != nil {
			t.wrong++
		}
		note := fmt.Sprintf("%d answers, %d of them degraded; as if it had not been %.1f s after", t.asked, t.degraded, t.healed.Seconds())
		if errs[i] != nil {
			note += fmt.Sprintf("; %v", errs[i])
		}
		m.table.exact("wrong answers and errors, server: "+struck[i].name, float64(t.wrong), 0, "%s", note)
	}
	return nil
}

// faultFiles is the number of files of a trial.
const faultFiles = 20

// trial is one fault on one workspace.
type trial struct {
	*modelled
	proxy       *ollamatest.Proxy
	root, state string
	questions   [2][]string
	clean       [2][][]place

	asked, degraded, wrong int
	healed                 time.Duration
}

// try applies the fault to indexing, ends it, applies it to queries, ends it, and restarts the
// program on the stored state.
func (t *trial) try(f ollamatest.Fault) error {
	if err := sources(t.root, 0, 1); err != nil {
		return err
	}
	err := t.with(t.root, t.state, t.proxy.URL, func(c *client) error {
		if err := c.embedded(recovery); err != nil {
			return err
		}
		t.proxy.Set(f)
		t.proxy.Forget()
		if err := sources(t.root, 1, faultFiles-1); err != nil {
			return err
		}
		err := poll(20*time.Millisecond, time.Minute, func() (bool, error) { return t.proxy.Calls("/api/embed") > 0, nil })
		if err != nil {
			return fmt.Errorf("the fault strikes nothing: %w", err)
		}
		if err := t.bears(c, 0, false); err != nil {
			return err
		}
		t.proxy.Clear()
		begin := time.Now()
		if err := t.heals(c, 0); err != nil {
			return fmt.Errorf("after indexing: %w", err)
		}
		t.healed = time.Since(begin)
		t.proxy.Set(f)
		if err := t.bears(c, 1, true); err != nil {
			return err
		}
		t.proxy.Clear()
		return t.heals(c, 1)
	})
	if err != nil {
		return err
	}
	return t.with(t.root, t.state, t.proxy.URL, func(c *client) error {
		return errors.Join(c.embedded(recovery), t.heals(c, 0))
	})
}

// bears searches during the fault. If everything had been embedded before, an answer that is not
// degraded must be the right one.
func (t *trial) bears(c *client, series int, whole bool) error {
	answers, err := c.places(t.questions[series])
	for i, a := range answers {
		t.asked++
		if a.degraded != "" {
			t.degraded++
		} else if whole && !alike(a.places, t.clean[series][i]) {
			t.wrong++
		}
	}
	return err
}

// heals waits until everything is embedded and every answer equals that of a program without
// faults.
func (t *trial) heals(c *client, series int) error {
	if err := c.embedded(recovery); err != nil {
		return fmt.Errorf("%w; the model server itself, asked without the program: %s", err, t.itself())
	}
	var why string
	err := poll(200*time.Millisecond, recovery, func() (bool, error) {
		answers, err := c.places(t.questions[series])
		for i, a := range answers {
			if a.degraded != "" || !alike(a.places, t.clean[series][i]) {
				why = fmt.Sprintf("%q: degraded %q, %v and not %v", t.questions[series][i], a.degraded, a.places, t.clean[series][i])
				return false, err
			}
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("%w: %s", err, why)
	}
	return nil
}

// itself returns how the model server answers a request sent directly, as information for a program
// that does not recover.
func (t *trial) itself() string {
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Post(t.server.URL+"/api/embed", "application/json", strings.NewReader(`{"model":"`+embedder+`","input":["read the file"]}`))
	if err != nil {
		return err.Error()
	}
	return errors.Join(fmt.Errorf("%s", answer.Status), answer.Body.Close()).Error()
}

// place is a hit.
type place struct {
	path  string
	line  int
	score float64
}

// placed is the answer to a search.
type placed struct {
	places   []place
	degraded string
}

// places searches by meaning.
func (c *client) places(questions []string) (list []placed, err error) {
	for _, q := range questions {
		var r found
		if err := c.command("contexture.search", map[string]any{"query": q, "mode": "semantic", "limit": 5}, &r); err != nil {
			return nil, fmt.Errorf("%q: %w", q, err)
		}
		var p placed
		for _, h := range r.Hits {
			line := 0
			if h.Range != nil {
				line = h.Range.Start.Line
			}
			p.places = append(p.places, place{c.path(h), line, h.Score})
		}
		for _, d := range r.Degraded {
			p.degraded += fmt.Sprintf("%v %v; ", d["stage"], d["reason"])
		}
		list = append(list, p)
	}
	return list, nil
}

// alike reports whether two answers have the same locations, and the same scores but for rounding.
func alike(a, b []place) bool {
	return slices.EqualFunc(a, b, func(x, y place) bool {
		return x.path == y.path && x.line == y.line && math.Abs(x.score-y.score) < 0.01
	})
}
