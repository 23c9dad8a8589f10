package memory

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
)

// mostLessons is how many lessons of one offline run are written anew, the heaviest first. Later runs take up the rest.
const mostLessons = 50

// wishLessons has a model write the lessons that it has not seen.
func (w *Workspace) wishLessons() error {
	if w.memory.opts.Writer == nil {
		return nil
	}
	list, err := knowledge.List(w.memory.store, w.number, knowledge.Filter{Kind: knowledge.Lesson})
	if err != nil {
		return err
	}
	var ids []string
	for _, it := range list {
		if it.Learned && it.WrittenFrom == "" && len(ids) < mostLessons {
			ids = append(ids, it.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	w.wishesMu.Lock()
	w.lessons = ids
	w.wishesMu.Unlock()
	w.memory.scribe.poke(w)
	return nil
}

// writeLesson has the model write one lesson anew.
func (m *Memory) writeLesson(ctx context.Context, w *Workspace, writer Writer) (did bool, err error) {
	w.wishesMu.Lock()
	if len(w.lessons) == 0 {
		w.wishesMu.Unlock()
		return false, nil
	}
	id := leastFailed(w, w.lessons)
	w.wishesMu.Unlock()
	removals := w.removals.Load()
	it, err := knowledge.Get(m.store, w.number, id)
	if err != nil || !it.Learned || it.WrittenFrom != "" {
		w.learnt(id)
		if errors.Is(err, knowledge.ErrNotFound) {
			err = nil
		}
		return err == nil, err
	}
	written := knowledge.Writing{ID: id, Was: it.Content, Title: it.Title, Content: it.Content}
	task, ok := rewrite.Solved(rewrite.Lesson{Title: it.Title, Content: it.Content}, turnsOf(it), m.rewriting(writer, m.opts.Count))
	if ok {
		answer, ok, err := w.ask(ctx, writer, id, task.Request)
		if err != nil {
			return false, err
		}
		if ok {
			got, _, bad := task.Read(answer)
			if bad == nil {
				written.Title, written.Content = got.Title, got.Content
			}
			m.refused("lesson", bad)
			m.judged(btoi(bad != nil), bad == nil)
		}
	}
	w.learnt(id)
	err = w.keep(removals, func(r store.Reader, b *store.Batch) error {
		w.changes++
		return knowledge.PutWriting(r, b, w.number, written, m.now())
	})
	if errors.Is(err, errGone) || errors.Is(err, knowledge.ErrNotFound) {
		return true, nil
	}
	return true, err
}

// learnt takes a lesson off those that wait.
func (w *Workspace) learnt(id string) {
	w.wishesMu.Lock()
	defer w.wishesMu.Unlock()
	delete(w.writing.failed, id)
	if i := slices.Index(w.lessons, id); i >= 0 {
		w.lessons = slices.Delete(slices.Clone(w.lessons), i, i+1)
	}
}

// turnsOf are the numbers of the turns of its conversation that a lesson was taken from.
func turnsOf(it knowledge.Item) (turns []int) {
	for _, source := range it.SourceTurns {
		rest, ok := strings.CutPrefix(source, it.Conversation+"/")
		if n, err := dialogue.ParseTurn(rest); ok && err == nil {
			turns = append(turns, n)
		}
	}
	return turns
}
