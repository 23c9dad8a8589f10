package knowledge

import (
	"fmt"
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
			_, err := Learn(tx, Learning{Conversation: "c", Messages: []MessageDirectives{{Message: m, Turn: 1, Found: Hear(&m, "")}}})
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
	one := "user: Please never push to main directly, always open a pull request and wait until a colleague has looked at it twice."
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
	const text = "Please never push to main directly, always open a pull request and wait until a colleague has looked at it twice."
	for id, want := range map[string]State{"0193a000-0000-7000-8000-000000000002": Candidate, "m1": Confirmed} {
		st := storetest.Open(t)
		for i, conversation := range []string{"a", "b"} {
			m := dialogue.Message{ID: id, Role: dialogue.User, Content: text, At: noon.Add(time.Duration(i) * time.Hour)}
			storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
				_, err := Learn(tx, Learning{Conversation: conversation, Messages: []MessageDirectives{{Message: m, Turn: 1, Found: Hear(&m, "")}}})
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

// TestNamesNothing checks that a word that names nothing is no rule, whatever was asked before.
func TestNamesNothing(t *testing.T) {
	m := dialogue.Message{Role: dialogue.User, Content: "no"}
	for _, before := range []string{"", "Shall I start the server?", "The server runs. Would you like me to open the page?"} {
		if got := Hear(&m, before); len(got) > 0 {
			t.Errorf("after %q: %+v", before, got)
		}
	}
}

// TestOutright checks that what a person says outright for the future is active at once, in any
// language, and that what only sounds like it is not.
func TestOutright(t *testing.T) {
	outright := func(text string) bool {
		m := dialogue.Message{Role: dialogue.User, Content: text}
		return slices.ContainsFunc(Hear(&m, ""), func(f DirectiveText) bool { return f.Outright })
	}
	for _, text := range []string{
		"From now on never use panic.", "We use pgx instead of lib/pq.", "I prefer short variable names.", "Never force-push to a shared branch.",
		"ok, that works. From now on indent with four spaces.",
		"Ab jetzt nie wieder panic benutzen.", "Ich bevorzuge kurze Variablennamen.", "Wir loggen mit slog statt mit logrus.",
		"À partir de maintenant, n'utilise jamais panic.", "Je préfère les noms de variables courts.", "On utilise pgx au lieu de lib/pq.",
		"A partir de ahora nunca uses panic.", "Prefiero nombres de variables cortos.", "Usamos pgx en lugar de lib/pq.",
		"今後は panic を絶対に使わないでください。", "lib/pq ではなく pgx を使います。", "短い変数名が好きです。",
		"从现在开始不要使用 panic。", "我们用 pgx 而不是 lib/pq。", "我喜欢短的变量名。",
	} {
		if !outright(text) {
			t.Errorf("%q is not read as said outright", text)
		}
	}
	for _, text := range []string{
		"Should we never use panic?", "Use tabs in this file only.", "The linter told me to never use panic.", "We use pgx instead of lib/pq?",
		"Maybe we should use pgx instead of lib/pq.", "The old code used pgx instead of lib/pq.", "Never mind.", "I prefer the second one.", "Let's use pgx instead of lib/pq.",
		`The README says: "Never use panic. From now on we return errors." Is that right?`, "The wiki has “From now on never use panic.”",
		"```\nFrom now on never use panic.\n```", "> From now on never use panic.\nagreed?", "    From now on never use panic.\n\nwho wrote that?",
		"From: Mei <mei@example.org>\nSubject: panics\n\nFrom now on never use panic.\nMei",
		"$ make lint\nFrom now on never use panic.\nWe use pgx instead of lib/pq.",
		"hint: From now on never use panic.", "Bob: we use pgx instead of lib/pq.\nAlice: no\nBob: from now on never use panic.",
		"Im README steht: „Ab jetzt nie wieder panic benutzen.“ Stimmt das?", "On utilise pgx ou lib/pq ?", "「今後は panic を絶対に使わないでください。」とは？",
	} {
		if outright(text) {
			t.Errorf("%q is read as said outright", text)
		}
	}
}

// TestStatedIsActiveUntilReplaced checks that a rule is active when it was said once, that a later
// one replaces it at once, and that it is active again when the later one is forgotten.
func TestStatedIsActiveUntilReplaced(t *testing.T) {
	for _, c := range [][2]string{
		{"From now on indent with four spaces.", "From now on indent with tabs."},
		{"Ab jetzt mit vier Leerzeichen einrücken.", "Ab jetzt mit Tabs einrücken."},
		{"We use pgx instead of lib/pq.", "We use lib/pq instead of pgx."},
		{"Indent with four spaces.", "We indent with tabs now."},
		{"これからはスペース4つでインデントしてください。", "これからはタブでインデントしてください。"},
	} {
		st := storetest.Open(t)
		states := func() string {
			items, err := List(st.View(1), Filter{Superseded: true})
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]State{}
			for _, it := range items {
				out[it.Content] = it.Standing()
			}
			return fmt.Sprint(out[c[0]], " ", out[c[1]])
		}
		say(t, st, "a", 1, "user: "+c[0])
		first := states()
		say(t, st, "b", 2, "user: "+c[1])
		second := states()
		storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, []string{"b"}, nil) })
		if third := states(); first != "confirmed " || second != "superseded confirmed" || third != first {
			t.Errorf("%q is %s, after %q %s, and then %s", c[0], first, c[1], second, third)
		}
	}
}

