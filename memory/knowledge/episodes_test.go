package knowledge

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// talkOn makes a conversation of a day, a turn for each line: "text → answer".
func talkOn(id string, day int, lines ...string) []TalkTurn {
	var out []TalkTurn
	for i, line := range lines {
		asked, answer, _ := strings.Cut(line, " → ")
		at := noon.Add(time.Duration(day)*24*time.Hour + time.Duration(i)*time.Minute)
		out = append(out, TalkTurn{Conversation: id, Messages: 2 * len(lines), Files: []string{"quay/retry.go"}, Turn: dialogue.Turn{Number: i + 1, First: 2 * i, Messages: []dialogue.Message{
			{ID: fmt.Sprint(id, 2*i), Role: dialogue.User, Content: asked, At: at},
			{ID: fmt.Sprint(id, 2*i+1), Role: dialogue.Assistant, Content: answer, At: at},
		}}})
	}
	return out
}

var retries = [][]TalkTurn{
	talkOn("a", 0, "How often should the quaymaster retry a failed upload? → It does not retry at all today.",
		"We decided to retry uploads four times with growing pauses. → The quaymaster retries four times now."),
	talkOn("b", 1, "Please look at the rounding of cents in the ledger. → The ledger rounds half up.",
		"We decided to round half to even in the ledger from now on. → The ledger rounds half to even."),
}

func toldIn(talks ...[]TalkTurn) iter.Seq2[TalkTurn, error] {
	return func(yield func(TalkTurn, error) bool) {
		for _, talk := range talks {
			for _, t := range talk {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

func runOver(t *testing.T, st *store.Store, in ProcessInput) {
	t.Helper()
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Process(tx, in)
		return err
	})
}

// settledLines formats what a conversation settled, a line each.
func settledLines(t *testing.T, st *store.Store, talk []TalkTurn, gone ...int) string {
	t.Helper()
	list, known, err := SettledIn(st.View(1), talk[0].Conversation, func(n int) (dialogue.Turn, error) {
		for _, g := range gone {
			if n == g {
				return dialogue.Turn{}, errors.New("gone")
			}
		}
		return talk[n-1].Turn, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !known && len(list) > 0 {
		t.Errorf("of a conversation that nobody has read: %+v", list)
	}
	var lines []string
	for _, s := range list {
		lines = append(lines, string(s.Part)+" "+SourceTurn(s.Conversation, s.Turn)+" "+s.Message+": "+s.Text)
	}
	return strings.Join(lines, "\n")
}

// TestSettledIn checks that the decisions of a conversation are quoted with their messages, that a
// turn that cannot be read is left out, and that nothing is known of a forgotten conversation.
func TestSettledIn(t *testing.T) {
	st := storetest.Open(t)
	if got := settledLines(t, st, retries[0]); got != "" {
		t.Errorf("before a run: %s", got)
	}
	runOver(t, st, ProcessInput{Turns: toldIn(retries...)})
	if got, want := settledLines(t, st, retries[0]), "decided a/T-2 a2: We decided to retry uploads four times with growing pauses."; got != want {
		t.Errorf("settled %q, want %q", got, want)
	}
	if got := settledLines(t, st, retries[1]); !strings.Contains(got, "decided b/T-2 b2: We decided to round half to even") {
		t.Errorf("settled %q", got)
	}
	if got := settledLines(t, st, retries[0], 2); got != "" {
		t.Errorf("without its turn: %q", got)
	}
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, []string{"a"}, nil) })
	if got := settledLines(t, st, retries[0]); got != "" {
		t.Errorf("forgotten: %q", got)
	}
	if unread, err := Unread(st.View(1), "a", 4); err != nil || !unread {
		t.Errorf("what was forgotten counts as read: %v %v", unread, err)
	}
}

// TestReplacedIsSettled checks that a rule that a later one replaced is marked so.
func TestReplacedIsSettled(t *testing.T) {
	st := storetest.Open(t)
	talk := told("c", "user: Always use tabs for indentation.", "user: Always use spaces for indentation.")
	say(t, st, "c", 1, "user: Always use tabs for indentation.", "user: Always use spaces for indentation.")
	runOver(t, st, ProcessInput{Turns: toldIn(talk)})
	if got := settledLines(t, st, talk); !strings.Contains(got, "replaced c/T-1 c-1: Always use tabs") || !strings.Contains(got, "decided c/T-2 c-2: Always use spaces") {
		t.Errorf("settled\n%s", got)
	}
}

// TestOldConversationIsReadOnce checks that an old conversation is read for lasting knowledge when
// it is new, and not again.
func TestOldConversationIsReadOnce(t *testing.T) {
	st := storetest.Open(t)
	runOver(t, st, ProcessInput{Turns: toldIn(retries...)})
	for _, c := range []string{"a", "b"} {
		if unread, err := Unread(st.View(1), c, 4); err != nil || unread {
			t.Errorf("%s is unread: %v %v", c, unread, err)
		}
		if unread, err := Unread(st.View(1), c, 5); err != nil || !unread {
			t.Errorf("%s with another message is read: %v %v", c, unread, err)
		}
	}
	if unread, err := Unread(st.View(1), "d", 4); err != nil || !unread {
		t.Errorf("an unknown conversation is read: %v %v", unread, err)
	}
	distant := talkOn("d", -300, "The lamplighter shall always log in UTC. → Done.", "We decided to drop the lamplighter's cache. → It is gone.")
	for i := range distant {
		distant[i].Distant = true
	}
	runOver(t, st, ProcessInput{Turns: toldIn(distant), Partial: func() bool { return true }})
	if got := settledLines(t, st, distant); !strings.Contains(got, "drop the lamplighter's cache") {
		t.Errorf("settled\n%s", got)
	}
}
