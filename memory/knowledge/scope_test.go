package knowledge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// heldIn returns the contents of the rules that apply in a conversation, the latest first, and of
// those replaced there.
func heldIn(t *testing.T, s *itemStage, conversation string) (held, replaced []string) {
	t.Helper()
	h, r, err := ActiveIn(s.view, Stretch{Conversation: conversation})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range h {
		held = append(held, it.Content)
	}
	for _, it := range r {
		replaced = append(replaced, it.Content)
	}
	return held, replaced
}

// TestRuleSaidInTwoConversations checks that a rule applies in every conversation in which it was
// stated, and that a rule replaced by another conversation can still be replaced in its own.
func TestRuleSaidInTwoConversations(t *testing.T) {
	const tabs, spaces = "Always indent the Lua files with tabs.", "Let's indent the Lua files with spaces instead of tabs from now on."
	st := storetest.Open(t)
	s := &itemStage{view: st.View(1)}
	say(t, st, "a", 1, "user: "+tabs)
	say(t, st, "b", 1, "user: "+tabs)
	for _, c := range []string{"a", "b"} {
		if held, _ := heldIn(t, s, c); !slices.Equal(held, []string{tabs}) {
			t.Errorf("in %s %q holds", c, held)
		}
	}
	say(t, st, "c", 1, "user: "+tabs)
	say(t, st, "d", 1, "user: "+spaces)
	if got := inForce(t, st); !slices.Equal(got, []string{spaces}) {
		t.Errorf("in the workspace %q holds", got)
	}
	if held, _ := heldIn(t, s, "a"); !slices.Equal(held, []string{tabs}) {
		t.Errorf("after another conversation %q holds in a", held)
	}
	say(t, st, "a", 5, "user: "+spaces)
	if held, replaced := heldIn(t, s, "a"); !slices.Equal(held, []string{spaces}) || !slices.Equal(replaced, []string{tabs}) {
		t.Errorf("in a %q holds and %q is replaced", held, replaced)
	}
}

// TestAgreementIsNoRule checks that repeating a rule in agreement quotes it and does not make
// another one.
func TestAgreementIsNoRule(t *testing.T) {
	for _, tt := range []struct{ rule, agreed string }{
		{"From now on, end all names of queues with '_q'.", "Understood, I'll end all names of queues with '_q' from now on."},
		{"Nombra siempre las colas con el prefijo 'cola_'.", "Entendido, a partir de ahora nombro siempre las colas con el prefijo 'cola_'."},
	} {
		st := storetest.Open(t)
		say(t, st, "a", 1, "user/Ana: "+tt.rule, "assistant/Ben: "+tt.agreed)
		if got := inForce(t, st); !slices.Equal(got, []string{tt.rule}) {
			t.Errorf("%q holds", got)
		}
	}
}

// TestSubjectIsFoundAmongMany checks that a change of a rule is found in its own conversation,
// however many rules others have stated.
func TestSubjectIsFoundAmongMany(t *testing.T) {
	st := storetest.Open(t)
	say(t, st, "own", 1, "user/Ana: Always start the names of queues with 'a_'.")
	for i := range 3 * mostOfOthers {
		say(t, st, fmt.Sprint("other", i), 1, fmt.Sprintf("user/Person%d: Always start the names of queues with 'x%d_'.", i, i))
	}
	say(t, st, "own", 9, "user/Ana: From now on always start the names of queues with 'b_'.")
	held, replaced := heldIn(t, &itemStage{view: st.View(1)}, "own")
	if len(held) != 1 || len(replaced) != 1 {
		t.Errorf("%q holds and %q is replaced", held, replaced)
	}
}
