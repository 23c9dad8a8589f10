package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// kept keeps memory in use, so that nothing is optimised away.
var kept [][]byte

// TestCollectorIsOffWhenIdle checks that the collector is off once a check finds hardly any
// allocation, and on again when memory is used.
func TestCollectorIsOffWhenIdle(t *testing.T) {
	debug.FreeOSMemory()          // garbage of earlier tests could be reused without growth
	looks := make(chan func(), 1) // more than one at a time would block
	stop := keepCalm(func(_ time.Duration, look func()) { looks <- look })
	defer stop()
	defer func() { kept = nil }()
	percent := gogc()
	const off = 1<<64 - 1
	rest := func(what string) {
		t.Helper()
		for range 50 { // other allocations and runs of the collector cost more checks
			(<-looks)()
			if gogc() == off && len(looks) == 0 {
				return
			}
		}
		t.Fatalf("%s: GOGC is %d", what, gogc())
	}
	rest("at rest")
	for runs := cycles(); cycles() == runs; {
		// Besides calmRoom, this allows the memory that the process already had, and what a
		// concurrent run of the collector permits.
		if kept = append(kept, make([]byte, 1<<20)); len(kept) > 16*calmRoom>>20 {
			t.Fatalf("the collector does not run after %d MiB", len(kept))
		}
	}
	for deadline := time.Now().Add(time.Minute); gogc() == off; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the collector does not come back when it has run")
		}
	}
	kept = nil
	look := <-looks
	kept = append(kept, make([]byte, calmBytes))
	if look(); gogc() != percent {
		t.Errorf("the collector is off after %d bytes", calmBytes)
	}
	kept = nil
	rest("at rest again")
	if stop(); gogc() != percent {
		t.Errorf("GOGC is %d when it has ended", gogc())
	}
}

func gogc() uint64 { return measured("/gc/gogc:percent")[0] }

func cycles() uint64 { return measured("/gc/cycles/total:gc-cycles")[0] }
