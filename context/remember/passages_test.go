package remember

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/memory"
)

// passagesOf returns the passages about a prompt for which the workspace has nothing.
func passagesOf(t *testing.T, w *memory.Workspace, o Options, room int) []item.Item {
	t.Helper()
	return passagesBeside(t, w, o, 0, room)
}

// passagesBeside returns the passages about a prompt that the best place of the workspace helps
// with a probability of best.
func passagesBeside(t *testing.T, w *memory.Workspace, o Options, best float64, room int) []item.Item {
	t.Helper()
	o.Count, o.Terms = func(s string) int { return len(s)/4 + 1 }, func(text string, yield func(string)) { lexical.Terms([]byte(text), yield) }
	if o.Budget == 0 {
		o.Budget = 1000
	}
	p, err := NewPast(view(t, w), o)
	if err != nil {
		t.Fatal(err)
	}
	s := intent.Classify(o.Prompt, intent.Context{})
	if _, err := p.Reminders(t.Context(), s, 3); err != nil {
		t.Fatal(err)
	}
	list, err := p.Passages(t.Context(), s, best, room)
	if err != nil {
		t.Fatal(err)
	}
	if alone, beside := p.Reminded(.9, 0), p.Reminded(.9, .9); beside > alone/2 {
		t.Errorf("a reminder helps with %v, and with %v where code answers", alone, beside)
	}
	return list
}

func textOf(list []item.Item) string {
	var b strings.Builder
	for _, m := range list {
		b.WriteString(m.Body + "\n")
	}
	return b.String()
}

// TestBareName checks that a name finds what was said about it, however often and in any language.
func TestBareName(t *testing.T) {
	for _, tt := range []struct{ name, often, fact, prompt string }{
		{"kingfisher", "the kingfisher run %d went through", "kingfisher deploys from the branch harbour", "kingfisher"},
		{"kingfisher", "the kingfisher run %d went through", "kingfisher deploys from the branch harbour", "tell me about kingfisher"},
		{"Eisvogel", "Lauf %d vom Eisvogel ist durch", "Eisvogel wird vom Zweig Hafen ausgeliefert", "was ist Eisvogel?"},
		{"cormoran", "le passage %d de cormoran est fini", "cormoran part de la branche rivage", "c'est quoi cormoran ?"},
		{"翠鸟", "翠鸟第%d次运行完成", "翠鸟从港口分支发布", "翠鸟是什么"},
		{"payout_attempts", "payout_attempts: batch %d is done", "payout_attempts keeps thirteen months", "payout_attempts"},
	} {
		t.Run(tt.prompt, func(t *testing.T) {
			w := remembering(t)
			tell(t, w, "a", tt.fact, "ok")
			for i := range 40 {
				tell(t, w, "b", fmt.Sprintf(tt.often, i), "ok")
			}
			got := passagesOf(t, w, Options{Prompt: tt.prompt}, 4000)
			if !strings.Contains(textOf(got), tt.fact) {
				t.Errorf("%q brings %d passages without the fact: %.300s", tt.prompt, len(got), textOf(got))
			}
		})
	}
}

