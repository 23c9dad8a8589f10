package main

import (
	"reflect"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
)

// TestExplained checks that an explanation lists passages with their probability and price, and the
// most probable places that needed more.
func TestExplained(t *testing.T) {
	ws := &workspace{env: &environment{getenv: func(string) string { return "" }}, root: "/shop"}
	at := func(first, end int) command.Range {
		return command.Range{Start: command.Position{Line: first}, End: command.Position{Line: end}}
	}
	items := []command.Item{
		{URI: "file:///shop/till.go", Passages: []command.Passage{
			{Range: at(9, 12), Matched: []int{9, 11}, Score: .25, Price: .012}, {Range: at(20, 21), Matched: []int{20}, Score: .5, Price: .003}, {Range: at(30, 31)},
		}},
		{URI: "file:///shop/all.go"},
	}
	want := [][]string{{"till.go:10-12", "0.250", "0.012", "10 12"}, {"till.go:21", "0.500", "0.003", "21"}}
	if got := passageRows(ws, items); !reflect.DeepEqual(got, want) {
		t.Errorf("passages %q, want %q", got, want)
	}
	here := at(4, 9)
	dropped := []command.Dropped{
		{URI: "file:///shop/a.go", Range: &here, Reason: "threshold", Score: .02, Needed: .1, Title: "a"}, {URI: "file:///shop/same.go", Reason: "duplicate", Score: .9},
		{URI: "file:///shop/b.go", Range: &here, Reason: "threshold", Score: .08, Needed: .1, Title: "b"}, {URI: "file:///shop/c.go", Range: &here, Reason: "budget", Score: .05, Title: "c"},
		{ID: "a turn", Reason: "threshold", Score: .5, Needed: .6},
	}
	want = [][]string{{"b.go:5", "0.080", "0.100", "b"}, {"a.go:5", "0.020", "0.100", "a"}}
	if got := missedRows(ws, dropped); !reflect.DeepEqual(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
	if next := comesNext(dropped); len(next) != 3 || next[1].Title != "c" {
		t.Errorf("next come %+v", next)
	}
	for i := range dropped {
		dropped[i].Needed = 1
	}
	if next := comesNext(dropped); len(next) > 0 {
		t.Errorf("for a prompt about something else next come %+v", next)
	}
}
