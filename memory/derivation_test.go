package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// tally is a derivation that keeps the messages it was given.
type tally struct{ has map[string]int }

func (c tally) prepare(in *intake) stage {
	return func(_ *batch, added *conversation.AppendResult) error {
		for i, m := range added.Messages {
			if given := in.messages[added.Source(i)].Content; given != m.Content {
				return fmt.Errorf("%q was prepared for %q", given, m.Content)
			}
			c.has[m.Content]++
		}
		return nil
	}
}

func (c tally) remove(_ store.Tx, gone *removal) error {
	for _, part := range gone.parts {
		for _, m := range part.Messages {
			c.has[m.Content]--
		}
	}
	return nil
}

func (c tally) left() []string {
	var out []string
	for text, n := range c.has {
		for range n {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

// TestDerivations checks that whatever stores or removes messages does it for every derivation, one
// that nothing else knows of included.
func TestDerivations(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	c := tally{map[string]int{}}
	m.derivations = append(m.derivations, c)
	is := func(after string, want ...string) {
		t.Helper()
		if got := c.left(); !slices.Equal(got, want) {
			t.Errorf("after %s: %q, want %q", after, got, want)
		}
	}
	w := workspace(t, m)
	say := func(id, text string) dialogue.Message {
		return dialogue.Message{ID: id, Role: dialogue.User, Content: text}
	}
	tellAll(t, w, "a", say("1", "one"), say("2", "two"))
	tellAll(t, w, "a", say("2", "two"), say("3", "three")) // the first is a duplicate
	tellAll(t, w, "b", say("1", "other"))
	is("appending", "one", "other", "three", "two")
	if err := w.ForgetTurn(context.Background(), "a", 2); err != nil {
		t.Fatal(err)
	}
	is("forgetting a turn", "one", "other", "three")
	if err := w.Delete("b"); err != nil {
		t.Fatal(err)
	}
	is("deleting a conversation", "one", "three")
	var out bytes.Buffer
	v := w.View()
	if err := v.Export(&out); err != nil {
		t.Fatal(err)
	}
	v.Close()
	if err := w.ForgetConversation(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	is("forgetting a conversation")
	if _, err := w.Import(&out); err != nil {
		t.Fatal(err)
	}
	is("importing", "one", "three")
}
