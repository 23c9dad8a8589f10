package memory

import (
	"context"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
)

// View is one consistent state of a workspace's memory, by what is asked of it. The view and its
// parts are for one goroutine at a time, but the caller owns their results. Close releases all.
type View struct {
	Conversations Conversations
	Messages      Messages
	Turns         Turns
	Arcs          Arcs
	Knowledge     Knowledge
	Subjects      Subjects

	w        *Workspace
	snapshot *store.Snapshot
	state    store.View // the snapshot's of the workspace
}

// View takes the state as it is now.
func (w *Workspace) View() *View {
	m := w.memory
	k := m.cache.current.Load() // before the state, so that nothing older is cached after a clearing
	generation := m.store.Generation()
	snapshot := m.store.Snapshot()
	state := snapshot.View(w.number)
	v := &View{
		Conversations: Conversations{state, w.cleaner},
		Messages:      Messages{state: state, index: m.recall, last: map[conversation.Number]living{}, Terms: m.opts.Terms},
		Turns:         Turns{state: state, opts: &m.opts, root: w.root, kept: k, late: func() error { return nil }},
		Knowledge:     Knowledge{state, w.cleaner, k},
		Subjects:      Subjects{state, generation, k, m.opts.Familiar},
		w:             w, snapshot: snapshot, state: state,
	}
	v.Arcs.turns = &v.Turns
	return v
}

// Until makes the view stop with ctx's error when it would have to extract versions of turns that
// the background has not made. What was made by then is stored, so that the next call continues
// from there.
func (v *View) Until(ctx context.Context) { v.Turns.late = ctx.Err }

// Close releases the state.
func (v *View) Close() { v.snapshot.Close() }

// Workspace returns the workspace of the state.
func (v *View) Workspace() *Workspace { return v.w }
