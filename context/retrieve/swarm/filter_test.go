package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// TestAgents checks that the number of agents follows the number of candidates, and that each
// candidate is shown once.
func TestAgents(t *testing.T) {
	for _, c := range []struct{ items, agents, shown int }{
		{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {14, 2, 14}, {15, 3, 15}, {29, 3, 29}, {30, 5, 30}, {60, 5, 60}, {61, 8, 61}, {96, 8, 96}, {300, 8, 96},
	} {
		chat := &scripted{identity: "m", answer: keeping(func(piece) bool { return true })}
		items := things(c.items)
		got := newSwarm(t, chat, Options{}).Filter(t.Context(), "what", items)
		seen := map[string]int{}
		for _, q := range chat.all {
			for j, p := range q.lines {
				seen[p.Place]++
				if p.N != j+1 {
					t.Errorf("%d items: line %d has the number %d", c.items, j, p.N)
				}
			}
		}
		if len(chat.all) != c.agents || len(seen) != c.shown || slices.Contains(got.Keep, false) || got.Outcome != "ok" || len(got.Degraded) > 0 {
			t.Errorf("%d items: %d agents see %d; %s %v", c.items, len(chat.all), len(seen), got.Outcome, got.Degraded)
		}
		for place, n := range seen {
			if n != 1 {
				t.Errorf("%d items: %s is shown %d times", c.items, place, n)
			}
		}
		if chat.most > usualParallel {
			t.Errorf("%d questions at once", chat.most)
		}
	}
}

// TestFilterAnswers checks two agents with p0 to p7; the first sees the even ones.
func TestFilterAnswers(t *testing.T) {
	even := func(q asked) bool { return q.lines[0].Place == "p0:1" }
	failing := func(err error) func(context.Context, asked) (string, error) {
		return func(_ context.Context, q asked) (string, error) {
			if even(q) {
				return "", err
			}
			return `{"keep":[1]}`, nil
		}
	}
	first := func(text string) func(context.Context, asked) (string, error) {
		return func(_ context.Context, q asked) (string, error) {
			if even(q) {
				return text, nil
			}
			return `{"keep":[1,2,3,4]}`, nil
		}
	}
	const all = "p0 p1 p2 p3 p4 p5 p6 p7"
	for _, c := range []struct {
		name   string
		answer func(context.Context, asked) (string, error)
		keep   string
		said   item.Reason // of the degradations
		end    item.Outcome
		stats  Stats
	}{
		{"some", first(`{"keep":[1,3]}`), "p0 p1 p3 p4 p5 p7", "", "ok", Stats{Asked: 2, Kept: 6, Dropped: 2}},
		{"twice", first(`{"keep":[1,1,1]}`), "p0 p1 p3 p5 p7", "", "ok", Stats{Asked: 2, Kept: 5, Dropped: 3}},
		{"unknown", first(`{"keep":[1,9,0,-3,1000000]}`), "p0 p1 p3 p5 p7", "", "ok", Stats{Asked: 2, Kept: 5, Dropped: 3, Unknown: 4}},
		{"only unknown", first(`{"keep":[5,7]}`), all, "badAnswer", "partial", Stats{Asked: 2, Broken: 1, Kept: 4, Unknown: 2, Unchecked: 4}},
		{"nothing", first(`{"keep":[]}`), "p0 p1 p2 p3 p5 p7", "badAnswer", "partial", Stats{Asked: 2, Doubted: 1, Kept: 6, Dropped: 2}},
		{"no JSON", first(`keep all`), all, "badAnswer", "partial", Stats{Asked: 2, Broken: 1, Kept: 4, Unchecked: 4}},
		{"cut", first(`{"keep":[1,2`), all, "badAnswer", "partial", Stats{Asked: 2, Broken: 1, Kept: 4, Unchecked: 4}},
		{"other form", first(`{"ids":[1]}`), all, "badAnswer", "partial", Stats{Asked: 2, Broken: 1, Kept: 4, Unchecked: 4}},
		{"null", first(`null`), all, "badAnswer", "partial", Stats{Asked: 2, Broken: 1, Kept: 4, Unchecked: 4}},
		{"strings", first(`{"keep":["1"]}`), all, "badAnswer", "partial", Stats{Asked: 2, Broken: 1, Kept: 4, Unchecked: 4}},
		{"down", failing(&ollama.Error{Kind: ollama.Unreachable}), "p0 p1 p2 p4 p6", "unreachable", "partial", Stats{Asked: 2, Failed: 1, Kept: 1, Dropped: 3, Unchecked: 4}},
		{"missing", failing(&ollama.Error{Kind: ollama.ModelMissing}), "p0 p1 p2 p4 p6", "modelMissing", "partial", Stats{Asked: 2, Failed: 1, Kept: 1, Dropped: 3, Unchecked: 4}},
		{"queue full", failing(&ollama.Error{Kind: ollama.Overloaded}), "p0 p1 p2 p4 p6", "overloaded", "partial", Stats{Asked: 2, Failed: 1, Kept: 1, Dropped: 3, Unchecked: 4}},
		{"late", failing(context.DeadlineExceeded), "p0 p1 p2 p4 p6", "timeout", "partial", Stats{Asked: 2, Late: 1, Kept: 1, Dropped: 3, Unchecked: 4}},
		{"other error", failing(errors.New("odd")), "p0 p1 p2 p4 p6", "error", "partial", Stats{Asked: 2, Failed: 1, Kept: 1, Dropped: 3, Unchecked: 4}},
		{"all fail", func(context.Context, asked) (string, error) { return "", &ollama.Error{Kind: ollama.Unreachable} }, all, "unreachable", "fallback", Stats{Asked: 2, Failed: 2, Unchecked: 8}},
		{"all late", func(context.Context, asked) (string, error) { return "", &ollama.Error{Kind: ollama.Timeout} }, all, "timeout", "timeout", Stats{Asked: 2, Late: 2, Unchecked: 8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := things(8)
			s := newSwarm(t, &scripted{identity: "m", answer: c.answer}, Options{})
			got := s.Filter(t.Context(), "what", items)
			if keep := places(items, got.Keep); keep != c.keep || got.Outcome != c.end {
				t.Errorf("keeps %s, ends %s", keep, got.Outcome)
			}
			var said item.Reason
			for _, d := range got.Degraded {
				said += d.Reason
				if d.Stage != "filter" || !strings.Contains(d.Detail, "of 2 agents") {
					t.Errorf("says %+v", d)
				}
			}
			if stats, _ := s.Stats(); said != c.said || stats != c.stats {
				t.Errorf("says %q and counts %+v, want %+v", said, stats, c.stats)
			}
		})
	}
}

// TestFilterDeadline checks that with an agent that hangs the answer comes when the time is over,
// and that its share stays.
func TestFilterDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &scripted{identity: "m", answer: func(ctx context.Context, q asked) (string, error) {
			if q.lines[0].Place == "p1:1" {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return `{"keep":[2]}`, nil
		}}
		s := newSwarm(t, chat, Options{})
		whole, cancelWhole := context.WithTimeout(t.Context(), time.Second)
		defer cancelWhole()
		ctx, cancel := Within(whole, time.Second, .5, .25)
		defer cancel()
		start := time.Now()
		items := things(6)
		got := s.Filter(ctx, "what", items)
		if took := time.Since(start); took != 500*time.Millisecond {
			t.Errorf("takes %v", took)
		}
		if keep := places(items, got.Keep); keep != "p1 p2 p3 p5" || got.Outcome != "partial" || got.Degraded[0].Reason != "timeout" {
			t.Errorf("keeps %s: %+v", keep, got)
		}
		chat.answer = keeping(func(piece) bool { return false }) // only the late one was not cached
		if got = s.Filter(t.Context(), "what", items); places(items, got.Keep) != "p1 p2 p3" || len(chat.all) != 3 {
			t.Errorf("then keeps %s after %d questions", places(items, got.Keep), len(chat.all))
		}
	})
}

