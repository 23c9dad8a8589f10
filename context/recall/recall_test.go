package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

func counter(t testing.TB) func(string) int {
	t.Helper()
	c, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	return c.Count
}

// TestPackKeepsTheBudget checks for any candidates that the count is exact and within the budget,
// that the spans are the items' elements, and that a message is listed once and only if its text is
// shown.
func TestPackKeepsTheBudget(t *testing.T) {
	count := counter(t)
	rapid.Check(t, func(rt *rapid.T) {
		var candidates []item.Item
		texts := map[string]string{}
		for c := range rapid.IntRange(0, 6).Draw(rt, "candidates") {
			cand := item.Item{ID: fmt.Sprint("c", c), Kind: "turn", ConversationID: rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "conv")}
			for l := range rapid.IntRange(0, 8).Draw(rt, "lines") {
				id := fmt.Sprintf("m%d-%d", c, l)
				texts[id] = id + " " + rapid.StringOfN(rapid.RuneFrom([]rune("ab <>/&T-1Rctx\n é中")), 0, 60, -1).Draw(rt, "text")
				cand.Lines = append(cand.Lines, item.Line{
					Index: l, Turn: l + 1, ID: id, Author: "A", Text: texts[id], Score: rapid.Float64Range(0, 1).Draw(rt, "score"),
				})
			}
			if cand.Lines == nil {
				cand.Kind, cand.Body, cand.Score = "lesson", "a lesson", rapid.Float64Range(0, 2).Draw(rt, "score")
			}
			candidates = append(candidates, cand)
		}
		budget := rapid.IntRange(0, 400).Draw(rt, "budget")
		items, text, n := Pack(candidates, budget, count)
		if n != count(text) || n > budget {
			rt.Fatalf("%d tokens reported, %d counted, budget %d", n, count(text), budget)
		}
		seen := map[string]bool{}
		end := 0
		for _, it := range items {
			if it.Span.Start != end {
				rt.Fatalf("item %s starts at %d, want %d", it.ID, it.Span.Start, end)
			}
			end = it.Span.End
			for _, id := range it.MessageIDs {
				if seen[id] || !strings.Contains(text[it.Span.Start:it.Span.End], id) {
					rt.Fatalf("message %s is listed twice or not shown", id)
				}
				seen[id] = true
			}
		}
		if end != len(text) {
			rt.Fatalf("text has %d bytes, items cover %d", len(text), end)
		}
	})
}

// TestCut checks that the pieces of a text have all of its words, in order, and about the size.
func TestCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab. \n。中é")), 0, 300, -1).Draw(rt, "text")
		size := rapid.IntRange(4, 60).Draw(rt, "size")
		pieces := cut(text, size)
		blank := func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}
		if got, want := strings.Map(blank, strings.Join(pieces, "")), strings.Map(blank, text); got != want {
			rt.Fatalf("cut into %q", pieces)
		}
		for _, p := range pieces {
			if len(p) > size || p == "" {
				rt.Fatalf("a piece of %d bytes: %q", len(p), p)
			}
		}
	})
}

// TestWindow checks that the part of a passage that has the query's words is shown.
func TestWindow(t *testing.T) {
	s := dialog(t, 2, "The kiln broke.", "Noted.")
	q, err := newQuery(t.Context(), "kiln", false, s)
	if err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("The clay was wet and heavy that morning. ", 8)
	if got := q.window(filler+"The kiln broke at noon. "+filler, shownBytes, s.Terms); !strings.Contains(got, "kiln broke at noon") ||
		len(got) > shownBytes+4*len(omission) || !strings.HasPrefix(got, omission) || !strings.HasSuffix(got, omission) {
		t.Errorf("window = %q", got)
	}
	if got := q.window("short, without it", shownBytes, s.Terms); got != "short, without it" {
		t.Errorf("window = %q", got)
	}
}

func FuzzWindow(f *testing.F) {
	f.Add("Hello! [x] kiln? 中文。\n\nno")
	f.Fuzz(func(t *testing.T, text string) {
		q := &query{terms: []queryTerm{{text: "kiln", weight: 1}}, number: map[string]int{"kiln": 0}}
		shown := q.window(text, shownBytes, func(text string, yield func(string)) {
			for _, w := range strings.Fields(text) {
				yield(w)
			}
		})
		if len(shown) > max(len(text), shownBytes)+4*len(omission) {
			t.Fatalf("%q became longer: %q", text, shown)
		}
	})
}

func TestRecency(t *testing.T) {
	tests := []struct {
		req  Request
		want float64
	}{
		{Request{Query: "Where did Oskar learn to sail?"}, 0},
		{Request{Query: "What is our current rule for names?"}, 1},
		{Request{Query: "Do we still use tabs?"}, 1},
		{Request{Query: "how does parse_header fail"}, .5},
		{Request{Query: "names of tests", MemoryType: "rule"}, 1},
		{Request{Query: "Where did Oskar learn to sail?", Recency: .3}, .3},
		{Request{Query: "who knows snowboarding"}, 0},
	}
	for _, tt := range tests {
		if got := recency(tt.req); got != tt.want {
			t.Errorf("recency(%+v) = %v, want %v", tt.req, got, tt.want)
		}
	}
}

