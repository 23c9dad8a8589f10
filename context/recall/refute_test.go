package recall

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// talked returns a shelf of one session between a person and an assistant, who take turns.
func talked(t *testing.T, said ...string) *shelf {
	t.Helper()
	s := &shelf{count: counter(t)}
	for i, text := range said {
		role := dialogue.User
		if i%2 == 1 {
			role = dialogue.Assistant
		}
		s.said = append(s.said, LocatedMessage{1, i, i/2 + 1, 0, dialogue.Message{
			ID: fmt.Sprint("m", i), Role: role, Content: text, At: time.Date(2025, 3, 4, 10, i, 0, 0, time.UTC),
		}})
	}
	return s
}

func TestRefuted(t *testing.T) {
	const claim = "The lamp on the pier gets its power again, the relay was stuck."
	tests := []struct {
		name, reply string
		want        bool
	}{
		{"a problem", "It still doesn't work.", true},
		{"in German", "Geht immer noch nicht.", true},
		{"thanks", "Thanks, that was it.", false},
		{"an order", "Now paint the rail.", false},
		{"a question", "Which relay was it?", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := talked(t, "Please mend the lamp on the pier.", claim, tt.reply, "The fuse was blown as well.")
			r, err := Build(t.Context(), Request{Query: "lamp pier power relay", Budget: 400}, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(r.Text, "assistant (refuted in T-2): The lamp on the pier"); got != tt.want {
				t.Errorf("marked: %v, want %v:\n%s", got, tt.want, r.Text)
			}
			if !strings.Contains(r.Text, claim) {
				t.Errorf("the claim is missing:\n%s", r.Text)
			}
		})
	}
}

// TestOutcomeFirst checks that what came of a refuted answer is shown before it where both match
// and do not fit.
func TestOutcomeFirst(t *testing.T) {
	s := talked(t, "Please mend the lamp.", "The lamp on the pier gets its power again, the relay was stuck.",
		"It still doesn't work.", "A fuse of the pier lamp was blown.")
	r, err := Build(t.Context(), Request{Query: "lamp pier power relay", Budget: 55}, s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Text, "fuse of the pier") || strings.Contains(r.Text, "relay was stuck") {
		t.Errorf("want what came of it alone:\n%s", r.Text)
	}
}
