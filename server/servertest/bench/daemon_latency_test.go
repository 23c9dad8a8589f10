//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	answerBytes = 50_000
	pairs       = 3000
	starts      = 30
)

// latency compares a request through a forwarder with the same request to a server that is the
// editor's child process, in alternation, and times starts with and without a running daemon.
func (h *hosted) latency() error {
	if err := h.added(); err != nil {
		return err
	}
	return h.begins()
}

// added compares requests for a saved text of 50 KB.
func (h *hosted) added() (err error) {
	far, err := h.join()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, far.stop()) }()
	own, err := os.MkdirTemp("", "ctx")
	if err != nil {
		return err
	}
	defer os.RemoveAll(own)
	near, err := start(h.bin, h.g.root, own)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, near.stop()) }()
	keys := [2]string{}
	content := strings.Repeat("Twelve bytes", answerBytes/12)
	for i, c := range []*client{far, near} {
		if _, err := c.ready(100 * time.Millisecond); err != nil {
			return err
		}
		var filed struct{ FileKey string }
		if err := c.command("contexture.cabinet.put", map[string]any{"title": "t", "content": content}, &filed); err != nil {
			return err
		}
		keys[i] = filed.FileKey
	}
	return h.inPairs([2]*client{far, near}, keys, content)
}

// inPairs alternates requests of the first client, which has a forwarder, and the second, which has
// none.
func (h *hosted) inPairs(both [2]*client, keys [2]string, content string) error {
	var times [2][]time.Duration
	var differences []time.Duration
	for n := range pairs {
		for i := range both {
			i = (i + n) % len(both) // the first one alternates
			begin := time.Now()
			var got struct{ Content string }
			if err := both[i].command("contexture.cabinet.get", map[string]any{"fileKey": keys[i]}, &got); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(begin))
			if got.Content != content {
				return fmt.Errorf("%d bytes of %d come back", len(got.Content), len(content))
			}
		}
		differences = append(differences, times[0][n]-times[1][n])
	}
	through, direct := percentile(times[0], .50), percentile(times[1], .50)
	h.table.add("forwarder: added to an answer of 50 KB, p50", ms(through)-ms(direct), 0.5, " ms", "%d pairs: %.2f ms through it, %.2f ms direct; of the differences p50 %.2f ms; p99 %.2f and %.2f ms",
		pairs, ms(through), ms(direct), ms(percentile(differences, .50)), ms(percentile(times[0], .99)), ms(percentile(times[1], .99)))
	return nil
}

// begins times starts until initialize is answered.
func (h *hosted) begins() error {
	var with, without, direct []time.Duration
	first, err := h.join()
	if err != nil {
		return err
	}
	for range starts {
		took, err := once(h.join)
		if err != nil {
			return errors.Join(err, first.stop())
		}
		with = append(with, took)
	}
	if err := first.stop(); err != nil {
		return err
	}
	for range starts {
		if err := h.leave(); err != nil {
			return err
		}
		took, err := once(h.join)
		if err != nil {
			return err
		}
		without = append(without, took)
	}
	if err := h.leave(); err != nil {
		return err
	}
	for range starts {
		took, err := once(func() (*client, error) {
			return greet(exec.Command(h.bin, "serve", "--daemon=off", "--offline", "--state-dir", h.state, "--root", h.g.root), h.g.root)
		})
		if err != nil {
			return err
		}
		direct = append(direct, took)
	}
	note := func(times []time.Duration) string {
		return fmt.Sprintf("slowest of %d; p50 %.0f ms", len(times), ms(percentile(times, .50)))
	}
	h.table.add("start to initialize, with a daemon", ms(percentile(with, 1)), 150, " ms", "%s", note(with))
	h.table.add("start to initialize, without one", ms(percentile(without, 1)), 600, " ms", "%s", note(without))
	h.table.add("start to initialize, in the same process", ms(percentile(direct, 1)), 0, " ms", "%s", note(direct))
	return nil
}

// once starts a server, and stops it once it has answered.
func once(begin func() (*client, error)) (took time.Duration, err error) {
	c, err := begin()
	if err != nil {
		return 0, err
	}
	return c.greeted.Sub(c.started), c.stop()
}
