package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// dialog is a source of messages in sessions of n messages each.
func dialog(t *testing.T, perSession int, texts ...string) *shelf {
	t.Helper()
	s := &shelf{count: counter(t)}
	for i, text := range texts {
		role := []dialogue.Role{dialogue.User, dialogue.Assistant}[i%2]
		s.said = append(s.said, LocatedMessage{1, i, i/2 + 1, i / perSession, dialogue.Message{
			ID: fmt.Sprint("m", i), Role: role, Content: text, At: time.Date(2026, 3, 2+i/perSession, 9, 0, 0, 0, time.UTC),
		}})
	}
	return s
}

func answer(t *testing.T, s *shelf, query, kind string) string {
	t.Helper()
	r, err := Build(context.Background(), Request{Query: query, Budget: 400, MemoryType: kind}, s)
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// TestKinds checks that each memory type has the items that it names, in the words of the messages.
func TestKinds(t *testing.T) {
	s := dialog(t, 100,
		"Shall the importer keep its own queue?", "It may.",
		"Then the importer gets its own queue. Can you show me how it starts?", "To start the importer:\n\n```sh\nimporter --queue=own\n```",
		"The importer reads 400 rows a second.", "Good to know.",
	)
	s.decided = map[int][]string{2: {"Then the importer gets its own queue."}}
	s.said[5].Message.ToolCalls = []dialogue.ToolCall{{Name: "bash", Arguments: json.RawMessage(`{"cmd":"importer --version"}`), Result: json.RawMessage(`"1.4"`)}}
	for _, tt := range []struct {
		kind      string
		want, not []string
	}{
		{"turn", []string{"Shall the importer", "gets its own queue", "importer --queue=own", "400 rows"}, nil},
		{"decision", []string{"Then the importer gets its own queue."}, []string{"Shall the importer", "Can you show me", "400 rows"}},
		{"fact", []string{"400 rows a second"}, []string{"Shall the importer keep", "Can you show me"}},
		{"procedure", []string{"importer --queue=own"}, []string{"400 rows", "Shall the importer"}},
		{"code", []string{"importer --queue=own"}, []string{"Shall the importer"}},
		{"episode", []string{"Shall the importer", "It may.", "400 rows"}, nil},
		{"rule", nil, []string{"importer"}},
	} {
		got := answer(t, s, "importer", tt.kind)
		for _, w := range tt.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in\n%s", tt.kind, w, got)
			}
		}
		for _, n := range tt.not {
			if strings.Contains(got, n) {
				t.Errorf("%s: %q is in\n%s", tt.kind, n, got)
			}
		}
	}
}

// TestWhatFollowed checks that the answer is returned with the question, also from a later session
// and without a word of the query.
func TestWhatFollowed(t *testing.T) {
	s := dialog(t, 2, "Which courier takes the parcels to Bergen?", "I shall ask at the desk.", "Postnord.", "Noted.", "Unrelated things.", "Yes.")
	if got := answer(t, s, "courier Bergen", "turn"); !strings.Contains(got, "Postnord.") {
		t.Errorf("the answer of the next day is missing:\n%s", got)
	}
}

// TestNothingFound checks that common words are no answer, in any language.
func TestNothingFound(t *testing.T) {
	s := dialog(t, 100, "what do you know about the boat and the pier", "was ist mit dem Boot und wie geht es dir", "¿qué es lo que tiene el barco?", "no")
	for _, query := range []string{"what is the Kubernetes quota", "was ist mit dem Kontingent", "¿qué es el contingente?"} {
		if got := answer(t, s, query, "any"); got != "" {
			t.Errorf("%q: %s", query, got)
		}
	}
	for _, query := range []string{"what about the pier", "was ist mit dem Boot", "¿qué es el barco?"} {
		if got := answer(t, s, query, "any"); got == "" {
			t.Errorf("%q finds nothing", query)
		}
	}
}
