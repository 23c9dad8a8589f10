package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// conversation draws turns with a heavy tail: a log-normal distribution with the given median, within 50 … 3000.
func conversation(seed uint64, turns int, median, sigma float64) []Size {
	r := rand.New(rand.NewPCG(seed, 7))
	sizes := make([]Size, turns)
	for i := range sizes {
		raw := int(min(3000, max(50, median*math.Exp(sigma*r.NormFloat64()))))
		sizes[i] = Size{R: raw, S: raw * 60 / 100, C: raw * 35 / 100, T: max(raw*3/100, 12)}
	}
	return sizes
}

// token is a piece of a layout's text for the comparison of prefixes: its name and its cost.
type token struct {
	name string
	cost int
}

func text(l Layout, sizes []Size) []token {
	var out []token
	for _, b := range l.Bands {
		tags := 0
		if merged(b.Level) {
			tags = BlockTags
			if b.From == b.To {
				tags = AloneTags
			}
			out = append(out, token{dialogue.RangeTag(b.From, b.To, b.Level), tags / 2})
		}
		for i := b.From; i <= b.To; i++ {
			out = append(out, token{dialogue.Tag(i, b.Level), sizes[i-1].at(b.Level)})
		}
		if merged(b.Level) {
			out = append(out, token{"/" + dialogue.RangeTag(b.From, b.To, b.Level), tags / 2})
		}
	}
	return out
}

func cost(ts []token) (n int) {
	for _, t := range ts {
		n += t.cost
	}
	return n
}

func common(a, b []token) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		n += a[i].cost
	}
	return n
}

func TestPrefixStaysOnReplay(t *testing.T) {
	cases := []struct{ median, sigma float64 }{{120, 0.7}, {200, 0.8}, {300, 0.9}, {400, 1.0}, {700, 1.0}}
	for _, budget := range []int{3000, 4200, 6000, 12000, 100000} {
		for _, c := range cases {
			kept, steps, used, newest := 0, 0, 0, map[dialogue.Level]int{}
			for seed := range uint64(5) {
				sizes := conversation(seed, 200, c.median, c.sigma)
				var before []token
				for n := 1; n <= len(sizes); n++ {
					l := Plan(sizes[:n], budget, Gradient)
					now := text(l, sizes)
					if n > 1 {
						steps++
						if float64(common(before, now)) >= 0.94*float64(cost(before)) {
							kept++
						}
					}
					newest[l.Bands[len(l.Bands)-1].Level]++
					used += cost(now)
					before = now
				}
			}
			t.Logf("budget %6d, median %3.0f: %.1f %% of steps keep 94 %%; %2d %% of the budget used; newest %s", budget, c.median,
				100*float64(kept)/float64(steps), used*100/budget/(steps+5), levelsOf(newest))
			if kept*10 < steps*9 {
				t.Errorf("budget %d, median %v: only %d of %d steps keep the prefix", budget, c.median, kept, steps)
			}
		}
	}
}

func levelsOf(m map[dialogue.Level]int) string {
	var b strings.Builder
	sum := 0
	for _, n := range m {
		sum += n
	}
	for _, l := range levels {
		fmt.Fprintf(&b, "%v %d %% ", l, m[l]*100/sum)
	}
	return b.String()
}

func drawSizes(t *rapid.T) []Size {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Size {
		raw := rapid.OneOf(rapid.IntRange(0, 400), rapid.IntRange(1, 5000)).Draw(t, "raw")
		return Size{raw, raw * 6 / 10, raw * 35 / 100, raw * 3 / 100}
	}), 1, 130).Draw(t, "sizes")
}

func TestLayoutHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := drawSizes(t)
		budget := rapid.IntRange(1, 9000).Draw(t, "budget")
		for _, s := range []Strategy{Gradient, Regular} {
			l := Plan(sizes, budget, s)
			if got := cost(text(l, sizes)); got > budget || len(l.Bands) > 0 && l.Tokens < got {
				t.Fatalf("%s: %d tokens, said %d, budget %d: %+v", s, got, l.Tokens, budget, l)
			}
			next := l.Dropped + 1
			for _, b := range l.Bands {
				if b.From != next || b.To < b.From {
					t.Fatalf("%s: gap or overlap at %d: %+v", s, next, l)
				}
				next = b.To + 1
			}
			if len(l.Bands) > 0 && next != len(sizes)+1 {
				t.Fatalf("%s: the newest turn is missing: %+v", s, l)
			}
			if len(l.Bands) == 0 && sizes[len(sizes)-1].T+AloneTags <= budget {
				t.Fatalf("%s: nothing shown though the newest turn fits: %+v", s, l)
			}
			if sum := cost(text(Layout{Bands: []Band{{dialogue.Raw, 1, len(sizes)}}}, sizes)); sum <= budget &&
				(len(l.Bands) != 1 || l.Bands[0].Level != dialogue.Raw || l.Dropped > 0) {
				t.Fatalf("%s: all fits raw (%d of %d): %+v", s, sum, budget, l)
			}
		}
	})
}

func TestOnlyRecalculationsChangeThePast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := drawSizes(t)
		budget := rapid.IntRange(256, 9000).Draw(t, "budget")
		var before Layout
		var was []token
		for n := 1; n <= len(sizes); n++ {
			l := Plan(sizes[:n], budget, Gradient)
			now := text(l, sizes)
			if n > 1 && l.RecalculatedAt == before.RecalculatedAt && !slices.Equal(was, now[:min(len(was), len(now))]) {
				t.Fatalf("turn %d changed what stood before: %+v, then %+v", n, before, l)
			}
			if l.RecalculatedAt > n || l.RecalculatedAt < max(n/10*10, 1) {
				t.Fatalf("turn %d recalculated at %d", n, l.RecalculatedAt)
			}
			before, was = l, now
		}
	})
}
