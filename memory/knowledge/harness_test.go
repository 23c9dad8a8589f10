package knowledge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
	"github.com/contexture-dev/contexture/memory/subject"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// say appends messages to a conversation, each "role: text" or "role/author: text", and learns from
// each.
func say(t testing.TB, st *store.Store, conversation string, from int, lines ...string) {
	t.Helper()
	for i, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		role, author, _ := strings.Cut(who, "/")
		m := dialogue.Message{
			ID: fmt.Sprintf("%s-%d", conversation, from+i), Role: dialogue.Role(role), Author: author, Content: text,
			At: noon.Add(time.Duration(from+i) * time.Minute),
		}
		storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
			heard := MessageDirectives{Message: m, Turn: from + i, Found: Hear(&m, "")}
			_, err := Learn(tx, Learning{Conversation: conversation, Messages: []MessageDirectives{heard}})
			return err
		})
	}
}

// inForce returns the contents of the rules in force, the latest first.
func inForce(t testing.TB, st *store.Store) []string {
	t.Helper()
	items, _, err := Active(st.View(1))
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, it := range items {
		out = append(out, it.Content)
	}
	return out
}

// subjectsOf returns what people call by name in conversations.
func subjectsOf(tx store.Tx, talks ...[]TalkTurn) func() (subject.Set, error) {
	return func() (subject.Set, error) {
		uses := map[string][]subject.Use{}
		for c, talk := range talks {
			for _, told := range talk {
				for _, m := range told.Turn.Messages {
					for _, n := range subject.Names(m, nil) {
						key := subject.Fold(n.Name)
						uses[key] = append(uses[key], subject.Use{
							Name: n.Name, Conversation: uint32(c), Turn: told.Turn.Number, At: m.At, Source: SourceTurn(told.Conversation, dialogue.TurnID(told.Turn.Number)),
						})
					}
				}
			}
		}
		wishes, err := Steerings(tx.View)
		return subject.Group(uses, wishes), err
	}
}
