package conversation_test

import (
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
)

// write lets a model tell some turns again, and the whole of some conversations.
func (w *world) write(t *rapid.T) {
	turns, err := conversation.Unwritten(w.s, w.ws, rapid.IntRange(1, 5).Draw(t, "limit"))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range turns {
		info, err := conversation.ByNumber(w.s, w.ws, u.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		turn, err := conversation.Turn(w.s, w.ws, info, u.Turn)
		if err != nil {
			t.Fatal(err)
		}
		text := textOf(turn.Messages)
		if len(turn.Messages) == u.Messages && u.Content != xxh3.HashString128(text).Bytes() {
			t.Fatalf("%+v waits for a model to tell of what it is not: %q", u, text)
		}
		err = w.commit(t, func(b *store.Batch) error {
			if len(turn.Messages) != u.Messages {
				conversation.NotWritten(b, w.ws, u)
				return nil
			}
			return conversation.PutWritten(w.s, b, w.ws, u, conversation.Written{S: text, Messages: u.Messages, Turns: info.Turns, By: u.Content})
		})
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := conversation.IsUnwritten(w.s, w.ws, u); err != nil || ok {
			t.Fatalf("%+v waits after a model told of it: %v", u, err)
		}
	}
	numbers, err := conversation.Untold(w.s, w.ws, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		info, err := conversation.ByNumber(w.s, w.ws, n)
		if err != nil {
			t.Fatal(err)
		}
		all, err := conversation.Messages(w.s, w.ws, info, 0, info.Messages)
		if err != nil {
			t.Fatal(err)
		}
		err = w.commit(t, func(b *store.Batch) error {
			if info.ID == "" {
				conversation.NoStory(b, w.ws, n)
				return nil
			}
			conversation.PutStory(b, w.ws, n, []byte(textOf(all)))
			conversation.PutSummary(b, w.ws, n, conversation.SummaryOf{To: info.Messages - 1, Level: "older"}, textOf(all))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
