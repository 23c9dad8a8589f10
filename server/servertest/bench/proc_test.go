//go:build linux

package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc, 1/100 s on every architecture that Go supports.
const tick = 10 * time.Millisecond

// memory returns a line of /proc/PID/status such as VmHWM (the peak) or VmRSS, in bytes.
func memory(pid int, name string) (int64, error) {
	n, err := procLine(pid, "status", name+":")
	return n * 1024, err
}

// stored returns the bytes that a process has caused to be written to the disk.
func stored(pid int) (int64, error) { return procLine(pid, "io", "write_bytes:") }

// procLine returns the number after a name in a file of /proc/PID.
func procLine(pid int, file, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			return strconv.ParseInt(fields[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("read /proc: no %s in %s", name, file)
}

// processor returns the processor time of a running process.
func processor(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name in parentheses and may contain anything; user and system time
	// are fields 14 and 15.
	_, rest, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 13 {
		return 0, fmt.Errorf("read /proc: odd stat line %q", text)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, err
}

// load returns the machine's load average over a minute, in the kernel's format.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// listing returns the size and modification time of each file below a folder.
func listing(dir string) (map[string]stamp, error) {
	out := map[string]stamp{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[path] = stamp{info.Size(), info.ModTime()}
		}
		return err
	})
	return out, err
}

// stamp changes when the file is written.
type stamp struct {
	size int64
	at   time.Time
}

// size returns the total size of the files below a folder.
func size(dir string) (total int64, err error) {
	files, err := listing(dir)
	for _, f := range files {
		total += f.size
	}
	return total, err
}
