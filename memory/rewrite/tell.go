package rewrite

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// listed holds what each style shows at most; of a longer list it shows the newest.
var listed = map[arc.Style]struct{ decisions, open int }{
	arc.Light: {1, 1}, arc.Rich: {8, 5}, arc.Dense: {1 << 20, 1 << 20},
}

// Tell combines what a model wrote some turns ago with the rules' current arc. It keeps everything
// that the rules found and adds the model's entries, except those that a later decision replaced.
// The text takes at most budget tokens (≤ 0: no limit). ok is false if the model's summary does not
// fit.
func Tell(s ConversationArc, rules arc.Arc, style arc.Style, budget int, count func(string) int) (a arc.Arc, ok bool) {
	a = arc.Arc{Decisions: slices.Clone(rules.Decisions), Open: slices.Clone(rules.Open), Focus: rules.Focus}
	for _, d := range s.Decisions {
		if !settled(d, rules.Decisions) {
			a.Decisions = append(a.Decisions, d)
		}
	}
	for _, q := range s.Open {
		if !slices.ContainsFunc(rules.Open, func(r arc.Question) bool { return alike(r.Text, q.Text) }) {
			a.Open = append(a.Open, q)
		}
	}
	slices.SortStableFunc(a.Decisions, func(x, y arc.Decision) int { return x.Turn - y.Turn })
	slices.SortStableFunc(a.Open, func(x, y arc.Question) int { return x.Turn - y.Turn })
	if s.Focus != "" && !s.outdated(rules) {
		a.Focus = s.Focus
	}
	limit, known := listed[style]
	if !known {
		limit = listed[arc.Rich]
	}
	decided, open := min(limit.decisions, len(a.Decisions)), min(limit.open, len(a.Open))
	for {
		a.Text = story(s.Summary, a, decided, open)
		if budget <= 0 || count(a.Text) <= budget {
			return a, true
		}
		switch {
		case open > decided || decided == 0 && open > 0:
			open -= 1 + open/8
		case decided > 0:
			decided -= 1 + decided/8
		default:
			return arc.Arc{}, false
		}
	}
}

// story returns the text of an arc: a paragraph and the newest entries of its lists.
func story(summary string, a arc.Arc, decided, open int) string {
	var b strings.Builder
	b.WriteString(summary)
	if a.Focus != "" {
		b.WriteString(" Current focus: " + strings.TrimRight(a.Focus, ".! ") + ".")
	}
	list := func(title string, n int, of func(i int) (string, int), all int) {
		if n > 0 {
			b.WriteString("\n" + title)
		}
		for i := all - n; i < all; i++ {
			text, turn := of(i)
			b.WriteString("\n- " + strings.TrimRight(text, ".! ") + " (" + dialogue.TurnID(turn) + ")")
		}
	}
	list("Decided:", decided, func(i int) (string, int) { return a.Decisions[i].Text, a.Decisions[i].Turn }, len(a.Decisions))
	list("Open questions:", open, func(i int) (string, int) { return a.Open[i].Text, a.Open[i].Turn }, len(a.Open))
	return b.String()
}

// outdated reports whether a decision or question came up after the model wrote.
func (s *ConversationArc) outdated(rules arc.Arc) bool {
	return slices.ContainsFunc(rules.Decisions, func(d arc.Decision) bool { return d.Turn > s.Turns }) ||
		slices.ContainsFunc(rules.Open, func(q arc.Question) bool { return q.Turn > s.Turns })
}

// settled reports whether a decision from a model is already among the rules' decisions, or is
// about something that a later one of these decided otherwise.
func settled(d arc.Decision, rules []arc.Decision) bool {
	return slices.ContainsFunc(rules, func(r arc.Decision) bool {
		if r.Turn < d.Turn {
			return false
		}
		return alike(r.Text, d.Text) || r.Turn > d.Turn && slices.ContainsFunc(r.Rejected, func(gone string) bool { return within(gone, d.Text) })
	})
}

// within reports whether all words of small have a match in meaning in large.
func within(small, large string) bool {
	in := termsOf(large)
	some := false
	for term := range termsOf(small) {
		if some = true; !in[term] {
			return false
		}
	}
	return some
}
