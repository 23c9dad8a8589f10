package recall

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// TestHolding checks that only messages with every term are listed, those of tool calls too, the
// newest conversation first, that a limit is reported, and that removed messages are gone.
func TestHolding(t *testing.T) {
	s := storetest.Open(t)
	call := dialogue.Message{Role: dialogue.Assistant, ToolCalls: []dialogue.ToolCall{{Name: "shell", Arguments: []byte(`{"command":"make lint fast"}`)}}}
	old := append(talkOf("make the pool faster", "lint it"), call)
	add(t, s, 3, 0, old...)
	add(t, s, 40, blockSize-1, call, dialogue.Message{Role: dialogue.User, Content: "does make lint pass?"})
	holding := func(text string, most int) ([]Location, bool) {
		t.Helper()
		list, more, err := index.Holding(t.Context(), store.View{Reader: s, Workspace: 1}, text, most)
		if err != nil {
			t.Fatal(err)
		}
		return list, more
	}
	all := []Location{{40, blockSize}, {40, blockSize - 1}, {3, 2}}
	if got, more := holding("make lint", 10); !slices.Equal(got, all) || more {
		t.Errorf("%v, more %v, want %v", got, more, all)
	}
	if got, more := holding("lint make", 2); !slices.Equal(got, all[:2]) || !more {
		t.Errorf("at most two: %v, more %v", got, more)
	}
	for _, text := range []string{"make lint zebra", "", "a b"} {
		if got, more := holding(text, 10); len(got) > 0 || more {
			t.Errorf("%q: %v, more %v", text, got, more)
		}
	}
	remove(t, s, 3, 0, old...)
	if got, _ := holding("make lint", 10); !slices.Equal(got, all[:2]) {
		t.Errorf("after a removal: %v", got)
	}
}
