package conversation_test

import (
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
)

// write has a model rewrite some turns, and some conversations as a whole.
func (w *world) write(t *rapid.T) {
	turns, err := conversation.Unwritten(w.s.View(w.ws), rapid.IntRange(1, 5).Draw(t, "limit"))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range turns {
		info, err := conversation.ByNumber(w.s.View(w.ws), u.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		turn, err := conversation.Turn(w.s.View(w.ws), info, u.Turn)
		if err != nil {
			t.Fatal(err)
		}
		text := textOf(turn.Messages)
		if len(turn.Messages) == u.Messages && u.Content != xxh3.HashString128(text).Bytes() {
			t.Fatalf("%+v waits for a model to tell of what it is not: %q", u, text)
		}
		err = w.commit(t, func(tx store.Tx) error {
			if len(turn.Messages) != u.Messages {
				conversation.NotWritten(tx, u)
				return nil
			}
			return conversation.PutWritten(tx, u, conversation.Written{S: text, Messages: u.Messages, Turns: info.Turns, By: u.Content})
		})
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := conversation.IsUnwritten(w.s.View(w.ws), u); err != nil || ok {
			t.Fatalf("%+v waits after a model told of it: %v", u, err)
		}
	}
	numbers, err := conversation.PendingArcs(w.s.View(w.ws), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		info, err := conversation.ByNumber(w.s.View(w.ws), n)
		if err != nil {
			t.Fatal(err)
		}
		all, err := conversation.Messages(w.s.View(w.ws), info, 0, info.Messages)
		if err != nil {
			t.Fatal(err)
		}
		err = w.commit(t, func(tx store.Tx) error {
			if info.ID == "" {
				conversation.NoArc(tx, n)
				return nil
			}
			conversation.PutArc(tx, n, []byte(textOf(all)))
			conversation.PutSummary(tx, n, conversation.SummaryOf{To: info.Messages - 1, Level: "older"}, textOf(all))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
