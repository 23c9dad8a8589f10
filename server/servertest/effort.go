package servertest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Effort is what a process has done so far, as Linux counts it (proc_pid_stat(5),
// proc_pid_status(5)).
type Effort struct {
	Ticks    int         // of the processor, each 10 ms
	Switches map[int]int // context switches by thread, those of threads that have ended not among them
}

// EffortOf reads the effort of a running process.
func EffortOf(pid int) (e Effort, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return e, err
	}
	// The second field is the name in brackets and may hold anything; user and system time are
	// fields 14 and 15.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return e, fmt.Errorf("read /proc: odd stat line %q", stat)
	}
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return e, err
		}
		e.Ticks += n
	}
	threads, err := os.ReadDir(filepath.Join(dir, "task"))
	e.Switches = map[int]int{}
	for _, thread := range threads {
		text, err := os.ReadFile(filepath.Join(dir, "task", thread.Name(), "status"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
		}
		if err != nil {
			return e, err
		}
		id, _ := strconv.Atoi(thread.Name())
		for line := range strings.Lines(string(text)) {
			if name, count, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				n, err := strconv.Atoi(strings.TrimSpace(count))
				if err != nil {
					return e, err
				}
				e.Switches[id] += n
			}
		}
	}
	return e, err
}

// Since is the effort between an earlier account and this one.
func (e Effort) Since(before Effort) (ticks, switches int) {
	for id, n := range e.Switches {
		switches += n - before.Switches[id]
	}
	return e.Ticks - before.Ticks, switches
}
