package session

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/zeebo/xxh3"
)

// document is an open document. Immutable, except for elsewhere, which is a cache.
type document struct {
	uri       string // as the client spelt it
	key       string // see DocumentKey
	text      string
	hash      uint64       // of key
	elsewhere *absentTrees // shared by all states of the document since it was opened
}

// absentTrees caches the workspaces that a document is not in: finding that out accesses the disk,
// and each request would repeat it.
type absentTrees struct {
	mu    sync.Mutex
	trees []*source.Tree // guarded by mu
}

func newDocument(uri, text string) *document {
	key := transport.DocumentKey(uri)
	return &document{uri: uri, key: key, text: text, hash: xxh3.HashString(key), elsewhere: &absentTrees{}}
}

// in returns the document's path in a workspace, false when it is not in it.
func (d *document) in(t *source.Tree) (rel string, ok bool) {
	path, ok := strings.CutPrefix(d.key, "file:")
	if !ok {
		return "", false
	}
	d.elsewhere.mu.Lock()
	defer d.elsewhere.mu.Unlock()
	if slices.Contains(d.elsewhere.trees, t) {
		return "", false
	}
	if rel, ok = t.Rel(path); !ok {
		d.elsewhere.trees = append(d.elsewhere.trees, t)
	}
	return rel, ok && rel != ""
}

// edited returns the document with another text.
func (d *document) edited(text string) *document {
	next := *d
	next.text = text
	return &next
}

// Documents holds all open documents by key. Immutable: a change makes a new value, so that a
// request keeps the ones that it has seen. A change costs the same whatever their number: it copies
// the path from the root of a tree, whose branches are four bits of the hash each, to one document.
// The nil pointer has none.
type Documents struct {
	branches *[fanOut]*Documents
	leaf     []*document // where there are no branches
}

const (
	hashBits  = 4
	fanOut    = 1 << hashBits
	leafMost  = 8
	depthMost = 64 / hashBits
)

func branchOf(hash uint64, depth int) int { return int(hash>>(hashBits*depth)) & (fanOut - 1) }

// get returns a document; nil for none.
func (d *Documents) get(key string) *document {
	hash := xxh3.HashString(key)
	for depth := 0; d != nil; depth++ {
		if d.branches == nil {
			if i := d.at(key); i >= 0 {
				return d.leaf[i]
			}
			return nil
		}
		d = d.branches[branchOf(hash, depth)]
	}
	return nil
}

// at returns the index of a document in a leaf, -1 for none.
func (d *Documents) at(key string) int {
	return slices.IndexFunc(d.leaf, func(doc *document) bool { return doc.key == key })
}

// with returns the documents with doc added, or in the place of the one with its key.
func (d *Documents) with(doc *document) *Documents { return d.withAt(doc, 0) }

func (d *Documents) withAt(doc *document, depth int) *Documents {
	if d == nil {
		return &Documents{leaf: []*document{doc}}
	}
	if d.branches != nil {
		branches, i := *d.branches, branchOf(doc.hash, depth)
		branches[i] = branches[i].withAt(doc, depth+1)
		return &Documents{branches: &branches}
	}
	if i := d.at(doc.key); i >= 0 {
		leaf := slices.Clone(d.leaf)
		leaf[i] = doc
		return &Documents{leaf: leaf}
	}
	leaf := append(slices.Clone(d.leaf), doc)
	if len(leaf) <= leafMost || depth == depthMost {
		return &Documents{leaf: leaf}
	}
	var branches [fanOut]*Documents
	for _, doc := range leaf {
		i := branchOf(doc.hash, depth)
		branches[i] = branches[i].withAt(doc, depth+1)
	}
	return &Documents{branches: &branches}
}

// without returns the documents without the one with the key.
func (d *Documents) without(key string) *Documents { return d.withoutAt(key, xxh3.HashString(key), 0) }

func (d *Documents) withoutAt(key string, hash uint64, depth int) *Documents {
	switch {
	case d == nil:
		return nil
	case d.branches == nil:
		i := d.at(key)
		switch {
		case i < 0:
			return d
		case len(d.leaf) == 1:
			return nil
		}
		return &Documents{leaf: slices.Delete(slices.Clone(d.leaf), i, i+1)}
	}
	branches, i := *d.branches, branchOf(hash, depth)
	if branches[i] = branches[i].withoutAt(key, hash, depth+1); branches == [fanOut]*Documents{} {
		return nil
	}
	return &Documents{branches: &branches}
}

// all yields the documents in no particular order.
func (d *Documents) all() iter.Seq[*document] {
	return func(yield func(*document) bool) { d.each(yield) }
}

// each is all; it reports false when yield returned false.
func (d *Documents) each(yield func(*document) bool) bool {
	if d == nil {
		return true
	}
	if d.branches != nil {
		for _, branch := range d.branches {
			if !branch.each(yield) {
				return false
			}
		}
		return true
	}
	for _, doc := range d.leaf {
		if !yield(doc) {
			return false
		}
	}
	return true
}