// TestSiblingsBothHold checks that of two rules of one form neither replaces the other.
func TestSiblingsBothHold(t *testing.T) {
	for _, c := range [][2]string{
		{"From now on never use panic.", "From now on never use goto."}, {"From now on use slog.", "From now on use pgx."},
		{"Always run the linter before you commit.", "Always run the tests before you commit."},
		{"We use tabs in Go files.", "We use spaces in Python files."}, {"From now on indent with four spaces.", "I prefer short variable names."},
		{"Ab jetzt nie wieder panic benutzen.", "Ab jetzt nie wieder goto benutzen."},
	} {
		st := storetest.Open(t)
		say(t, st, "a", 1, "user: "+c[0])
		say(t, st, "b", 2, "user: "+c[1])
		if got := inForce(t, st); !slices.Contains(got, c[0]) {
			t.Errorf("after %q and %q only %q are in force", c[0], c[1], got)
		}
	}
}

// TestCopiesAreOneOrigin checks that a statement in a copy of its conversation, with times of its
// own, does not confirm it, whichever of the messages it is.
func TestCopiesAreOneOrigin(t *testing.T) {
	const rule = "Please never push to main directly, always open a pull request and wait until a colleague has looked at it twice."
	for name, talk := range map[string][]string{
		"the first": {rule, "Noted.", "Thanks."},
		"a later":   {"Why does the build fail?", "A test is missing.", rule, "Noted."},
	} {
		st := storetest.Open(t)
		hear := func(conversation string, talk []string, at time.Time) {
			var messages []dialogue.Message
			for i, text := range talk {
				role := []dialogue.Role{dialogue.User, dialogue.Assistant}[i%2]
				messages = append(messages, dialogue.Message{ID: fmt.Sprint(conversation, i), Role: role, Content: text, At: at.Add(time.Duration(i) * time.Second)})
			}
			in := Learning{Conversation: conversation}
			for i, origin := range Origins(nil, messages) {
				in.Messages = append(in.Messages, MessageDirectives{Message: messages[i], Turn: i/2 + 1, Found: Hear(&messages[i], ""), Origin: origin})
			}
			storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
				_, err := Learn(tx, in)
				return err
			})
		}
		state := func() State {
			items, err := List(st.View(1), Filter{})
			if err != nil || len(items) != 1 {
				t.Fatalf("%s: %d items, %v", name, len(items), err)
			}
			return items[0].Standing()
		}
		hear("a", talk, noon)
		hear("b", append(slices.Clone(talk), "Go on.", "Well."), noon.Add(time.Hour))
		if got := state(); got != Candidate {
			t.Errorf("%s message, copied: %s", name, got)
		}
		hear("c", append([]string{"Another day.", "Yes?"}, rule), noon.Add(2*time.Hour))
		if got := state(); got != Confirmed {
			t.Errorf("%s message, said again: %s", name, got)
		}
	}
}

// TestRemovedItemStaysRemoved checks that an item removed by a person does not come back when it is
// stated or read again, and that an accepted one stays confirmed.
func TestRemovedItemStaysRemoved(t *testing.T) {
	st := storetest.Open(t)
	const rule = "user: From now on wrap errors with the operation's name, and with the path of the file where there is one, so that people find it in the log."
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
			if it.Confirmation == RepeatedBy || len(it.Quotations) > 1 {
				t.Errorf("%q after %q: %q is %s with %d quotations", c[1], c[0], it.Content, it.Standing(), len(it.Quotations))
			}
		}
	}
}
