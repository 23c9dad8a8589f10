package indexer

import (
	"maps"

	"github.com/contexture-dev/contexture/indexer/source"
)

// catalogue holds what the index knows of the workspace's files, and under which rules it read
// them. Only the writer's goroutine uses it.
type catalogue struct {
	files   map[string]fileState
	rules   string                // what the stored index must have been built with
	applied string                // the rules under which all files were read
	stale   bool                  // the rules changed: no stat proves anything
	walked  map[source.Reason]int // what the last walk left out
}

func newCatalogue(rules string) catalogue {
	return catalogue{files: map[string]fileState{}, rules: rules, applied: rules}
}

// empty forgets all files.
func (c *catalogue) empty() {
	c.files, c.applied, c.stale = map[string]fileState{}, c.rules, false
}

// restore takes over the rules under which the stored files were read.
func (c *catalogue) restore(rules string) { c.stale, c.applied = rules != c.rules, rules }

// differs reports whether a file of the workspace is not in the index in its present state.
func (c *catalogue) differs(e source.Entry) bool {
	f, ok := c.files[e.Path]
	return !ok || !f.unchanged(e)
}

// indexed returns the number of paths that are indexed.
func (c *catalogue) indexed(paths []string) (n int) {
	for _, p := range paths {
		if c.files[p].segment > 0 {
			n++
		}
	}
	return n
}

// unknown counts the files that are not indexed yet.
func (c *catalogue) unknown(changed []source.Entry) (n int) {
	for _, e := range changed {
		if c.files[e.Path].segment == 0 {
			n++
		}
	}
	return n
}

// total counts the files that are indexed.
func (c *catalogue) total() (n int) {
	for _, f := range c.files {
		if f.segment > 0 {
			n++
		}
	}
	return n
}

// skipped counts the files that were left out: by the walk, and for their content, which the walk
// does not read.
func (c *catalogue) skipped() map[source.Reason]int {
	counts := maps.Clone(c.walked)
	if counts == nil {
		counts = map[source.Reason]int{}
	}
	for _, f := range c.files {
		if f.segment == 0 {
			counts[f.reason]++
		}
	}
	return counts
}
