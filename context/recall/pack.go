package recall

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Pack chooses what fits into a room of tokens, and renders it: an element for each candidate, the
// best first, its messages in order. tokens is the exact count of text and at most room.
func Pack(candidates []item.Item, room int, count func(string) int) (items []item.Item, text string, tokens int) {
	p := &packing{candidates: candidates, count: count, several: severalConversations(candidates)}
	for i := range candidates {
		p.top = max(p.top, candidates[i].Score)
	}
	for i := range candidates {
		p.add(&candidates[i])
	}
	for least := room; ; least -= tokens - room {
		plan, err := budget.Fill(budget.Input{Total: max(0, least)}, p.items)
		if err != nil { // nothing that is given contradicts itself
			panic(err)
		}
		if items, text, tokens = p.write(plan.Forms); tokens <= room || len(items) == 0 {
			return items, text, tokens
		}
	}
}

// packing is one call of Pack.
type packing struct {
	candidates []item.Item
	count      func(string) int
	several    bool // more than one conversation: each element names its own
	top        float64
	items      []*item.Item // of each candidate, with a form for each number of its lines
	order      [][]int      // of each candidate: its lines, the best first
}

const (
	// steepness is the exponent by which what a line is worth grows with its score: the scores fall
	// more slowly than the probability that a line answers. On recorded sessions, LoCoMo and
	// memorycode 3, 4, 5 and 7 differed by about a point.
	steepness = 4
	// knownWorth is what something known is worth, relative to a line of talk with the same score.
	// With about the tokens of a line, it is worth so much a token as a line is in all.
	knownWorth = 100
)

// add adds the item of a candidate: it may be shown with all of its lines or with fewer, the best
// for their size first.
func (p *packing) add(c *item.Item) {
	it := &item.Item{Layer: item.L5JIT}
	p.items = append(p.items, it)
	frame := p.count(render.Block(p.element(c, nil)))
	if c.Lines == nil {
		it.Value = p.worth(c.Score) * knownWorth
		it.Forms = []item.Form{{Tokens: frame, Worth: 1}}
		p.order = append(p.order, nil)
		return
	}
	sizes, order := make([]int, len(c.Lines)), make([]int, len(c.Lines))
	for i, l := range c.Lines {
		order[i], sizes[i] = i, cmp.Or(l.Tokens, lineTokens(l, p.count))
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(p.worth(c.Lines[j].Score)*float64(sizes[i]), p.worth(c.Lines[i].Score)*float64(sizes[j]))
	})
	tokens, above := frame, map[int]bool{} // the prompts above the lines
	for _, i := range order {
		l := c.Lines[i]
		tokens += sizes[i]
		if l.Prompt != nil && !above[l.Prompt.Index] {
			above[l.Prompt.Index] = true
			tokens += lineTokens(*l.Prompt, p.count)
		}
		it.Value += p.worth(l.Score)
		it.Forms = append(it.Forms, item.Form{Tokens: tokens, Worth: it.Value})
	}
	slices.Reverse(it.Forms)
	for i := range it.Forms {
		it.Forms[i].Worth /= cmp.Or(it.Value, 1)
	}
	p.order = append(p.order, order)
}

// worth returns what a score is worth in the packing.
func (p *packing) worth(score float64) float64 {
	return math.Pow(max(0, score)/max(p.top, faintest), steepness)
}

func lineTokens(l item.Line, count func(string) int) int { return count(lineText(l) + "\n") }

func lineText(l item.Line) string {
	text := strings.Join(strings.Fields(l.Text), " ")
	if l.Author == "" {
		return text
	}
	if l.Refuted != "" {
		return fmt.Sprintf("%s (refuted in %s): %s", l.Author, l.Refuted, text)
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

// write renders what is in, the candidates in the forms of a plan.
func (p *packing) write(forms []int) (items []item.Item, text string, tokens int) {
	for i, form := range forms {
		if form < 0 {
			continue
		}
		c := &p.candidates[i]
		var lines []item.Line
		if c.Lines != nil {
			for _, j := range slices.Sorted(slices.Values(p.order[i][:len(p.order[i])-form])) {
				lines = append(lines, c.Lines[j])
			}
		}
		it := p.element(c, lines)
		note(&it)
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b item.Item) int { return cmp.Compare(b.Score, a.Score) })
	var out strings.Builder
	seen := map[string]bool{}
	for i := range items {
		it := &items[i]
		block := render.Block(*it)
		if seen[it.ID] && len(it.Lines) > 0 { // the same turn continued in another session
			it.ID += fmt.Sprintf(".%d", it.Lines[0].Index)
		}
		seen[it.ID] = true
		it.Span = item.Span{Start: out.Len(), End: out.Len() + len(block)}
		it.Tokens = p.count(block)
		tokens += it.Tokens
		out.WriteString(block)
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
