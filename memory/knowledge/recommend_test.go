package knowledge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
	"github.com/contexture-dev/contexture/memory/subject"
)

// advice returns the recommendations of a kind.
func advice(t *testing.T, st *store.Store, kind Advice) []Recommendation {
	t.Helper()
	all, err := Recommendations(st.View(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if g.Reason == "" || g.Action == "" || len(g.Command) < 3 || g.Command[0] != "contexture" || len(g.Evidence) == 0 {
			t.Errorf("nobody can act on %+v", g)
		}
	}
	return slices.DeleteFunc(all, func(g Recommendation) bool { return g.Kind != kind })
}

// quaymasterQuestions are two conversations that ask about one topic.
func quaymasterQuestions() [][]TalkTurn {
	return [][]TalkTurn{
		on(1, told("q1",
			"user: How does the quaymaster pick a worker for a job?", "assistant: By load.",
			"user: What does the quaymaster do when a worker dies?", "assistant: It retries.",
			"user: Why is the quaymaster so slow at the start?", "assistant: It warms up.",
			"user: Good.", "assistant: Fine.")),
		on(2, told("q2", "user: Is the quaymaster fair to small jobs of the night?", "assistant: Mostly.")),
		trouble("a"), trouble("b"), // so that a word of the questions is one of some
	}
}

// TestGaps checks that a topic that is asked about and documented nowhere has a recommendation to
// write a document, a documented one to add a reference, and a forgotten one none. Forgetting a
// turn that shows the gap removes the recommendation.
func TestGaps(t *testing.T) {
	st := storetest.Open(t)
	process(t, st, 1, ProcessInput{}, quaymasterQuestions()...)
	list := advice(t, st, NoDocument)
	if len(list) != 1 || list[0].Topic != "quaymaster" || len(list[0].Evidence) != 4 || list[0].Evidence[0] != "q2/T-1" {
		t.Fatalf("recommendations %+v", list)
	}
	if q := list[0].Quotations; len(q) != 4 || q[0].Text != "Is the quaymaster fair to small jobs of the night?" || q[0].At.IsZero() {
		t.Errorf("quotes %+v", q)
	}
	written := ProcessInput{Sections: func(string) ([]Section, error) {
		return []Section{{Path: "docs/jobs.md", Line: 1, Text: "# Jobs\n\nThe quaymaster hands out jobs.\n"}}, nil
	}}
	process(t, st, 1, written, quaymasterQuestions()...)
	if list := advice(t, st, NoReference); len(list) != 1 || !slices.Equal(list[0].Command, []string{"contexture", "knowledge", "pin", "quaymaster"}) {
		t.Errorf("recommendations %+v", list)
	}
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, []string{"q2"}, nil) })
	if all, err := Recommendations(st.View(1)); err != nil || len(all) != 0 {
		t.Errorf("what was forgotten is shown: %+v, %v", all, err)
	}
	process(t, st, 1, ProcessInput{Full: true}, quaymasterQuestions()...)
	storetest.Apply(t, st, 1, func(tx store.Tx) error {
		return ImportSteerings(tx, []subject.Steering{{Act: subject.Forget, ID: "topic-x", Keys: []string{subject.NameKey("quaymaster")}}})
	})
	process(t, st, 1, ProcessInput{}, quaymasterQuestions()...)
	if all, err := Recommendations(st.View(1)); err != nil || len(all) != 0 {
		t.Errorf("a forgotten topic is a gap: %+v, %v", all, err)
	}
}

// put stores a rule as a learned one.
func put(t *testing.T, st *store.Store, it Item) {
	t.Helper()
	storetest.Apply(t, st, 1, func(tx store.Tx) error {
		s, err := openShelf(tx.View)
		if err != nil {
			return err
		}
		it.Kind, it.Learned, it.Weight, it.Topics, it.Keywords = Rule, true, 1, []string{}, []string{}
		if it.State == "" {
			it.State = Candidate
		}
		it.Title, it.Conversation = it.Content, it.Quotations[0].Conversation
		for _, q := range it.Quotations {
			it.SourceTurns, it.MessageIDs = append(it.SourceTurns, SourceTurn(q.Conversation, q.Turn)), append(it.MessageIDs, q.Message)
		}
		if err := s.put(&it); err != nil {
			return err
		}
		_, err = s.flush(tx)
		return err
	})
}

