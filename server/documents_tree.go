package server

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/zeebo/xxh3"
)

// document is an open document. Immutable, but for what elsewhere remembers.
type document struct {
	uri       string // as the client spelt it
	key       string // see documentKey
	text      string
	hash      uint64     // of key
	elsewhere *elsewhere // shared by all states of the document since it was opened
}

// elsewhere remembers the workspaces that a document does not lie in: to find that out takes looks at the disk, and the
// next request would take them again.
type elsewhere struct {
	mu    sync.Mutex
	trees []*source.Tree // guarded by mu
}

func newDocument(uri, text string) *document {
	key := documentKey(uri)
	return &document{uri: uri, key: key, text: text, hash: xxh3.HashString(key), elsewhere: &elsewhere{}}
}

// in gives the document's path in a workspace, false where it does not lie there.
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

// edited is the document with another text.
func (d *document) edited(text string) *document {
	next := *d
	next.text = text
	return &next
}

// documents are all open documents by key. Immutable: a change makes a new one, so that a request keeps those that it
// has seen. A change costs the same however many there are: it copies the path from the root of a tree, whose branches
// are four bits of the hash each, to one document. The nil pointer has none.
type documents struct {
	branches *[fanOut]*documents
	leaf     []*document // where there are no branches
}

const (
	hashBits  = 4
	fanOut    = 1 << hashBits
	leafMost  = 8
	depthMost = 64 / hashBits
)

func branchOf(hash uint64, depth int) int { return int(hash>>(hashBits*depth)) & (fanOut - 1) }

// get finds a document; nil for none.
func (d *documents) get(key string) *document {
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

// at is the place of a document in a leaf, -1 for none.
func (d *documents) at(key string) int {
	return slices.IndexFunc(d.leaf, func(doc *document) bool { return doc.key == key })
}

// with has a document in the place of the one with its key, if there is one.
func (d *documents) with(doc *document) *documents { return d.withAt(doc, 0) }

func (d *documents) withAt(doc *document, depth int) *documents {
	if d == nil {
		return &documents{leaf: []*document{doc}}
	}
	if d.branches != nil {
		branches, i := *d.branches, branchOf(doc.hash, depth)
		branches[i] = branches[i].withAt(doc, depth+1)
		return &documents{branches: &branches}
	}
	if i := d.at(doc.key); i >= 0 {
		leaf := slices.Clone(d.leaf)
		leaf[i] = doc
		return &documents{leaf: leaf}
	}
	leaf := append(slices.Clone(d.leaf), doc)
	if len(leaf) <= leafMost || depth == depthMost {
		return &documents{leaf: leaf}
	}
	var branches [fanOut]*documents
	for _, doc := range leaf {
		i := branchOf(doc.hash, depth)
		branches[i] = branches[i].withAt(doc, depth+1)
	}
	return &documents{branches: &branches}
}

// without has no document with the key.
func (d *documents) without(key string) *documents { return d.withoutAt(key, xxh3.HashString(key), 0) }

func (d *documents) withoutAt(key string, hash uint64, depth int) *documents {
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
		return &documents{leaf: slices.Delete(slices.Clone(d.leaf), i, i+1)}
	}
	branches, i := *d.branches, branchOf(hash, depth)
	if branches[i] = branches[i].withoutAt(key, hash, depth+1); branches == [fanOut]*documents{} {
		return nil
	}
	return &documents{branches: &branches}
}

// all yields the documents in no order of meaning.
func (d *documents) all() iter.Seq[*document] {
	return func(yield func(*document) bool) { d.each(yield) }
}

// each is all; false says that yield wanted no more.
func (d *documents) each(yield func(*document) bool) bool {
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
