package teamtest

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// limitFiles lets a process make no file larger than some bytes.
func limitFiles(pid int, bytes uint64) error {
	limit := unix.Rlimit{Cur: bytes, Max: math.MaxUint64}
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		return fmt.Errorf("limit the files of process %d: %w", pid, err)
	}
	return nil
}
