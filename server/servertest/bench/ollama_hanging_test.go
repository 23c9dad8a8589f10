//go:build linux

package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// deadline is the deadline of the bundles, in milliseconds.
const deadline = 1000

// hanging compares bundles while the model server accepts requests and never answers with bundles
// without a model server. There are an embedding model and a chat model, so that every stage that
// uses one hangs.
func (m *modelled) hanging() error {
	server := ollamatest.Start(m.b)
	server.Embedder(m.b, embedder, gguf.Embedder{})
	server.Decoder(m.b, "small-chat", "{}")
	proxy := ollamatest.NewProxy(m.b, server.URL)
	root := m.b.TempDir()
	if err := sources(root, 0, 60); err != nil {
		return err
	}
	offline, err := start(m.bin, root, m.b.TempDir())
	if err != nil {
		return err
	}
	var without []timed
	_, err = offline.ready(50 * time.Millisecond)
	if err == nil {
		without, err = offline.bundles(asking("offline", 60))
	}
	if err := errors.Join(err, offline.stop()); err != nil {
		return err
	}
	return m.with(root, m.b.TempDir(), proxy.URL, func(c *client) error {
		if err := c.embedded(time.Minute); err != nil {
			return err
		}
		if _, err := c.bundles(asking("well", 5)); err != nil {
			return err
		}
		proxy.Set(ollamatest.Fault{Kind: ollamatest.Hang})
		first, err := c.bundles(asking("first", 8))
		if err != nil {
			return err
		}
		later, err := c.bundles(asking("later", 60))
		if err != nil {
			return err
		}
		m.hung(first, later, without)
		return nil
	})
}

// hung adds the rows. The first bundles without a model server warm the caches that are warm in
// use.
func (m *modelled) hung(first, later, without []timed) {
	worst, silent := first[0], 0
	for _, t := range append(first, later...) {
		if t.took > worst.took {
			worst = t
		}
		if !t.degraded["vector"] {
			silent++
		}
	}
	open, offline := percentile(times(later), .5), percentile(times(without[10:]), .5)
	m.table.add("bundle, the server hangs: slowest", ms(worst.took), deadline+100, " ms", "%d asked with deadlineMs %d; the first took %.0f, %.0f, %.0f, %.0f ms",
		len(first)+len(later), deadline, ms(first[0].took), ms(first[1].took), ms(first[2].took), ms(first[3].took))
	m.table.exact("bundles, the server hangs: that do not say so", float64(silent), 0, "said of the last: %v", later[len(later)-1].said)
	m.table.add("bundle, left alone, against offline: p50", float64(open)/float64(offline), 2, " ×", "%.2f ms against %.2f ms", ms(open), ms(offline))
}

// timed is one bundle.
type timed struct {
	took     time.Duration
	degraded map[string]bool // by stage
	said     string
}

func times(list []timed) []time.Duration {
	out := make([]time.Duration, len(list))
	for i, t := range list {
		out[i] = t.took
	}
	return out
}

// bundles requests bundles sequentially.
func (c *client) bundles(questions []string) (list []timed, err error) {
	for _, q := range questions {
		var r bundled
		begin := time.Now()
		if err := c.command("contexture.bundle", map[string]any{"prompt": q, "budget": 4000, "deadlineMs": deadline}, &r); err != nil {
			return nil, fmt.Errorf("%q: %w", q, err)
		}
		t := timed{took: time.Since(begin), degraded: map[string]bool{}}
		for _, d := range r.Degraded {
			stage, _ := d["stage"].(string)
			t.degraded[stage] = true
			t.said += fmt.Sprintf("%v %v; ", d["stage"], d["reason"])
		}
		list = append(list, t)
	}
	return list, nil
}
