package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/schollz/progressbar/v3"
)

// watched is what progress is shown of: an *indexer.Index.
type watched interface {
	Status() indexer.Status
	Changed() <-chan struct{}
}

// waitForIndex returns when the index is up to date with the disk and its vectors are there, and
// shows how far it is meanwhile. It fails with ctx's error, or where the index cannot go on.
func waitForIndex(ctx context.Context, x watched, p *progress) (indexer.Status, error) {
	defer p.end()
	tick := time.NewTicker(p.redraw)
	defer tick.Stop()
	for {
		changed := x.Changed()
		st := x.Status()
		switch {
		case st.State == indexer.Failed:
			return st, indexFailure(st)
		case st.State == indexer.Idle && st.Queue == 0 && st.Pending == 0:
			return st, nil
		}
		p.show(phaseOf(st))
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			return st, ctx.Err()
		}
	}
}

// modelled is what the progress of a model outside the program is shown of: an *indexer.Index.
type modelled interface {
	ModelStatus() indexer.ModelStatus
	Changed() <-chan struct{}
}

// waitForModel returns when the model has embedded all that it can, or does not answer: what is
// missing then is made another time. The error is ctx's.
func waitForModel(ctx context.Context, x modelled, p *progress) error {
	defer p.end()
	for {
		changed := x.Changed()
		st := x.ModelStatus()
		if st.Name != "" && st.Pending == st.Failed || st.Problem != "" {
			return nil
		}
		p.show(phase{"Embedding by " + st.Name, "pieces", max(0, st.Total-st.Pending), st.Total})
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// indexFailure returns why the index cannot go on.
func indexFailure(st indexer.Status) error {
	if len(st.Errors) == 0 {
		return errors.New("indexing failed; --log-level debug says more")
	}
	return fmt.Errorf("indexing failed: %s", st.Errors[len(st.Errors)-1])
}

// phase is one step of indexing: done of total units; a total of 0 is not known.
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

// progress shows phases: as a bar on a terminal, else as a line from time to time, and not at all
// when it is soon over. Not safe for concurrent use.
type progress struct {
	w        io.Writer
	terminal bool
	columns  int // of the terminal; 0 where they are not known
	now      func() time.Time
	redraw   time.Duration // between two looks
	quiet    time.Duration // before anything is shown
	every    time.Duration // between two lines

	began, said time.Time
	phase       string
	bar         *progressbar.ProgressBar
}

const (
	// How long nothing is shown: most indexes are ready before. A line stays, so it waits longer
	// than a bar.
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

// draw moves the bar; each phase has its own, which is wiped out at its end. What a terminal does
// not take is not worth an error. A spinner turns at each call and not by itself: the library's own
// timer never ends, draws over what comes after the bar, and Clear does not lock it out.
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
	_ = p.bar.Set(min(ph.done, ph.total-1)) // full would end it
}

// barWidth is what is left of a line for the bar itself. The library would ask this process's own
// terminal.
func (p *progress) barWidth(ph phase) int {
	const most, figures = 30, 45 // such as " 100% |…| (123456/123456) [12m34s:56m78s]"
	if p.columns == 0 {
		return most
	}
	return min(most, max(1, p.columns-len(ph.name)-figures))
}

// end wipes the bar out.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
