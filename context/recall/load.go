package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/recall"
)

const (
	// gathered is how much is loaded, as a multiple of the budget: enough that what fits best can be chosen, for a
	// message that is ranked behind so much of others is taken only where it is far shorter.
	gathered = 2
	// maxGap is how many messages may lie between two that are loaded at once.
	maxGap = 16
)

// loading reads the messages of hits, the best first, until there is enough to choose from.
type loading struct {
	src     Sources
	query   string
	short   *shortener
	ids     map[uint32]string // of conversations
	lines   []loaded
	tokens  int // of the lines
	compare int // messages that may still be compared by their meaning
}

// loaded is a line with its place.
type loaded struct {
	conv    uint32
	session int
	date    string
	Line
}

// load reads what the best hits hold and gives a candidate for each session.
func load(ctx context.Context, req Request, hits []recall.Hit, src Sources) ([]Candidate, error) {
	l := &loading{
		src: src, query: req.Query, ids: map[uint32]string{}, compare: compared,
		short: &shortener{names: map[string]bool{}, wanted: newAsked(req.Query, src.Terms).in},
	}
	step := 16 + len(hits)/16 // messages that stand side by side are read at once, so not too few at a time
	for len(hits) > 0 && l.tokens < gathered*req.Budget {
		n := min(step, len(hits))
		if err := l.read(ctx, hits[:n]); err != nil {
			return nil, fmt.Errorf("load messages: %w", err)
		}
		hits = hits[n:]
	}
	return l.candidates(), nil
}

// read adds the lines of hits.
func (l *loading) read(ctx context.Context, hits []recall.Hit) error {
	hits = slices.SortedFunc(slices.Values(hits), func(a, b recall.Hit) int {
		return cmp.Or(cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Message, b.Message))
	})
	var lines []loaded
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].Conversation == hits[0].Conversation && hits[n].Message-hits[n-1].Message <= maxGap {
			n++
		}
		run := hits[:n]
		said, err := l.src.Messages(ctx, run[0].Conversation, run[0].Message, run[n-1].Message+1)
		if err != nil {
			return err
		}
		for _, s := range said {
			if i, hit := slices.BinarySearchFunc(run, s.Index, func(h recall.Hit, index int) int { return cmp.Compare(h.Message, index) }); hit {
				lines = append(lines, lineOf(s, run[i]))
			}
		}
		hits = hits[n:]
	}
	if e, ok := l.src.(Embedder); ok {
		l.compare -= byMeaning(ctx, lines[:min(len(lines), l.compare)], l.query, e)
	}
	return l.add(ctx, lines)
}

func lineOf(s Said, h recall.Hit) loaded {
	out := loaded{conv: h.Conversation, session: s.Session, Line: Line{
		Index: s.Index, Turn: s.Turn, ID: s.Message.ID, Author: cmp.Or(s.Message.Author, string(s.Message.Role)),
		Text: textOf(s.Message), Score: h.Score,
	}}
	if !s.Message.At.IsZero() {
		out.date = s.Message.At.UTC().Format("2006-01-02")
	}
	return out
}

// add leaves out of lines what tells nothing about the query, and keeps those of which something is left.
func (l *loading) add(ctx context.Context, lines []loaded) (err error) {
	for _, line := range lines {
		for _, name := range strings.Fields(strings.ToLower(line.Author)) {
			l.short.names[name] = true
		}
	}
	for _, line := range lines {
		shown, ok := l.short.shorten(line.Text)
		if !ok {
			continue
		}
		if l.ids[line.conv] == "" {
			if l.ids[line.conv], err = l.src.Conversation(ctx, line.conv); err != nil {
				return err
			}
		}
		line.Text = shown
		line.tokens = lineTokens(line.Line, l.src.Count)
		l.tokens += line.tokens
		l.lines = append(l.lines, line)
	}
	return nil
}

// candidates gives a candidate for each session, in the order of conversations and messages. What is left of a deleted
// conversation is of the fork that shares it.
func (l *loading) candidates() []Candidate {
	slices.SortFunc(l.lines, func(a, b loaded) int {
		return cmp.Or(cmp.Compare(l.ids[a.conv], l.ids[b.conv]), cmp.Compare(a.Index, b.Index))
	})
	var out []Candidate
	for i, line := range l.lines {
		id := l.ids[line.conv]
		if i == 0 || id != l.ids[l.lines[i-1].conv] || line.session != l.lines[i-1].session {
			out = append(out, Candidate{
				ID: fmt.Sprintf("turn:%s:%d", id, line.session), Kind: "turn", ConversationID: id, Date: line.date,
			})
		}
		c := &out[len(out)-1]
		c.Score = max(c.Score, line.Score)
		c.Lines = append(c.Lines, line.Line)
	}
	return out
}