// TestPassages checks that a statement is returned with the answer to it, that a prompt about
// something else finds nothing, and that what is in view is not repeated.
func TestPassages(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a", "Which database shall the ledger use?", "Either would do.", "Then CockroachDB, because of the two regions.", "Noted.")
	tell(t, w, "b", "The lunch menu is out.", "Fine.")
	const prompt = "which database does the ledger use?"
	got := passagesOf(t, w, Options{Prompt: prompt}, 800)
	if !strings.Contains(textOf(got), "CockroachDB, because of the two regions") || strings.Contains(textOf(got), "lunch") {
		t.Errorf("passages: %+v", got)
	}
	for _, m := range got {
		if m.Kind != "turn" || m.Format != "full" || m.ConversationID != "a" || len(m.MessageIDs) == 0 || m.Score <= 0 || m.Score > 1 {
			t.Errorf("memo %+v", m)
		}
		if !slices.Contains(m.Covers, "tickler:a/T-1") {
			t.Errorf("covers %v", m.Covers)
		}
	}
	beside := passagesBeside(t, w, Options{Prompt: prompt}, .9, 800)
	if len(beside) == 0 || beside[0].Score > got[0].Score/2 {
		t.Errorf("where code answers: %+v", beside)
	}
	for _, other := range []string{"write a haiku about autumn", "hi", "ok, go on", "refactor the parser", "wie wird das Wetter morgen?"} {
		if got := passagesOf(t, w, Options{Prompt: other}, 800); len(got) > 0 {
			t.Errorf("%q brings %+v", other, got)
		}
	}
	if got := passagesOf(t, w, Options{Prompt: prompt, Conversation: "a"}, 800); len(got) > 0 {
		t.Errorf("in view: %+v", got)
	}
	if got := passagesOf(t, w, Options{Prompt: prompt}, minPassage-1); len(got) > 0 {
		t.Errorf("without room: %+v", got)
	}
	if got := passagesOf(t, w, Options{Prompt: prompt + strings.Repeat(" The rest is a log.", 4000)}, 800); len(got) > 0 && !strings.Contains(textOf(got), "CockroachDB") {
		t.Errorf("of a long prompt: %+v", got)
	}
}

// TestAskedForThePast checks that a question about a decision needs only the name of its topic.
func TestAskedForThePast(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a", "1) search: elastic or full text in Postgres", "Postgres suffices.", "Postgres then, elastic is one more thing to babysit", "Ok.")
	tell(t, w, "b", "The export is slow.", "It reads row by row.")
	if got := textOf(passagesOf(t, w, Options{Prompt: "which search engine did we settle on and why?"}, 800)); !strings.Contains(got, "babysit") {
		t.Errorf("passages: %q", got)
	}
}

// TestLeftOut checks that a memory about a prompt that is not shown is listed with the reason.
func TestLeftOut(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a", "Marmots hibernate in burrows near the lake.", "They do.", "The lake freezes in November.", "It does.")
	p, err := NewPast(view(t, w), Options{
		Prompt: "do marmots hibernate in burrows?", Ticklers: 5, Budget: 1000, Count: func(s string) int { return len(s) / 4 },
		Terms: func(text string, yield func(string)) { lexical.Terms([]byte(text), yield) },
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.Reminders(t.Context(), intent.Classify("do marmots hibernate in burrows near the lake?", intent.Context{}), 3)
	if err != nil {
		t.Fatal(err)
	}
	var left, shown []string
	for _, m := range list {
		if m.Dropped != "" {
			left = append(left, m.ID+" "+string(m.Dropped))
		} else {
			shown = append(shown, m.ID)
		}
	}
	if !slices.Equal(left, []string{"tickler:a/T-2 threshold"}) || !slices.Equal(shown, []string{"tickler:a/T-1"}) {
		t.Errorf("shown %v, left out %v", shown, left)
	}
}

// TestQuestionForAProperty checks that a short question gets what was said about its subject, also
// if the word for what it wants to know was never said, and that a subject that was never said is
// not answered with the rest of the words.
func TestQuestionForAProperty(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a", "Yesterday we moved the release to Thursday because the certificate expires.", "Noted.")
	tell(t, w, "b", "We decided to deploy with Ansible, not with Helm.", "Then deploy from the harbour branch.")
	tell(t, w, "c", "The server stands in Lyon.", "Good.", "The server has two disks.", "A server of that age needs them.")
	tell(t, w, "d", "The letter of the insurer asks for the name of our contact.", "Noted.")
	for prompt, want := range map[string]string{
		"When is the release?":                   "Thursday",
		"Release date?":                          "Thursday",
		"How do we deploy, and with which tool?": "Ansible",
		"Who is the person that we deploy with?": "Ansible",
		"Where is the server?":                   "Lyon",
		"How do I write a cover letter?":         "",
		"Which name suits a puppy?":              "",
		"How do I release a tortoise?":           "",
		"What time is it?":                       "",
		"release the tortoise":                   "",
	} {
		got := textOf(passagesOf(t, w, Options{Prompt: prompt}, 800))
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q brings %q, want %q", prompt, got, want)
		}
	}
}
