package server

import (
	"fmt"
	"sync"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/zeebo/xxh3"
)

// maxConversations bounds the conversations whose last bundle is remembered.
const maxConversations = 1024

// prefixes remembers how the last bundle of each conversation began, without its text: a hash for each item's end.
// Safe for concurrent use.
type prefixes struct {
	mu    *sync.Mutex // guards all below
	last  map[string][]mark
	order []string // conversations, the one used longest ago first
}

// mark says what a text's beginning is up to one end of an item.
type mark struct {
	end  int
	hash uint64
}

func newPrefixes() prefixes { return prefixes{mu: new(sync.Mutex), last: map[string][]mark{}} }

// swap stores the marks of a conversation's bundle and gives those of the one before.
func (p *prefixes) swap(conversation string, marks []mark) []mark {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, known := p.last[conversation]
	p.last[conversation] = marks
	if known {
		for i, c := range p.order {
			if c == conversation {
				p.order = append(p.order[:i], p.order[i+1:]...)
				break
			}
		}
	}
	p.order = append(p.order, conversation)
	if len(p.order) > maxConversations {
		delete(p.last, p.order[0])
		p.order = p.order[1:]
	}
	return before
}

// marksOf hashes the text up to the end of each item.
func marksOf(b *bundle.Bundle) []mark {
	h := xxh3.New()
	at := 0
	var out []mark
	for _, it := range b.Items {
		if it.Span.End <= at {
			continue
		}
		_, _ = h.WriteString(b.Text[at:it.Span.End]) // a hash takes everything
		at = it.Span.End
		out = append(out, mark{at, h.Sum64()})
	}
	return out
}

// common gives the length of the beginning that two texts share, in whole items.
func common(a, b []mark) int {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		n = a[i].end
	}
	return n
}

// prefixOf compares a bundle with the one before in its conversation, which is a root's, whoever asked for that.
func (c commands) prefixOf(root, conversation string, b *bundle.Bundle) command.Cache {
	stable := b.Text[:b.StablePrefix]
	out := command.Cache{StablePrefixTokens: tokensTo(b, b.StablePrefix), StablePrefixHash: fmt.Sprintf("%016x", xxh3.HashString(stable))}
	if conversation != "" {
		marks := marksOf(b)
		if n := common(c.session.server.prefix.swap(root+"\x00"+conversation, marks), marks); n > 0 {
			out.ReusedPrefixTokens = tokensTo(b, n)
		}
	}
	return out
}

// tokensTo counts the text up to an end of an item. Tokens of elements add up: see package render.
func tokensTo(b *bundle.Bundle, end int) int {
	n := 0
	for _, it := range b.Items {
		if it.Span.End <= end {
			n += it.Tokens
		}
	}
	return n
}

// bundleID numbers the bundles of a process; the time of its start keeps those of two processes apart.
func (v *Server) bundleID() string {
	return fmt.Sprintf("b-%x-%d", v.started.UnixMilli(), v.bundles.Add(1))
}
