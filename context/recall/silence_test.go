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
