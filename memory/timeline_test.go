package memory

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// timelineOf reads a conversation's timeline in pages of n turns.
func timelineOf(tb testing.TB, w *Workspace, pageTurns int) (out []TimelineTurn) {
	tb.Helper()
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("c")
	if err != nil {
		tb.Fatal(err)
	}
	for from := 1; from <= info.Turns; from += pageTurns {
		page, err := v.Timeline(info, from, from+pageTurns-1)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, page...)
	}
	return out
}

// TestTimelineOfLongConversation checks that beyond exactTurns the marks are computed from a part
// of the conversation, that they do not depend on where pages begin, on caches or on whether
// versions are made, and that a soon replaced decision is marked so.
func TestTimelineOfLongConversation(t *testing.T) {
	w := workspace(t, opened(t, t.TempDir()))
	const turns, decided = exactTurns + 300, 2*markBlock - 1 // replaced in the next block
	var msgs []dialogue.Message
	for i := 1; i <= turns; i++ {
		text := fmt.Sprintf("Note %d.", i)
		switch i {
		case decided - 1:
			text = "What shall we store the ledger in? Postgres or SQLite would do."
		case decided:
			text = "Let's use SQLite for the ledger."
		case decided + 2:
			text = "Actually, let's switch the ledger to Postgres instead of SQLite."
		}
		msgs = append(msgs, dialogue.Message{ID: fmt.Sprint("m", i), Role: dialogue.User, Content: text})
	}
	for rest := msgs; len(rest) > 0; {
		n := min(len(rest), 1000)
		if _, err := w.Append(Addition{Conversation: "c", Messages: rest[:n]}); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	want := timelineOf(t, w, turns)
	if len(want) != turns {
		t.Fatalf("%d turns, want %d", len(want), turns)
	}
	for _, pageTurns := range []int{37, 200, 1000} {
		if got := timelineOf(t, w, pageTurns); !reflect.DeepEqual(got, want) {
			t.Errorf("pages of %d turns differ from one page", pageTurns)
		}
	}
	versioner{w}.make(nil)
	w.memory.cache.clear()
	if got := timelineOf(t, w, 500); !reflect.DeepEqual(got, want) {
		t.Error("the timeline depends on whether versions are made")
	}
	first, second := want[decided-1].Marks, want[decided+1].Marks
	if len(first) != 1 || first[0].Kind != DecisionMark || !first[0].Ended {
		t.Errorf("the replaced decision is %+v", first)
	}
	if len(second) != 1 || second[0].Kind != DecisionMark || second[0].Ended {
		t.Errorf("the decision that replaces it is %+v", second)
	}
}

// BenchmarkTimeline reads a page of 200 turns in the middle of a conversation of 50,000.
func BenchmarkTimeline(b *testing.B) {
	w := longWorkspace(b, 100_000)
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("c")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if page, err := v.Timeline(info, 25_001, 25_200); err != nil || len(page) != 200 {
			b.Fatal(len(page), err)
		}
	}
}
