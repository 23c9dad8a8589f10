package session

import (
	"context"
	"errors"
	"testing"
)

// passes reports whether a ticket may proceed.
func passes(t *testing.T, k Ticket, p Point) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := k.Wait(ctx, p)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err == nil
}

func TestOrder(t *testing.T) {
	var o order
	before := o.take(false)
	first, second := o.take(true), o.take(true)
	between := o.take(false)
	third := o.take(true)
	after := o.take(false)
	want := func(when string, p Point, open map[*Ticket]bool) {
		t.Helper()
		for _, k := range []*Ticket{&before, &first, &second, &between, &third, &after} {
			if got := passes(t, *k, p); got != open[k] {
				t.Errorf("%s: the command behind %d changes passes: %v, at point %d", when, k.before, got, p)
			}
		}
	}
	want("at the start", Placed, map[*Ticket]bool{&before: true, &first: true})
	waiting := make(chan error)
	go func() { waiting <- after.Wait(t.Context(), Visible) }()

	second.Leave() // cancelled before its turn: the next one still waits for the first
	before.Leave() // not a change: no other waited for it
	want("second gone", Placed, map[*Ticket]bool{&before: true, &first: true})
	first.Reach(Placed)
	first.Reach(Placed)
	want("first placed", Placed, map[*Ticket]bool{&before: true, &first: true, &second: true, &between: true, &third: true})
	want("first placed", Visible, map[*Ticket]bool{&before: true, &first: true})
	third.Reach(Placed)
	third.Leave()
	first.Leave()
	want("all gone", Visible, map[*Ticket]bool{&before: true, &first: true, &second: true, &between: true, &third: true, &after: true})
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	if r := o.reached[Visible]; len(r.waiting)+len(r.beyond) > 0 {
		t.Errorf("%d still wait, %d are remembered", len(r.waiting), len(r.beyond))
	}
}
