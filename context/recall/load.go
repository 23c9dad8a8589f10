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
	"github.com/contexture-dev/contexture/memory/utterance"
)

const (
	// gathered is how much is loaded, as a multiple of the budget: enough to choose the best fit
	// from, since a message ranked below so many others is taken only if it is far shorter.
	gathered = 2
	// maxGap is how many messages may be between two that are loaded in one read.
	maxGap = 16
)

// loader reads the messages of hits, the best first, until there is enough to choose from.
type loader struct {
	src    Sources
	query  string
	short  *shortener
	ids    map[uint32]string // of conversations
	lines  []loadedLine
	tokens int // of the lines
	// room is the budget in tokens, and top the best hit's score.
	room    int
	top     float64
	compare int // messages that may still be compared semantically

	kind      string                      // the memory type
	decisions map[uint32]map[int][]string // of conversations, by turn
	known     map[location]bool           // messages that were read
	notes     spreadNotes
}

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
	Line
}

// load reads what the best hits contain and returns a candidate for each session. notes holds what
// is known of them already.
func load(ctx context.Context, req Request, hits []recall.Hit, notes spreadNotes, src Sources) ([]Candidate, error) {
	l := &loader{
		src: src, query: req.Query, ids: map[uint32]string{}, compare: compared,
		short: &shortener{names: map[string]bool{}, wanted: newTermCounter(req.Query, src.Terms).in},
		room:  req.Budget, kind: req.MemoryType, decisions: map[uint32]map[int][]string{}, known: map[location]bool{},
		notes: notes,
	}
	if len(hits) > 0 {
		l.top = hits[0].Score
	}
	best := hits[:min(followed, len(hits))]
	if req.LeastShare > 0 {
		hits = slices.DeleteFunc(hits, func(h recall.Hit) bool { return h.Score < req.LeastShare*hits[0].Score })
	}
	step := 16 + len(hits)/16 // adjacent messages are read together, so not too few in one step
	for len(hits) > 0 && l.tokens < gathered*req.Budget {
		n := min(step, len(hits))
		if err := l.read(ctx, hits[:n]); err != nil {
			return nil, fmt.Errorf("load messages: %w", err)
		}
		hits = hits[n:]
	}
	if req.LeastShare == 0 && !l.speaks(req.Query) { // with a least share, the caller knows that something matches
		return nil, nil
	}
	if l.tokens < req.Budget || l.kind == "episode" {
		if err := l.read(ctx, l.following(best, req.LeastShare > 0)); err != nil {
			return nil, fmt.Errorf("load messages: %w", err)
		}
	}
	return l.candidates(), nil
}

const (
	// followed is how many of the best messages are followed, provided that they reach followShare
	// of the best score; followers is for how many messages each. In an episode the messages before
	// count too.
	followed, followers = 12, 6
	followShare         = .5
	// followBy is the score of a following message relative to the one that it follows, less for
	// each step.
	followBy, followDecay = .35, .85
)

// following returns the messages that came after the best ones, also in a later session, and for an
// episode those before: the answer or the outcome may use none of the query's words.
//
// With few it returns only the turn that followed.
func (l *loader) following(best []recall.Hit, few bool) []recall.Hit {
	from, to, by := 1, followers, followBy
	if few {
		to = 2
	}
	if l.kind == "episode" {
		from, by = -followers, 1
	}
	scores := map[location]float64{}
	for _, h := range best {
		if h.Score < followShare*best[0].Score {
			continue
		}
		for step := from; step <= to; step++ {
			at := location{h.Conversation, h.Message + step}
			if at.index < 0 || l.known[at] {
				continue
			}
			scores[at] = max(scores[at], by*h.Score*math.Pow(followDecay, math.Abs(float64(step))))
		}
	}
	var out []recall.Hit
	for at, score := range scores {
		out = append(out, recall.Hit{Conversation: at.conv, Message: at.index, Score: score})
	}
	return out
}

// distinct is the rarity in everyday talk from which a word of a query names its subject; pointing
// is the mean rarity of its words below which it refers to something without naming it.
const distinct, pointing = .75, .6

// names reports whether a word may name something: a word of a few lower-case letters is a
// conjunction or a pronoun.
func names(word string) bool {
	return len(word) > 3 || word != strings.ToLower(word)
}