// TestWaiting checks that of more agents than concurrent requests allowed, those that wait too long
// send none.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &scripted{identity: "m", answer: func(ctx context.Context, q asked) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}}
		s := newSwarm(t, chat, Options{Parallel: 2})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := s.Filter(ctx, "what", things(40))
		stats, _ := s.Stats()
		if chat.most != 2 || len(chat.all) != 2 || stats.Late != 5 || got.Outcome != "timeout" {
			t.Errorf("%d of %d questions at once, %+v, %+v", chat.most, len(chat.all), stats, got.Degraded)
		}
	})
}

// TestCancelled checks that after a cancellation nothing is cached or counted as a failure.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	chat := &scripted{identity: "m", answer: func(context.Context, asked) (string, error) {
		cancel()
		return "", context.Canceled
	}}
	s := newSwarm(t, chat, Options{})
	s.Filter(ctx, "what", things(4))
	if stats, _ := s.Stats(); stats.Late+stats.Broken+stats.Failed != 0 || s.memo.Len() != 0 {
		t.Errorf("counts %+v, remembers %d", stats, s.memo.Len())
	}
}

// TestExact checks that what the prompt names stays without a request.
func TestExact(t *testing.T) {
	chat := &scripted{identity: "m", answer: saying(`{"keep":[1]}`)}
	items := things(5)
	items[3].Named, items[4].Named = true, true
	got := newSwarm(t, chat, Options{}).Filter(t.Context(), "what", items)
	if keep := places(items, got.Keep); keep != "p0 p1 p3 p4" {
		t.Errorf("keeps %s", keep)
	}
	for _, q := range chat.all {
		if strings.Contains(q.prompt, "p3") || strings.Contains(q.prompt, "p4") {
			t.Error("asks about what is named")
		}
	}
}

