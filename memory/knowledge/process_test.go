package knowledge

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// told makes turns from lines in say's format; every user's line opens a turn.
func told(conversation string, lines ...string) []TalkTurn {
	var out []TalkTurn
	for i, line := range lines {
		role, text, _ := strings.Cut(line, ": ")
		if role == "user" {
			out = append(out, TalkTurn{Conversation: conversation, Turn: dialogue.Turn{Number: len(out) + 1}})
		}
		turn := &out[len(out)-1].Turn
		turn.Messages = append(turn.Messages, dialogue.Message{
			ID: fmt.Sprintf("%s-%d", conversation, i), Role: dialogue.Role(role), Content: text, At: noon.Add(time.Duration(i) * time.Hour),
		})
	}
	return out
}

func each(lists ...[]TalkTurn) iter.Seq2[TalkTurn, error] {
	return func(yield func(TalkTurn, error) bool) {
		for _, l := range lists {
			for _, t := range l {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

func trouble(conversation string) []TalkTurn {
	return told(conversation,
		"user: The importer crashes with an error: connection pool exhausted after ten files.",
		"assistant: The importer opens a connection for each file and never closes it. I moved the pool out of the loop and close each connection with defer.",
		"user: That fixed it, thanks.",
		"assistant: Good to hear.")
}

func TestProcess(t *testing.T) {
	st := storetest.Open(t)
	asks := told("q",
		"user: How does the quaymaster pick a worker?", "assistant: By load.",
		"user: What does the quaymaster do when a worker dies?", "assistant: It retries.",
		"user: Why is the quaymaster slow at start?", "assistant: It warms up.",
		"user: Good.", "assistant: Fine.")
	run := func(full bool) ProcessResult {
		t.Helper()
		var out ProcessResult
		storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) (err error) {
			talks := [][]TalkTurn{trouble("a"), trouble("b"), asks}
			out, err = Process(tx, ProcessInput{Turns: each(talks...), Full: full, Subjects: subjectsOf(tx, talks...)})
			return err
		})
		return out
	}
	first := run(false)
	if first.Lessons != 1 || first.Merged != 1 || first.Topics == 0 {
		t.Errorf("first run: %+v", first)
	}
	lessons, err := List(st.View(1), Filter{Kind: Lesson})
	if err != nil || len(lessons) != 1 {
		t.Fatal(lessons, err)
	}
	if l := lessons[0]; !strings.Contains(l.Content, "moved the pool out of the loop") || l.Weight != 2 || len(l.SourceTurns) != 4 {
		t.Errorf("lesson %+v", l)
	}
	gaps, err := Recommendations(st.View(1))
	if err != nil || len(gaps) == 0 || gaps[0].Topic != "quaymaster" || len(gaps[0].Evidence) != 3 {
		t.Errorf("recommendations %+v %v", gaps, err)
	}
	before := state(t, st)
	for _, full := range []bool{false, true, true, false} {
		again := run(full)
		if again.Version <= first.Version || again.Lessons != 1 || again.Topics != first.Topics {
			t.Errorf("again, full %v: %+v", full, again)
		}
		if got := state(t, st); got != before {
			t.Errorf("another run, full %v, changed\n%s\nto\n%s", full, before, got)
		}
		first = again
	}
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, []string{"q"}, nil) })
	storetest.Apply(t, st, 1, func(tx store.Tx) error {
		return ForgetConversations(tx, []string{lessons[0].Conversation}, nil)
	})
	if got := state(t, st); strings.Contains(got, "quaymaster") || strings.Contains(got, "pool out of the loop") {
		t.Errorf("left after forgetting: %s", got)
	}
}

// state returns everything that readers see, except the version.
func state(t *testing.T, st *store.Store) string {
	t.Helper()
	items, err1 := List(st.View(1), Filter{Superseded: true})
	gaps, err2 := Recommendations(st.View(1))
	text, err3 := json.Marshal([]any{items, gaps})
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return string(text)
}

// TestReasons checks that lines with the reason of a failed call are distinguished from lines that
// only mention failures.
func TestReasons(t *testing.T) {
	for line, want := range map[string]bool{
		"--- PASS: TestRefusedConnection (0.01s)": false, "=== RUN   TestNotFound": false, "Exit code 1": false, "FAIL": false,
		"2026/03/02 18:02:05 WARN the file was not found": false,
		"pool_test.go:12: expected 3, got 2":              true, "bash: foo: command not found": true, "exited with code 2, error: no such host": true,
	} {
		if got := isReason(line); got != want {
			t.Errorf("isReason(%q) = %v", line, got)
		}
	}
}
