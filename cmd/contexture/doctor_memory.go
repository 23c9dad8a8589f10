package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	memory "github.com/contexture-dev/contexture/memory/store"
)

// Names in the state directory, see memory/store.
const (
	memoryFolder      = "memory"
	checkpointsFolder = "checkpoints"
	checkpointTime    = "20060102T150405.000000"
)

// checkMemory opens the memory as it is, and reports the checkpoints that could be restored.
func (p *patient) checkMemory(ctx context.Context) {
	const check = "memory"
	if p.state == "" {
		return
	}
	dir := filepath.Join(p.state, memoryFolder)
	if _, err := os.Stat(dir); err != nil {
		p.add(check, fine, "nothing is remembered yet", "")
		return
	}
	err := p.openMemory(ctx, dir)
	if p.notes(err) {
		return
	}
	if locked, ok := errors.AsType[*memory.LockedError](err); ok {
		p.add(check, fine, fmt.Sprintf("in use by process %d, which serves it; %s", locked.Holder, p.checkpoints(dir)), "")
		return
	}
	if err != nil {
		p.add(check, fault, oneLine(err.Error(), 0), "nothing was written; the index and bundles work without it: set memory.enabled to false meanwhile")
		return
	}
	p.add(check, fine, fmt.Sprintf("%s in %s; %s", bytesText(diskBytes(dir)), p.f.env.tilde(dir), p.checkpoints(dir)), "")
}

// openMemory opens the memory as every command does.
func (p *patient) openMemory(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "db")); errors.Is(err, fs.ErrNotExist) {
		return nil // opening it would create it
	}
	w, err := p.f.begin(ctx, p.place.root, memoryAlone)
	if err != nil {
		return err
	}
	return w.close()
}

// checkpoints returns the number of checkpoints and the date of the newest.
func (p *patient) checkpoints(dir string) string {
	entries, err := os.ReadDir(filepath.Join(dir, checkpointsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "its checkpoints cannot be listed: " + err.Error()
	}
	n, newest := 0, time.Time{}
	for _, e := range entries {
		_, text, _ := strings.Cut(e.Name(), "-")
		at, err := time.Parse(checkpointTime, text)
		if err != nil {
			continue
		}
		n++
		if at.After(newest) {
			newest = at
		}
	}
	if n == 0 {
		return "no checkpoint yet: one is made each day that it is used"
	}
	return fmt.Sprintf("%s, the newest of %s", counted(n, "checkpoint"), newest.Local().Format("2006-01-02 15:04"))
}
