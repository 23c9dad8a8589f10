package level

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

const (
	mostOfMessage = 8 << 10   // bytes of one message that a summary reads
	mostOfRun     = 256 << 10 // bytes of all messages
	leastOfRun    = 24 << 10
)

// Compact returns a summary of a run of messages in at most budget tokens: one sentence with their
// number and subjects, then the most informative lines, oldest first, each with its speaker. When
// the budget is short, decisions and errors come first.
//
// weights holds the weights of all messages of the run, see [Weigh]. read returns the few messages
// that the summary is made from, by their indices in the run, ascending; their number does not
// depend on the length of the run. Errors are those of read.
func Compact(weights []Weight, read func(picked []int) ([]dialogue.Message, error), budget int, o Options) (string, error) {
	if len(weights) == 0 || budget <= 0 {
		return "", nil
	}
	run, err := read(shortlist(weights, budget))
	if err != nil {
		return "", err
	}
	for i := range run {
		run[i].Content = withoutMiddle(run[i].Content)
	}
	d := newDraft(dialogue.Turn{Messages: run}, o)
	head := overview(weights, d, min(max(budget/4, 16), 48))
	if o.count(head) >= budget {
		return cutTo(head, budget, o), nil
	}
	p := plan{}
	p.factor = func(u *unit) float64 {
		if u.settles || u.fails && u.tier != shown {
			return 8
		}
		return tierFactors[u.tier]
	}
	// Units are costed individually, but joined units may cost a little more or less, so try
	// several budgets.
	room := budget - o.count(head) - 1
	for try := room; try > 0; try = try * 7 / 8 {
		p.budget = try
		in, _ := d.choose(p)
		body := d.render(in, p, nil)
		if body == "" {
			break
		}
		text := head + "\n- " + strings.ReplaceAll(body, "\n", "\n- ")
		if o.count(text) <= budget {
			return text, nil
		}
	}
	return head, nil
}

// shortlist returns the indices of the messages that a summary is made from, in order: the most
// important ones, up to a multiple of the budget in bytes.
func shortlist(weights []Weight, budget int) []int {
	limit := min(max(budget*4*6, leastOfRun), max(mostOfRun, budget*4*2))
	picked := make([]int, len(weights))
	total := 0
	for i, w := range weights {
		picked[i] = i
		total += w.Bytes
	}
	if total <= limit {
		return picked
	}
	scores := make([]float64, len(weights))
	for i, w := range weights {
		scores[i] = w.At(i, len(weights)) + w.told()
	}
	slices.SortFunc(picked, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	size := 0
	for i, at := range picked {
		size += weights[at].Bytes
		if size > limit && i > 0 {
			picked = picked[:i]
			break
		}
	}
	slices.Sort(picked)
	return picked
}

// withoutMiddle returns the part of a message that a summary reads: its beginning and its end.
func withoutMiddle(text string) string {
	if len(text) <= mostOfMessage {
		return text
	}
	return text[:runeStart(text, mostOfMessage*3/4)] + "\n…\n" + text[runeStart(text, len(text)-mostOfMessage/4):]
}

// overview returns the first sentence of a summary, in about limit tokens.
func overview(weights []Weight, d *draft, limit int) string {
	people, calls := 0, 0
	for _, w := range weights {
		if w.User {
			people++
		}
		calls += w.Calls
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d messages", len(weights))
	if len(weights) == 1 {
		b.Reset()
		b.WriteString("1 message")
	}
	if people > 0 && people < len(weights) {
		fmt.Fprintf(&b, " (%d of the user's)", people)
	}
	if calls > 0 {
		fmt.Fprintf(&b, ", %d tool calls", calls)
	}
	if i := d.intent(); i >= 0 {
		if s := d.cut(d.sentenceOf(i), limit-d.o.count(b.String())); s != "" {
			b.WriteString(", beginning with: " + s)
		}
	}
	return b.String() + "."
}
