package indexer

import (
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/source"
)

// LeftOut is a file or a whole folder that is not indexed, with the decision of
// [source.Tree.Decide].
type LeftOut struct {
	Path     string
	Folder   bool
	Decision source.Decision
}

// LeftOutQuery selects a page of what is left out.
type LeftOutQuery struct {
	Reason source.Reason // "" for every reason
	Match  string        // what a path must contain, ignoring case
	Limit  int           // entries on the page
	After  string        // next of the previous page
}

// leftOutCost is the most that one page examines, so that its cost is bounded whatever the query.
type leftOutCost struct {
	entries int // of folders
	reads   int // files whose text must be read to decide
}

var leftOutLimits = leftOutCost{entries: 50_000, reads: 1000}

// contentReasons are those that depend on a file's size or text.
var contentReasons = []source.Reason{"", source.Excluded, source.Binary, source.Generated, source.Minified, source.TooLarge, source.Unreadable}

// LeftOut lists what is not indexed, sorted by path, by the present rules. next is "" on the last
// page. A page may have fewer entries than the limit, even none, although more follow: it ends at a
// bound of its cost. Files that wait to be indexed are not included. Errors: ctx's, and the root's
// own.
func (x *Index) LeftOut(ctx context.Context, q LeftOutQuery) (page []LeftOut, next string, err error) {
	return x.leftOut(ctx, q, leftOutLimits)
}

func (x *Index) leftOut(ctx context.Context, q LeftOutQuery, most leftOutCost) (page []LeftOut, next string, err error) {
	s, release := x.Snapshot()
	defer release()
	l := leftOutPage{query: q, match: strings.ToLower(q.Match), tree: x.tree, last: q.After, most: most}
	reads := slices.Contains(contentReasons, q.Reason)
	err = x.tree.LeftOut(ctx, q.After, func(path string, folder bool, r source.Reason) bool {
		return l.visit(path, folder, q.Reason == "" || q.Reason == r)
	}, func(e source.Entry) bool {
		_, indexed := s.File(e.Path)
		wanted := !indexed && reads && l.matches(e.Path)
		if wanted {
			l.cost.reads++
		}
		return l.visit(e.Path, false, wanted)
	})
	return l.entries, l.next, err
}

// leftOutPage is a page being filled.
type leftOutPage struct {
	query   LeftOutQuery
	match   string // the query's, in lower case
	tree    *source.Tree
	entries []LeftOut
	next    string
	last    string // the last visited path
	cost    leftOutCost
	most    leftOutCost
}

// visit adds an entry if it is wanted, and reports whether the page continues.
func (l *leftOutPage) visit(path string, folder, wanted bool) bool {
	l.cost.entries++
	if wanted && l.matches(path) {
		if d := l.tree.Decide(path); l.admits(d) {
			if len(l.entries) == l.query.Limit {
				l.next = l.last
				return false
			}
			l.entries = append(l.entries, LeftOut{path, folder, d})
		}
	}
	l.last = path
	if l.cost.entries >= l.most.entries || l.cost.reads >= l.most.reads {
		l.next = path
		return false
	}
	return true
}

func (l *leftOutPage) matches(path string) bool {
	return strings.Contains(strings.ToLower(path), l.match)
}

// admits reports whether a decision leaves something out for the requested reason.
func (l *leftOutPage) admits(d source.Decision) bool {
	switch d.Reason {
	case source.Indexed, source.Directory, source.NotFound:
		return false
	}
	return l.query.Reason == "" || l.query.Reason == d.Reason
}
