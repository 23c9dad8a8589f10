package memory

import (
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/work"
)

// Stats counts what is stored for a workspace.
type Stats struct {
	Conversations int `json:"conversations"`
	Turns         int `json:"turns"`
	Messages      int `json:"messages"`
	Rules         int `json:"rules"`
	Lessons       int `json:"lessons"`
	References    int `json:"references"`
	Superseded    int `json:"superseded"`
	Tasks         int `json:"tasks"`
	Blockers      int `json:"blockers"`
	Files         int `json:"files"`   // in the cabinet
	Pending       int `json:"pending"` // turns whose shorter versions are not made yet
	// Version of the knowledge.
	Version uint64 `json:"version"`
	// Bytes on disk of the memory of all workspaces.
	Bytes int64 `json:"bytes"`
}

// Empty reports whether nothing is stored.
func (s Stats) Empty() bool {
	return s.Conversations+s.Rules+s.Lessons+s.References+s.Superseded+s.Tasks+s.Blockers+s.Files == 0
}

// statsMost bounds the completed tasks and the turns that are counted.
const statsMost = 1000

// Stats returns the counts. It reads a record of every conversation.
func (v *View) Stats() (Stats, error) {
	var out Stats
	var err error
	if out.Bytes, err = v.w.memory.store.Bytes(); err != nil {
		return out, err
	}
	if out.Conversations, out.Messages, out.Turns, err = counts(v.state); err != nil {
		return out, err
	}
	items, err := v.Knowledge.List(knowledge.Filter{Superseded: true})
	if err != nil {
		return out, err
	}
	for _, it := range items {
		switch {
		case !it.Holds():
			out.Superseded++
		case it.Kind == knowledge.Rule:
			out.Rules++
		case it.Kind == knowledge.Lesson:
			out.Lessons++
		default:
			out.References++
		}
	}
	completed, blockers, err := work.List(v.state, statsMost)
	if err != nil {
		return out, err
	}
	files, err := v.Texts()
	if err != nil {
		return out, err
	}
	out.Tasks, out.Blockers, out.Files = len(completed), len(blockers), len(files)
	pending, err := conversation.Pending(v.state, statsMost)
	if err != nil {
		return out, err
	}
	out.Pending = len(pending)
	out.Version, err = v.Knowledge.Version()
	return out, err
}
