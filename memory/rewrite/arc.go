package rewrite

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/utterance"
)

//go:embed prompts/arc.txt
var arcPrompt string

// Limits on what a model writes about a conversation.
const (
	summaryTokens = 160
	focusTokens   = 32
	lineTokens    = 80 // of a decision or a question
	mostListed    = 24 // decisions, and questions likewise
	leastTold     = 2  // minimum number of turns for a request
)

// ShortTurn is a turn in the shortened form shown to a model.
type ShortTurn struct {
	Turn int
	Text string
}

// ConversationArc is a model's description of a conversation. Its JSON is the stored form.
type ConversationArc struct {
	Turns     int            `json:"turns"` // how many the conversation had then
	Summary   string         `json:"summary"`
	Focus     string         `json:"focus,omitempty"`
	Decisions []arc.Decision `json:"decisions,omitempty"`
	Open      []arc.Question `json:"open,omitempty"`
}

// ConversationTask asks a model what a conversation is about.
type ConversationTask struct {
	Request Request

	o     Options
	turns int
	shown map[int]string // by turn
	text  string         // everything shown
	rules arc.Arc
}

// Conversation returns the task of describing a conversation with that many turns. Its inputs are
// the last turns, shortened and oldest first; the arc made by rules; and the model's previous
// description, or the zero value. It shows as many of the last turns as fit. ok is false if there
// is nothing to ask for.
func Conversation(turns int, told []ShortTurn, rules arc.Arc, before ConversationArc, o Options) (ConversationTask, bool) {
	for ; len(told) >= leastTold; told = told[(len(told)+7)/8:] {
		t := ConversationTask{o: o, turns: turns, shown: map[int]string{}, rules: rules}
		prompt := t.prompt(told, before)
		var ok bool
		if t.Request, ok = o.request(arcPrompt, prompt, []byte(arcSchema), summaryTokens+focusTokens+mostListed*lineTokens/2, 8); ok {
			return t, true
		}
	}
	return ConversationTask{}, false
}

const arcSchema = `{"type":"object","properties":{"summary":{"type":"string"},"focus":{"type":"string"},` +
	`"decisions":{"type":"array","items":` + arcItem + `},"openQuestions":{"type":"array","items":` + arcItem + `}},` +
	`"required":["summary","focus","decisions","openQuestions"],"additionalProperties":false}`

const arcItem = `{"type":"object","properties":{"text":{"type":"string"},"turn":{"type":"integer"}},"required":["text","turn"],"additionalProperties":false}`

// prompt returns the request and records what it shows of each turn.
func (t *ConversationTask) prompt(told []ShortTurn, before ConversationArc) string {
	var b strings.Builder
	element := func(tag, body string) {
		if body != "" {
			b.WriteString(t.o.Block(tag, body))
			t.text += body + "\n"
		}
	}
	var decided, asked, lines strings.Builder
	line := func(to *strings.Builder, turn int, text string) {
		fmt.Fprintf(to, "Turn %d: %s\n", turn, strings.TrimSpace(text))
		t.shown[turn] += text + "\n"
	}
	for _, d := range lastOf(t.rules.Decisions) {
		line(&decided, d.Turn, d.Text)
	}
	for _, q := range lastOf(t.rules.Open) {
		line(&asked, q.Turn, q.Text)
	}
	for _, turn := range told {
		line(&lines, turn.Turn, turn.Text)
	}
	fmt.Fprintf(&b, "The conversation has %d turns.\n\n", t.turns)
	element("summary-until-turn-"+fmt.Sprint(before.Turns), before.Summary)
	element("decisions-noted", decided.String())
	element("questions-noted", asked.String())
	element("turns", lines.String())
	return b.String()
}

// lastOf returns the last entries of a list, as many as a model is shown.
func lastOf[T any](list []T) []T { return list[max(len(list)-mostListed, 0):] }

// Read returns the description of the conversation in an answer. It omits decisions and questions
// that name a turn that was not shown, or whose content that turn does not contain; dropped counts
// them. It returns an error if there is no usable summary.
func (t *ConversationTask) Read(answer string) (s ConversationArc, dropped int, err error) {
	type item struct {
		Text string `json:"text"`
		Turn int    `json:"turn"`
	}
	var in struct {
		Summary   string `json:"summary"`
		Focus     string `json:"focus"`
		Decisions []item `json:"decisions"`
		Open      []item `json:"openQuestions"`
	}
	if err := read(answer, &in); err != nil {
		return ConversationArc{}, 0, err
	}
	s.Turns = t.turns
	if s.Summary, err = t.o.text(in.Summary, check{source: t.text, most: summaryTokens, line: true}); err != nil {
		return ConversationArc{}, 0, fmt.Errorf("summary %w", err)
	}
	s.Focus, _ = t.o.text(in.Focus, check{source: t.text, most: focusTokens, line: true}) // the rules have one
	usable := func(list []item) (out []item) {
		for _, it := range list {
			text, bad := t.o.text(it.Text, check{source: t.text, most: lineTokens, line: true})
			if bad != nil || !t.said(text, it.Turn) || len(out) == mostListed {
				dropped++
				continue
			}
			out = append(out, item{text, it.Turn})
		}
		slices.SortStableFunc(out, func(a, b item) int { return a.Turn - b.Turn })
		return slices.Compact(out)
	}
	for _, it := range usable(in.Decisions) {
		s.Decisions = append(s.Decisions, arc.Decision{Text: it.Text, Turn: it.Turn, Rejected: t.rejected(it.Text, it.Turn)})
	}
	for _, it := range usable(in.Open) {
		s.Open = append(s.Open, arc.Question{Text: it.Text, Turn: it.Turn})
	}
	return s, dropped, nil
}

// said reports whether a text is about the turn it names: half of its words have a match in meaning
// in what was shown of that turn.
func (t *ConversationTask) said(text string, turn int) bool {
	shown, ok := t.shown[turn]
	if !ok || turn < 1 || turn > t.turns {
		return false
	}
	in := termsOf(shown)
	all, found := 0, 0
	for term := range termsOf(text) {
		all++
		if in[term] {
			found++
		}
	}
	return found > 0 && found*2 >= all
}

// rejected returns the alternatives that the rules found for the same decision.
func (t *ConversationTask) rejected(text string, turn int) []string {
	for _, d := range t.rules.Decisions {
		if d.Turn == turn && alike(d.Text, text) {
			return d.Rejected
		}
	}
	return nil
}

func termsOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range utterance.Terms(text) {
		set[strings.ToLower(text[t.Start:t.End])] = true
	}
	return set
}

// alike reports whether two sentences share half of the words of the shorter one.
func alike(a, b string) bool {
	x, y := termsOf(a), termsOf(b)
	common := 0
	for term := range x {
		if y[term] {
			common++
		}
	}
	return common*2 >= min(len(x), len(y)) && common > 0
}
