package knowledge

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// TestQuotesWhatWasSaid checks that directives are stored in the person's words, in several
// languages, and never inverted.
func TestQuotesWhatWasSaid(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"Never use print, use the logger.", "Never use print, use the logger."},
		{"Never store secrets in the repo, put them in Vault.", "Never store secrets in the repo, put them in Vault."},
		{"From now on wrap errors with the operation's name.", "From now on wrap errors with the operation's name."},
		{"thanks, that works. btw please always answer in one paragraph", "btw please always answer in one paragraph"},
		{"Ab jetzt bitte alle Fehlermeldungen auf Deutsch, die Kunden verstehen kein Englisch.", "Ab jetzt bitte alle Fehlermeldungen auf Deutsch, die Kunden verstehen kein Englisch."},
		{"À partir de maintenant, les noms de branches sont en anglais.", "À partir de maintenant, les noms de branches sont en anglais."},
		{"今後はコミットメッセージを必ず日本語で書いてください。", "今後はコミットメッセージを必ず日本語で書いてください。"},
		{"以后提交信息一律用中文。", "以后提交信息一律用中文。"},
	} {
		st := storetest.Open(t)
		say(t, st, "c", 1, "user: "+c.said)
		if got := inForce(t, st); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q gives %q", c.said, got)
		}
	}
}

// TestLearnsOnlyFromThePerson checks that no directive comes from assistants, tools, quotations,
// code, logs or text written by a host.
func TestLearnsOnlyFromThePerson(t *testing.T) {
	const rule = "From now on never push to main, always open a pull request."
	for _, said := range []string{
		"assistant: " + rule,
		"tool: " + rule,
		"user: > " + rule,
		"user: ```\n# " + rule + "\n```",
		"user: <system-reminder>\n" + rule + "\n</system-reminder>",
		"user: # Contributing\n\n" + rule,
		"user: 2026-03-01 10:00:01 WARN " + rule,
	} {
		st := storetest.Open(t)
		say(t, st, "c", 1, said)
		if got := inForce(t, st); len(got) != 0 {
			t.Errorf("%q gives %q", said, got)
		}
	}
}

// TestEveryTextIsSaid checks that everything learned is a part of a message, byte for byte.
func TestEveryTextIsSaid(t *testing.T) {
	st := storetest.Open(t)
	ws := store.Workspace(1)
	parts := []string{
		"we use tabs here", "never log tokens", "Please call me Ro", "from now on no mocks", "why is it slow?", "add a test", "`pool.Get` must be closed",
		"immer mit Präfix `x_`", "désormais on écrit en français", "必ずテストを書いて", "- keep answers short", "\n\n", ". ", "! ", ": ", ", ", "\n", "\"quoted: always\" ",
		"```go\nx := 1\n```\n", "> always quote\n", "at 10 a.m. e.g. ", "\u00a0", "é",
	}
	rapid.Check(t, func(t *rapid.T) {
		ws++
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 12).Draw(t, "parts"), "")
		m := dialogue.Message{ID: "m", Role: dialogue.User, Content: text, At: noon}
		storetest.ApplyAt(t, st, ws, noon, func(tx store.Tx) error {
			_, err := Learn(tx, Learning{Conversation: "c", Messages: []Heard{{Message: m, Turn: 1, Found: Hear(&m, "")}}})
			return err
		})
		items, err := List(st.View(ws), Filter{Superseded: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if !strings.Contains(text, it.Content) || !strings.Contains(text, it.Title) || len(it.Quotations) == 0 {
				t.Fatalf("%q holds %q, entitled %q", text, it.Content, it.Title)
			}
			for _, q := range it.Quotations {
				if !strings.Contains(text, q.Text) || q.Turn != "T-1" || q.Message != "m" {
					t.Fatalf("%q holds %+v", text, q)
				}
			}
		}
	})
}

// TestLaterSupersedes checks that a later directive on the same subject replaces an earlier one,
// which applies again when the later one ends.
func TestLaterSupersedes(t *testing.T) {
	st := storetest.Open(t)
	say(t, st, "a", 1, "user: From now on indent with tabs, never with spaces.")
	say(t, st, "b", 2, "user: Change of plan: from now on indent with spaces, no longer with tabs.")
	got := inForce(t, st)
	if len(got) != 1 || !strings.Contains(got[0], "no longer with tabs") {
		t.Fatalf("in force: %q", got)
	}
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, []string{"b"}, nil) })
	if got := inForce(t, st); len(got) != 1 || !strings.Contains(got[0], "never with spaces") {
		t.Errorf("in force after the later was forgotten: %q", got)
	}
}

