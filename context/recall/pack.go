package recall

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// unit is taken or left as a whole: a line of a candidate, or its body.
type unit struct {
	candidate, line int
	score           float64
	tokens          int
}

// packing is one call of Pack.
type packing struct {
	candidates []item.Item
	budget     int
	count      func(string) int
	taken      [][]bool       // by candidate and line
	started    []bool         // by candidate: something of it is taken
	above      []map[int]bool // by candidate: the prompts that stand above what is taken, by index
	frames     []int          // tokens of a candidate's element without lines; 0 when not counted yet
	written    []renderedElement
	used       int
	several    bool // more than one conversation: each element names its own
}

// renderedElement is the rendered element of a candidate.
type renderedElement struct {
	block  string // "" when it must be rendered again
	tokens int
}

// Pack chooses what fits into budget tokens, the best first, and renders it: an element for each
// candidate, the best first, its messages in order. tokens is the exact count of text and at most
// budget.
func Pack(candidates []item.Item, budget int, count func(string) int) (items []item.Item, text string, tokens int) {
	p := &packing{candidates: candidates, budget: budget, count: count}
	p.several = severalConversations(candidates)
	p.taken = make([][]bool, len(candidates))
	p.started, p.frames, p.above = make([]bool, len(candidates)), make([]int, len(candidates)), make([]map[int]bool, len(candidates))
	p.written = make([]renderedElement, len(candidates))
	units := p.units()
	var chosen []unit
	misses := 0
	for _, u := range units {
		if misses >= maxMisses {
			break
		}
		if p.take(u) {
			chosen = append(chosen, u)
		} else {
			misses++
		}
	}
	for {
		items, text, tokens = p.write()
		if tokens <= budget || len(chosen) == 0 {
			return items, text, tokens
		}
		u := chosen[len(chosen)-1]
		p.taken[u.candidate][u.line] = false
		p.written[u.candidate].block = ""
		chosen = chosen[:len(chosen)-1]
	}
}

// The value of a line relative to its size is score / (tokens + flatTokens)^costPower. An exponent
// of 1 would be the rule for a knapsack if scores were the probability of containing the answer,
// but they fall more slowly than that probability.
const (
	costPower  = .2
	flatTokens = 10
)

// maxMisses is how many units that do not fit are skipped in favour of smaller ones.
const maxMisses = 40

// units returns all units, the best first.
func (p *packing) units() []unit {
	var units []unit
	for i, c := range p.candidates {
		p.taken[i] = make([]bool, max(1, len(c.Lines)))
		if c.Lines == nil {
			units = append(units, unit{i, 0, c.Score, p.count(c.Body)})
			continue
		}
		for j, l := range c.Lines {
			tokens := l.Tokens
			if tokens == 0 {
				tokens = lineTokens(l, p.count)
			}
			units = append(units, unit{i, j, l.Score / math.Pow(float64(tokens+flatTokens), costPower), tokens})
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(b.score, a.score) })
	return units
}

// take adds a unit if it fits.
func (p *packing) take(u unit) bool {
	c := &p.candidates[u.candidate]
	cost := u.tokens
	if !p.started[u.candidate] {
		if p.used+cost > p.budget {
			return false
		}
		if p.frames[u.candidate] == 0 {
			p.frames[u.candidate] = p.count(render.Block(p.element(c, nil)))
		}
		cost += p.frames[u.candidate]
	}
	if prompt := p.promptOf(u); prompt != nil && !p.above[u.candidate][prompt.Index] {
		if cost += lineTokens(*prompt, p.count); p.used+cost <= p.budget {
			if p.above[u.candidate] == nil {
				p.above[u.candidate] = map[int]bool{}
			}
			p.above[u.candidate][prompt.Index] = true
		}
	}
	if p.used+cost > p.budget {
		return false
	}
	p.used += cost
	p.started[u.candidate] = true
	p.taken[u.candidate][u.line] = true
	return true
}

// promptOf returns the line above a unit, nil for none.
func (p *packing) promptOf(u unit) *item.Line {
	if lines := p.candidates[u.candidate].Lines; lines != nil {
		return lines[u.line].Prompt
	}
	return nil
}

func lineTokens(l item.Line, count func(string) int) int { return count(lineText(l) + "\n") }

func lineText(l item.Line) string {
	text := strings.Join(strings.Fields(l.Text), " ")
	if l.Author == "" {
		return text
	}
	return l.Author + ": " + text
}

