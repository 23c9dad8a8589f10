//go:build linux

package bench

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// served measures a server that has started on the index: restart, answers, edits, and idling.
func (r *run) served() (err error) {
	c, err := start(r.bin, r.tree.root, r.state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if err := r.restart(c); err != nil {
		return err
	}
	if err := r.answers(c); err != nil {
		return err
	}
	if err := r.saves(c); err != nil {
		return err
	}
	if err := r.unsaved(c); err != nil {
		return err
	}
	return r.idle(c)
}

// answers times bundles and searches with varied questions; the first five of each warm the caches
// that are warm in use.
func (r *run) answers(c *client) error {
	questions, err := r.tree.questions(205)
	if err != nil {
		return err
	}
	budget := 12_000
	var bundles, searches []time.Duration
	var tokens, degraded, empty int
	for i, q := range questions {
		var b bundled
		begin := time.Now()
		if err := c.command("contexture.bundle", map[string]any{"prompt": q, "budget": budget}, &b); err != nil {
			return fmt.Errorf("%q: %w", q, err)
		}
		took := time.Since(begin)
		if b.Tokens > budget {
			return fmt.Errorf("%q: a bundle of %d tokens is over its budget", q, b.Tokens)
		}
		if i < 5 {
			continue
		}
		bundles = append(bundles, took)
		tokens += b.Tokens
		if len(b.Degraded) > 0 {
			degraded++
		}
	}
	for i, q := range questions {
		begin := time.Now()
		hits, err := c.search(q, "hybrid", 20)
		if err != nil {
			return fmt.Errorf("%q: %w", q, err)
		}
		if i < 5 {
			continue
		}
		searches = append(searches, time.Since(begin))
		if len(hits) == 0 {
			empty++
		}
	}
	r.table.add("bundle of 12,000 tokens: p50", ms(percentile(bundles, .50)), r.limits.bundleP50, " ms", "%d questions, %d tokens on average", len(bundles), tokens/len(bundles))
	r.table.add("bundle of 12,000 tokens: p99", ms(percentile(bundles, .99)), r.limits.bundleP99, " ms", "slowest %.1f ms", ms(percentile(bundles, 1)))
	r.table.exact("bundles that are degraded", float64(degraded), 0, "")
	r.table.add("search: p50", ms(percentile(searches, .50)), r.limits.searchP50, " ms", "%d questions, hybrid, 20 hits", len(searches))
	r.table.add("search: p99", ms(percentile(searches, .99)), r.limits.searchP99, " ms", "slowest %.1f ms", ms(percentile(searches, 1)))
	r.table.exact("searches without a hit", float64(empty), 0, "")
	return nil
}

// saves times from an atomic save until a keyword search for a new word returns the file.
func (r *run) saves(c *client) error {
	var times []time.Duration
	for _, file := range r.tree.pick(40, 40) {
		word := r.tree.word()
		begin := time.Now()
		if err := r.tree.addWord(file, word); err != nil {
			return err
		}
		err := poll(5*time.Millisecond, time.Minute, func() (bool, error) { return c.finds(word, file) })
		if err != nil {
			return fmt.Errorf("find %s, which was saved: %w", file, err)
		}
		times = append(times, time.Since(begin))
	}
	r.table.add("save → searchable: p50", ms(percentile(times, .50)), 0, " ms", "%d edits, asked every 5 ms", len(times))
	r.table.add("save → searchable: p95", ms(percentile(times, .95)), 250, " ms", "slowest %.1f ms", ms(percentile(times, 1)))
	return nil
}

// unsaved edits a buffer and searches at once.
func (r *run) unsaved(c *client) error {
	var times []time.Duration
	missed := 0
	for _, file := range r.tree.pick(20, 20) {
		text, err := os.ReadFile(r.tree.path(file))
		if err != nil {
			return err
		}
		uri, word := fileURI(r.tree.path(file)), r.tree.word()
		document := map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": string(withWord(text, word))}
		begin := time.Now()
		if err := c.notify("textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
			return err
		}
		ok, err := c.finds(word, file)
		if err != nil {
			return err
		}
		times = append(times, time.Since(begin))
		if !ok {
			missed++
		}
		if err := c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}}); err != nil {
			return err
		}
		if ok, err := c.finds(word, file); err != nil || ok {
			return errors.Join(err, fmt.Errorf("%s is found by what was closed unsaved", file))
		}
	}
	r.table.exact("unsaved edits the next request does not see", float64(missed), 0, "%d edits; open and search p50 %.1f ms", len(times), ms(percentile(times, .50)))
	return nil
}

// idle measures a server left alone for twenty seconds.
func (r *run) idle(c *client) error {
	if _, err := c.ready(100 * time.Millisecond); err != nil {
		return err
	}
	// Work after the last answer, such as freeing memory, may finish first.
	<-time.After(6 * time.Second)
	before, err := r.account(c)
	if err != nil {
		return err
	}
	<-time.After(20 * time.Second)
	after, err := r.account(c)
	if err != nil {
		return err
	}
	touched := 0
	for name := range union(before.files, after.files) {
		if before.files[name] != after.files[name] {
			touched++
		}
	}
	r.table.exact("idle for 20 s: CPU in ms", ms(after.cpu-before.cpu), 0, "the kernel counts in steps of %v", tick)
	_, switches := after.effort.Since(before.effort)
	r.table.add("idle for 20 s: context switches", float64(switches), 20, "", "of all %d threads", len(after.effort.Switches))
	r.table.exact("idle for 20 s: bytes written to disk", float64(after.stored-before.stored), 0, "")
	r.table.exact("idle for 20 s: files written in the state directory", float64(touched), 0, "")
	r.table.add("idle: RSS", mb(after.rss), r.limits.idle, " MiB", "after all the requests above")
	return nil
}

// usage holds a process's use of resources.
type usage struct {
	cpu         time.Duration
	effort      servertest.Effort
	stored, rss int64
	files       map[string]stamp // of its state directory
}

func (r *run) account(c *client) (u usage, err error) {
	pid := c.cmd.Process.Pid
	var errs [5]error
	u.effort, errs[4] = servertest.EffortOf(pid)
	u.cpu, errs[0] = processor(pid)
	u.stored, errs[1] = stored(pid)
	u.rss, errs[2] = memory(pid, "VmRSS")
	u.files, errs[3] = listing(r.state)
	return u, errors.Join(errs[:]...)
}

// union returns the keys of both maps.
func union(a, b map[string]stamp) map[string]stamp {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