// speaks reports whether a message that was read, or the name of its author, contains one of the
// words that name the query's subject. Without such a message memory has nothing on the query,
// however many of its common words occur.
func (l *loader) speaks(query string) bool {
	about := map[string]bool{}
	for _, t := range utterance.Terms(clip(query, maxRead)) {
		if word := query[t.Start:t.End]; t.Rarity >= distinct && (t.Code || names(word)) {
			l.src.Terms(query[t.Start:t.End], func(term string) { about[term] = true })
		}
	}
	if len(about) == 0 {
		return true
	}
	for _, line := range l.lines {
		holds := false
		note := func(term string) { holds = holds || about[term] }
		l.src.Terms(line.Text, note)
		if line.Author != string(dialogue.User) && line.Author != string(dialogue.Assistant) {
			l.src.Terms(line.Author, note)
		}
		if holds {
			return true
		}
	}
	return false
}

// read adds the lines of hits.
func (l *loader) read(ctx context.Context, hits []recall.Hit) error {
	hits = slices.SortedFunc(slices.Values(hits), func(a, b recall.Hit) int {
		return cmp.Or(cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Message, b.Message))
	})
	var lines []loadedLine
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].Conversation == hits[0].Conversation && hits[n].Message-hits[n-1].Message <= maxGap {
			n++
		}
		run := hits[:n]
		said, err := l.messages(ctx, run)
		if err != nil {
			return err
		}
		for _, s := range said {
			i, hit := slices.BinarySearchFunc(run, s.Index, func(h recall.Hit, index int) int { return cmp.Compare(h.Message, index) })
			if at := (location{run[0].Conversation, s.Index}); hit && !l.known[at] {
				l.known[at] = true
				text, ok, err := l.partOf(ctx, at.conv, s)
				if err != nil {
					return err
				}
				if ok && strings.TrimSpace(text) != "" {
					line := lineOf(s, run[i], text)
					line.Reason = l.notes.reasons[at]
					lines = append(lines, line)
				}
			}
		}
		hits = hits[n:]
	}
	if e, ok := l.src.(Embedder); ok {
		l.compare -= byMeaning(ctx, lines[:min(len(lines), l.compare)], l.query, e)
	}
	return l.add(ctx, lines)
}

// messages returns the messages of adjacent hits, from the store unless they were read before.
func (l *loader) messages(ctx context.Context, run []recall.Hit) ([]Said, error) {
	var out []Said
	for _, h := range run {
		s, ok := l.notes.said[location{h.Conversation, h.Message}]
		if !ok {
			return l.src.Messages(ctx, run[0].Conversation, run[0].Message, run[len(run)-1].Message+1)
		}
		out = append(out, s)
	}
	return out, nil
}

func lineOf(s Said, h recall.Hit, text string) loadedLine {
	author := string(s.Message.Role)
	if s.Message.Named() {
		author = s.Message.Author
	}
	return loadedLine{conv: h.Conversation, session: s.Session, at: s.Message.At, Line: Line{
		Index: s.Index, Turn: s.Turn, ID: s.Message.ID, Author: author,
		Text: text, Score: h.Score, Share: h.Share,
	}}
}

// add removes from lines what is irrelevant to the query, and keeps the lines of which something
// remains.
func (l *loader) add(ctx context.Context, lines []loadedLine) (err error) {
	for _, line := range lines {
		for _, name := range strings.Fields(strings.ToLower(line.Author)) {
			l.short.names[name] = true
		}
	}
	for _, line := range lines {
		shown, ok := l.short.shorten(line.Text, l.roomFor(line.Score))
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

const (
	// wholeShare is the share of the budget that the best message may take, and others in
	// proportion to their score.
	wholeShare = .27
	// tokenBytes is the approximate length of a token.
	tokenBytes = 4
)

// roomFor returns the length in bytes that a message may have by its score.
func (l *loader) roomFor(score float64) int {
	if l.top <= 0 {
		return 0
	}
	return int(wholeShare * tokenBytes * float64(l.room) * min(1, score/l.top))
}

func dateOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02")
}

// candidates returns a candidate for each session, in the order of conversations and messages. What
// remains of a deleted conversation belongs to the fork that shares it.
func (l *loader) candidates() []Candidate {
	newestFirst(l.lines, l.short.wanted)
	slices.SortFunc(l.lines, func(a, b loadedLine) int {
		return cmp.Or(cmp.Compare(l.ids[a.conv], l.ids[b.conv]), cmp.Compare(a.Index, b.Index))
	})
	var out []Candidate
	for i, line := range l.lines {
		id := l.ids[line.conv]
		if i == 0 || id != l.ids[l.lines[i-1].conv] || line.session != l.lines[i-1].session {
			out = append(out, Candidate{
				ID: fmt.Sprintf("turn:%s:%d", id, line.session), Kind: item.Turn, ConversationID: id, Date: dateOf(line.at), Reason: "said about the query",
			})
		}
		c := &out[len(out)-1]
		c.Score = max(c.Score, line.Score)
		c.Lines = append(c.Lines, line.Line)
	}
	return out
}
