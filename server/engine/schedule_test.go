package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// queued enters the queue in a goroutine and returns once that has a worker slot or waits.
func queued(t *testing.T, l *Queue, c Class, number int64, done func(leave func())) {
	t.Helper()
	go func() {
		leave, err := l.Enter(t.Context(), c, number)
		if err == nil {
			done(leave)
		}
	}()
	synctest.Wait()
}

// TestRoundRobin checks that a session with many requests leaves slots to other sessions, which are
// served round-robin, each in the order of its requests.
func TestRoundRobin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1) // one slot for all, one for sessions without any
		storm, quiet, third := s.NewQueue(), s.NewQueue(), s.NewQueue()
		var order []string
		leaves := map[string]func(){}
		ask := func(l *Queue, name string, number int64) {
			queued(t, l, Interactive, number, func(leave func()) {
				order = append(order, name)
				leaves[name] = leave
			})
		}
		ask(storm, "a1", 1)
		ask(storm, "a3", 3)
		ask(storm, "a2", 2) // sent before a3
		ask(quiet, "b1", 1) // has none: a slot is reserved for it
		ask(quiet, "b2", 2)
		ask(third, "c1", 1)
		if len(order) != 2 || order[0] != "a1" || order[1] != "b1" {
			t.Fatalf("at first %v have places", order)
		}
		for _, step := range []struct{ leave, next string }{{"b1", "b2"}, {"a1", "a2"}, {"a2", "c1"}, {"c1", "a3"}, {"b2", ""}} {
			before := len(order)
			leave := leaves[step.leave]
			leave() // from here on others take its slot
			leave() // the second time does nothing
			synctest.Wait()
			got := ""
			if len(order) > before {
				got = order[before]
			}
			if got != step.next {
				t.Errorf("after %s left, %q has its place, want %q", step.leave, got, step.next)
			}
		}
		leaves["a3"]()
		if n := s.slots[Interactive]; n.running != 0 || len(n.waiting) != 0 {
			t.Errorf("at the end %d run and %d wait", n.running, len(n.waiting))
		}
	})
}

// TestWaiterGivesUp checks that a waiter that gives up holds no slot, whenever it does.
func TestWaiterGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		l := s.NewQueue()
		var leaves []func()
		for i := range 2 {
			leave, err := l.Enter(t.Context(), Quick, int64(i))
			if i == 0 && err != nil {
				t.Fatal(err)
			}
			if leaves = append(leaves, leave); i == 0 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if _, err := l.Enter(ctx, Quick, 9); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a second of the same session: %v", err)
				}
				cancel()
				if _, err := l.Enter(ctx, Quick, 9); err == nil {
					t.Error("a request that was cancelled has a place")
				}
				leave()
			}
		}
		leaves[1]()
		if n := s.slots[Quick]; n.running != 0 || len(n.waiting) != 0 || l.classes[Quick].running != 0 {
			t.Errorf("at the end %d run and %d wait", n.running, len(n.waiting))
		}
	})
}

// TestHeld checks that a session whose client does not read its answers gets no slots, and that
// others do.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(1)
		held, other := s.NewQueue(), s.NewQueue()
		held.Hold(true)
		got := map[string]bool{}
		queued(t, held, Interactive, 1, func(func()) { got["held"] = true })
		queued(t, other, Interactive, 1, func(func()) { got["other"] = true })
		if got["held"] || !got["other"] {
			t.Errorf("places: %v", got)
		}
		held.Hold(false)
		synctest.Wait()
		if !got["held"] {
			t.Error("it gets none when it has read")
		}
	})
}

// TestAwaitIdle checks that background work resumes once there was no request for a while, and at
// intervals if there are always requests.
func TestAwaitIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(2)
		l := s.NewQueue()
		ask := func(c Class, takes time.Duration) {
			leave, err := l.Enter(t.Context(), c, 1)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(takes, leave)
		}
		waited := func() time.Duration {
			begun := time.Now()
			s.AwaitIdle(t.Context(), 10*time.Millisecond, 100*time.Millisecond)
			return time.Since(begun)
		}
		<-time.After(time.Second)
		if d := waited(); d != 0 {
			t.Errorf("waits %v for nobody", d)
		}
		ask(Interactive, 5*time.Millisecond)
		if d := waited(); d != 15*time.Millisecond {
			t.Errorf("waits %v for a request of 5 ms", d)
		}
		ask(Quick, 5*time.Millisecond)
		time.AfterFunc(12*time.Millisecond, func() { ask(Interactive, 3*time.Millisecond) })
		if d := waited(); d != 25*time.Millisecond {
			t.Errorf("waits %v for two requests, the second of which comes in the lull after the first", d)
		}
		ask(Interactive, time.Second)
		if d := waited(); d != 100*time.Millisecond {
			t.Errorf("waits %v for a request that does not end", d)
		}
		<-time.After(2 * time.Second)
	})
}

// TestYield checks that background work pauses while a request waits for its answer, but not for
// ever, and not for a request that waits for the disk.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(2)
		l := s.NewQueue()
		enter := func(c Class) (leave func()) {
			leave, err := l.Enter(t.Context(), c, 1)
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		waited := func(ctx context.Context) time.Duration {
			begun := time.Now()
			s.Yield(ctx, 20*time.Millisecond)
			return time.Since(begun)
		}
		if d := waited(t.Context()); d != 0 {
			t.Errorf("waits %v for nobody", d)
		}
		defer enter(Write)()
		if d := waited(t.Context()); d != 0 {
			t.Errorf("waits %v for a change of memory", d)
		}
		first, second := enter(Interactive), enter(Quick)
		if d := waited(t.Context()); d != 20*time.Millisecond {
			t.Errorf("waits %v for a request that does not end", d)
		}
		time.AfterFunc(3*time.Millisecond, first)
		time.AfterFunc(5*time.Millisecond, second)
		if d := waited(t.Context()); d != 5*time.Millisecond {
			t.Errorf("waits %v for requests that end after 3 and 5 ms", d)
		}
		defer enter(Interactive)()
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if d := waited(stopped); d != 0 {
			t.Errorf("waits %v after it was stopped", d)
		}
	})
}
