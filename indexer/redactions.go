package indexer

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Redaction counts what Options.Redact takes out of one indexed file for one rule.
type Redaction struct {
	Path, Rule string
	Count      int
}

// redactionMark is what Options.Redact leaves in the place of what it takes out.
var redactionMark = regexp.MustCompile(`\[REDACTED:([A-Za-z0-9_-]{1,64})\]`)

// redactionWord is a word that every mark holds.
const redactionWord = "REDACTED"

// lastRedactions remembers the last answer for the pages that follow it.
type lastRedactions struct {
	mu      sync.Mutex // guards both
	version uint64
	list    []Redaction
}

// Redactions lists what is taken out of the indexed files, by path and rule. The files whose
// indexed text holds a mark are read and redacted again: what counts is by how much that raises the
// number of a rule's marks, so that a mark that stands in a file's own text is none. Buffers and
// commit messages are not counted. continued accepts the list of the last call if the index has not
// changed since. The list is shared and read-only. Error: ctx's.
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
	for _, path := range s.marked() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts, err := x.tree.Redactions(path, countMarks)
		if err != nil {
			continue // it cannot be read now, and the status counts such files
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

// marked lists the files in whose text a mark may stand, each once.
func (s *Snapshot) marked() (paths []string) {
	var terms []string
	lexical.Terms([]byte(redactionWord), func(term string) { terms = append(terms, term) })
	before := -1
	for _, chunk := range s.Having(terms) {
		file := s.FileOf(chunk)
		if file == before { // the chunks of a file follow each other
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
