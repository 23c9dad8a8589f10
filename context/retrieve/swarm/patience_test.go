package swarm

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowModel checks that a model that works but takes too long is not called after a few stages,
// tried again later, and used again once it keeps up.
func TestSlowModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := time.Second
		chat := &scripted{identity: "m"}
		chat.answer = func(ctx context.Context, _ asked) (string, error) {
			select {
			case <-time.After(slow):
				return `{"keep":[1]}`, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		s := newSwarm(t, chat, Options{})
		n := 0
		took := func(given time.Duration) time.Duration {
			n++
			ctx, cancel := context.WithTimeout(t.Context(), given)
			defer cancel()
			start := time.Now()
			s.Filter(ctx, fmt.Sprint("question ", n), things(20))
			return time.Since(start)
		}
		const given = 500 * time.Millisecond
		for _, c := range []struct {
			name        string
			after       time.Duration
			slow, given time.Duration
			want        time.Duration
		}{
			{"first", 0, slow, given, given},
			{"short ones tell nothing", 0, slow, 50 * time.Millisecond, 50 * time.Millisecond},
			{"second", 0, slow, given, given},
			{"third", 0, slow, given, given},
			{"rests", 0, slow, given, 0},
			{"rests still", 4 * time.Second, slow, given, 0},
			{"more time than ever", 0, slow, 600 * time.Millisecond, 600 * time.Millisecond},
			{"rests longer", 6 * time.Second, slow, given, 0},
			{"is tried again", 5 * time.Second, slow, given, given},
			{"and rests longer still", 15 * time.Second, slow, given, 0},
			{"keeps up", 6 * time.Second, 300 * time.Millisecond, given, 300 * time.Millisecond},
			{"is trusted", 0, slow, given, given},
			{"for a while", 0, slow, given, given},
			{"and more", 0, slow, given, given},
			{"then no more", 0, slow, given, 0},
		} {
			<-time.After(c.after) // on the bubble's clock
			slow = c.slow
			if got := took(c.given); got != c.want {
				t.Errorf("%s: takes %v, want %v", c.name, got, c.want)
			}
		}
	})
}

// TestCachedAnswersWhileResting checks that cached answers of a model are used while it is not
// called.
func TestCachedAnswersWhileResting(t *testing.T) {
	now := time.Unix(1e9, 0)
	chat := &scripted{identity: "m", answer: saying(`{"keep":[1]}`)}
	s := newSwarm(t, chat, Options{Now: func() time.Time { return now }})
	s.Filter(t.Context(), "known", things(4))
	for range patientStages {
		s.filtered.patience.ended(now, time.Second, true)
	}
	ctx, cancel := context.WithDeadline(t.Context(), now.Add(500*time.Millisecond))
	defer cancel()
	if got := s.Filter(ctx, "known", things(4)); fmt.Sprint(got.Keep) != "[true true false false]" || len(got.Degraded) > 0 {
		t.Errorf("%+v", got)
	}
	got := s.Filter(ctx, "new", things(4))
	if got.Outcome != "timeout" || len(got.Degraded) != 1 || got.Degraded[0].Reason != "timeout" || len(chat.all) != 2 {
		t.Errorf("%+v", got)
	}
}