func saying(conversation, turn, text string) Quotation {
	return Quotation{Conversation: conversation, Turn: turn, Message: conversation + turn, Text: text}
}

// TestRuleAdvice checks that accepting a repeated rule is recommended until it is accepted, that
// two rules that differ in a value are reported as a contradiction, and that rules with the same
// meaning become one with all their evidence.
func TestRuleAdvice(t *testing.T) {
	st := storetest.Open(t)
	const tabs, pool20, pool50 = "Indent every file of the billing service with tabs.", "The connection pool holds at most 20 connections.", "The connection pool holds at most 50 connections."
	put(t, st, Item{ID: "rule-1", Content: tabs, Serial: 1, Probability: .4, Quotations: []Quotation{saying("a", "T-1", tabs), saying("b", "T-1", tabs)}})
	put(t, st, Item{ID: "rule-2", Content: pool20, Serial: 2, State: Confirmed, Author: "ann", Quotations: []Quotation{saying("a", "T-2", pool20)}})
	put(t, st, Item{ID: "rule-3", Content: pool50, Serial: 3, State: Confirmed, Author: "bob", Quotations: []Quotation{saying("b", "T-2", pool50)}})
	const docs = "Write the release notes before you tag a release."
	put(t, st, Item{ID: "rule-4", Content: docs, Serial: 4, Probability: .9, Quotations: []Quotation{saying("a", "T-3", docs)}})
	put(t, st, Item{ID: "rule-5", Content: docs[:len(docs)-1] + "!", Serial: 5, Probability: .9, Quotations: []Quotation{saying("c", "T-3", docs[:len(docs)-1]+"!")}})
	process(t, st, 1, ProcessInput{})

	list := advice(t, st, NotConfirmed)
	if len(list) != 1 || list[0].Command[3] != "rule-1" || len(list[0].Quotations) != 2 {
		t.Fatalf("to accept: %+v", list)
	}
	if list := advice(t, st, Contradiction); len(list) != 1 || list[0].Command[3] != "rule-2" || !slices.Equal(list[0].Items, []string{"rule-3", "rule-2"}) {
		t.Errorf("contradictions %+v", list)
	}
	one, err := Get(st.View(1), "rule-4")
	if err != nil || len(one.Quotations) != 2 || one.Standing() != Confirmed || one.Confirmation != RepeatedBy {
		t.Errorf("what says the same is %+v, %v", one, err)
	}
	if _, err := Get(st.View(1), "rule-5"); err == nil {
		t.Error("the duplicate is still there")
	}
	d, err := NewDigest(st.View(1))
	if err != nil || len(d.Preferences) != 4 || d.Preferences[0].ID != "rule-4" || d.Preferences[0].Times != 2 || d.Preferences[0].Conversations != 2 {
		t.Errorf("digest %+v, %v", d.Preferences, err)
	}
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Accept(tx, "rule-1", AcceptedBy)
		return err
	})
	if list := advice(t, st, NotConfirmed); len(list) != 0 {
		t.Errorf("accepted, and still to be: %+v", list)
	}
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return Delete(tx, "rule-2") })
	if text, _, err := st.Get(key(1, keyGaps)); err != nil || strings.Contains(string(text), pool20) {
		t.Errorf("a deleted rule is stored in %s, %v", text, err)
	}
}

// TestResumedConversation checks that a conversation resumed under another id does not count as a
// repetition.
func TestResumedConversation(t *testing.T) {
	at := func(q Quotation, hours int) Quotation {
		q.At = noon.AddDate(0, 0, hours)
		return q
	}
	for _, c := range []struct {
		name string
		a, b Quotation
		want int
	}{
		{"at the same moment", at(saying("a", "T-1", "x"), 1), at(saying("b", "T-7", "x"), 1), 1},
		{"far in, at the same place", at(saying("a", "T-30", "x"), 1), at(saying("b", "T-31", "x"), 5), 1},
		{"at the beginning of both", at(saying("a", "T-1", "x"), 1), at(saying("b", "T-1", "x"), 5), 2},
		{"in one conversation", at(saying("a", "T-30", "x"), 1), at(saying("a", "T-31", "x"), 1), 2},
		{"in other words", at(saying("a", "T-30", "x"), 1), at(saying("b", "T-30", "y"), 1), 2},
	} {
		it := Item{Quotations: []Quotation{c.a, c.b}}
		if got, in := it.saidTimes(); got != c.want || in == 2 != (c.want == 2 && c.a.Conversation != c.b.Conversation) {
			t.Errorf("%s: said %d times in %d conversations", c.name, got, in)
		}
	}
}

