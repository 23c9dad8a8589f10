package arc

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// most holds what each style shows at most.
var most = map[Style]struct{ decisions, open, course int }{
	Light: {1, 1, 0}, Rich: {8, 5, 3}, Dense: {1 << 20, 1 << 20, 1 << 20},
}

// writer collects the lines of an arc within a budget.
type writer struct {
	turns   []turnText
	a       *Arc // its lists hold only the newest
	decided int  // the number of all decisions
	open    int  // the number of all open questions

	budget int // 0 = none
	used   int
	count  func(string) int
}

// fits reports whether a line fits in the budget and, if so, charges it.
func (w *writer) fits(line string) bool {
	n := w.count(line) + 1
	if w.budget > 0 && w.used+n > w.budget {
		return false
	}
	w.used += n
	return true
}

// write returns the text of an arc.
func (w *writer) write(style Style, budget int) string {
	if len(w.turns) == 0 || w.a.Focus == "" && len(w.a.Decisions) == 0 && len(w.a.Open) == 0 {
		return ""
	}
	if _, ok := most[style]; !ok {
		style = Rich
	}
	var text string
	for room := max(budget, 0); ; room = room * 7 / 8 {
		w.budget, w.used = room, 0
		if style == Light {
			text = w.light()
		} else {
			text = w.lists(style)
		}
		if budget <= 0 || w.count(text) <= budget {
			return text
		}
		if room < 8 {
			return ""
		}
	}
}

// light returns the text in one or two sentences.
func (w *writer) light() string {
	a := w.a
	var parts []string
	if s := w.focusLine(); s != "" && w.fits(s) {
		parts = append(parts, s)
	}
	tail := ""
	if n := len(a.Decisions); n > 0 {
		if s := "Decided: " + sentence(a.Decisions[n-1].Text, a.Decisions[n-1].Turn); w.fits(s) {
			tail = s
		}
	}
	if n := len(a.Open); n > 0 {
		s := "Open: " + sentence(a.Open[n-1].Text, a.Open[n-1].Turn)
		if tail != "" {
			s = "; open: " + sentence(a.Open[n-1].Text, a.Open[n-1].Turn)
		}
		if w.fits(s) {
			tail += s
		}
	}
	if tail != "" {
		parts = append(parts, tail+".")
	}
	return strings.Join(parts, " ")
}

func sentence(text string, turn int) string {
	return strings.TrimRight(text, ".!。！") + " (" + dialogue.TurnID(turn) + ")"
}

// focusLine returns the current focus with its turn.
func (w *writer) focusLine() string {
	a := w.a
	if a.Focus == "" {
		return ""
	}
	return "Current focus: " + sentence(a.Focus, w.focusTurn()) + "."
}

func (w *writer) focusTurn() int {
	for i := len(w.turns) - 1; i >= 0; i-- {
		if w.turns[i].intent != "" {
			return w.turns[i].turn
		}
	}
	return w.turns[len(w.turns)-1].turn
}

// lists returns the focus and the lists of decisions, questions and what the turns were about. Each
// list holds its latest entries that fit, in the order of their turns.
func (w *writer) lists(style Style) string {
	a := w.a
	limit := most[style]
	text := ""
	now := w.focusLine()
	if now != "" && w.fits(now) {
		text = now
	}
	text = w.list(text, "Decided:", w.decided, len(a.Decisions), limit.decisions, func(i int) string {
		return "- " + sentence(a.Decisions[i].Text, a.Decisions[i].Turn)
	})
	text = w.list(text, "Open questions:", w.open, len(a.Open), limit.open, func(i int) string {
		return "- " + sentence(a.Open[i].Text, a.Open[i].Turn)
	})
	if limit.course > 0 {
		course := w.course(style)
		text = w.list(text, "Course:", len(course), len(course), limit.course, func(i int) string { return course[i] })
	}
	return text
}

// list appends a heading and the latest of n lines that fit, at most limit. The n lines are the
// last of all.
func (w *writer) list(text, title string, all, n, limit int, line func(i int) string) string {
	if n == 0 {
		return text
	}
	before := w.used
	if !w.fits(title) {
		return text
	}
	var lines []string
	for len(lines) < min(n, limit) {
		s := line(n - 1 - len(lines))
		if !w.fits(s) {
			break
		}
		lines = append(lines, s)
	}
	if len(lines) == 0 {
		w.used = before
		return text
	}
	if text != "" {
		text += "\n"
	}
	text += title
	if len(lines) < all && limit > 3 {
		if s := fmt.Sprintf(" (the last %d of %d)", len(lines), all); w.fits(s) {
			text += s
		}
	}
	slices.Reverse(lines)
	return text + "\n" + strings.Join(lines, "\n")
}

// course returns what the latest turns asked for, as many as can fit, except what the arc already
// contains.
func (w *writer) course(style Style) []string {
	said := map[string]bool{letters(w.a.Focus): true}
	for _, d := range w.a.Decisions {
		said[letters(d.Text)] = true
	}
	for _, q := range w.a.Open {
		said[letters(q.Text)] = true
	}
	skip, room, last := w.focusTurn(), min(len(w.turns), most[style].course), 0
	if w.budget > 0 {
		room = min(room, w.budget/leastLine+1)
	}
	if w.budget > 0 || room < len(w.turns) {
		last = len(w.turns) - 4*room - looked
	}
	var lines []string
	for i := len(w.turns) - 1; i >= max(last, 0) && len(lines) < room; i-- {
		t := &w.turns[i]
		if key := letters(t.intent); t.intent != "" && t.turn != skip && !said[key] {
			said[key] = true
			lines = append(lines, "- "+sentence(t.intent, t.turn))
		}
	}
	slices.Reverse(lines)
	return lines
}

// looked is how many turns, beyond four per available line, the course considers.
const looked = 200

// leastLine is the smallest number of tokens a line takes: its dash and its turn.
const leastLine = 4

// letters returns a text in lower case without punctuation and white space.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
