//go:build unix

package memory

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/contexture-dev/contexture/memory/knowledge"
)

// fillWhileLearning starts an offline run, fills the disk at one of its stages, and reports the
// run's answer and what can then be read.
func fillWhileLearning(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	m, w, err := openPlain(dir)
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	stage := os.Getenv(stageEnv)
	_, err = w.Process(context.Background(), Processing{Full: true, Progress: func(p knowledge.Progress) {
		if p.Stage != stage {
			return
		}
		stage = ""
		limit := syscall.Rlimit{Cur: logSize(dir), Max: logSize(dir)}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println("setrlimit:", err)
		}
	}})
	fmt.Println("process:", err)
	v := w.View()
	last, _, err := v.Knowledge.Learned()
	fmt.Println("read:", err, len(last.Subjects), last.Began.IsZero())
	v.Close()
	fmt.Println("close:", m.Close())
}

// logSize returns the size of the log that the store writes to; as a limit, it stops any further
// write.
func logSize(dir string) uint64 {
	paths, err := filepath.Glob(filepath.Join(dir, "db", "*.log"))
	if err != nil || len(paths) == 0 {
		return 0
	}
	info, err := os.Stat(slices.Max(paths)) // their names are numbers
	if err != nil {
		return 0
	}
	return uint64(info.Size())
}

// TestProcessFullDisk checks that a run during which the disk becomes full fails with advice, that
// readers see the state before it or everything it found (which is visible before it is known to be
// on disk), and that with free space again all messages are there and the next run finds the same
// as an undisturbed one.
func TestProcessFullDisk(t *testing.T) {
	whole, err := openedPlain(t, filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	want, all := learned(t, whole), subjects(t, whole)
	found := fmt.Sprintf("<nil> %d false", len(all.Topics)+len(all.Entities))
	for _, stage := range []string{"reading", "subjects", "references", "saving"} {
		t.Run(stage, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "memory")
			m := opened(t, dir)
			invented(t, m, 4, 10)
			m.worker.quiet()
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			cmd := plays(t, "learn", dir)
			cmd.Env = append(cmd.Env, stageEnv+"="+stage)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			said := map[string]string{}
			for line := range strings.Lines(string(out)) {
				what, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
				said[what] = answer
			}
			if answer := said["process"]; !strings.Contains(answer, dir) || !strings.Contains(answer, "make room") || strings.Contains(answer, "damaged") {
				t.Errorf("the run is answered %q\n%s", answer, out)
			}
			if read := said["read"]; read != "<nil> 0 true" && read != found {
				t.Errorf("reading gives %q, want nothing of the run or %q", read, found)
			}
			again := opened(t, dir)
			defer again.Close()
			w := workspace(t, again)
			if _, err := w.Process(t.Context(), Processing{Full: true}); err != nil {
				t.Fatal(err)
			}
			if got := learned(t, w); got != want {
				t.Errorf("with room again\n%s\nnot\n%s", got, want)
			}
		})
	}
}

// openedPlain opens a workspace with the messages of TestProcessFullDisk, learned from without a
// fault.
func openedPlain(t *testing.T, dir string) (*Workspace, error) {
	m := opened(t, dir)
	t.Cleanup(func() { _ = m.Close() })
	w := invented(t, m, 4, 10)
	_, err := w.Process(t.Context(), Processing{Full: true})
	return w, err
}
