package extract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

const (
	mostOfMessage = 8 << 10   // bytes of one message that a summary reads
	mostOfRun     = 256 << 10 // bytes of all
	leastOfRun    = 24 << 10
)

// Compact sums a run of messages up in at most budget tokens: one sentence that says how many there are and what they
// are about, then the most telling lines, oldest first, each with who said it. Decisions and errors come first where
// the budget is short. Time is linear in the run and little of it is spent on messages that do not matter: those are
// only scored, by [Importance].
func Compact(msgs []dialogue.Message, budget int, o Options) string {
	if len(msgs) == 0 || budget <= 0 {
		return ""
	}
	run := shortlist(msgs, budget)
	d := newDraft(dialogue.Turn{Messages: run}, o)
	head := overview(msgs, d, min(max(budget/4, 16), 48))
	if o.count(head) >= budget {
		return cutTo(head, budget, o)
	}
	p := plan{must: func(*unit) bool { return false }}
	p.factor = func(u *unit) float64 {
		if u.decides || u.fails && u.tier != shown {
			return 8
		}
		return [tiers]float64{own: 1.6, said: 1, code: 0.5, called: 0.8, shown: 0.1}[u.tier]
	}
	// Units are costed one by one; joined they may take a little more or less, so the budget is tried a few times.
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
			return text
		}
	}
	return head
}

// shortlist gives the messages that a summary is made from, in order: the most important of them up to some times the
// budget in bytes, long ones without their middle.
func shortlist(msgs []dialogue.Message, budget int) []dialogue.Message {
	limit := min(max(budget*4*6, leastOfRun), max(mostOfRun, budget*4*2))
	type scored struct {
		index int
		score float64
	}
	order := make([]scored, len(msgs))
	total := 0
	for i, m := range msgs {
		order[i] = scored{i, Importance(m, i, len(msgs)) + told(m.Content)}
		total += min(len(m.Content), mostOfMessage) + callBytes(m)
	}
	if total > limit {
		slices.SortFunc(order, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.index, b.index))
		})
		size := 0
		for i, s := range order {
			size += min(len(msgs[s.index].Content), mostOfMessage) + callBytes(msgs[s.index])
			if size > limit && i > 0 {
				order = order[:i]
				break
			}
		}
		slices.SortFunc(order, func(a, b scored) int { return cmp.Compare(a.index, b.index) })
	}
	out := make([]dialogue.Message, len(order))
	for i, s := range order {
		m := msgs[s.index]
		if len(m.Content) > mostOfMessage {
			m.Content = m.Content[:runeStart(m.Content, mostOfMessage*3/4)] + "\n…\n" + m.Content[runeStart(m.Content, len(m.Content)-mostOfMessage/4):]
		}
		out[i] = m
	}
	return out
}

// told is what a message counts more for words that decide or report a failure, of which importance knows a few.
func told(text string) float64 {
	if len(text) > mostOfMessage {
		text = text[:mostOfMessage]
	}
	decides, fails := 0.0, 0.0
	for i := 0; i+1 < len(text) && (decides == 0 || fails == 0); i++ {
		hint, failure := "", false
		switch uint16(text[i])<<8 | uint16(text[i+1]) {
		case 'e'<<8 | 't':
			hint = "et's "
		case 'e'<<8 | 'c':
			if hint = "ecided "; strings.HasPrefix(text[i:], "ecis") {
				hint = "ecision:"
			}
		case 'n'<<8 | 's':
			hint = "nstead of "
		case 'o'<<8 | 'i':
			hint = "oing with "
		case 'g'<<8 | 'r':
			hint = "greed "
		case 'h'<<8 | 'o':
			hint = "hose "
		case 'i'<<8 | 'n':
			hint = "inal:"
		case 'c'<<8 | 't':
			hint = "ctually, "
		case '\''<<8 | 'd':
			hint = "'d rather "
		case 'r'<<8 | 'r':
			hint, failure = "rror: ", true
		case 'a'<<8 | 'n':
			hint, failure = "anic: ", true
		case 'F'<<8 | 'A':
			hint, failure = "FAIL", true
		case 'x'<<8 | 'c':
			hint, failure = "xception", true
		case 'a'<<8 | 't':
			hint, failure = "atal: ", true
		default:
			continue
		}
		switch {
		case !strings.HasPrefix(text[i:], hint):
		case failure:
			fails = 30
		default:
			decides = 40
		}
	}
	return decides + fails
}

func callBytes(m dialogue.Message) int { return min(100*len(m.ToolCalls), mostOfMessage) }

// overview is the first sentence of a summary, in about limit tokens.
func overview(msgs []dialogue.Message, d *draft, limit int) string {
	people, calls := 0, 0
	for _, m := range msgs {
		if m.Role == dialogue.User {
			people++
		}
		calls += len(m.ToolCalls)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d messages", len(msgs))
	if len(msgs) == 1 {
		b.Reset()
		b.WriteString("1 message")
	}
	if people > 0 && people < len(msgs) {
		fmt.Fprintf(&b, " (%d of the user's)", people)
	}
	if calls > 0 {
		fmt.Fprintf(&b, ", %d tool calls", calls)
	}
	if i := d.intent(); i >= 0 {
		if s := d.shorten(d.units[i].text, limit-d.o.count(b.String())); s != "" {
			b.WriteString(", beginning with: " + s)
		}
	}
	return b.String() + "."
}
