package engine

import (
	"errors"
	"testing"
	"time"
)

// TestModelServerChecks checks that without a request only a server that is missed is checked
// again, and that a request starts a check if the last one is old.
func TestModelServerChecks(t *testing.T) {
	away := errors.New("nobody answers")
	for _, tt := range []struct {
		name    string
		named   bool
		results []error       // of the checks, checkAway apart
		rest    time.Duration // since the last request
		again   bool          // another check is due
		fresh   time.Duration // how long a request is satisfied with the last check
	}{
		{name: "works", results: []error{nil}, fresh: checkWorking},
		{name: "named and works", named: true, results: []error{nil}, fresh: checkWorking},
		{name: "nobody asked for it", results: []error{away}, fresh: checkAway},
		{name: "named and away", named: true, results: []error{away}, again: true, fresh: checkAway},
		{name: "named and long away", named: true, results: []error{away}, rest: missedFor + time.Second, fresh: checkAway},
		{name: "was there", results: []error{nil, away}, again: true, fresh: checkAway},
		{name: "was there and is still away", results: []error{nil, away, away}, again: true, fresh: checkAway},
		{name: "was there long ago", results: []error{nil, away}, rest: missedFor + time.Second, fresh: checkAway},
		{name: "is back", results: []error{nil, away, nil}, fresh: checkWorking},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			s := &ModelServer{models: &Models{now: func() time.Time { return now }}, named: tt.named, kick: make(chan struct{}, 1), used: now}
			checked := func() bool {
				select {
				case <-s.kick:
					return true
				default:
					return false
				}
			}
			s.Use()
			if checked() {
				t.Error("the first check is asked for twice")
			}
			now = now.Add(tt.rest)
			again := false
			for _, err := range tt.results {
				now = now.Add(checkAway)
				again = s.note(err)
			}
			if again != tt.again {
				t.Errorf("another check is due: %v", again)
			}
			now = now.Add(tt.fresh - 1)
			if s.Use(); checked() {
				t.Error("a request has it checked too early")
			}
			now = now.Add(1)
			if s.Use(); !checked() {
				t.Error("a request does not have it checked")
			}
		})
	}
}
