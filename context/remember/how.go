package remember

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
)

const (
	// howMessages bounds the messages that are read for a command, the newest of those that contain
	// its words; howBytes bounds what their calls' results take.
	howMessages, howBytes = 2000, 64 << 20
	// howGap is the distance within which messages are read together.
	howGap = 8
	// howAfter is the number of messages after a failing call in which one that passes is sought.
	howAfter = 60
)

// Habit is a command line that was run, and what came of it.
type Habit struct {
	Line, Folder    string // see [knowledge.Execution]; Folder is that of the last run
	Times, Failures int
	Outcome         knowledge.Outcome // of the last run
	Failure         string            // what the last failing run said; "" for none
	Last            Moment            // of the last run
	// Passed is the run of the same kind that passed next after the last failing one; nil for none.
	Passed *Passing

	failed *execution // the last failing run
	weight float64
}

// Passing is a run that passed.
type Passing struct {
	Line string
	Moment
}

// Moment is a turn of a conversation.
type Moment struct {
	Conversation string
	Turn         int
	At           time.Time // zero when unknown
}

// execution is a run with its location.
type execution struct {
	knowledge.Execution
	Moment
	number uint32 // under which its conversation is stored
	index  int    // of its message
}

// How returns how a command was run in remembered conversations: its distinct lines at most limit,
// those that ran often and lately first. The command is given by words of its line. It is found by
// the index of messages, which has the first 200 bytes of a call's command; more means that older
// messages were not read, or lines were left out.
func (a *Act) How(ctx context.Context, command string, limit int) (list []Habit, more bool, err error) {
	found, more, err := a.View.Messages.Holding(ctx, command, howMessages)
	if err != nil || len(found) == 0 {
		return nil, more, err
	}
	runs, marks, cut, err := a.executions(ctx, command, found)
	if err != nil {
		return nil, more, err
	}
	out := habits(runs)
	more = more || cut || len(out) > limit
	out = out[:min(len(out), limit)]
	for i := range out {
		if out[i].failed == nil {
			continue
		}
		if out[i].Passed, err = a.passedAfter(out[i].failed, marks); err != nil {
			return nil, more, err
		}
	}
	return out, more, nil
}

// executions reads messages and returns the runs of a command in them, in the messages' order.
func (a *Act) executions(ctx context.Context, command string, found []recall.Location) (runs []execution, marks knowledge.Marks, cut bool, err error) {
	slices.SortFunc(found, func(x, y recall.Location) int {
		return cmp.Or(cmp.Compare(y.Conversation, x.Conversation), cmp.Compare(x.Message, y.Message))
	})
	type read struct {
		number   uint32
		id       string
		places   []memory.Place
		messages []dialogue.Message
	}
	var list []read
	marks = knowledge.Marks{}
	size := 0
	for len(found) > 0 && !cut {
		n := 1
		for n < len(found) && found[n].Conversation == found[0].Conversation && found[n].Message-found[n-1].Message <= howGap {
			n++
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		wanted := found[:n]
		found = found[n:]
		info, places, err := a.View.Messages.Places(wanted[0].Conversation, wanted[0].Message, wanted[n-1].Message+1)
		if errors.Is(err, conversation.ErrNotFound) || err == nil && a.Mine != "" && info.ID == a.Mine {
			continue // deleted meanwhile, or the asking one
		}
		if err != nil {
			return nil, nil, false, err
		}
		r := read{number: wanted[0].Conversation, id: info.ID, places: places}
		for _, p := range places {
			r.messages = append(r.messages, p.Message)
			for _, c := range p.Message.ToolCalls {
				size += len(c.Result)
			}
		}
		for tool := range knowledge.MarksOf(r.messages) {
			marks[tool] = true
		}
		list = append(list, r)
		cut = size > howBytes
	}
	for _, r := range list {
		for _, e := range marks.Runs(command, r.messages) {
			p := r.places[e.Message]
			runs = append(runs, execution{e, Moment{r.id, p.Turn, p.Message.At}, r.number, p.Index})
		}
	}
	return runs, marks, cut, nil
}

// habits groups runs by their lines, those that ran often and lately first.
func habits(runs []execution) []Habit {
	newest := time.Time{}
	for _, r := range runs {
		if r.At.After(newest) {
			newest = r.At
		}
	}
	slices.SortStableFunc(runs, func(x, y execution) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.number, y.number), cmp.Compare(x.index, y.index))
	})
	byLine := map[string]int{}
	var out []Habit
	for i := range runs {
		r := &runs[i]
		at, known := byLine[r.Line]
		if !known {
			at = len(out)
			byLine[r.Line] = at
			out = append(out, Habit{Line: r.Line})
		}
		h := &out[at]
		h.Times++
		h.weight += math.Exp2(-float64(newest.Sub(r.At)) / float64(howHalfLife))
		h.Folder, h.Outcome, h.Last = r.Folder, r.Outcome, r.Moment
		if r.Outcome == knowledge.Failed {
			h.Failures++
			h.Failure, h.failed = r.Failure, r
		}
	}
	for i := range out {
		if out[i].Failures == out[i].Times {
			out[i].weight *= neverPassed
		}
	}
	slices.SortStableFunc(out, func(x, y Habit) int { return cmp.Or(cmp.Compare(y.weight, x.weight), y.Last.At.Compare(x.Last.At)) })
	return out
}

// passedAfter returns the next run after a failing one, of the same kind and soon, that passed.
func (a *Act) passedAfter(failed *execution, marks knowledge.Marks) (*Passing, error) {
	info, places, err := a.View.Messages.Places(failed.number, failed.index+1, failed.index+1+howAfter)
	if errors.Is(err, conversation.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	messages := make([]dialogue.Message, len(places))
	for i, p := range places {
		messages[i] = p.Message
	}
	for _, e := range marks.Runs(failed.Kind, messages) {
		if e.Outcome == knowledge.Passed && !e.AsksForHelp() {
			p := places[e.Message]
			return &Passing{e.Line, Moment{info.ID, p.Turn, p.Message.At}}, nil
		}
	}
	return nil, nil
}
