package recall

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// bounds are what one query reads of a workspace. A term with more is read whole only in the conversations that the
// rarer terms and the newest groups brought up.
type bounds struct {
	values, postings int // of a term; a group that was begun is read to its end
}

var defaultBounds = bounds{values: 4096, postings: 1 << 20}

// maxConversations is how many conversations are ranked message by message.
const maxConversations = 64

// piece is the postings of a term in one block of a group of conversations.
type piece struct {
	group, block uint32
	value        []byte
}

// postings is what was read of a term. Pieces of one group stand together.
type postings struct {
	pieces         []piece
	count          int  // messages; those of the whole workspace are estimated where it is cut
	cut            bool // there is more, in groups older than oldest
	oldest, newest uint32
}

func (p *postings) add(group, block uint32, value []byte) {
	if len(value) < postingSize {
		return
	}
	if len(p.pieces) == 0 {
		p.oldest, p.newest = group, group
	}
	p.oldest, p.newest = min(p.oldest, group), max(p.newest, group)
	p.pieces = append(p.pieces, piece{group, block, value})
	p.count += len(value) / postingSize
}

// source reads terms of the part of a workspace that a query is about.
type source struct {
	ctx    context.Context
	r      store.Reader
	ws     store.Workspace
	scope  *scope // nil: everything
	bounds bounds
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
	p, err := s.everywhere(name, s.r.Scan)
	if err == nil && p.cut {
		// Too many to read: then the newest, which only the slower way round gives.
		p, err = s.everywhere(name, s.r.ScanBack)
		p.count = int(float64(p.count) * extent(p.oldest, p.newest))
	}
	return p, err
}

// everywhere reads a term up to the bounds in the order of scan.
func (s *source) everywhere(
	name string, scan func(lower, upper []byte, f func(key, value []byte) (bool, error)) error,
) (*postings, error) {
	p := &postings{}
	prefix := termPrefix(s.ws, name)
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
			value, found, err := s.r.Get(postingKey(s.ws, name, g.group, from))
			if err != nil {
				return nil, fmt.Errorf("search memory: %w", err)
			}
			if found {
				p.add(g.group, from, g.clip(value[:0], value, from))
			}
			continue
		}
		lower, upper := postingKey(s.ws, name, g.group, from), postingKey(s.ws, name, g.group, last+1)
		err := s.r.Scan(lower, upper, func(key, value []byte) (bool, error) {
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
	prefix := store.AppendUint32(termPrefix(s.ws, name), group)
	err := s.r.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
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

// table reads the table of messages. Where it was cut, it is that of the newest conversations.
func (s *source) table(c *corpus) (*postings, error) {
	p, err := s.term(tableTerm)
	if err != nil {
		return nil, err
	}
	c.enter(p.pieces)
	c.messages = float64(p.count)
	c.average = max(1, float64(c.units)/lengthUnit/max(1, float64(c.entered)))
	return p, nil
}

// complete reads, for the conversations that the rarer terms bring up and that lie behind what was read of the more
// frequent ones, what those hold.
func (s *source) complete(c *corpus, table *postings, words []word) error {
	for _, group := range behind(c, table, words) {
		if table.cut && group < table.oldest {
			p, err := s.group(tableTerm, group)
			if err != nil {
				return err
			}
			c.enter(p.pieces)
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

// behind gives the groups of the conversations that most of the terms that were read whole bring up, where any term
// or the table was cut.
func behind(c *corpus, table *postings, words []word) []uint32 {
	cut := table.cut
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
