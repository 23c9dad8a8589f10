package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/command"
)

// learningRows describes the state of the offline learning.
func learningRows(st *command.LearningStatus) [][]string {
	rows := [][]string{
		{"state", learningState(st)},
		{"known", counted(st.Topics, "topic") + ", " + entityCount(st.Entities)},
	}
	if c := st.Coverage; c != nil {
		rows = append(rows, []string{"covered", fmt.Sprintf("%d of the last %s, %d of %s", c.Answered, counted(c.Questions, "question"), c.Covered, counted(c.Topics, "topic"))})
	}
	if st.Problem != "" {
		rows = append(rows, []string{"problem", oneLine(st.Problem, 400)})
	}
	if st.LastRunAt == nil {
		return append(rows, []string{"last run", "never"})
	}
	took := time.Duration(st.MS * float64(time.Millisecond))
	rows = append(rows,
		[]string{"last run", st.LastRunAt.UTC().Format("2006-01-02 15:04 UTC") + ", " + st.Reason + ", took " + durationText(took)},
		[]string{"read", counted(st.Turns, "turn") + " for the first time"},
		[]string{"changed", fmt.Sprintf("+%d -%d topics, +%d -%d entities, +%d lessons", st.NewTopics, st.GoneTopics, st.NewEntities, st.GoneEntities, st.NewLessons)})
	return append(rows, changeRows(st.Changes)...)
}

// learningState describes the current run, or what the next run is waiting for.
func learningState(st *command.LearningStatus) string {
	p := st.Progress
	if p == nil {
		if st.Waits != "" {
			return st.State + " for " + st.Waits
		}
		return st.State
	}
	text := st.State + ", " + p.Reason + ", for " + durationText(time.Duration(p.MS*float64(time.Millisecond))) + ": " + fmt.Sprintf("%d %%", int(100*p.Share))
	if p.Stage != "" {
		text += ", " + p.Stage
	}
	if p.Total > 0 {
		text += " " + count(p.Done) + " of " + count(p.Total)
	}
	if p.Waits != "" {
		text += "; waits for " + p.Waits
	}
	return text
}

// namesShown is how many changes of one kind are listed by name.
const namesShown = 8

// changeRows lists what the last run changed, a row for each kind and act.
func changeRows(changes []command.LearningChange) (rows [][]string) {
	type group struct{ act, kind string }
	var order []group
	names := map[group][]string{}
	for _, c := range changes {
		g := group{c.Act, c.Kind}
		if names[g] == nil {
			order = append(order, g)
		}
		names[g] = append(names[g], oneLine(c.Label, 40))
	}
	for _, g := range order {
		list := names[g]
		text := strings.Join(list[:min(len(list), namesShown)], ", ")
		if len(list) > namesShown {
			text += ", …"
		}
		rows = append(rows, []string{"", g.act + " " + g.kind + ": " + text})
	}
	return rows
}

// learningLook is the time between two checks of the progress of a run.
const learningLook = 200 * time.Millisecond

// showLearning shows the progress of a long run. The returned function stops that.
func (w *workspace) showLearning(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { // end waits for it
		defer close(done)
		p := newProgress(w.env)
		defer p.end()
		ticker := time.NewTicker(learningLook)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			st, err := call[command.LearningStatus](ctx, w.client, "contexture.knowledge.status", map[string]any{})
			if err == nil && st.Progress != nil { // on an error, the run itself reports what is wrong
				p.show(phase{"Learning: " + st.Progress.Stage, "pieces", st.Progress.Done, st.Progress.Total})
			}
		}
	}()
	return func() { cancel(); <-done }
}
