package remember

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

func bySomebody(fact, name string, proven bool, kind knowledge.Kind, content string, rivals ...string) knowledge.Item {
	return knowledge.Item{
		ID: knowledge.SharedID(fact), Kind: kind, Title: content, Content: content,
		Team: &knowledge.Provenance{Fact: fact, Key: "U" + name, Name: name, Proven: proven, Rivals: rivals},
	}
}

// What teammates wrote names them, stands below what the person has, and is not in force before it
// is accepted.
func TestTeammates(t *testing.T) {
	w := remembering(t)
	_, err := w.ReceiveKnowledge([]knowledge.Item{
		bySomebody("f1", "Anna", true, knowledge.Rule, "wrap every error of the importer with its file"),
		bySomebody("f2", "Ben", false, knowledge.Rule, "log every error of the importer", "f1"),
		bySomebody("f3", "Anna", true, knowledge.Lesson, "the importer leaks connections when an error comes early; close them in a defer"),
	}, func(*knowledge.Provenance) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	own, _ := knowledge.Worded("lesson", "the importer leaks connections when an error comes early; close the pool")
	if _, err := w.PutKnowledge(own); err != nil {
		t.Fatal(err)
	}
	past := func() *Past {
		t.Helper()
		p, err := NewPast(view(t, w), Options{
			Prompt: "fix how the importer handles an error when connections leak", Budget: 4000, Count: func(s string) int { return len(s)/4 + 1 },
			Terms: func(text string, yield func(string)) {
				for _, f := range strings.Fields(text) {
					yield(strings.Trim(f, ".,;"))
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := past()
	list, err := p.Knowledge(t.Context(), intent.Signals{})
	if err != nil {
		t.Fatal(err)
	}
	find := func(id string) item.Item {
		t.Helper()
		i := slices.IndexFunc(list, func(m item.Item) bool { return m.ID == id && m.Dropped == "" })
		if i < 0 {
			t.Fatalf("%s is not in %+v", id, list)
		}
		return list[i]
	}
	want := "- Anna: \"wrap every error of the importer with its file\"\n- Ben (not verified): \"log every error of the importer\" (another teammate changed the same rule otherwise)"
	if m := find(suggestedID); m.Body != want && m.Body != strings.Join([]string{strings.Split(want, "\n")[1], strings.Split(want, "\n")[0]}, "\n") {
		t.Errorf("suggested: %q", m.Body)
	}
	theirs, mine := find("knowledge:team-f3"), find("knowledge:"+knowledge.IDOf(own))
	if !strings.Contains(theirs.Title, "by Anna, a teammate") || !strings.Contains(theirs.Reason, "by Anna of the team") {
		t.Errorf("%+v", theirs)
	}
	if theirs.Score >= mine.Score {
		t.Errorf("theirs has %.3f, the person's own %.3f", theirs.Score, mine.Score)
	}
	if rules, err := p.Rules(); err != nil || len(rules) != 0 {
		t.Errorf("in force: %+v, %v", rules, err)
	}
	found := &Found{View: view(t, w), Counter: func(s string) int { return len(s) / 4 }}
	if all, err := found.Expand(suggestedID); err != nil || len(all) != 1 || !strings.Contains(all[0].Body, "Ben (not verified)") {
		t.Errorf("expanded: %+v, %v", all, err)
	}
	if _, err := w.AcceptKnowledge(knowledge.SharedID("f1"), knowledge.AcceptedBy); err != nil {
		t.Fatal(err)
	}
	if rules, err := past().Rules(); err != nil || len(rules) != 1 || rules[0].Body != "- wrap every error of the importer with its file" {
		t.Errorf("accepted: %+v, %v", rules, err)
	}
}
