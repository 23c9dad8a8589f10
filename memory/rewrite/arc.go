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

// Bounds of what a model writes of a conversation.
const (
	summaryTokens = 160
	focusTokens   = 32
	lineTokens    = 80 // of a decision or a question
	mostListed    = 24 // decisions, and questions
	leastTold     = 2  // turns without which nothing is asked
)

// Told is a turn as a model is shown it, shortened.
type Told struct {
	Turn int
	Text string
}

// ConversationArc is what a model wrote of a conversation. Its JSON is the stored form.
type ConversationArc struct {
	Turns     int            `json:"turns"` // how many the conversation had
	Summary   string         `json:"summary"`
	Focus     string         `json:"focus,omitempty"`
	Decisions []arc.Decision `json:"decisions,omitempty"`
	Open      []arc.Question `json:"open,omitempty"`
}

// ConversationTask asks what a conversation is about.
type ConversationTask struct {
	Request Request

	o     Options
	turns int
	shown map[int]string // by turn
	text  string         // all that is shown
	rules arc.Arc
}

// Conversation returns the task of telling what a conversation of so many turns is about, of its
// last turns, shortened and oldest first, of the arc made by rules, and of what a model wrote
// before, the zero value where it did not. As many of the last turns are shown as have room. ok is
// false where there is nothing to ask for.
func Conversation(turns int, told []Told, rules arc.Arc, before ConversationArc, o Options) (ConversationTask, bool) {
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

// prompt writes the request and notes what is shown of which turn.
func (t *ConversationTask) prompt(told []Told, before ConversationArc) string {
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

// lastOf are the last of a list, as many as a model is shown.
func lastOf[T any](list []T) []T { return list[max(len(list)-mostListed, 0):] }

// Read returns what an answer says of the conversation. Decisions and questions that name a turn
// that was not shown, or say what that turn does not, are left out; dropped counts them. Without a
// usable summary there is an error.
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

// said reports whether a text is of the turn it names: half of its words, in meaning, are in what
// was shown of that.
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

// rejected are the alternatives that the rules found for the same decision.
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
