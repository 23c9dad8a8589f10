package history

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

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
	turn := Size{2000, 800, 500, 140} // the specification's example, 200 of them in 100k
	small := Size{100, 60, 35, 5}
	huge := Size{5000, 3000, 1750, 100}
	for _, c := range []struct {
		name  string
		sizes []Size
		room  Room
		s     Strategy
		want  string
		at    int
	}{
		{"the example, just recalculated", same(200, turn), Room{Now: 100000}, Gradient,
			"-11 T-12-through-111-T T-112-through-171-C T-172-through-192-S T-193-through-200-R", 200},
		{"the example, a period later", same(209, turn), Room{Now: 100000}, Gradient,
			"-11 T-12-through-111-T T-112-through-171-C T-172-through-192-S T-193-through-209-R", 200},
		{"everything fits", same(9, small), Room{Now: 900}, Gradient, "T-1-through-9-R", 1},
		{"everything fits, later", same(19, small), Room{Now: 1900}, Gradient, "T-1-through-19-R", 10},
		{"the turn that does not fit moves the borders", same(9, small), Room{Now: 899}, Gradient,
			"T-1-S T-2-through-9-R", 9},
		{"as much as there is, from the newest back", same(4, Size{150, 90, 53, 8}), Room{Now: 400, Dense: true}, Gradient,
			"T-1-through-2-T T-3-through-4-R", 3},
		{"what is left out is told", same(60, Size{150, 90, 53, 8}), Room{Now: 300, Dense: true, Notice: 40}, Gradient,
			"-50 T-51-through-59-T T-60-R", 60},
		{"what is free now", same(40, Size{1000, 600, 350, 30}), Room{Now: 24000, Steady: 16000}, Gradient,
			"T-1-through-15-T T-16-through-17-C T-18-S T-19-through-40-R", 40},
		{"what is free now, dense", same(40, Size{1000, 600, 350, 30}), Room{Now: 24000, Steady: 16000, Dense: true}, Gradient,
			"T-1-through-15-T T-16-through-17-C T-18-S T-19-through-40-R", 40},
		{"one turn, smoothed", []Size{huge}, Room{Now: 4000}, Gradient, "T-1-S", 1},
		{"one turn, compressed", []Size{huge}, Room{Now: 2000}, Gradient, "T-1-C", 1},
		{"one turn, tiny", []Size{huge}, Room{Now: 120}, Gradient, "T-1-T", 1},
		{"one turn, nothing fits", []Size{huge}, Room{Now: 119}, Gradient, "-1", 1},
		{"no turn", nil, Room{Now: 100}, Gradient, "", 0},
		{"no budget", same(3, small), Room{Now: 0}, Gradient, "-3", 0},
		{"regular", same(9, small), Room{Now: 350}, Regular, "-6 T-7-through-9-R", 9},
		{"regular has no holes", []Size{small, huge, small}, Room{Now: 350}, Regular, "-2 T-3-R", 3},
		{"regular, newest too large", []Size{small, huge}, Room{Now: 350}, Regular, "-1 T-2-T", 2},
		{"one-shot has no bands", same(9, small), Room{Now: 350}, TaskLog, "", 9},
	} {
		l := Plan(c.sizes, c.room, c.s)
		if got := bands(l); got != c.want || l.RecalculatedAt != c.at {
			t.Errorf("%s:\n%s at %d, want\n%s at %d", c.name, got, l.RecalculatedAt, c.want, c.at)
		}
	}
}

// Plan and PlanOf agree, and PlanOf requests each turn once and few turns.
func TestPlanOfAsksForLittle(t *testing.T) {
	const turns = 100_000
	asked := map[int]int{}
	size := func(turn int) Size {
		asked[turn]++
		return Size{500 + turn%300, 300 + turn%180, 180 + turn%90, 20}
	}
	l := PlanOf(turns, size, Room{Now: 6000}, Gradient)
	for turn, n := range asked {
		if n > 1 || turn < turns-500 {
			t.Fatalf("turn %d asked for %d times", turn, n)
		}
	}
	sizes := make([]Size, turns)
	for i := range sizes {
		sizes[i] = size(i + 1)
	}
	if want := Plan(sizes, Room{Now: 6000}, Gradient); !reflect.DeepEqual(l, want) {
		t.Errorf("%s, Plan says %s", bands(l), bands(want))
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, budget := range []int{4000, 100000} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			sizes := conversation(1, 10_099, 300, 0.9)
			for b.Loop() {
				Plan(sizes, Room{Now: budget}, Gradient)
			}
		})
	}
}
