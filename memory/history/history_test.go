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

// conversation draws sizes of turns with a heavy tail: a log-normal distribution with the given
// median, within 50 … 3000.
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

// stable returns the text of the stable part.
func stable(l Layout, sizes []Size) []token {
	var part Layout
	for _, b := range l.Bands {
		if b.From > l.Stable {
			break
		}
		if !merged(b.Level) {
			b.To = min(b.To, l.Stable)
		}
		part.Bands = append(part.Bands, b)
	}
	return text(part, sizes)
}

// TestPrefixStaysOnReplay checks that nine layouts of ten begin with the stable part of the one
// before.
func TestPrefixStaysOnReplay(t *testing.T) {
	seeds := uint64(5)
	if testing.Short() {
		seeds = 2
	}
	cases := []struct{ median, sigma float64 }{{120, 0.7}, {200, 0.8}, {300, 0.9}, {400, 1.0}, {700, 1.0}}
	for _, budget := range []int{3000, 4200, 6000, 12000, 100000} {
		for _, c := range cases {
			kept, steps, used, fixed, newest := 0, 0, 0, 0, map[dialogue.Level]int{}
			for seed := range seeds {
				sizes := conversation(seed, 200, c.median, c.sigma)
				var before []token
				for n := 1; n <= len(sizes); n++ {
					l := Plan(sizes[:n], Room{Now: budget, Notice: 40}, Gradient)
					now := text(l, sizes)
					if n > 1 {
						steps++
						if float64(common(before, now)) >= 0.94*float64(cost(before)) {
							kept++
						}
					}
					newest[l.Bands[len(l.Bands)-1].Level]++
					used += cost(now)
					before = stable(l, sizes)
					fixed += cost(before)
				}
			}
			t.Logf("budget %6d, median %3.0f: %.1f %% of steps keep 94 %%; %2d %% of the budget used, %2d %% stable; newest %s", budget, c.median,
				100*float64(kept)/float64(steps), used*100/budget/(steps+5), fixed*100/budget/(steps+5), levelsOf(newest))
			if kept*10 < steps*9 {
				t.Errorf("budget %d, median %v: only %d of %d steps keep the prefix", budget, c.median, kept, steps)
			}
		}
	}
}

// TestSpareRoomChangesNothingStable checks that room left over by a prompt now and then raises
// turns behind the stable part only, so that nine layouts of ten still begin with the stable part
// of the one before.
func TestSpareRoomChangesNothingStable(t *testing.T) {
	const steady = 3600
	kept, steps, raised := 0, 0, 0
	for seed := range uint64(5) {
		sizes, spare := conversation(seed, 200, 200, 0.8), rand.New(rand.NewPCG(seed, 8))
		var before []token
		for n := 1; n <= len(sizes); n++ {
			room := Room{Now: steady, Steady: steady, Notice: 40}
			without := Plan(sizes[:n], room, Gradient)
			if spare.IntN(3) == 0 {
				room.Spare = steady
				room.Now += room.Spare
			}
			l := Plan(sizes[:n], room, Gradient)
			now := text(l, sizes)
			if l.Tokens > without.Tokens {
				raised++
			}
			if n > 1 {
				steps++
				if float64(common(before, now)) >= 0.94*float64(cost(before)) {
					kept++
				}
			}
			before = stable(l, sizes)
		}
	}
	t.Logf("%d of %d steps keep 94 %%, %d raise turns", kept, steps, raised)
	if kept*10 < steps*9 {
		t.Errorf("only %d of %d steps keep the prefix", kept, steps)
	}
	if raised*20 < steps {
		t.Errorf("only %d of %d layouts use what is spare", raised, steps)
	}
}

// TestSpareRoomKeepsWhatIsStable checks that spare room keeps the stable part, unless all of the
// conversation fits unchanged.
func TestSpareRoomKeepsWhatIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes, steady, spare := drawSizes(t), rapid.IntRange(256, 9000).Draw(t, "steady"), rapid.IntRange(1, 9000).Draw(t, "spare")
		room := Room{Now: steady, Steady: steady, Notice: rapid.SampledFrom([]int{0, 40}).Draw(t, "notice")}
		without := Plan(sizes, room, Gradient)
		room.Now, room.Spare = steady+spare, spare
		l := Plan(sizes, room, Gradient)
		if l.Dropped == 0 && len(l.Bands) == 1 && l.Bands[0].Level == dialogue.Raw {
			return
		}
		was, is := stable(without, sizes), text(l, sizes)
		if len(is) < len(was) || !slices.Equal(was, is[:len(was)]) || without.Stable > 0 && without.Notice != l.Notice {
			t.Fatalf("%s stable to %d, with what is spare %s", bands(without), without.Stable, bands(l))
		}
		if l.Tokens > room.Now {
			t.Fatalf("%d tokens in a room of %d", l.Tokens, room.Now)
		}
	})
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

// drawSizes draws a conversation for tests in which its length matters as much as its content.
func drawSizes(t *rapid.T) []Size {
	turns := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 130)).Draw(t, "turns")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Size {
		raw := rapid.OneOf(rapid.IntRange(0, 400), rapid.IntRange(1, 5000)).Draw(t, "raw")
		return Size{raw, raw * 6 / 10, raw * 35 / 100, raw * 3 / 100}
	}), turns, turns).Draw(t, "sizes")
}

// drawRoom draws a budget and how it is used.
func drawRoom(t *rapid.T) Room {
	r := Room{
		Now: rapid.IntRange(1, 9000).Draw(t, "now"), Dense: rapid.Bool().Draw(t, "dense"), Notice: rapid.SampledFrom([]int{0, 40, 300}).Draw(t, "notice"),
	}
	if rapid.Bool().Draw(t, "more") {
		r.Steady = rapid.IntRange(1, 9000).Draw(t, "steady")
	}
	return r
}

func TestLayoutHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes, room := drawSizes(t), drawRoom(t)
		for _, s := range []Strategy{Gradient, Regular} {
			l := Plan(sizes, room, s)
			got := cost(text(l, sizes))
			if l.Notice {
				got += room.Notice
			}
			if got > room.Now || len(l.Bands) > 0 && l.Tokens != got {
				t.Fatalf("%s: %d tokens, said %d: %+v", s, got, l.Tokens, l)
			}
			whole := l.Dropped == 0 && len(l.Bands) == 1 && l.Bands[0].Level == dialogue.Raw
			if s == Regular && (l.Stable == len(sizes)) != whole {
				t.Fatalf("%s: each turn that is left out changes all of it: %+v", s, l)
			}
			if l.Notice && l.Dropped == 0 || l.Stable < 0 || l.Stable > len(sizes) || l.Stable > 0 && l.Stable <= l.Dropped {
				t.Fatalf("%s: %+v", s, l)
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
			if len(l.Bands) == 0 && sizes[len(sizes)-1].T+AloneTags <= room.Now {
				t.Fatalf("%s: nothing shown though the newest turn fits: %+v", s, l)
			}
			if sum := cost(text(Layout{Bands: []Band{{dialogue.Raw, 1, len(sizes)}}}, sizes)); sum <= room.Now &&
				(s == Regular || room.Dense || room.Steady == 0 || sum <= room.Steady) &&
				(len(l.Bands) != 1 || l.Bands[0].Level != dialogue.Raw || l.Dropped > 0) {
				t.Fatalf("%s: all fits raw (%d): %+v", s, sum, l)
			}
		}
	})
}

// TestNewerIsNeverCoarser checks every turn of every conversation, with any budget.
func TestNewerIsNeverCoarser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes, room := drawSizes(t), drawRoom(t)
		for n := range sizes {
			l := Plan(sizes[:n+1], room, Gradient)
			for i := 1; i < len(l.Bands); i++ {
				if finer(l.Bands[i-1].Level, l.Bands[i].Level) {
					t.Fatalf("turn %d: %s", n+1, bands(l))
				}
			}
		}
	})
}

// TestFreeRoomRaises checks that in a dense layout the newest turn that is not raw does not fit at
// a finer level, and that no omitted turn would fit as a sentence.
func TestFreeRoomRaises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes, room := drawSizes(t), drawRoom(t)
		room.Dense = true
		for n := range sizes {
			l := Plan(sizes[:n+1], room, Gradient)
			turn := n + 1
			if last := len(l.Bands) - 1; last >= 0 && l.Bands[last].Level == dialogue.Raw {
				turn = l.Bands[last].From - 1
			}
			for _, level := range levels {
				for _, k := range []int{turn, l.Dropped} {
					now, ok := raisedTo(l, k, level, sizes)
					if ok && now+noticeOf(l, room, k) <= room.Now {
						t.Fatalf("turn %d of %d would fit at %s with %d of %d, not %d: %s", k, n+1, level, now, room.Now, l.Tokens, bands(l))
					}
				}
			}
		}
	})
}

// noticeOf returns the cost of a notice after a turn was raised, nothing if no other turn is
// omitted.
func noticeOf(l Layout, room Room, turn int) int {
	if !l.Notice || l.Dropped == 1 && turn == 1 {
		return 0
	}
	return room.Notice
}

// raisedTo returns the cost of a layout with one turn at another level; ok is false if that level
// is not finer than the current one, or is finer than the level of the turn after it.
func raisedTo(l Layout, turn int, level dialogue.Level, sizes []Size) (tokens int, ok bool) {
	var out []Band
	add := func(level dialogue.Level, k int) {
		if last := len(out) - 1; last >= 0 && out[last].Level == level {
			out[last].To = k
			return
		}
		out = append(out, Band{level, k, k})
	}
	if turn == l.Dropped && turn > 0 && len(l.Bands) > 0 {
		ok = !finer(level, l.Bands[0].Level)
		add(level, turn)
	}
	for _, b := range l.Bands {
		for k := b.From; k <= b.To; k++ {
			if k == turn {
				ok = finer(level, b.Level)
				add(level, k)
			} else {
				add(b.Level, k)
			}
		}
	}
	return cost(text(Layout{Bands: out}, sizes)), ok
}

// TestOnlyRecalculationsChangeTheStablePart compares the stable parts of successive turns, with any
// spare room.
func TestOnlyRecalculationsChangeTheStablePart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := drawSizes(t)
		steady := rapid.IntRange(256, 9000).Draw(t, "steady")
		notice := rapid.SampledFrom([]int{0, 40}).Draw(t, "notice")
		var before Layout
		for n := 1; n <= len(sizes); n++ {
			more := rapid.SampledFrom([]int{0, 0, 0, 500, 4000}).Draw(t, "more")
			l := Plan(sizes[:n], Room{Now: steady + more, Steady: steady, Notice: notice}, Gradient)
			if n > 1 && l.RecalculatedAt == before.RecalculatedAt {
				was, is := before, l
				if more > 0 { // with spare room, only the part common to both is stable
					was.Stable = min(was.Stable, is.Stable)
				}
				a, b := stable(was, sizes), text(is, sizes)
				if !slices.Equal(a, b[:min(len(a), len(b))]) {
					t.Fatalf("turn %d changed what stood before: %+v, then %+v", n, before, l)
				}
			}
			if l.RecalculatedAt > n || l.RecalculatedAt < max(n/10*10, 1) {
				t.Fatalf("turn %d recalculated at %d", n, l.RecalculatedAt)
			}
			before = l
		}
	})
}
