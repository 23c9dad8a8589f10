package recall

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/contexture-dev/contexture/memory/store"
)

// bounds limits what one query reads of a workspace. A term with more postings is read completely
// only in the conversations found by the rarer terms and in the newest groups.
type bounds struct {
	values, postings int // of a term; a group is always read to its end
}

var defaultBounds = bounds{values: 4096, postings: 1 << 20}

// maxConversations is the number of conversations that are ranked message by message.
const maxConversations = 64

// piece holds the postings of a term in one block of a group of conversations.
type piece struct {
	group, block uint32
	value        []byte
}

// extents describes how much of a term was read.
type extents struct {
	count          int  // messages
	cut            bool // there are more, in groups older than oldest
	begun          bool
	oldest, newest uint32 // groups
}

func (e *extents) grow(group uint32, messages int) {
	if !e.begun {
		e.begun, e.oldest, e.newest = true, group, group
	}
	e.oldest, e.newest = min(e.oldest, group), max(e.newest, group)
	e.count += messages
}

// all returns the number of messages with the term, estimated if the term was cut.
func (e *extents) all() int {
	if !e.cut {
		return e.count
	}
	return int(float64(e.count) * extent(e.oldest, e.newest))
}

// postings holds what was read of a term. Pieces of one group are adjacent.
type postings struct {
	extents
	pieces []piece
}

func (p *postings) add(group, block uint32, value []byte) {
	if n := len(value) / postingSize; n > 0 {
		p.pieces = append(p.pieces, piece{group, block, value})
		p.grow(group, n)
	}
}

// scan is a reader's scan in one of the two directions.
type scan = func(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error

// source reads terms of the part of a workspace that a query is about.
type source struct {
	ctx    context.Context
	view   store.View
	scope  *scope // nil: everything
	bounds bounds
	kept   *lru.Cache[blockKey, *tableBlock]
	copies *arena
}

// term reads the postings of one term.
func (s *source) term(name string) (*postings, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	if s.scope != nil {
		return s.within(name)
	}
	p, err := s.everywhere(name, s.view.Scan)
	if err == nil && p.cut {
		// Too many to read: read the newest ones instead, which requires the slower backward scan.
		p, err = s.everywhere(name, s.view.ScanBack)
		if err == nil {
			p.count = p.all()
		}
	}
	return p, err
}

// everywhere reads a term up to the bounds, in the order of scan.
func (s *source) everywhere(name string, scan scan) (*postings, error) {
	p := &postings{}
	prefix := termPrefix(s.view.Workspace, name)
	err := scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		group, rest, ok := store.TakeUint32(key[len(prefix):])
		block, _, ok2 := store.TakeUint32(rest)
		if !ok || !ok2 {
			return true, nil
		}
		full := len(p.pieces) >= s.bounds.values || p.count >= s.bounds.postings
		if full && group != p.pieces[len(p.pieces)-1].group {
			p.cut = true
			return false, nil
		}
		p.add(group, block, s.copies.copy(value))
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return p, nil
}

// within reads the postings of a term in the scope: one block by its key, several in one pass.
func (s *source) within(name string) (*postings, error) {
	p := &postings{}
	for _, g := range s.scope.groups {
		from, last := g.from>>blockBits, (g.to-1)>>blockBits
		if from == last {
			value, found, err := s.view.Get(postingKey(s.view.Workspace, name, g.group, from))
			if err != nil {
				return nil, fmt.Errorf("search memory: %w", err)
			}
			if found {
				p.add(g.group, from, g.clip(value[:0], value, from))
			}
			continue
		}
		lower, upper := postingKey(s.view.Workspace, name, g.group, from), postingKey(s.view.Workspace, name, g.group, last+1)
		err := s.view.Scan(lower, upper, func(key, value []byte) (bool, error) {
			if block, _, ok := store.TakeUint32(key[len(key)-4:]); ok {
				p.add(g.group, block, g.clip(s.copies.room(len(value)), value, block))
			}
			return true, nil
		})
		if err != nil {
			return nil, fmt.Errorf("search memory: %w", err)
		}
	}
	return p, nil
}

// group reads the postings of a term in one group.
func (s *source) group(name string, group uint32) (*postings, error) {
	p := &postings{}
	prefix := store.AppendUint32(termPrefix(s.view.Workspace, name), group)
	err := s.view.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		if block, _, ok := store.TakeUint32(key[len(prefix):]); ok {
			p.add(group, block, s.copies.copy(value))
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return p, nil
}

// complete reads the postings of the frequent terms in those conversations that the rarer terms
// found and that lie beyond what was read of the frequent ones.
func (s *source) complete(c *corpus, t *table, words []word) error {
	for _, group := range behind(c, t, words) {
		if t.cut && group < t.oldest {
			prefix := store.AppendUint32(termPrefix(s.view.Workspace, versionTerm), group)
			more, err := s.versions(prefix, store.PrefixEnd(prefix), s.view.Scan)
			if err != nil {
				return err
			}
			c.enter(more.blocks)
		}
		for i := range words {
			for _, list := range []struct {
				name string
				p    *postings
			}{{words[i].term, words[i].list}, {authorMark + words[i].term, words[i].by}} {
				if !list.p.cut || group >= list.p.oldest {
					continue
				}
				more, err := s.group(list.name, group)
				if err != nil {
					return err
				}
				list.p.pieces = append(list.p.pieces, more.pieces...)
			}
		}
	}
	return nil
}

// behind returns the groups of the conversations in which most of the completely read terms occur,
// if any term or the table was cut.
func behind(c *corpus, t *table, words []word) []uint32 {
	cut := t.cut
	for _, w := range words {
		cut = cut || w.list.cut || w.by.cut
	}
	if !cut {
		return nil
	}
	points := map[uint32]float64{}
	for _, w := range words {
		if w.list.cut {
			continue
		}
		weight := math.Log1p(c.messages / float64(w.list.count+1))
		for _, p := range w.list.pieces {
			var seen [groupSize]bool
			for v := p.value; len(v) >= postingSize; v = v[postingSize:] {
				if m := at(v).member(); !seen[m] {
					seen[m] = true
					points[p.group<<groupBits|m] += weight
				}
			}
		}
	}
	convs := slices.SortedFunc(maps.Keys(points), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(points[b], points[a]), cmp.Compare(b, a))
	})
	var groups []uint32
	for _, conv := range convs[:min(maxConversations, len(convs))] {
		groups = append(groups, conv>>groupBits)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}
