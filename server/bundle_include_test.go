package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func itemOf(b *command.BundleResult, id string) *command.Item {
	for i := range b.Items {
		if b.Items[i].ID == id {
			return &b.Items[i]
		}
	}
	return nil
}

func droppedFor(b *command.BundleResult, id string) (out []string) {
	for _, d := range b.Dropped {
		if d.ID == id {
			out = append(out, d.Reason)
		}
	}
	return out
}

// TestBundleInclude checks that turns, lessons, references and code can be included by id, with a
// conversation and without one, and removed again; an id of a forgotten item is reported.
func TestBundleInclude(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{village(t)}})
	e.AwaitIdle()
	for i := range 3 {
		say(t, e, "c", user(fmt.Sprintf("The walrus of turn %d sleeps in the shed.", i+1)), assistant("So it does."))
	}
	for _, kind := range []string{"lesson", "reference"} {
		ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{
			"kind": kind, "id": kind + "1", "title": "Ferries", "content": "The " + kind + " about ferries that leave at dawn.", "topics": []string{"ferries"}, "keywords": []string{"ferry"},
		})
	}
	prompt := "what does Step3 of part7 do?"
	free := bundleOf(t, e, args{"prompt": prompt, "budget": 1500})
	code := ""
	for _, d := range free.Dropped {
		if d.Title == "" || d.Tokens == 0 {
			t.Errorf("%+v tells too little", d)
		}
		if d.Kind == "code" {
			if !strings.HasPrefix(d.URI, "file:") || d.Range == nil || d.Range.End.Line <= d.Range.Start.Line || d.Range.End.Character != 0 {
				t.Fatalf("%+v names no place", d)
			}
			code = d.ID
		}
	}
	if code == "" {
		t.Fatalf("no code is left out: %+v", free.Dropped)
	}
	ids := []string{"turn:c/T-2", "knowledge:lesson1", "knowledge:reference1", code}
	for _, conversation := range []string{"", "c"} {
		a := args{"prompt": prompt, "budget": 1500, "include": ids}
		if conversation != "" {
			a["conversationId"] = conversation
		}
		b := bundleOf(t, e, a)
		checkBundle(t, b, prompt)
		for _, id := range ids {
			if it := itemOf(b, id); it == nil || len(droppedFor(b, id)) > 0 {
				t.Errorf("in conversation %q: %s is %+v, left out for %v", conversation, id, it, droppedFor(b, id))
			}
		}
		for text, times := range map[string]int{"The walrus of turn 2 sleeps": 1, "The lesson about ferries": 1, "The reference about ferries": 1} {
			if n := strings.Count(b.Text, text); n != times {
				t.Errorf("in conversation %q: %q stands there %d times", conversation, text, n)
			}
		}
		again := bundleOf(t, e, a)
		if again.Text != b.Text {
			t.Error("a second time the bundle is another one")
		}
		a["omit"] = []string{"knowledge:lesson1", code}
		b = bundleOf(t, e, a)
		for _, id := range a["omit"].([]string) {
			if itemOf(b, id) != nil || !slices.Equal(droppedFor(b, id), []string{"excluded"}) {
				t.Errorf("in conversation %q: %s is left out for %v", conversation, id, droppedFor(b, id))
			}
		}
		if strings.Contains(b.Text, "The lesson about ferries") {
			t.Error("what is left out stands in the text")
		}
	}
	if b := bundleOf(t, e, args{"prompt": prompt, "include": []string{code}, "exclude": []string{"**"}}); itemOf(b, code) != nil || !slices.Equal(droppedFor(b, code), []string{"excluded"}) {
		t.Errorf("a piece of an excluded file is left out for %v", droppedFor(b, code))
	}

	ask[command.Deleted](t, e, "contexture.knowledge.delete", args{"id": "lesson1"})
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "c"})
	b := bundleOf(t, e, args{"prompt": prompt, "include": ids})
	if !slices.ContainsFunc(b.Degraded, func(d command.Degradation) bool {
		return d.Reason == "stale" && strings.Contains(d.Detail, "turn:c/T-2") && strings.Contains(d.Detail, "knowledge:lesson1")
	}) || strings.Contains(b.Text, "walrus") || itemOf(b, code) == nil {
		t.Errorf("after they were forgotten: %+v", b.Degraded)
	}
	for _, field := range []string{"include", "omit"} {
		refused(t, e, "contexture.bundle", args{"prompt": prompt, field: slices.Repeat([]string{"x"}, 51)}, field, "")
	}
}
