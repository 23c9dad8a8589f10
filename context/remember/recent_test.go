package remember

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/memory"
)

func recentOf(t *testing.T, w *memory.Workspace, conversation, prompt string) []retrieve.Recent {
	t.Helper()
	p, err := NewPast(view(t, w), Options{
		Conversation: conversation, Prompt: prompt, Budget: 1000, Count: func(s string) int { return len(s)/4 + 1 },
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.Recent()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRecentOfANewConversation checks that recent topics of the workspace lead a prompt that names
// nothing, until the conversation has its own.
func TestRecentOfANewConversation(t *testing.T) {
	w := remembering(t)
	tell(t, w, "yesterday", "Please look at srv/pool.go once more.", "I changed `Pool.Acquire` in srv/pool.go.")
	want := retrieve.Recent{Path: "srv/pool.go", Earlier: true}
	for _, conversation := range []string{"", "today"} {
		if got := recentOf(t, w, conversation, "go on with what we did yesterday"); !slices.Contains(got, want) {
			t.Errorf("conversation %q: %+v", conversation, got)
		}
		for _, prompt := range []string{"where does the xylograph daemon quarantine manifests?", "write a haiku about autumn rain"} {
			if got := recentOf(t, w, conversation, prompt); len(got) > 0 {
				t.Errorf("conversation %q, %q: %+v", conversation, prompt, got)
			}
		}
	}
	tell(t, w, "short", "Please look at srv/login.go", "Done.")
	got := recentOf(t, w, "short", "and the tests?")
	if len(got) < 2 || got[0] != (retrieve.Recent{Path: "srv/login.go", Turn: 1}) || !slices.Contains(got[1:], want) {
		t.Errorf("a short conversation: %+v", got)
	}
	tell(t, w, "long", "Look at a/a.go, a/b.go, a/c.go, a/d.go, a/e.go, a/f.go and a/g.go", "Done.")
	if got := recentOf(t, w, "long", "and the tests?"); slices.ContainsFunc(got, func(r retrieve.Recent) bool { return r.Earlier }) {
		t.Errorf("a conversation that speaks for itself: %+v", got)
	}
}
