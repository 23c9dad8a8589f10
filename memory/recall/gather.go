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
	pieces []piece // where cut: the newest conversation first
	count  int     // messages
	cut    bool    // there is more
}

func (p *postings) add(conv, block uint32, value []byte) {
	p.pieces = append(p.pieces, piece{conv, block, value})
	p.count += countPostings(value)
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
	p, err := s.everywhere(name, s.r.Scan)
	if err == nil && p.cut {
		// Too many to read: then the newest, which only the slower way round gives.
		p, err = s.everywhere(name, s.r.ScanBack)
	}
	return p, err
}

// everywhere reads the first maxBlocks blocks of a term in the order of scan.
func (s *source) everywhere(
	name string, scan func(lower, upper []byte, f func(key, value []byte) (bool, error)) error,
) (*postings, error) {
	p := &postings{}
	prefix := termPrefix(s.ws, name)
	var copies arena
	err := scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		if len(p.pieces) == maxBlocks {
			p.cut = true
			return false, nil
		}
		conv, rest, ok := store.TakeUint32(key[len(prefix):])
		block, _, ok2 := store.TakeUint32(rest)
		if ok && ok2 {
			p.add(conv, block, copies.copy(value))
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return p, nil
}

// arena copies many small values into few allocations.
type arena []byte

func (a *arena) copy(value []byte) []byte {
	if cap(*a)-len(*a) < len(value) {
		*a = make([]byte, 0, max(len(value), 32<<10))
	}
	start := len(*a)
	*a = append(*a, value...)
	return (*a)[start:len(*a):len(*a)]
}

// within reads the postings of a term in parts of conversations: one block by its key, several in one pass.
func (s *source) within(name string, spans []Span) (*postings, error) {
	p := &postings{}
	var copies arena
	for _, span := range spans {
		if span.From >= span.To {
			continue
		}
		from, last := uint32(span.From>>blockBits), uint32((span.To-1)>>blockBits)
		if from == last {
			value, found, err := s.r.Get(postingKey(s.ws, name, span.Conversation, from))
			if err != nil {
				return nil, fmt.Errorf("search memory: %w", err)
			}
			if found {
				p.add(span.Conversation, from, clipTo(value, span, from))
			}
			continue
		}
		lower, upper := postingKey(s.ws, name, span.Conversation, from), postingKey(s.ws, name, span.Conversation, last+1)
		err := s.r.Scan(lower, upper, func(key, value []byte) (bool, error) {
			if block, _, ok := store.TakeUint32(key[len(key)-4:]); ok {
				p.add(span.Conversation, block, clipTo(copies.copy(value), span, block))
			}
			return true, nil
		})
		if err != nil {
			return nil, fmt.Errorf("search memory: %w", err)
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
	for p, rest, ok := next(value); ok; p, rest, ok = next(rest) {
		if m := first + p.message; m >= span.From && m < span.To {
			kept = appendPosting(kept, p)
		}
	}
	return kept
}

// talk is what is known of one conversation during a search: its messages from first on, n of them.
type talk struct {
	conv     uint32
	first, n int
	flags    []uint8
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
	slices.SortStableFunc(p.pieces, func(a, b piece) int { return cmp.Compare(b.conv, a.conv) })
	c.enter(p.pieces)
	c.average = max(1, c.terms/math.Max(1, c.messages))
	if p.cut {
		// Conversations are numbered in order: what was not read is estimated by what was.
		oldest, newest := p.pieces[len(p.pieces)-1].conv, p.pieces[0].conv
		c.messages *= float64(newest+1) / float64(newest-oldest+1)
	}
	return c, nil
}

// enter takes blocks of the table. A conversation's blocks come in one call and stand together.
func (c *corpus) enter(pieces []piece) {
	for len(pieces) > 0 {
		n, low, high := 0, pieces[0].block, pieces[0].block
		for n < len(pieces) && pieces[n].conv == pieces[0].conv {
			low, high = min(low, pieces[n].block), max(high, pieces[n].block)
			n++
		}
		t := &talk{conv: pieces[0].conv, first: int(low) << blockBits}
		for _, p := range pieces[:n] {
			if p.block == high {
				t.n = max(t.n, int(high-low)<<blockBits+after(p.value))
			}
		}
		t.flags = make([]uint8, t.n)
		for _, p := range pieces[:n] {
			base := int(p.block)<<blockBits - t.first
			for q, rest, ok := next(p.value); ok; q, rest, ok = next(rest) {
				t.flags[base+q.message] = q.weight | presentFlag
				c.terms += lengthOf[q.length]
			}
		}
		t.own = make([]float32, t.n)
		c.talks[t.conv] = t
		pieces = pieces[n:]
	}
}

// after is the index behind the last message of a value.
func after(value []byte) (end int) {
	for q, rest, ok := next(value); ok; q, rest, ok = next(rest) {
		end = max(end, q.message+1)
	}
	return end
}

// presentFlag marks in talk.flags the messages that there are: between them may lie some that are gone or that are
// not asked about.
const presentFlag = 1 << 7

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
			c.enter(p.pieces)
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
