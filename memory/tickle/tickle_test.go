package tickle

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var halloween = time.Date(2026, 10, 31, 23, 30, 0, 0, time.FixedZone("", -3600)) // the first of November in UTC

func TestMake(t *testing.T) {
	long := strings.Repeat("a word and ", 60)
	for _, c := range []struct {
		name              string
		turn              Turn
		title, text, date string
	}{
		{"a turn", Turn{ConversationID: "shop", Number: 87, At: halloween.Add(-time.Hour), Tiny: "The pool keeps slots per root."},
			"Turn 87 (2026-10-31): The pool keeps slots per root.",
			`This reminds you of turn 87 (2026-10-31): The pool keeps slots per root. Fetch it with contexture.conversation.turn {"conversationId":"shop","turnId":"T-87"}`, "2026-10-31"},
		{"dates are of UTC", Turn{ConversationID: "a", Number: 1, At: halloween, Tiny: "Why?"},
			"Turn 1 (2026-11-01): Why?",
			`This reminds you of turn 1 (2026-11-01): Why? Fetch it with contexture.conversation.turn {"conversationId":"a","turnId":"T-1"}`, "2026-11-01"},
		{"of another conversation, over lines, without an end", Turn{ConversationID: "b", ConversationTitle: "Cart\nsums", Number: 2, Tiny: "Totals are\n\tin  cents\x00"},
			"Turn 2 of “Cart sums”: Totals are in cents",
			`This reminds you of turn 2 of “Cart sums”: Totals are in cents. Fetch it with contexture.conversation.turn {"conversationId":"b","turnId":"T-2"}`, ""},
		{"nothing to say", Turn{ConversationID: "q\"", Number: 3, At: halloween},
			"Turn 3 (2026-11-01)",
			`This reminds you of turn 3 (2026-11-01). Fetch it with contexture.conversation.turn {"conversationId":"q\"","turnId":"T-3"}`, "2026-11-01"},
		{"too long", Turn{ConversationID: "l", Number: 4, Tiny: long},
			"Turn 4: " + long[:78] + "…",
			`This reminds you of turn 4: ` + long[:298] + `… Fetch it with contexture.conversation.turn {"conversationId":"l","turnId":"T-4"}`, ""},
	} {
		got := Make(c.turn)
		if got.Title != c.title || got.Text != c.text || got.Date != c.date || got.Turn != c.turn.Number || got.ConversationID != c.turn.ConversationID {
			t.Errorf("%s:\n%+v, want\n%s\n%s", c.name, got, c.title, c.text)
		}
		if want := fmt.Sprintf("tickler:%s/T-%d", c.turn.ConversationID, c.turn.Number); got.ID != want {
			t.Errorf("%s: id %s", c.name, got.ID)
		}
	}
}

func FuzzMake(f *testing.F) {
	f.Add("shop", "Cart\x00", "a \xff sentence", 7)
	f.Fuzz(func(t *testing.T, id, title, tiny string, n int) {
		got := Make(Turn{ConversationID: id, ConversationTitle: title, Tiny: tiny, Number: n, At: halloween})
		for _, s := range []string{got.Title, got.Summary} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x00") || utf8.RuneCountInString(s) > 500 {
				t.Errorf("%q is no line", s)
			}
		}
		if !utf8.ValidString(got.Text) || strings.Contains(got.Text, "\n") {
			t.Errorf("text %q", got.Text)
		}
	})
}

func tickler(turn int, score float64, summary string) Tickler {
	return Make(Turn{ConversationID: "c", Number: turn, Score: score, Tiny: summary, At: halloween.AddDate(0, 0, turn)})
}

func numbers(list []Tickler) string {
	var out []string
	for _, t := range list {
		out = append(out, fmt.Sprint(t.Turn))
	}
	return strings.Join(out, " ")
}

func TestChoose(t *testing.T) {
	list := []Tickler{
		tickler(1, .5, "The pool keeps slots."),
		tickler(2, .9, "Totals are in cents."),
		tickler(3, .5, "Dates are in UTC."),
		tickler(3, .2, "Dates are in UTC, again."),
		tickler(4, .8, "the POOL keeps slots!"),
		tickler(5, .1, "A test was slow."),
		tickler(6, math.NaN(), "No score."),
		tickler(7, .05, "Port 80 is used."),
		tickler(8, .04, "Port 81 is used."),
		tickler(9, .03, ""),
		tickler(10, .02, "…"),
	}
	for _, c := range []struct {
		name  string
		rules Rules
		want  string
	}{
		{"all rules at rest", Rules{Limit: 50}, "2 4 3 5 7 8 9 10"},
		{"limit", Rules{Limit: 2}, "2 4"},
		{"none", Rules{}, ""},
		{"below none", Rules{Limit: -1}, ""},
		{"in view", Rules{Limit: 2, InView: map[string]bool{ID("c", 2): true, ID("c", 4): true}}, "3 1"},
		{"least score", Rules{Limit: 9, MinScore: .1}, "2 4 3 5"},
		{"least share", Rules{Limit: 9, MinShare: .6}, "2 4"},
	} {
		if got := numbers(Choose(list, c.rules)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := Choose(nil, Rules{Limit: 5}); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %#v", got)
	}
	var many []Tickler
	for i := range 50 {
		many = append(many, tickler(i+1, 1, fmt.Sprintf("It was number %d.", i)))
	}
	if got := Choose(many, Rules{Limit: 50}); len(got) != HardCap || got[0].Turn != 50 {
		t.Errorf("%d ticklers, first %d", len(got), got[0].Turn)
	}
}

func TestChooseKeepsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"pool", "cart", "slot", "7", "8", "waits"})
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Tickler {
			return tickler(rapid.IntRange(1, 12).Draw(t, "turn"), float64(rapid.IntRange(0, 4).Draw(t, "score")),
				strings.Join(rapid.SliceOfN(words, 0, 4).Draw(t, "words"), " "))
		}), 0, 30).Draw(t, "list")
		r := Rules{Limit: rapid.IntRange(0, 25).Draw(t, "limit"), InView: map[string]bool{ID("c", 3): true}, MinScore: 1, MinShare: .3}
		got := Choose(list, r)
		if len(got) > min(r.Limit, HardCap) {
			t.Fatalf("%d of %d", len(got), r.Limit)
		}
		seen := map[string]bool{}
		for i, x := range got {
			if seen[x.ID] || r.InView[x.ID] || x.Score < max(1, .3*got[0].Score) || i > 0 && x.Score > got[i-1].Score {
				t.Fatalf("chose %+v", x)
			}
			seen[x.ID] = true
		}
		if again := Choose(got, r); !reflect.DeepEqual(again, got) {
			t.Fatalf("again %s, first %s", numbers(again), numbers(got))
		}
		turned := append(append([]Tickler(nil), list[len(list)/2:]...), list[:len(list)/2]...)
		if other := Choose(turned, r); numbers(other) != numbers(got) {
			t.Fatalf("another order gives %s, not %s", numbers(other), numbers(got))
		}
	})
}
