package knowledge

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

func fromAnna(fact string, kind Kind, content string, earlier ...string) Item {
	return Item{
		ID: SharedID(fact), Kind: kind, Title: content, Content: content, CreatedAt: noon,
		Team: &Provenance{Fact: fact, Earlier: earlier, Key: "UANNA", Name: "Anna", Proven: true},
	}
}

func receive(t *testing.T, st *store.Store, withdrawn []string, facts ...Item) (out ReceiveCount) {
	t.Helper()
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) (err error) {
		out, err = Receive(tx, facts, func(s *Provenance) bool { return slices.Contains(withdrawn, s.Fact) })
		return err
	})
	return out
}

// stands returns the state of each item of a teammate.
func stands(t *testing.T, st *store.Store) map[string]State {
	t.Helper()
	list, err := sharedItems(st.View(1))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]State{}
	for _, it := range list {
		out[it.Content] = it.Standing()
	}
	return out
}

func accept(t *testing.T, st *store.Store, fact string) {
	t.Helper()
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Accept(tx, SharedID(fact), AcceptedBy)
		return err
	})
}

func same(t *testing.T, what string, st *store.Store, want map[string]State) {
	t.Helper()
	got := stands(t, st)
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for content, state := range want {
		if got[content] != state {
			t.Errorf("%s: %q is %s, want %s", what, content, got[content], state)
		}
	}
}

// What a teammate changes is a suggestion again, and what was accepted holds until then.
func TestReceive(t *testing.T) {
	st := storetest.Open(t)
	tabs, lesson := fromAnna("f1", Rule, "indent with tabs"), fromAnna("f2", Lesson, "the cache must be cleared first")
	if got := receive(t, st, nil, tabs, lesson); got != (ReceiveCount{New: 2}) {
		t.Errorf("at first: %+v", got)
	}
	if got := receive(t, st, nil, tabs, lesson); got != (ReceiveCount{}) {
		t.Errorf("again: %+v", got)
	}
	same(t, "at first", st, map[string]State{"indent with tabs": Candidate, "the cache must be cleared first": Candidate})
	accept(t, st, "f1")
	spaces := fromAnna("f3", Rule, "indent with spaces", "f1")
	receive(t, st, nil, spaces, lesson)
	same(t, "changed", st, map[string]State{"indent with tabs": Confirmed, "indent with spaces": Candidate, "the cache must be cleared first": Candidate})
	accept(t, st, "f3")
	same(t, "accepted", st, map[string]State{"indent with tabs": Superseded, "indent with spaces": Confirmed, "the cache must be cleared first": Candidate})
	// The author removes both: nothing remains, though it was accepted.
	if got := receive(t, st, []string{"f1", "f2", "f3"}); got.Removed != 3 {
		t.Errorf("withdrawn: %+v", got)
	}
	same(t, "withdrawn", st, map[string]State{})
}

// A suggestion neither replaces the person's own rule nor is replaced or confirmed by what is said.
func TestSuggestionsStandAside(t *testing.T) {
	st := storetest.Open(t)
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Put(tx, Item{Kind: Rule, Title: "own", Content: "indent with spaces, never with tabs", Weight: 1})
		return err
	})
	receive(t, st, nil, fromAnna("f1", Rule, "indent with tabs, never with spaces"), fromAnna("f2", Rule, "from now on always run the linter before a commit"))
	say(t, st, "c1", 1, "user: from now on always run the linter before a commit")
	if got := inForce(t, st); len(got) != 4 || got[1] != "indent with spaces, never with tabs" {
		t.Errorf("the person's own are not first: %q", got)
	}
	same(t, "beside", st, map[string]State{"indent with tabs, never with spaces": Candidate, "from now on always run the linter before a commit": Candidate})
	accept(t, st, "f1")
	if got := inForce(t, st); slices.Contains(got, "indent with spaces, never with tabs") {
		t.Errorf("accepted, and the contrary still holds: %q", got)
	}
}

// What a person removed does not come back, and what they changed is theirs.
func TestReceiveAgain(t *testing.T) {
	st := storetest.Open(t)
	tabs, tests := fromAnna("f1", Rule, "indent with tabs"), fromAnna("f2", Rule, "test first")
	tabs.Quotations = []Quotation{{Text: "indent with tabs from now on", At: noon, Author: "Anna"}}
	receive(t, st, nil, tabs, tests)
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error { return Delete(tx, tabs.ID) })
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Put(tx, Item{ID: tests.ID, Kind: Rule, Title: "t", Content: "test first, then refactor", Weight: 1})
		return err
	})
	if got := receive(t, st, nil, tabs, tests); got != (ReceiveCount{}) {
		t.Errorf("again: %+v", got)
	}
	if got := receive(t, st, []string{"f1", "f2"}); got != (ReceiveCount{}) {
		t.Errorf("withdrawn: %+v", got)
	}
	same(t, "again", st, map[string]State{})
	if got := inForce(t, st); !slices.Equal(got, []string{"test first, then refactor"}) {
		t.Errorf("in force: %q", got)
	}
	// The quotation was Anna's: the person may say the same.
	say(t, st, "c1", 1, "user: indent with tabs from now on")
	if got := inForce(t, st); len(got) != 2 {
		t.Errorf("said by the person: %q", got)
	}
}

// The offline run leaves alone what others wrote, and takes nothing of it for its own.
func TestProcessKeepsShared(t *testing.T) {
	st := storetest.Open(t)
	lesson := fromAnna("f1", Lesson, "make test fails with undefined: parser; run make gen before it")
	receive(t, st, nil, lesson)
	before, err := Get(st.View(1), lesson.ID)
	if err != nil {
		t.Fatal(err)
	}
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Process(tx, ProcessInput{Turns: each(trouble("c1")), Full: true})
		return err
	})
	after, err := Get(st.View(1), lesson.ID)
	if err != nil || after.Content != before.Content || !after.UpdatedAt.Equal(before.UpdatedAt) || after.Team == nil {
		t.Errorf("%+v, %v", after, err)
	}
}
