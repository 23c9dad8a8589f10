package history

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func same(n int, s Size) []Size {
	out := make([]Size, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func bands(l Layout) string {
	var out []string
	if l.Dropped > 0 {
		out = append(out, fmt.Sprintf("-%d", l.Dropped))
	}
	for _, b := range l.Bands {
		out = append(out, dialogue.RangeTag(b.From, b.To, b.Level))
	}
	return strings.Join(out, " ")
}

func TestPlan(t *testing.T) {
	turn := Size{2000, 800, 500, 140} // the example of the specification, 200 of them in 100k
	small := Size{100, 60, 35, 5}
	huge := Size{5000, 3000, 1750, 100}
	for _, c := range []struct {
		name   string
		sizes  []Size
		budget int
		s      Strategy
		want   string
		at     int
	}{
		{"the example, just recalculated", same(200, turn), 100000, Gradient,
			"-11 T-12-through-111-T T-112-through-171-C T-172-through-192-S T-193-through-200-R", 200},
		{"the example, a period later", same(209, turn), 100000, Gradient,
			"-11 T-12-through-111-T T-112-through-171-C T-172-through-192-S T-193-through-209-R", 200},
		{"everything fits", same(9, small), 900, Gradient, "T-1-through-9-R", 1},
		{"everything fits, later", same(19, small), 1900, Gradient, "T-1-through-19-R", 10},
		{"the turn that does not fit moves the borders", same(9, small), 899, Gradient,
			"T-1-through-4-T T-5-through-7-C T-8-S T-9-R", 9},
		{"one turn, smoothed", []Size{huge}, 4000, Gradient, "T-1-S", 1},
		{"one turn, compressed", []Size{huge}, 2000, Gradient, "T-1-C", 1},
		{"one turn, tiny", []Size{huge}, 120, Gradient, "T-1-T", 1},
		{"one turn, nothing fits", []Size{huge}, 119, Gradient, "-1", 1},
		{"no turn", nil, 100, Gradient, "", 0},
		{"no budget", same(3, small), 0, Gradient, "-3", 0},
		{"regular", same(9, small), 350, Regular, "-6 T-7-through-9-R", 9},
		{"regular has no holes", []Size{small, huge, small}, 350, Regular, "-2 T-3-R", 3},
		{"regular, newest too large", []Size{small, huge}, 350, Regular, "-1 T-2-T", 2},
		{"one-shot has no bands", same(9, small), 350, TaskLog, "", 9},
	} {
		l := Plan(c.sizes, c.budget, c.s)
		if got := bands(l); got != c.want || l.RecalculatedAt != c.at {
			t.Errorf("%s:\n%s at %d, want\n%s at %d", c.name, got, l.RecalculatedAt, c.want, c.at)
		}
	}
}

// Borders that were laid at a turn fall from it to the oldest.
func TestLevelsOnlyFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := drawSizes(t)
		p := planner{size: func(turn int) Size { return sizes[turn-1] }, budget: rapid.IntRange(1, 9000).Draw(t, "budget")}
		l := p.fresh(len(sizes)).Layout
		order, last := "TCSR", 0
		for _, b := range l.Bands {
			rank := strings.Index(order, b.Level.String())
			if rank < last {
				t.Fatalf("levels fall towards the newest: %s", bands(l))
			}
			last = rank
		}
		if got := cost(text(l, sizes)); got != l.Tokens || got > p.budget {
			t.Fatalf("%d tokens, said %d, budget %d", got, l.Tokens, p.budget)
		}
	})
}

// Plan and PlanOf agree, and PlanOf asks for a turn once and for few.
func TestPlanOfAsksForLittle(t *testing.T) {
	const turns = 100_000
	asked := map[int]int{}
	size := func(turn int) Size {
		asked[turn]++
		return Size{500 + turn%300, 300 + turn%180, 180 + turn%90, 20}
	}
	l := PlanOf(turns, size, 6000, Gradient)
	for turn, n := range asked {
		if n > 1 || turn < turns-500 {
			t.Fatalf("turn %d asked for %d times", turn, n)
		}
	}
	sizes := make([]Size, turns)
	for i := range sizes {
		sizes[i] = size(i + 1)
	}
	if want := Plan(sizes, 6000, Gradient); !reflect.DeepEqual(l, want) {
		t.Errorf("%s, Plan says %s", bands(l), bands(want))
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, budget := range []int{4000, 100000} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			sizes := conversation(1, 10_099, 300, 0.9)
			for b.Loop() {
				Plan(sizes, budget, Gradient)
			}
		})
	}
}