// shelf is Sources over one conversation held in memory; every message that shares a word with the
// query is a hit.
type shelf struct {
	count func(string) int
	said  []LocatedMessage
	known []item.Item
	// decided is the content of the arc, by turn.
	decided map[int][]string
}

func (s *shelf) Search(_ context.Context, text string, _ float64, limit int) ([]recall.Hit, error) {
	var hits []recall.Hit
	for _, m := range s.said {
		points := 0.0
		for _, w := range strings.Fields(strings.ToLower(text)) {
			if slices.Contains(strings.FieldsFunc(strings.ToLower(textOf(m.Message)), notLetter), strings.Trim(w, ".,?!")) {
				points++
			}
		}
		if points > 0 {
			hits = append(hits, recall.Hit{Conversation: 1, Message: m.Index, Score: points, Own: points})
		}
	}
	best := 1.0
	for _, h := range hits {
		best = max(best, h.Score)
	}
	for i := range hits {
		hits[i].Score, hits[i].Share = hits[i].Score/best, hits[i].Own/float64(len(strings.Fields(text)))
		hits[i].Own /= best
	}
	return hits[:min(limit, len(hits))], nil
}

func (s *shelf) Messages(_ context.Context, _ uint32, from, to int) ([]LocatedMessage, error) {
	return s.said[min(from, len(s.said)):min(to, len(s.said))], nil
}

func (s *shelf) Latest(_ context.Context, most int) ([]LocatedMessage, bool, error) {
	out := slices.Clone(s.said)
	slices.Reverse(out)
	return out[:min(most, len(out))], true, nil
}

func (s *shelf) Opening(_ context.Context, _ uint32, turn int) (LocatedMessage, int, error) {
	first, end := -1, 0
	for i, m := range s.said {
		if m.Turn == turn {
			if end = i + 1; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return LocatedMessage{}, 0, nil
	}
	return s.said[first], end, nil
}

func (s *shelf) Conversation(context.Context, uint32) (string, error) { return "boats", nil }

func (s *shelf) Knowledge(context.Context, string, string) ([]item.Item, error) { return s.known, nil }

func (s *shelf) Decisions(context.Context, uint32) (map[int][]string, error) { return s.decided, nil }

func (s *shelf) Frequency(_ context.Context, terms []string) (float64, []float64, error) {
	counts := make([]float64, len(terms))
	for i, t := range terms {
		for _, m := range s.said {
			if strings.Contains(strings.ToLower(m.Message.Content), t) {
				counts[i]++
			}
		}
	}
	return float64(len(s.said)), counts, nil
}

func (s *shelf) Terms(text string, yield func(string)) {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		yield(strings.Trim(w, ".,!?¿"))
	}
}

func (s *shelf) Count(text string) int { return s.count(text) }

func newShelf(t *testing.T) *shelf {
	at := time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)
	say := func(i, session int, author, text string) LocatedMessage {
		return LocatedMessage{1, i, i/2 + 1, session, dialogue.Message{
			ID: fmt.Sprint("m", i), Author: author, Content: text, At: at.AddDate(0, 0, 7*session),
		}}
	}
	s := &shelf{count: counter(t), said: []LocatedMessage{
		say(0, 0, "Ines", "Hello Oskar! Where is the boat now?"),
		say(1, 0, "Oskar", "Great question! The boat lies at the north pier."),
		say(2, 1, "Ines", "I painted the boat green. </ctx-turn>"),
		say(3, 1, "Oskar", "Lunch was good."),
	}}
	s.said[3].Message.ToolCalls = []dialogue.ToolCall{{
		Name: "tide", Arguments: json.RawMessage(`{"day":"today"}`), Result: json.RawMessage(`"boat afloat at nine"`),
	}}
	return s
}

// TestBuild checks the text of a small answer, as a reader gets it.
func TestBuild(t *testing.T) {
	s := newShelf(t)
	s.known = []item.Item{{
		ID: "rule:1", Kind: "rule", Title: "boats are green", TurnID: "T-2", Score: 3, Body: "Boats are green.", MessageIDs: []string{"m2"},
	}}
	r, err := Build(context.Background(), Request{Query: "boat pier", Budget: 400}, s)
	if err != nil {
		t.Fatal(err)
	}
	want := `<ctx-rule title="boats are green">
Boats are green.
</ctx-rule>
<ctx-turn turns="T-1" date="2025-03-04">
Ines: Hello Oskar! Where is the boat now?
Oskar: Great question! The boat lies at the north pier.
</ctx-turn>
<ctx-turn turns="T-2" date="2025-03-11">
Ines: I painted the boat green. &lt;/ctx-turn>
Oskar: Lunch was good.
</ctx-turn>
`
	if r.Text != want {
		t.Errorf("text\n%s\nwant\n%s", r.Text, want)
	}
	if got := r.Items[1].MessageIDs; !slices.Equal(got, []string{"m0", "m1"}) {
		t.Errorf("message ids %v", got)
	}
}

func TestBuildOfATypeWithoutMessages(t *testing.T) {
	r, err := Build(context.Background(), Request{Query: "boat", Budget: 400, MemoryType: "lesson"}, newShelf(t))
	if err != nil || r.Text != "" || r.Tokens != 0 {
		t.Errorf("%+v %v, want nothing", r, err)
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
