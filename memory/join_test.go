package memory

import (
	"context"
	"maps"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// remembers appends a message and notes a lesson.
func remembers(t *testing.T, w *Workspace, conversation, message, text string) {
	t.Helper()
	_, err := w.Append(Addition{Conversation: conversation, Messages: []dialogue.Message{{ID: message, Role: dialogue.User, Content: text}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.PutKnowledge(knowledge.Item{Kind: knowledge.Lesson, Title: text, Content: text}); err != nil {
		t.Fatal(err)
	}
}

func at(t *testing.T, m *Memory, root string, former ...string) *Workspace {
	t.Helper()
	w, err := m.Workspace(context.Background(), root, former...)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Joined(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w
}

// known returns the texts of a workspace's messages and lessons.
func known(t *testing.T, w *Workspace) map[string]int {
	t.Helper()
	v := w.View()
	defer v.Close()
	infos, _, err := v.Conversations.List(100, "")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, info := range infos {
		_, places, err := v.Messages.Places(uint32(info.Number), 0, info.Messages)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			out[p.Message.Content]++
		}
	}
	items, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Lesson})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		out[it.Title]++
	}
	return out
}

// TestFormerPath checks that memory stored under a link to a root is moved to the root, whether or
// not the root had a memory, and that nothing stays behind.
func TestFormerPath(t *testing.T) {
	for _, both := range []bool{false, true} {
		dir := t.TempDir()
		m := opened(t, dir)
		want := map[string]int{"by the link": 2}
		remembers(t, at(t, m, "/link"), "c", "m1", "by the link")
		if both {
			remembers(t, at(t, m, "/real"), "d", "m1", "by its path")
			remembers(t, at(t, m, "/real"), "c", "m2", "in a conversation of the same name")
			want["by its path"], want["in a conversation of the same name"] = 2, 2
		}
		closed(t, m)
		m = opened(t, dir)
		for range 2 {
			if got := known(t, at(t, m, "/real", "/link", "/real")); !maps.Equal(got, want) {
				t.Errorf("both %v: %v, want %v", both, got, want)
			}
			list, err := m.store.Workspaces()
			if err != nil || len(list) != 1 || list[0].Root != "/real" {
				t.Errorf("both %v: workspaces %+v, error %v", both, list, err)
			}
			closed(t, m)
			m = opened(t, dir)
		}
		closed(t, m)
	}
}
