package recall

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// days returns a conversation of several exchanges with a long last answer.
func days(t *testing.T) *shelf {
	t.Helper()
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("Please look at module%d, its scheduler.", i),
			fmt.Sprintf("module%d keeps its jobs in a heap. %s", i, strings.Repeat("Each job knows its deadline, its owner. ", 6)))
	}
	list := "There are three ways:\n"
	for i := range 3 {
		list += fmt.Sprintf("%d. Variant%d moves the timer into a goroutine of its own, with a channel that wakes it when a job comes first.\n", i+1, i+1)
	}
	return dialog(t, 100, append(texts, "How could we get rid of the polling?", list)...)
}

func TestOpenQueryFindsLatest(t *testing.T) {
	for _, query := range []string{"yes, do the second one", "and then?", "can you do the same for the others?", "et ça ?"} {
		got := answer(t, days(t), query, "any")
		for i := range 3 {
			if want := fmt.Sprintf("Variant%d moves the timer into a goroutine of its own, with a channel that wakes it when a job comes first.", i+1); !strings.Contains(got, want) {
				t.Errorf("%q: %q is missing in\n%s", query, want, got)
			}
		}
	}
}

func TestSelfContainedQueryIgnoresRecency(t *testing.T) {
	got := answer(t, days(t), "module3 scheduler heap jobs", "any")
	if !strings.Contains(got, "module3 keeps its jobs") {
		t.Errorf("module3 is missing in\n%s", got)
	}
	if first, last := strings.Index(got, "module3 keeps"), strings.Index(got, "Variant1"); last >= 0 && last < first {
		t.Errorf("the end comes first in\n%s", got)
	}
}

func TestOnlyMessagesAnswerAnOpenQuery(t *testing.T) {
	s := days(t)
	for _, kind := range []string{"code", "decision"} {
		if got := answer(t, s, "and then?", kind); strings.Contains(got, "Variant1") {
			t.Errorf("%s: the newest message came:\n%s", kind, got)
		}
	}
}

func TestTheQueryItselfIsNoAnswer(t *testing.T) {
	s := days(t)
	n := len(s.said)
	s.said = append(s.said, LocatedMessage{1, n, n/2 + 1, 0, dialogue.Message{ID: "asked", Role: dialogue.User, Content: "yes, do that one now"}})
	got, err := Build(context.Background(), Request{Query: "yes, do that one now", Budget: 400, MemoryType: "any"}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range got.Items {
		for _, id := range it.MessageIDs {
			if id == "asked" {
				t.Errorf("the query answers itself:\n%s", got.Text)
			}
		}
	}
}

func TestOpenOf(t *testing.T) {
	for _, tt := range []struct {
		query      string
		share, fit float64
		least, top float64
	}{
		{"yes, do the second one", .2, 0, .9, 1},
		{"and the other one?", 0, 0, .9, 1},
		{"where does the xylograph daemon quarantine poisoned manifests", .8, 0, 0, .2},
		{"yes, do the second one", .2, 1, 0, 0},
	} {
		if got := openOf(tt.query, tt.share, tt.fit); got < tt.least || got > tt.top {
			t.Errorf("openOf(%q, %v, %v) = %.2f, want %v to %v", tt.query, tt.share, tt.fit, got, tt.least, tt.top)
		}
	}
}
