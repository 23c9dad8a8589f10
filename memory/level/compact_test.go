package level

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// conversation returns n messages about a migration, each slightly different.
func conversation(n int) []dialogue.Message {
	msgs := make([]dialogue.Message, n)
	for i := range msgs {
		m := &msgs[i]
		m.Role = dialogue.Assistant
		m.Content = fmt.Sprintf("Step %d is done: I moved service_%d to the new client in services/s%d/client.go and its tests pass. It took %d ms per request before.\n"+
			"The retry policy is the same as that of the others, and nothing else had to change in the callers of it so far.", i, i, i, i+20)
		if i%2 == 0 {
			m.Role = dialogue.User
			m.Content = fmt.Sprintf("Please migrate service_%d next, it is the one that reads table t_%d and is called by the gateway every minute.", i+1, i)
		}
		switch i % 500 {
		case 40:
			m.Content = fmt.Sprintf("We decided to use gRPC instead of REST for service_%d.", i)
		case 81:
			m.Content = fmt.Sprintf("It fails:\npanic: service %d: nil pointer dereference\nI am on it.", i)
		}
	}
	return msgs
}

// compacted returns the summary of messages that are all in memory.
func compacted(msgs []dialogue.Message, budget int, o Options) string {
	weights := make([]Weight, len(msgs))
	for i, m := range msgs {
		weights[i] = Weigh(m)
	}
	text, err := Compact(weights, func(picked []int) ([]dialogue.Message, error) {
		run := make([]dialogue.Message, len(picked))
		for i, at := range picked {
			run[i] = msgs[at]
		}
		return run, nil
	}, budget, o)
	if err != nil {
		panic(err) // read does not fail
	}
	return text
}

func TestCompact(t *testing.T) {
	o := Options{Count: wordish}
	msgs := conversation(400)
	for _, budget := range []int{0, 1, 5, 20, 60, 200, 1000, 5000, 100000} {
		text := compacted(msgs, budget, o)
		if n := wordish(text); n > budget {
			t.Errorf("%d tokens of %d:\n%s", n, budget, text)
		}
		if budget >= 200 && wordish(text) < min(budget/2, 4000) {
			t.Errorf("only %d tokens of %d", wordish(text), budget)
		}
		if budget >= 200 {
			for _, want := range []string{"400 messages", "We decided to use gRPC instead of REST for service_40.", "panic: service 81: nil pointer dereference"} {
				if !strings.Contains(text, want) {
					t.Errorf("budget %d: %q is missing in:\n%s", budget, want, text)
				}
			}
		}
		if budget >= 200 && strings.Index(text, "gRPC") > strings.Index(text, "panic: service 81") {
			t.Error("not in order")
		}
	}
	if compacted(nil, 100, o) != "" {
		t.Error("a summary of nothing")
	}
}

// TestCompactGrowth checks how the time grows, independently of the machine's speed;
// BenchmarkCompact measures the time.
func TestCompactGrowth(t *testing.T) {
	many, rounds := 10_000, 5 // the machine may be busy
	if testing.Short() {
		many, rounds = 4000, 3
	}
	msgs := conversation(many)
	took := func(n int) time.Duration {
		least := time.Hour
		for range rounds {
			begin := time.Now()
			compacted(msgs[:n], 3600, Options{Count: wordish})
			least = min(least, time.Since(begin))
		}
		return least
	}
	if some, all := took(many/10), took(many); all > 30*some {
		t.Errorf("ten times as many messages took %v instead of %v", all, some)
	}
}

func BenchmarkCompact(b *testing.B) {
	msgs := conversation(10_000)
	for _, budget := range []int{500, 3600, 12_000, 30_000} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			for b.Loop() {
				compacted(msgs, budget, Options{Count: wordish})
			}
		})
	}
}

func TestCompactReadsLittleOfALongRun(t *testing.T) {
	msgs := conversation(4000)
	weights := make([]Weight, len(msgs))
	for i, m := range msgs {
		weights[i] = Weigh(m)
	}
	bytes := 0
	text, err := Compact(weights, func(picked []int) ([]dialogue.Message, error) {
		run := make([]dialogue.Message, len(picked))
		for i, at := range picked {
			if i > 0 && at <= picked[i-1] {
				t.Fatal("the places do not ascend")
			}
			run[i] = msgs[at]
			bytes += len(msgs[at].Content)
		}
		return run, nil
	}, 200, Options{Count: wordish})
	if err != nil {
		t.Fatal(err)
	}
	if want := compacted(msgs, 200, Options{Count: wordish}); text != want {
		t.Errorf("it is\n%s\nand of the messages themselves\n%s", text, want)
	}
	if bytes > leastOfRun {
		t.Errorf("%d bytes were read", bytes)
	}
	failed := errors.New("no disk")
	_, err = Compact(weights, func([]int) ([]dialogue.Message, error) { return nil, failed }, 200, Options{})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
}
