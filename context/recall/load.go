package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

// location is the storage location of a message.
type location struct {
	conv  uint32
	index int
}

// loadedLine is a line with its location.
type loadedLine struct {
	conv    uint32
	session int
	at      time.Time // zero when unknown
	item.Line
}

// gathering collects the lines to choose from, the best hits first.
type gathering struct {
	*talk
	req      Request
	openness float64           // how far the query leaves its subject open
	ids      map[uint32]string // of conversations
	loaded   map[location]bool
	seen     map[string]bool // texts: the same words are shown once
	lines    []loadedLine
	tokens   int // of the lines
	top      float64
}

// gather returns a candidate for each session that the best hits are from, with the passages that
// match.
func gather(ctx context.Context, req Request, hits []recall.Hit, open float64, t *talk) ([]item.Item, error) {
	g := &gathering{talk: t, req: req, openness: open, ids: map[uint32]string{}, loaded: map[location]bool{}, seen: map[string]bool{}}
	if len(hits) > 0 {
		g.top = hits[0].Score
	}
	best := hits[:min(followed, len(hits))]
	for _, h := range hits {
		if g.tokens >= gathered*req.Budget || h.Score < req.LeastShare*g.top {
			break
		}
		if err := g.add(ctx, h); err != nil {
			return nil, fmt.Errorf("load messages: %w", err)
		}
	}
	if g.tokens < req.Budget || req.MemoryType == "episode" {
		for _, h := range g.following(best) {
			if err := g.add(ctx, h); err != nil {
				return nil, fmt.Errorf("load what followed: %w", err)
			}
		}
	}
	if err := g.refute(ctx); err != nil {
		return nil, err
	}
	return g.candidates(), nil
}

// add adds the passages of a hit.
func (g *gathering) add(ctx context.Context, h recall.Hit) error {
	at := location{h.Conversation, h.Message}
	g.loaded[at] = true
	s := g.at[at]
	if s == nil { // not found by its words
		said, err := g.src.Messages(ctx, h.Conversation, h.Message, h.Message+1)
		if err != nil || len(said) == 0 {
			return err
		}
		if s, err = g.talk.add(ctx, h, said[0]); err != nil {
			return err
		}
	}
	if len(s.passages) == 0 {
		return nil
	}
	if g.ids[h.Conversation] == "" {
		id, err := g.src.Conversation(ctx, h.Conversation)
		if err != nil {
			return err
		}
		g.ids[h.Conversation] = id
	}
	if err := g.open(ctx, s); err != nil {
		return err
	}
	best := 0.0
	for _, p := range s.passages {
		best = max(best, p.score)
	}
	for i, p := range s.passages {
		score := h.Score * math.Pow(inOrder, float64(i))
		switch {
		case best > 0 && p.score == 0:
			continue
		case best > 0:
			score = h.Score * max(leastPart, p.score/best)
		}
		g.put(h, s, i, score)
	}
	return nil
}

// following returns the messages that came after the best ones, also in a later session, and for an
// episode those before: the answer or the outcome may use none of the query's words. For a bundle
// it is only the turn that followed.
func (g *gathering) following(best []recall.Hit) []recall.Hit {
	from, to, by := 1, followers, followBy
	if g.req.LeastShare > 0 {
		to = 2
	}
	if g.req.MemoryType == "episode" {
		from, by = -followers, 1
	}
	scores := map[location]float64{}
	for _, h := range best {
		if h.Score < followShare*best[0].Score {
			continue
		}
		for step := from; step <= to; step++ {
			at := location{h.Conversation, h.Message + step}
			if at.index >= 0 && !g.loaded[at] {
				scores[at] = max(scores[at], by*h.Score*math.Pow(followDecay, math.Abs(float64(step))))
			}
		}
	}
	var out []recall.Hit
	for at, score := range scores {
		out = append(out, recall.Hit{Conversation: at.conv, Message: at.index, Score: score})
	}
	slices.SortFunc(out, func(a, b recall.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Message, b.Message))
	})
	return out
}

// put adds one passage, unless the same words were added before.
func (g *gathering) put(h recall.Hit, s *spoken, part int, score float64) {
	text := s.passages[part].text
	words := strings.Join(strings.Fields(text), " ")
	if g.seen[words] {
		return
	}
	g.seen[words] = true
	author := string(s.said.Message.Role)
	if s.said.Message.Named() {
		author = s.said.Message.Author
	}
	line := loadedLine{conv: h.Conversation, session: s.said.Session, at: s.said.Message.At, Line: item.Line{
		Index: s.said.Index, Part: part, Turn: s.said.Turn, ID: s.said.Message.ID, Author: author, Score: score, Share: h.Share,
		Text: g.q.window(text, max(shownBytes, g.roomFor(score)), g.src.Terms),
	}}
	if o := g.openings[turnKey{h.Conversation, s.said.Turn}]; o.prompt.Index < s.said.Index && s.said.Message.Role == dialogue.Assistant && !s.said.Message.Named() && g.showsPrompts() {
		line.Prompt = g.promptOf(o.prompt)
	}
	line.Tokens = lineTokens(line.Line, g.src.Count)
	g.tokens += line.Tokens
	g.lines = append(g.lines, line)
}

// showsPrompts reports whether prompts stand above their answers: not if only messages of a certain
// kind are wanted.
func (g *gathering) showsPrompts() bool {
	switch g.req.MemoryType {
	case "", "any", "turn", "episode":
		return true
	}
	return false
}

// promptOf returns the line of the prompt that stands above an answer.
func (g *gathering) promptOf(s LocatedMessage) *item.Line {
	text := strings.Join(strings.Fields(clip(s.Message.Content, promptRead)), " ")
	if text == "" || s.Message.Role != dialogue.User {
		return nil
	}
	return &item.Line{Index: s.Index, ID: s.Message.ID, Author: string(s.Message.Role), Text: clip(text, promptShown)}
}

// roomFor returns the length in bytes that a passage may have by its score.
func (g *gathering) roomFor(score float64) int {
	if g.top <= 0 {
		return 0
	}
	return int((wholeShare + openShare*g.openness) * tokenBytes * float64(g.req.Budget) * min(1, score/g.top))
}

func dateOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02")
}

// candidates returns a candidate for each session, in the order of conversations and messages. What
// remains of a deleted conversation belongs to the fork that shares it.
func (g *gathering) candidates() []item.Item {
	newestFirst(g.lines, g.q.different(g.src.Terms))
	slices.SortStableFunc(g.lines, func(a, b loadedLine) int {
		return cmp.Or(cmp.Compare(g.ids[a.conv], g.ids[b.conv]), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Part, b.Part))
	})
	var out []item.Item
	for i, line := range g.lines {
		id := g.ids[line.conv]
		if i == 0 || id != g.ids[g.lines[i-1].conv] || line.session != g.lines[i-1].session {
			out = append(out, item.Item{
				ID: fmt.Sprintf("turn:%s:%d", id, line.session), Kind: item.Turn, ConversationID: id, Date: dateOf(line.at), Reason: "said about the query",
			})
		}
		c := &out[len(out)-1]
		c.Score = max(c.Score, line.Score)
		c.Lines = append(c.Lines, line.Line)
	}
	return out
}
