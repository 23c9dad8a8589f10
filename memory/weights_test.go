package memory

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestWeightsReadBack checks that stored weights of messages are read as they were, up to a limit,
// and that other forms are not read.
func TestWeightsReadBack(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	turn := dialogue.Turn{Number: 300, First: 7, Messages: append(talk(3, 4), dialogue.Message{
		Role: dialogue.Assistant, Content: "Decided: it stays.\nerror: too late", ToolCalls: make([]dialogue.ToolCall, 3),
	})}
	var want []weight
	for _, msg := range turn.Messages {
		want = append(want, weigh(msg, 300, words))
	}
	b := m.weightsOf(turn)
	for room := range len(want) + 2 {
		if got := appendWeights(nil, b, room); !reflect.DeepEqual(got, append([]weight(nil), want[:min(room, len(want))]...)) {
			t.Errorf("room for %d: %+v", room, got)
		}
	}
	for cut := range b {
		if got := appendWeights(nil, b[:cut], len(want)); len(got) >= len(want) || len(got) > 0 && !reflect.DeepEqual(got, want[:len(got)]) {
			t.Errorf("of %d bytes: %+v", cut, got)
		}
	}
	if got := appendWeights(nil, append([]byte{weightsForm + 1}, b[1:]...), len(want)); got != nil {
		t.Errorf("of another form: %+v", got)
	}
}

// weightsIn returns a conversation's weights and how many messages were counted for them.
func weightsIn(t *testing.T, w *Workspace, id string) (list []weight, counted int) {
	t.Helper()
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	list, err = v.weights(info, "words", func(text string) int {
		counted++
		return words(text)
	})
	if err != nil || len(list) != info.Messages {
		t.Fatal(len(list), info.Messages, err)
	}
	return list, counted
}

// TestWeightsAreKept checks that once turns are processed no message is counted again, in forks
// neither, except those of a turn that a fork continued, and that the weights always equal those of
// the messages.
func TestWeightsAreKept(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	said := talk(8, 20)
	if _, err := w.Append(Addition{Conversation: "c", Messages: said}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fork("c", 9, "fork"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(Addition{Conversation: "fork", Messages: []dialogue.Message{
		{Role: dialogue.Assistant, Content: "It goes on within the turn."}, {Role: dialogue.User, Content: "And in another?"},
	}}); err != nil {
		t.Fatal(err)
	}
	check := func(when, id string, most int) {
		t.Helper()
		m.cache.clear()
		got, counted := weightsIn(t, w, id)
		if counted > most {
			t.Errorf("%s: %d messages of %s were counted", when, counted, id)
		}
		v := w.View()
		defer v.Close()
		info, err := v.Conversations.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for n := 1; n <= info.Turns; n++ {
			turn, err := v.Conversations.Turn(info, n)
			if err != nil {
				t.Fatal(err)
			}
			for _, msg := range turn.Messages {
				if want := weigh(msg, n, words); got[at] != want {
					t.Errorf("%s: message %d of %s is %+v, want %+v", when, at, id, got[at], want)
				}
				at++
			}
		}
	}
	m.worker.quiet()
	check("worked up", "c", 0)
	check("worked up", "fork", 1)
	if err := w.ForgetTurn(context.Background(), "c", 4); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	check("after a turn was forgotten", "c", len(said)/2)
	check("after a turn was forgotten", "fork", len(said)/2)
	if err := w.Delete("c"); err != nil {
		t.Fatal(err)
	}
	check("its origin deleted", "fork", len(said)/2)
}

// TestOldViewSharesNothingAfterForgetting checks that values computed by a view from before
// something was forgotten are not shared with other views.
func TestOldViewSharesNothingAfterForgetting(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	if _, err := w.Append(Addition{Conversation: "c", Messages: talk(6, 12)}); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	old := w.View()
	m.cache.clear() // as forgetting does, which waits for views before it ends
	info, err := old.Conversations.Find("c")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Window(info, 200, 60, "words", words); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Turns.Sizes(info); err != nil {
		t.Fatal(err)
	}
	old.Close()
	k := m.cache.current.Load()
	if n := fmt.Sprint(k.arcs.Len(), k.told.Len(), k.weights.Len(), k.sizes.Len(), k.summaries.Len()); n != "0 0 0 0 0" {
		t.Errorf("kept: %s", n)
	}
}
