//go:build linux

package bench

import (
	"errors"
	"time"
)

// cold indexes the tree from nothing and stops, then starts again on the stored index.
func (r *run) cold() error {
	var floor time.Duration
	var megabytes float64
	if r.limits == goLimits { // minutes for a large tree
		var err error
		if floor, megabytes, err = r.floor(); err != nil {
			return err
		}
	}
	c, err := start(r.bin, r.tree.root, r.state)
	if err != nil {
		return err
	}
	s, err := c.ready(100 * time.Millisecond)
	wall := time.Since(c.started)
	peak, peakErr := memory(c.cmd.Process.Pid, "VmHWM")
	// An index that reports ready before its vectors exist would be measured without them.
	meaning, meaningErr := c.search("read a file line by line", "semantic", 5)
	if err := errors.Join(err, peakErr, meaningErr, c.stop()); err != nil {
		return err
	}
	if len(meaning) == 0 {
		return errors.New("the index says that it is ready and finds nothing by meaning")
	}
	disk, err := size(r.state)
	if err != nil {
		return err
	}
	cpu := c.spent()
	r.table.add("cold index: CPU", cpu.Seconds(), 0, " s", "%d files, %d chunks, %.1f MiB, %.1f s on the clock, with %s", s.Files, s.Chunks, mb(s.Bytes), wall.Seconds(), s.Embedder.Name)
	if floor > 0 {
		r.table.add("cold index: CPU against the floor", cpu.Seconds()/floor.Seconds(), 2.5, " ×", "the floor took %.1f s for %.1f MB just before", floor.Seconds(), megabytes)
		// The floor also reads files that the ignore rules exclude here; the bound must hold for
		// equal work too.
		perByte := cpu.Seconds() / float64(s.Bytes) * 1e6 / (floor.Seconds() / megabytes)
		r.table.add("cold index: CPU per byte against the floor", perByte, 2.5, " ×", "%.1f MB here", float64(s.Bytes)/1e6)
	}
	r.table.add("cold index: peak RSS", mb(peak), r.limits.peak, " MiB", "VmHWM")
	r.table.add("index on disk, against the sources", float64(disk)/float64(s.Bytes), 1, " ×", "%.1f MiB, the state directory whole", mb(disk))
	return nil
}

// restart returns the cost of a start on an unchanged tree.
func (r *run) restart(c *client) error {
	s, err := c.ready(5 * time.Millisecond)
	took := time.Since(c.started)
	cpu, cpuErr := processor(c.cmd.Process.Pid)
	counted, countErr := c.measured()
	if err := errors.Join(err, cpuErr, countErr); err != nil {
		return err
	}
	r.table.add("restart: ready", took.Seconds(), r.limits.ready, " s", "from the start of the process; %d files, %d chunks", s.Files, s.Chunks)
	r.table.add("restart: CPU", cpu.Seconds(), 0, " s", "parsing alone takes more than ten")
	for _, name := range []string{"parsed", "embedded"} {
		if n, ok := counted[name]; ok {
			r.table.exact("restart: "+name, n, 0, "contexture.metrics")
		}
	}
	return nil
}
