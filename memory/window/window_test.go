package window

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// filler is a compactor whose summaries take a share of the tokens allowed; 0 makes none.
type filler struct {
	percent int
	asked   []string
}

func (f *filler) Compact(from, to int, level string, tokens int) (string, int, bool, error) {
	f.asked = append(f.asked, fmt.Sprintf("%d-%d %s", from, to, level))
	if f.percent == 0 {
		return "", 0, false, nil
	}
	return "summary", tokens * f.percent / 100, false, nil
}

func messages(tokens ...int) []Message {
	out := make([]Message, len(tokens))
	for i, n := range tokens {
		out[i] = Message{Index: i, Tokens: n, Importance: float64(n % 7)}
	}
	return out
}

func even(n, tokens int) []Message {
	out := make([]int, n)
	for i := range out {
		out[i] = tokens
	}
	return messages(out...)
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		total, budget int
		want          Strategy
	}{
		{0, 0, Full}, {1000, 1000, Full}, {1001, 1000, Windowed}, {2500, 1000, Windowed}, {2501, 1000, Compacted},
		{8000, 1000, Compacted}, {8001, 1000, MultiLevel}, {1, 0, MultiLevel}, {1, -5, MultiLevel},
	} {
		if got := Choose(c.total, c.budget); got != c.want {
			t.Errorf("Choose(%d, %d) = %s, want %s", c.total, c.budget, got, c.want)
		}
	}
}

// check returns what is wrong with a window, or "".
func check(msgs []Message, budget int, w Window) error {
	next, tokens, cov := msgs[0].Index, 0, Coverage{Total: len(msgs)}
	for _, p := range w.Pieces {
		if p.From < next || p.To < p.From {
			return fmt.Errorf("piece %d-%d after %d", p.From, p.To, next-1)
		}
		next = p.To + 1
		tokens += p.Tokens
		if p.Summary != "" {
			cov.Summarized += p.To - p.From + 1
			continue
		}
		if p.From != p.To || p.Tokens != msgs[p.From-msgs[0].Index].Tokens {
			return fmt.Errorf("%+v is not a message", p)
		}
		cov.Full++
	}
	cov.Dropped = cov.Total - cov.Full - cov.Summarized
	if tokens != w.Tokens || tokens > max(budget, 0) {
		return fmt.Errorf("%d tokens, said %d, budget %d", tokens, w.Tokens, budget)
	}
	if cov != w.Coverage || cov.Dropped < 0 || next > msgs[0].Index+len(msgs) {
		return fmt.Errorf("coverage %+v, said %+v", cov, w.Coverage)
	}
	return nil
}

func TestWindowHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.OneOf(rapid.IntRange(0, 60), rapid.IntRange(0, 2000))
		msgs := messages(rapid.SliceOfN(token, 1, 400).Draw(t, "tokens")...)
		first := rapid.SampledFrom([]int{0, 0, 40}).Draw(t, "first")
		total := 0
		for i := range msgs {
			msgs[i].Index += first
			total += msgs[i].Tokens
		}
		budget := rapid.IntRange(0, total+10).Draw(t, "budget")
		f := &filler{percent: rapid.SampledFrom([]int{0, 50, 100, 120}).Draw(t, "percent")}
		w, err := Build(msgs, budget, f)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(msgs, budget, w); err != nil {
			t.Fatalf("%v: %+v", err, w)
		}
		if w.Strategy == Full && (w.Coverage.Full != len(msgs) || len(f.asked) > 0) {
			t.Fatalf("full is not full: %+v", w)
		}
	})
}

func shown(w Window) string {
	var out []string
	for _, p := range w.Pieces {
		if p.Summary != "" {
			out = append(out, fmt.Sprintf("%s %d-%d=%d", p.Level, p.From, p.To, p.Tokens))
			continue
		}
		if n := len(out); n > 0 && strings.HasPrefix(out[n-1], "whole") {
			var from, to int
			if _, err := fmt.Sscanf(out[n-1], "whole %d-%d", &from, &to); err == nil && to == p.From-1 {
				out[n-1] = fmt.Sprintf("whole %d-%d", from, p.To)
				continue
			}
		}
		out = append(out, fmt.Sprintf("whole %d-%d", p.From, p.To))
	}
	return strings.Join(out, ", ")
}

func TestBuild(t *testing.T) {
	long := even(6, 100)
	long[3].Tokens = 900
	important := even(100, 100)
	important[50].Importance, important[61].Importance = 90, 80
	for _, c := range []struct {
		name   string
		msgs   []Message
		budget int
		want   string
		cover  Coverage
	}{
		{"nothing", nil, 100, "", Coverage{}},
		{"full", even(5, 100), 500, "whole 0-4", Coverage{5, 5, 0, 0}},
		{"windowed", even(100, 100), 5000,
			"older 0-59=1125, recent 60-64=250, whole 65-99", Coverage{100, 35, 65, 0}},
		{"windowed, a little over: a smaller summary, more whole", even(100, 100), 9900,
			"recent 0-1=100, whole 2-99", Coverage{100, 98, 2, 0}},
		{"a long message does not end the run", long, 700,
			"recent 0-0=30, whole 1-2, recent 3-3=270, whole 4-5", Coverage{6, 4, 2, 0}},
		{"compacted", important, 2000,
			"older 0-39=200, whole 50-50, whole 56-59, whole 87-99", Coverage{100, 18, 40, 42}},
		{"multi-level", even(1000, 100), 4000, "ancient 0-299=200, older 300-499=200, older 500-899=200, " +
			"middle 900-959=450, recent 960-971=150, whole 972-999", Coverage{1000, 28, 972, 0}},
		{"no room at all", even(10, 100), 0, "", Coverage{10, 0, 0, 10}},
	} {
		w, err := Build(c.msgs, c.budget, &filler{percent: 100})
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(w); got != c.want || w.Coverage != c.cover {
			t.Errorf("%s: %s, %d tokens\n%s %+v, want\n%s %+v", c.name, w.Strategy, w.Tokens, got, w.Coverage, c.want, c.cover)
		}
	}
}

func TestCompactorErrorIsReported(t *testing.T) {
	broken := errors.New("broken")
	if _, err := Build(even(100, 50), 1000, failing{broken}); !errors.Is(err, broken) {
		t.Fatal(err)
	}
}

type failing struct{ err error }

func (f failing) Compact(int, int, string, int) (string, int, bool, error) {
	return "", 0, false, f.err
}

func BenchmarkBuild(b *testing.B) {
	for _, times := range []int{2, 5, 20} {
		b.Run(fmt.Sprint(times), func(b *testing.B) {
			msgs := make([]int, 10000)
			for i := range msgs {
				msgs[i] = 20 + i*7919%400
			}
			m := messages(msgs...)
			total := 0
			for _, n := range msgs {
				total += n
			}
			for b.Loop() {
				if _, err := Build(m, total/times, &filler{percent: 90}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