// TestMemo checks that the same question is sent once, and again when anything in it changes.
func TestMemo(t *testing.T) {
	chat := &scripted{identity: "m", answer: saying(`{"keep":[1]}`)}
	s := newSwarm(t, chat, Options{})
	one := func() []item.Item { return things(1) }
	for i, c := range []struct {
		name   string
		change func(items []item.Item) (prompt string)
		fresh  bool
	}{
		{"first", func([]item.Item) string { return "what" }, true},
		{"again", func([]item.Item) string { return "what" }, false},
		{"prompt", func([]item.Item) string { return "what else" }, true},
		{"text", func(l []item.Item) string { l[0].Body += "x"; return "what" }, true},
		{"place", func(l []item.Item) string { l[0].Path = "q"; return "what" }, true},
		{"model", func([]item.Item) string { chat.identity = "n"; return "what" }, true},
		{"that model", func([]item.Item) string { return "what" }, false},
		{"no model", func([]item.Item) string { chat.identity = ""; return "what" }, false},
	} {
		before := len(chat.all)
		items := one()
		got := s.Filter(t.Context(), c.change(items), items)
		if fresh := len(chat.all) > before; fresh != c.fresh || !got.Keep[0] || len(got.Degraded) > 0 {
			t.Errorf("%d %s: asks %v, %+v", i, c.name, fresh, got)
		}
	}
	if stats, _ := s.Stats(); stats.MemoHits != 2 || stats.Asked != 7 {
		t.Errorf("counts %+v", stats)
	}
}

// TestModelChanges checks that an answer is not cached if the model was replaced during the
// request.
func TestModelChanges(t *testing.T) {
	chat := &scripted{identity: "m"}
	chat.answer = func(context.Context, asked) (string, error) {
		chat.identity = "n"
		return `{"keep":[1]}`, nil
	}
	s := newSwarm(t, chat, Options{})
	s.Filter(t.Context(), "what", things(1))
	if s.memo.Len() != 0 {
		t.Error("remembers it")
	}
}

// TestUnfiltered checks that the errors' text has the number of missing agents.
func TestUnfiltered(t *testing.T) {
	chat := &scripted{identity: "m", answer: func(_ context.Context, q asked) (string, error) {
		if n := q.lines[0].Place; n == "p0:1" || n == "p1:1" {
			return "", &ollama.Error{Kind: ollama.Timeout, Op: "chat", Model: "m"}
		}
		return "?", nil
	}}
	got := newSwarm(t, chat, Options{}).Filter(t.Context(), "what", things(20))
	want := []string{
		"timeout: 2 of 3 agents: the share stays unfiltered: ollama chat m: timed out",
		"badAnswer: 1 of 3 agents: the share stays unfiltered: ollama chat m: bad answer: the answer is not a list of numbers",
	}
	var said []string
	for _, d := range got.Degraded {
		said = append(said, fmt.Sprintf("%s: %s", d.Reason, d.Detail))
	}
	if !slices.Equal(said, want) || got.Outcome != "fallback" {
		t.Errorf("says %q, ends %s", said, got.Outcome)
	}
}
