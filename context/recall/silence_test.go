package recall

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestSilenceModel checks that the file has a weight for each feature, and a floor that is a point
// of its curve, which is silent more often and answers less as it rises.
func TestSilenceModel(t *testing.T) {
	m := silence()
	if want := len(Evidence{}.Features()); len(m.Weights) != want {
		t.Fatalf("%d weights for %d features; run go run ./cmd/train silence", len(m.Weights), want)
	}
	if !slices.ContainsFunc(m.Curve, func(p SilencePoint) bool { return p.Floor == m.Floor }) {
		t.Errorf("the floor %v is no point of the curve", m.Floor)
	}
	if !slices.IsSortedFunc(m.Curve, func(a, b SilencePoint) int {
		if a.Floor < b.Floor && a.Silent <= b.Silent && a.Answered >= b.Answered {
			return -1
		}
		return 1
	}) {
		t.Errorf("the curve turns back: %+v", m.Curve)
	}
	none, all := Evidence{Unnamed: 1}, Evidence{Share: 1, Nats: 20}
	if none.Chance() >= m.Floor || all.Chance() < m.Floor {
		t.Errorf("no evidence has %v, full evidence %v, the floor is %v", none.Chance(), all.Chance(), m.Floor)
	}
}

// TestNeed checks that the file has a weight for each feature, and that a prompt needs what was
// said the more, the surer it is that anything was and the less surely a place helps.
func TestNeed(t *testing.T) {
	if got, want := len(needed().Weights), len(NeedFeatures(0, 0)); got != want {
		t.Fatalf("%d weights for %d features; run go run ./cmd/train needed", got, want)
	}
	if got, want := len(needed().Reminder), len(ReminderFeatures(0, 0, 0)); got != want {
		t.Fatalf("%d weights for %d features of a reminder; run go run ./cmd/train needed", got, want)
	}
	weak, strong, named := Evidence{Unnamed: 1}, Evidence{Share: 1, Nats: 20}, Evidence{named: true}
	for _, best := range []float64{0, .3, .9} {
		if weak.Needed(best) >= strong.Needed(best) || strong.Needed(best) > named.Needed(best) {
			t.Errorf("beside %v: %v by weak evidence, %v by strong, %v where a speaker is named", best, weak.Needed(best), strong.Needed(best), named.Needed(best))
		}
	}
	if a, b, c := strong.Needed(0), strong.Needed(.3), strong.Needed(.9); a < .5 || a <= b || b <= c || c > .5 {
		t.Errorf("%v, %v, %v as a place helps more", a, b, c)
	}
	most := strong.Reminds(.9, 0)
	for what, p := range map[string]float64{"a less probable turn": strong.Reminds(.3, 0), "weak evidence": weak.Reminds(.9, 0), "a place": strong.Reminds(.9, .6)} {
		if p >= most {
			t.Errorf("a reminder helps with %v by %s, else with %v", p, what, most)
		}
	}
}

// elsewhereShelf is a shelf whose conversation is not the one that asks.
type elsewhereShelf struct{ *shelf }

func (s elsewhereShelf) Latest(ctx context.Context, most int) ([]LocatedMessage, bool, error) {
	out, _, err := s.shelf.Latest(ctx, most)
	return out, false, err
}

// TestSilence checks that of many messages nothing is shown for a question about what was never
// said, what was derived among it, unless the caller wants the best there is, and that what was
// said is found.
func TestSilence(t *testing.T) {
	s := &shelf{count: counter(t)}
	for i := range fewMessages + 100 {
		s.said = append(s.said, LocatedMessage{1, i, i/2 + 1, 0, dialogue.Message{
			ID: fmt.Sprint("m", i), Role: dialogue.User, Content: fmt.Sprintf("The pier of harbour %d was repaired after the storm.", i), At: time.Unix(int64(i), 0),
		}})
	}
	s.said[40].Message.Content = "The keelson of the trawler cracked at noon."
	s.known = []item.Item{{ID: "lesson:1", Kind: item.Lesson, Derived: true, Score: 1, Body: "Repair the pier."}}
	ask := func(query string, always bool) *Result {
		r, err := Build(t.Context(), Request{Query: query, Budget: 400, MemoryType: "any", Always: always}, elsewhereShelf{s})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const never = "Which varnish did Ludmila choose for the bowsprit of the pier?"
	if r := ask(never, false); len(r.Items) > 0 {
		t.Errorf("of what was never said there is\n%s", r.Text)
	}
	if r := ask(never, true); r.Text == "" {
		t.Error("the best there is, is nothing")
	}
	if r := ask("when did the keelson of the trawler crack?", false); !slices.ContainsFunc(r.Items, func(it item.Item) bool { return slices.Contains(it.MessageIDs, "m40") }) {
		t.Errorf("what was said is missing in\n%s", r.Text)
	}
}
