package memory

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// stateWith returns a state that has one conversation, without any memory around it.
func stateWith(t *testing.T, id string, messages []dialogue.Message) store.View {
	t.Helper()
	s := storetest.Open(t)
	storetest.Apply(t, s, 7, func(tx store.Tx) error {
		p, err := conversation.Prepare(id, "", messages)
		if err == nil {
			_, err = p.Append(tx)
		}
		return err
	})
	return s.View(7)
}

// TestConversationsCleanNames checks that a conversation is found by the id that it was given and
// by the one under which it is stored.
func TestConversationsCleanNames(t *testing.T) {
	c := cleaner{redact: func(_, text string) string { return strings.ReplaceAll(text, "token", "[REDACTED]") }}
	list := Conversations{stateWith(t, c.name("token-1"), talk(1, 3)), c}
	for _, id := range []string{"token-1", c.name("token-1")} {
		info, err := list.Find(id)
		if err != nil || info.Turns != 3 {
			t.Fatalf("%q: %d turns: %v", id, info.Turns, err)
		}
		has, err := list.Has(id, []string{"m0", "token"})
		if err != nil || len(has) != 1 || !has["m0"] {
			t.Errorf("%q has %v: %v", id, has, err)
		}
		if turn, found, err := list.TurnWith(id, "m0"); turn != 1 || !found || err != nil {
			t.Errorf("%q: m0 is in turn %d, %v: %v", id, turn, found, err)
		}
	}
	if _, err := list.Find("token-2"); !errors.Is(err, conversation.ErrNotFound) {
		t.Errorf("another id: %v", err)
	}
}

// TestTurnsAreMadeWhenAskedFor checks that turns and arcs without stored versions are made, until
// the caller has no more time, and that a raw text needs no time.
func TestTurnsAreMadeWhenAskedFor(t *testing.T) {
	said := talk(2, 8)
	state := stateWith(t, "c", said)
	info, err := conversation.Find(state, "c")
	if err != nil {
		t.Fatal(err)
	}
	late := errors.New("no time is left")
	var stop error
	turns := Turns{
		state: state, kept: newConversationCache().current.Load(), late: func() error { return stop },
		opts: &Options{Count: words, Block: func(tag, body string) string { return tag + "\n" + body }},
	}
	arcs := Arcs{&turns}
	if text, err := turns.Text(info, 2, dialogue.Compressed); err != nil || text.Body == "" || !text.Pending || text.Source != dialogue.FromExtraction {
		t.Errorf("turn 2: %+v: %v", text, err)
	}
	stop = late
	if _, err := turns.Sizes(info); !errors.Is(err, late) {
		t.Errorf("sizes without time: %v", err)
	}
	if _, err := arcs.Of(info, arc.Rich, 0); !errors.Is(err, late) {
		t.Errorf("arc without time: %v", err)
	}
	if raw, err := turns.Text(info, 1, dialogue.Raw); err != nil || !strings.Contains(raw.Body, said[0].Content) {
		t.Errorf("raw turn 1: %+v: %v", raw, err)
	}
	stop = nil
	sizes, err := turns.Sizes(info)
	if err != nil || len(sizes) != info.Turns {
		t.Fatalf("%d sizes of %d turns: %v", len(sizes), info.Turns, err)
	}
	turn, err := conversation.Turn(state, info, info.Turns)
	if err != nil || turns.SizeOf(turn) != sizes[info.Turns-1] {
		t.Errorf("the last turn: %+v, want %+v: %v", turns.SizeOf(turn), sizes[info.Turns-1], err)
	}
	if a, err := arcs.Of(info, arc.Rich, 0); err != nil || a.Text == "" {
		t.Errorf("arc: %+v: %v", a, err)
	}
}
