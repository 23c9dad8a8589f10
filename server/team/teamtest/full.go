package teamtest

import "testing"

// Full lets a process make no file larger than some bytes, which for a store equals a full disk:
// each write beyond them fails. It works on Linux only.
func Full(t testing.TB, pid int, bytes uint64) {
	t.Helper()
	if err := limitFiles(pid, bytes); err != nil {
		t.Fatal(err)
	}
}

// Full makes the disk of a server full, until it is killed.
func (p *Processes) Full(number int) {
	p.t.Helper()
	const room = 4 << 10 // less than each file of a stream that holds something
	Full(p.t, p.running[number-1].Process.Pid, room)
}
