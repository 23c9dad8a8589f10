//go:build linux

package bench

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// The members of the contract's results that the benchmarks read. They are declared here and not
// imported, because a client sees only the JSON.
type (
	status struct {
		State    string `json:"state"`
		Files    int    `json:"files"`
		Chunks   int    `json:"chunks"`
		Bytes    int64  `json:"bytes"`
		Queue    int    `json:"queue"`
		Stale    int    `json:"stale"`
		Embedder struct {
			Name    string `json:"name"`
			Source  string `json:"source"`
			Pending int    `json:"pending"`
		} `json:"embedder"`
	}
	metrics struct {
		Index map[string]float64 `json:"index"`
	}
	hit struct {
		URI     string  `json:"uri"`
		Snippet string  `json:"snippet"`
		Range   *span   `json:"range"`
		Score   float64 `json:"score"`
	}
	span struct {
		Start struct {
			Line int `json:"line"`
		} `json:"start"`
		End struct {
			Line int `json:"line"`
		} `json:"end"`
	}
	found struct {
		Hits     []hit            `json:"hits"`
		Degraded []map[string]any `json:"degraded"`
	}
	bundled struct {
		Tokens   int              `json:"tokens"`
		Budget   int              `json:"budget"`
		Items    []hit            `json:"items"`
		Degraded []map[string]any `json:"degraded"`
	}
)

// poll calls yes at the interval until it returns true, and once more when the limit has passed.
func poll(interval, limit time.Duration, yes func() (bool, error)) error {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for deadline := time.Now().Add(limit); ; <-ticks.C {
		last := time.Now().After(deadline)
		if ok, err := yes(); ok || err != nil {
			return err
		}
		if last {
			return fmt.Errorf("not within %v", limit)
		}
	}
}

// ready waits until the index is up to date with nothing pending, in two checks in a row.
func (c *client) ready(interval time.Duration) (status, error) {
	var s status
	calm := 0
	err := poll(interval, patience, func() (bool, error) {
		s = status{}
		if err := c.command("contexture.index.status", map[string]any{}, &s); err != nil {
			return false, err
		}
		if s.State == "idle" && s.Queue == 0 && s.Stale == 0 && s.Embedder.Pending == 0 {
			calm++
		} else {
			calm = 0
		}
		return calm == 2, nil
	})
	if err != nil {
		return s, fmt.Errorf("wait for the index: %w (%+v)", err, s)
	}
	return s, nil
}

// measured holds the index's own counters.
func (c *client) measured() (map[string]float64, error) {
	var m metrics
	err := c.command("contexture.metrics", map[string]any{}, &m)
	return m.Index, err
}

// search returns the hits for a query.
func (c *client) search(query, mode string, limit int, paths ...string) ([]hit, error) {
	args := map[string]any{"query": query, "mode": mode, "limit": limit}
	if len(paths) > 0 {
		args["paths"] = paths
	}
	var r found
	err := c.command("contexture.search", args, &r)
	return r.Hits, err
}

// path returns the path of a hit below the root, with slashes, or "".
func (c *client) path(h hit) string {
	u, err := url.Parse(h.URI)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	rel, err := filepath.Rel(c.root, u.Path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

// finds reports whether a keyword search for a word returns a file.
func (c *client) finds(word, file string) (bool, error) {
	hits, err := c.search(word, "lexical", 20)
	for _, h := range hits {
		if c.path(h) == file {
			return true, err
		}
	}
	return false, err
}
