package memory

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/knowledge"
)

// mostBetween bounds the processor time between two calls of Pause, on the slow machines that run
// tests: a request must not wait for a run for more than 50 ms. The race detector makes everything
// several times slower.
const mostBetween = 50 * time.Millisecond

// threadTime returns the processor time of the thread, which a busy machine does not increase.
func threadTime(t testing.TB) time.Duration {
	t.Helper()
	const ofThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(ofThread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// gaps runs the offline learning and returns the longest processor time between two calls of Pause
// in each stage.
func gaps(t testing.TB, w *Workspace, o Processing) map[string]time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	longest, stage, last := map[string]time.Duration{}, "", threadTime(t)
	o.Pause = func() error {
		now := threadTime(t)
		longest[stage] = max(longest[stage], now-last)
		last = threadTime(t)
		return nil
	}
	o.Progress = func(p knowledge.Progress) { stage = p.Stage }
	if _, err := w.Process(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	longest["end"] = threadTime(t) - last
	return longest
}

// TestPausesAreClose checks that a run pauses for requests within 50 ms, however large the memory
// and in every stage: in a first run, a run without new data and a run that reads everything again.
func TestPausesAreClose(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	conversations, turns := 12, 150
	if testing.Short() {
		conversations, turns = 4, 60
	}
	w := invented(t, m, conversations, 25)
	if _, err := w.Append(Addition{Conversation: "long", Messages: newInventor(2).talk(turns), Learn: true}); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	for _, run := range []struct {
		name string
		full bool
	}{{"first", false}, {"nothing new", false}, {"all again", true}} {
		for stage, longest := range gaps(t, w, Processing{Full: run.full}) {
			t.Logf("%s run, %s: %v", run.name, stage, longest)
			if longest > mostBetween*slower {
				t.Errorf("%s run, %s: %v between two calls of Pause, want %v", run.name, stage, longest, mostBetween*slower)
			}
		}
	}
}

// BenchmarkOfflineRun measures the first run over an invented memory of n turns, in conversations
// of 40 and in one conversation: time and memory must grow linearly with the turns.
func BenchmarkOfflineRun(b *testing.B) {
	for _, size := range []struct{ conversations, turns int }{{50, 40}, {200, 40}, {800, 40}, {2500, 40}, {1, 2000}, {1, 8000}, {1, 50000}} {
		b.Run(fmt.Sprintf("%dx%d", size.conversations, size.turns), func(b *testing.B) {
			m := opened(b, b.TempDir())
			defer m.Close()
			w := invented(b, m, size.conversations, size.turns)
			m.worker.quiet()
			for b.Loop() {
				began := threadTime(b)
				longest := time.Duration(0)
				for _, d := range gaps(b, w, Processing{}) {
					longest = max(longest, d)
				}
				b.ReportMetric((threadTime(b) - began).Seconds(), "cpu-s")
				b.ReportMetric(float64(longest.Milliseconds()), "longest-gap-ms")
			}
			peak, err := os.ReadFile("/proc/self/status")
			if err != nil {
				b.Fatal(err)
			}
			for line := range strings.Lines(string(peak)) {
				var kb float64
				if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
					b.ReportMetric(kb/1024, "peak-MB")
				}
			}
		})
	}
}