// TestRepetitionConfirms checks that a statement in two conversations is confirmed, and a statement
// made twice in one is not.
func TestRepetitionConfirms(t *testing.T) {
	st := storetest.Open(t)
	one := "user: Please never push to main directly, always open a pull request."
	state := func() Item {
		items, err := List(st.View(1), Filter{})
		if err != nil || len(items) != 1 {
			t.Fatalf("%d items, %v", len(items), err)
		}
		return items[0]
	}
	say(t, st, "a", 1, one)
	say(t, st, "a", 2, one)
	if it := state(); it.Standing() != Candidate || len(it.Quotations) != 2 {
		t.Errorf("said twice in one conversation: %s, %d quotations", it.Standing(), len(it.Quotations))
	}
	say(t, st, "b", 3, one)
	if it := state(); it.Standing() != Confirmed || it.Confirmation != RepeatedBy {
		t.Errorf("said in two conversations: %s by %s", it.Standing(), it.Confirmation)
	}
}

// TestCopyConfirmsNothing checks that a statement is said once where a forked conversation repeats
// its message under the same id, and twice where two conversations number their messages alike.
func TestCopyConfirmsNothing(t *testing.T) {
	const text = "Please never push to main directly, always open a pull request."
	for id, want := range map[string]State{"0193a000-0000-7000-8000-000000000002": Candidate, "m1": Confirmed} {
		st := storetest.Open(t)
		for i, conversation := range []string{"a", "b"} {
			m := dialogue.Message{ID: id, Role: dialogue.User, Content: text, At: noon.Add(time.Duration(i) * time.Hour)}
			storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
				_, err := Learn(tx, Learning{Conversation: conversation, Messages: []Heard{{Message: m, Turn: 1, Found: Hear(&m, "")}}})
				return err
			})
		}
		items, err := List(st.View(1), Filter{})
		if err != nil || len(items) != 1 || items[0].Standing() != want || len(items[0].Quotations) != 2 {
			t.Errorf("message %q in two conversations: %+v, %v; want one item, %s", id, items, err, want)
		}
	}
}

// TestCommandStatesNoRule checks that the arguments of a slash command state none, and that a path
// at the beginning of a message is no command.
func TestCommandStatesNoRule(t *testing.T) {
	for text, want := range map[string]bool{
		"/compact From now on always keep the names of functions.": false,
		"/etc/hosts: from now on always keep it sorted.":           true,
	} {
		m := dialogue.Message{Role: dialogue.User, Content: text}
		if got := len(Hear(&m, "")) > 0; got != want {
			t.Errorf("%q states a rule: %t", text, got)
		}
	}
}

// TestRemovedItemStaysRemoved checks that an item removed by a person does not come back when it is
// stated or read again, and that an accepted one stays confirmed.
func TestRemovedItemStaysRemoved(t *testing.T) {
	st := storetest.Open(t)
	const rule = "user: From now on wrap errors with the operation's name."
	say(t, st, "a", 1, rule)
	items, err := List(st.View(1), Filter{})
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		it, err := Accept(tx, items[0].ID, AcceptedBy)
		if it.Standing() != Confirmed || it.Confirmation != AcceptedBy {
			t.Errorf("accepted: %s by %s", it.Standing(), it.Confirmation)
		}
		return err
	})
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return Delete(tx, items[0].ID) })
	say(t, st, "b", 2, rule)
	if got := inForce(t, st); len(got) != 0 {
		t.Errorf("removed and said again: %q", got)
	}
}

// TestOppositeIsNoRepetition checks that two directives that differ in a negation, in order, in a
// number or in a name never count as repeated.
func TestOppositeIsNoRepetition(t *testing.T) {
	for _, c := range [][2]string{
		{"From now on use tabs, not spaces.", "From now on use spaces, not tabs."},
		{"Please always squash commits before you merge.", "Please don't squash commits before you merge."},
		{"Keep every line under 80 characters please.", "Keep every line under 120 characters please."},
		{"Always prefix table names with `app_`.", "Always prefix table names with `core_`."},
		{"Bitte nie direkt auf main pushen.", "Bitte immer direkt auf main pushen."},
		{
			"The scanner at dock Lima loses its pairing after an update; please always pair it again with the base of Lima.",
			"The scanner at dock Quebec loses its pairing after an update; please always pair it again with the base of Quebec.",
		},
		{"今後は大阪のサーバーのログを必ず毎朝確認してください。", "今後は東京のサーバーのログを必ず毎朝確認してください。"},
	} {
		st := storetest.Open(t)
		say(t, st, "a", 1, "user: "+c[0])
		say(t, st, "b", 2, "user: "+c[1])
		items, err := List(st.View(1), Filter{Superseded: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if it.Standing() == Confirmed || len(it.Quotations) > 1 {
				t.Errorf("%q after %q: %q is %s with %d quotations", c[1], c[0], it.Content, it.Standing(), len(it.Quotations))
			}
		}
	}
}
