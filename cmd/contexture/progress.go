package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/schollz/progressbar/v3"
)

// during waits until work has ended, and meanwhile shows the progress that look returns. The error
// is that of work.
func (p *progress) during(ctx context.Context, work func(ctx context.Context) error, look func(ctx context.Context) (ph phase, ok bool)) error {
	done := make(chan error, 1)
	go func() { done <- work(ctx) }() // is waited for
	defer p.end()
	p.began = p.now()
	tick := time.NewTicker(p.redraw)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		if p.now().Sub(p.began) < p.quiet || ctx.Err() != nil {
			continue
		}
		if ph, ok := look(ctx); ok {
			p.show(ph)
		}
	}
}

// phase is one step of indexing: done of total units; a total of 0 is unknown.
type phase struct {
	name, unit  string
	done, total int
}

func phaseOf(st indexer.Status) phase {
	switch {
	case st.State == indexer.Scanning:
		return phase{name: "Looking for files"}
	case st.Queue > 0:
		return phase{"Reading files", "files", max(0, st.FilesTotal-st.Queue), st.FilesTotal}
	case st.Pending >= st.Chunks && st.Pending > 0: // the model is learnt first
		return phase{name: "Learning the workspace's words"}
	case st.Pending > 0:
		return phase{"Making vectors", "pieces", max(0, st.Chunks-st.Pending), st.Chunks}
	}
	return phase{name: "Reading the Git history"}
}

// embedding returns the progress of a model outside the program.
func embedding(st indexer.ModelStatus) phase {
	return phase{"Embedding by " + st.Name, "pieces", max(0, st.Total-st.Pending), st.Total}
}

// progress shows phases: as a bar on a terminal, else as an occasional line, and not at all if the
// work is short. It is not safe for concurrent use.
type progress struct {
	w        io.Writer
	terminal bool
	columns  int // of the terminal; 0 if unknown
	now      func() time.Time
	redraw   time.Duration // between two checks
	quiet    time.Duration // before anything is shown
	every    time.Duration // between two lines

	began, said time.Time
	phase       string
	bar         *progressbar.ProgressBar
}

const (
	// Time before anything is shown: most indexes are ready earlier. A line stays on the screen, so
	// it waits longer than a bar.
	quietBar  = 400 * time.Millisecond
	quietLine = 2 * time.Second
	lineEach  = 3 * time.Second
)

func newProgress(e *environment) *progress {
	p := &progress{w: e.stderr, terminal: e.err.On, columns: e.columns(), now: time.Now, redraw: 100 * time.Millisecond, quiet: quietLine, every: lineEach}
	if p.terminal {
		p.quiet = quietBar
	}
	return p
}

func (p *progress) show(ph phase) {
	now := p.now()
	if p.began.IsZero() {
		p.began = now
	}
	if now.Sub(p.began) < p.quiet {
		return
	}
	if p.terminal {
		p.draw(ph)
		return
	}
	if !p.said.IsZero() && now.Sub(p.said) < p.every {
		return
	}
	p.said = now
	if ph.total > 0 {
		fmt.Fprintf(p.w, "%s: %s of %s %s\n", ph.name, count(ph.done), count(ph.total), ph.unit)
		return
	}
	fmt.Fprintf(p.w, "%s\n", ph.name)
}

// draw updates the bar; each phase has its own bar, which is erased at its end. Errors of writing
// to the terminal are ignored. A spinner turns with each call and not by itself: the library's own
// timer never ends, draws over what follows the bar, and is not locked out by Clear.
func (p *progress) draw(ph phase) {
	if p.bar == nil || p.phase != ph.name {
		p.end()
		p.phase = ph.name
		total := ph.total
		if total == 0 {
			total = -1 // a spinner
		}
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(ph.name), progressbar.OptionSetWidth(p.barWidth(ph)),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionSpinnerType(14), progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionThrottle(50*time.Millisecond))
	}
	if ph.total == 0 {
		_ = p.bar.Add(1)
		return
	}
	if p.bar.GetMax() != ph.total {
		p.bar.ChangeMax(ph.total)
	}
	_ = p.bar.Set(min(ph.done, ph.total-1)) // the full total would end it
}

// barWidth returns the part of a line that is left for the bar itself. The library would query this
// process's own terminal.
func (p *progress) barWidth(ph phase) int {
	const most, figures = 30, 45 // such as " 100% |…| (123456/123456) [12m34s:56m78s]"
	if p.columns == 0 {
		return most
	}
	return min(most, max(1, p.columns-len(ph.name)-figures))
}

// end erases the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
