package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// An idle process may wake up in restWindow only as often as the bound allows: the watchdog of Go's
// runtime wakes once a minute.
const (
	restWindow   = 5 * time.Second
	restWindows  = 24 // in which it must become idle
	restSwitches = 5
)

// TestIdleProcessesDoNotWakeUp checks that a session's own process, a daemon and its forwarder
// become idle, with an index, memory and an editor to watch.
func TestIdleProcessesDoNotWakeUp(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%d.go", i%10, i)] = fmt.Sprintf("package d\n\n// F%d adds %d.\nfunc F%d(x int) int { return x + %d }\n", i, i, i, i)
	}
	root := servertest.Tree(t, files)
	processes := map[string]int{}
	settle := func(name string, p *program) {
		e := servertest.Connect(t, p, servertest.Options{})
		e.Initialize(servertest.Options{Roots: []string{root}, ProcessID: p.cmd.Process.Pid})
		e.AwaitIdle()
		var b command.BundleResult
		e.MustExecute("contexture.bundle", map[string]any{"prompt": "what adds 7?"}, &b)
		var m command.MetricsResult
		e.MustExecute("contexture.metrics", nil, &m)
		processes[name] = m.Process.PID
	}
	settle("one that serves alone", serveAlone(t, "--root", root))
	forwarder := serveShared(t, stateDir(t), "--root", root)
	settle("the daemon", forwarder)
	processes["its forwarder"] = forwarder.cmd.Process.Pid

	restless := processes
	for range restWindows {
		before := accounts(t, restless)
		<-time.After(restWindow)
		after := accounts(t, restless)
		still := map[string]int{}
		for name, pid := range restless {
			ticks, switches := after[name].Since(before[name])
			if ticks > 0 || switches > restSwitches {
				t.Logf("%s: %d ticks, %d context switches in %v", name, ticks, switches, restWindow)
				still[name] = pid
			}
		}
		if restless = still; len(restless) == 0 {
			return
		}
	}
	t.Errorf("no rest in %v: %v", restWindows*restWindow, restless)
}

func accounts(t *testing.T, processes map[string]int) map[string]servertest.Effort {
	t.Helper()
	out := map[string]servertest.Effort{}
	for name, pid := range processes {
		e, err := servertest.EffortOf(pid)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = e
	}
	return out
}
