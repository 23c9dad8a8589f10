package indexer

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Redaction counts what Options.Redact removes from one indexed file by one rule.
type Redaction struct {
	Path, Rule string
	Count      int
}

// redactionMark matches the mark with which Options.Redact replaces what it removes.
var redactionMark = regexp.MustCompile(`\[REDACTED:([A-Za-z0-9_-]{1,64})\]`)

// redactionWord is a word in every mark.
const redactionWord = "REDACTED"

// lastRedactions caches the last answer for further pages.
type lastRedactions struct {
	mu      sync.Mutex // guards both
	version uint64
	list    []Redaction
}

// Redactions lists what is removed from the indexed files, by path and rule. The files whose
// indexed text has a mark are read and redacted again: what counts is by how much that raises the
// number of a rule's marks, so that a mark in a file's own text does not count. Buffers and commit
// messages are not included. With continued, the result of the last call is reused if the index has
// not changed since. The list is shared and read-only. Error: ctx's.
func (x *Index) Redactions(ctx context.Context, continued bool) ([]Redaction, error) {
	s, release := x.Snapshot()
	defer release()
	last := &x.redactions
	if continued {
		last.mu.Lock()
		list, version := last.list, last.version
		last.mu.Unlock()
		if version == s.version {
			return list, nil
		}
	}
	var list []Redaction
	for _, path := range marked(s) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts, err := x.tree.Redactions(path, countMarks)
		if err != nil {
			continue // unreadable at the moment; the status counts such files
		}
		for rule, n := range counts {
			list = append(list, Redaction{path, rule, n})
		}
	}
	slices.SortFunc(list, func(a, b Redaction) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule)) })
	last.mu.Lock()
	defer last.mu.Unlock()
	last.list, last.version = list, s.version
	return list, nil
}

// marked returns the distinct files whose text may have a mark.
func marked(s *Snapshot) (paths []string) {
	var terms []string
	lexical.Terms([]byte(redactionWord), func(term string) { terms = append(terms, term) })
	before := -1
	for _, chunk := range s.words.Having(terms) {
		file := s.FileOf(chunk)
		if file == before { // the chunks of a file are adjacent
			continue
		}
		before = file
		if path := s.Path(file); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// countMarks counts the marks in a text by rule.
func countMarks(text []byte) map[string]int {
	out := map[string]int{}
	for _, m := range redactionMark.FindAllSubmatch(text, -1) {
		out[string(m[1])]++
	}
	return out
}
