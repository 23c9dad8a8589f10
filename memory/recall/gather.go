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

// Bounds of what one query reads from a workspace. A term that stands in more blocks than maxBlocks is read whole only
// in the conversations that the rarer terms and the newest blocks brought up.
const (
	maxBlocks        = 4096
	maxConversations = 64 // that are ranked message by message
)

// piece is the postings of a term in one block of a conversation.
type piece struct {
	conv, block uint32
	value       []byte
}

// postings is what was read of a term.
type postings struct {
	pieces []piece // newest conversation first
	count  int     // messages
	cut    bool    // there is more
}

func (p *postings) add(conv, block uint32, value []byte) {
	p.pieces = append(p.pieces, piece{conv, block, value})
	eachPosting(value, func(posting) { p.count++ })
}

// source reads terms of the part of a workspace that a query is about.
type source struct {
	ctx   context.Context
	r     store.Reader
	ws    store.Workspace
	spans []Span // nil: everything
}

// term reads the postings of one term.
func (s *source) term(name string) (*postings, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	if s.spans != nil {
		return s.within(name, s.spans)
	}
	p := &postings{}
	prefix := termPrefix(s.ws, name)
	err := s.r.ScanBack(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		if len(p.pieces) == maxBlocks {
			p.cut = true
			return false, nil
		}
		conv, rest, ok := store.TakeUint32(key[len(prefix):])
		block, _, ok2 := store.TakeUint32(rest)
		if ok && ok2 {
			p.add(conv, block, append([]byte(nil), value...))
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return p, nil
}

// within reads the postings of a term in parts of conversations.
func (s *source) within(name string, spans []Span) (*postings, error) {
	p := &postings{}
	for _, span := range spans {
		if span.From >= span.To {
			continue
		}
		last := uint32((span.To - 1) >> blockBits)
		for block := uint32(span.From >> blockBits); block <= last; block++ {
			value, found, err := s.r.Get(postingKey(s.ws, name, span.Conversation, block))
			if err != nil {
				return nil, fmt.Errorf("search memory: %w", err)
			}
			if found {
				p.add(span.Conversation, block, clipTo(value, span, block))
			}
		}
	}
	return p, nil
}

// clipTo takes out the postings of a block that lie outside the span.
func clipTo(value []byte, span Span, block uint32) []byte {
	first := int(block) << blockBits
	if span.From <= first && first+blockSize <= span.To {
		return value
	}
	var kept []byte
	eachPosting(value, func(p posting) {
		if m := first + p.message; m >= span.From && m < span.To {
			kept = appendPosting(kept, p)
		}
	})
	return kept
}

// talk is what is known of one conversation during a search. The slices run over its messages from first.
type talk struct {
	conv     uint32
	first, n int
	flags    []uint8
	length   []uint8
	present  []bool
	own      []float32
	known    bool // someone whom the query names takes part
}

// corpus is the messages that a query is about.
type corpus struct {
	talks    map[uint32]*talk
	messages float64
	terms    float64 // in all of them
	average  float64 // length of a message
}

// table reads the table of messages. Where it was cut, the numbers are those of the newest conversations, and the
// number of messages is at least as many as were seen.
func (s *source) table() (*corpus, error) {
	p, err := s.term(tableTerm)
	if err != nil {
		return nil, err
	}
	c := &corpus{talks: map[uint32]*talk{}, messages: float64(p.count)}
	for _, piece := range p.pieces {
		c.enter(piece)
	}
	c.average = max(1, c.terms/math.Max(1, c.messages))
	if p.cut {
		// Conversations are numbered in order: what was not read is estimated by what was.
		oldest, newest := p.pieces[len(p.pieces)-1].conv, p.pieces[0].conv
		c.messages *= float64(newest+1) / float64(newest-oldest+1)
	}
	return c, nil
}

// enter takes one block of the table.
func (c *corpus) enter(p piece) {
	t := c.talks[p.conv]
	first := int(p.block) << blockBits
	if t == nil {
		t = &talk{conv: p.conv, first: first}
		c.talks[p.conv] = t
	}
	if first < t.first {
		t.grow(t.first-first, true)
		t.first = first
	}
	eachPosting(p.value, func(q posting) {
		i := first + q.message - t.first
		if i >= t.n {
			t.grow(i+1-t.n, false)
		}
		t.flags[i], t.length[i], t.present[i] = q.weight, q.length, true
		c.terms += lengthOf[q.length]
	})
}

func (t *talk) grow(by int, front bool) {
	t.n += by
	t.flags = extend(t.flags, by, front)
	t.length = extend(t.length, by, front)
	t.present = extend(t.present, by, front)
	t.own = extend(t.own, by, front)
}

func extend[T any](s []T, by int, front bool) []T {
	if front {
		return append(make([]T, by, by+len(s)), s...)
	}
	for range by {
		var zero T
		s = append(s, zero)
	}
	return s
}

// complete reads, for the conversations that the rarer terms bring up and that lie behind what was read of the more
// frequent ones, what those hold.
func (s *source) complete(c *corpus, words []word) error {
	wanted := behind(c, words)
	for _, conv := range wanted {
		p, err := s.conversation(tableTerm, conv)
		if err != nil {
			return err
		}
		if c.talks[conv] == nil {
			for _, piece := range p.pieces {
				c.enter(piece)
			}
		}
	}
	for i := range words {
		for _, list := range []struct {
			name string
			p    *postings
		}{{words[i].term, words[i].list}, {authorMark + words[i].term, words[i].by}} {
			if !list.p.cut {
				continue
			}
			end := list.p.pieces[len(list.p.pieces)-1].conv
			for _, conv := range wanted {
				if conv >= end {
					continue
				}
				more, err := s.conversation(list.name, conv)
				if err != nil {
					return err
				}
				list.p.pieces = append(list.p.pieces, more.pieces...)
			}
		}
	}
	return nil
}

// behind gives the conversations that most of the terms that were read whole bring up, where any term was cut.
func behind(c *corpus, words []word) []uint32 {
	points := map[uint32]float64{}
	anyCut := false
	for _, w := range words {
		anyCut = anyCut || w.list.cut || w.by.cut
		if w.list.cut {
			continue
		}
		for _, p := range w.list.pieces {
			points[p.conv] += math.Log1p(c.messages / float64(w.list.count+1))
		}
	}
	if !anyCut {
		return nil
	}
	convs := slices.SortedFunc(maps.Keys(points), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(points[b], points[a]), cmp.Compare(b, a))
	})
	return convs[:min(maxConversations, len(convs))]
}

// conversation reads the postings of a term in one conversation.
func (s *source) conversation(name string, conv uint32) (*postings, error) {
	p := &postings{}
	prefix := store.AppendUint32(termPrefix(s.ws, name), conv)
	err := s.r.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		if block, _, ok := store.TakeUint32(key[len(prefix):]); ok {
			p.add(conv, block, append([]byte(nil), value...))
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return p, nil
}
