package server

import (
	"context"
	"errors"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
)

// passes reports whether a ticket need not wait.
func passes(t *testing.T, k ticket, p point) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := k.wait(ctx, p)
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
	want := func(when string, p point, open map[*ticket]bool) {
		t.Helper()
		for _, k := range []*ticket{&before, &first, &second, &between, &third, &after} {
			if got := passes(t, *k, p); got != open[k] {
				t.Errorf("%s: the command behind %d changes passes: %v, at point %d", when, k.before, got, p)
			}
		}
	}
	want("at the start", placed, map[*ticket]bool{&before: true, &first: true})
	waiting := make(chan error)
	go func() { waiting <- after.wait(t.Context(), visible) }()

	second.leave() // cancelled before its turn: what comes after it waits for the first all the same
	before.leave() // no change: nobody waited for it
	want("second gone", placed, map[*ticket]bool{&before: true, &first: true})
	first.reach(placed)
	first.reach(placed)
	want("first placed", placed, map[*ticket]bool{&before: true, &first: true, &second: true, &between: true, &third: true})
	want("first placed", visible, map[*ticket]bool{&before: true, &first: true})
	third.reach(placed)
	third.leave()
	first.leave()
	want("all gone", visible, map[*ticket]bool{&before: true, &first: true, &second: true, &between: true, &third: true, &after: true})
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	if r := o.reached[visible]; len(r.waiting)+len(r.beyond) > 0 {
		t.Errorf("%d still wait, %d are remembered", len(r.waiting), len(r.beyond))
	}
}

// TestDisciplines: the commands that are named here are there.
func TestDisciplines(t *testing.T) {
	if len(disciplines) != len(command.Names) {
		t.Errorf("%d disciplines of %d commands", len(disciplines), len(command.Names))
	}
	for name, want := range map[string]discipline{
		"contexture.bundle": {hasty: true, free: true}, "contexture.conversation.list": {}, "contexture.board.put": {changes: true, class: disk},
		"contexture.knowledge.process": {free: true}, "contexture.conversation.append": {changes: true, itself: true, free: true},
		"contexture.metrics": {class: light},
	} {
		if disciplines[name] != want {
			t.Errorf("%s: %+v, want %+v", name, disciplines[name], want)
		}
	}
}