// TestCoverage counts the questions that have an answer.
func TestCoverage(t *testing.T) {
	st := storetest.Open(t)
	cover := func(in ProcessInput) Coverage {
		t.Helper()
		return process(t, st, 1, in, quaymasterQuestions()...).Coverage
	}
	if c := cover(ProcessInput{}); c.Questions != 4 || c.Answered != 0 {
		t.Errorf("of nothing: %+v", c)
	}
	document := ProcessInput{Sections: func(string) ([]Section, error) {
		return []Section{{Path: "docs/jobs.md", Line: 1, Text: "When a worker dies the job is handed on.\n"}}, nil
	}}
	if c := cover(document); c.Answered != 1 {
		t.Errorf("with a document: %+v", c)
	}
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Put(tx, Item{Kind: Reference, Title: "The quaymaster", Content: "The quaymaster does pick a worker for a job by load; it is slow at the start, and fair to small jobs of the night."})
		return err
	})
	if c := cover(document); c.Answered != 4 {
		t.Errorf("with a reference: %+v", c)
	}
	last, err := LastRun(st.View(1))
	if err != nil || last.Coverage.Answered != 4 {
		t.Errorf("stored %+v, %v", last, err)
	}
}

// TestMistakes checks that lessons are grouped by what went wrong, ignoring numbers and folders.
func TestMistakes(t *testing.T) {
	lesson := func(id, problem string, days int, worked ...string) Item {
		return Item{ID: id, Kind: Lesson, Learned: true, Weight: 1, Content: problem + "\nThen it went.", Worked: worked, UpdatedAt: noon.AddDate(0, 0, days)}
	}
	got := mistakes([]Item{
		lesson("a", "billing/pool_test.go:12: expected 3 connections, got 2", 1, "billing/pool.go"),
		lesson("b", "store/pool_test.go:99: expected 7 connections, got 1", 3, "store/pool.go", "go test ./..."),
		lesson("c", "fatal: could not read from the remote repository", 2, "git push"),
		lesson("d", "error: nothing was done about this one", 2),
		lesson("e", "OK", 2, "x"),
	})
	if len(got) != 2 || got[0].Times != 2 || !slices.Equal(got[0].Lessons, []string{"b", "a"}) || !slices.Equal(got[0].Worked, []string{"store/pool.go", "go test ./...", "billing/pool.go"}) {
		t.Fatalf("mistakes %+v", got)
	}
	if got[0].Problem != "store/pool_test.go:99: expected 7 connections, got 1" || got[1].Problem != "fatal: could not read from the remote repository" {
		t.Errorf("problems %q, %q", got[0].Problem, got[1].Problem)
	}
}

// TestRetiredLessons checks that a lesson whose files are gone is listed as history only, and
// applies again when they are back.
func TestRetiredLessons(t *testing.T) {
	st := storetest.Open(t)
	talk := told("c", "user: The importer crashes with an error: connection pool exhausted after ten files.", "assistant: I closed the pool.", "user: That fixed it, thanks.")
	talk[0].Turn.Messages[1].ToolCalls = []dialogue.ToolCall{{Name: "Edit", Arguments: json.RawMessage(`{"path":"/w/pool.go","new_text":"x"}`)}}
	gone := true
	in := ProcessInput{Gone: func(path string) bool { return gone && path == "/w/pool.go" }}
	count := func(superseded bool) int {
		t.Helper()
		process(t, st, 1, in, talk)
		list, err := List(st.View(1), Filter{Kind: Lesson, Superseded: superseded})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && gone && (list[0].Standing() != Superseded || list[0].Outdated == "") {
			t.Errorf("outdated %+v", list[0])
		}
		return len(list)
	}
	if got := count(false); got != 0 {
		t.Errorf("%d outdated lessons are in force", got)
	}
	if got := count(true); got != 1 {
		t.Errorf("%d lessons in all", got)
	}
	if gone = false; count(false) != 1 {
		t.Error("the file is back, and the lesson is not in force")
	}
}