// element returns the candidate as it is shown with the given lines.
func (p *packing) element(c *item.Item, lines []item.Line) item.Item {
	it := *c
	it.Layer, it.Format, it.Attrs = item.L5JIT, "full", nil
	attr := func(name, value string) {
		if value != "" {
			it.Attrs = append(it.Attrs, item.Attr{Name: name, Value: value})
		}
	}
	if p.several {
		attr("conversation", c.ConversationID)
	}
	if c.Lines != nil {
		it.Lines, it.Body = lines, bodyOf(lines)
		if len(lines) > 0 && lines[0].Turn > 0 {
			last := lines[len(lines)-1].Turn
			attr("turns", turnRange(lines[0].Turn, last))
			it.ID = turnsID(c.ConversationID, lines[0].Turn, last)
		}
	}
	attr("date", c.Date)
	return it
}

// bodyOf returns lines under the prompts that they answer. A prompt that is one of the lines is not
// repeated, and the parts of one message follow each other.
func bodyOf(lines []item.Line) string {
	var body []string
	shown := map[int]bool{}
	for i, l := range lines {
		if l.Prompt != nil && !shown[l.Prompt.Index] {
			shown[l.Prompt.Index] = true
			body = append(body, lineText(*l.Prompt))
		}
		if i > 0 && l.ID != "" && lines[i-1].ID == l.ID { // another part of the same message
			l.Author = ""
		}
		shown[l.Index] = true
		body = append(body, lineText(l))
	}
	return strings.Join(body, "\n")
}

// turnsID returns the id by which the full text of an item can be requested:
// "turn:<conversation>/T-7-through-9". Where a turn continues in another session, one of two items
// that show part of it appends the index of its first message: "turn:<conversation>/T-7.19".
func turnsID(conversation string, from, to int) string {
	id := "turn:" + conversation + "/" + dialogue.TurnID(from)
	if to != from {
		id += fmt.Sprintf("-through-%d", to)
	}
	return id
}

func turnRange(from, to int) string {
	if from == to {
		return dialogue.TurnID(from)
	}
	return fmt.Sprintf("%s-%d", dialogue.TurnID(from), to)
}

// write renders what is taken.
func (p *packing) write() (items []item.Item, text string, tokens int) {
	type group struct {
		candidate int
		item.Item
	}
	var groups []group
	for i := range p.candidates {
		if c := &p.candidates[i]; slices.Contains(p.taken[i], true) {
			var lines []item.Line
			for j := range c.Lines {
				if p.taken[i][j] {
					lines = append(lines, c.Lines[j])
				}
			}
			g := group{i, p.element(c, lines)}
			note(&g.Item)
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.Score, a.Score) })
	var out strings.Builder
	seen := map[string]bool{}
	for _, g := range groups {
		w, it := &p.written[g.candidate], g.Item
		if w.block == "" {
			w.block = render.Block(it)
			w.tokens = p.count(w.block)
		}
		if seen[it.ID] && len(it.Lines) > 0 { // the same turn continued in another session
			it.ID += fmt.Sprintf(".%d", it.Lines[0].Index)
		}
		seen[it.ID] = true
		it.Span = item.Span{Start: out.Len(), End: out.Len() + len(w.block)}
		it.Tokens = w.tokens
		tokens += it.Tokens
		out.WriteString(w.block)
		items = append(items, it)
	}
	return items, out.String(), tokens
}

// note sets what an item has of its lines: the best score, the turn of the best one, the largest
// share of the query, and all turns and messages.
func note(it *item.Item) {
	for i, l := range it.Lines {
		it.Share = max(it.Share, l.Share)
		for _, id := range l.Covers() {
			if len(it.MessageIDs) == 0 || it.MessageIDs[len(it.MessageIDs)-1] != id {
				it.MessageIDs = append(it.MessageIDs, id)
			}
		}
		if l.Turn > 0 && (len(it.Turns) == 0 || it.Turns[len(it.Turns)-1] < l.Turn) {
			it.Turns = append(it.Turns, l.Turn)
		}
		if i == 0 || l.Score > it.Score {
			it.Score = l.Score
			if l.Turn > 0 {
				it.TurnID = dialogue.TurnID(l.Turn)
			}
		}
	}
}

func severalConversations(candidates []item.Item) bool {
	first := ""
	for _, c := range candidates {
		if c.ConversationID == "" {
			continue
		}
		if first != "" && c.ConversationID != first {
			return true
		}
		first = c.ConversationID
	}
	return false
}
