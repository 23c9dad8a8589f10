package remember

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/tickle"
)

var monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// remembering is a workspace with a memory of the test.
func remembering(t testing.TB) *memory.Workspace {
	t.Helper()
	m, err := memory.Open(t.Context(), memory.Options{
		Dir: t.TempDir(), Now: func() time.Time { return monday },
		Count:    func(s string) int { return len(s) / 4 },
		Terms:    func(text string, yield func(string)) { lexical.Terms([]byte(text), yield) },
		Block:    func(tag, body string) string { return "<" + tag + ">" + body },
		Relative: func(root, uri string) (string, bool) { return strings.CutPrefix(uri, "file://"+root+"/") },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	w, err := m.Workspace(t.Context(), "/r")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// tell appends turns of two messages.
func tell(t testing.TB, w *memory.Workspace, id string, texts ...string) {
	t.Helper()
	var list []dialogue.Message
	for i, text := range texts {
		list = append(list, dialogue.Message{Role: []dialogue.Role{dialogue.User, dialogue.Assistant}[i%2], Content: text, At: monday})
	}
	if _, err := w.Append(memory.Addition{Conversation: id, Messages: list}); err != nil {
		t.Fatal(err)
	}
}

// remind returns the turns of a prompt's reminders.
func remind(t testing.TB, k *Ticklers, prompt string) string {
	t.Helper()
	list, err := k.ForPrompt(t.Context(), intent.Classify(prompt, intent.Context{}), 5)
	if err != nil {
		t.Fatal(err)
	}
	return turns(list)
}

func turns(list []tickle.Tickler) string {
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%s/%d", x.ConversationID, x.Turn))
	}
	return strings.Join(out, " ")
}

func view(t testing.TB, w *memory.Workspace) *memory.View {
	v := w.View()
	t.Cleanup(v.Close)
	return v
}

func TestForPrompt(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a",
		"The export of invoices is slow, what can we do?", "Stream the rows instead of collecting them; the export then takes seconds.",
		"And the search?", "It needs an index on the customer's name.",
		"Why does `renderChart` flicker?", "Because the canvas is cleared twice.",
	)
	tell(t, w, "b", "Should we use tabs?", "Spaces; the formatter decides.")
	k := &Ticklers{View: view(t, w)}
	for prompt, want := range map[string]string{
		"export invoices faster":              "a/1",
		"where is the customer index used":    "a/2",
		"does renderChart still flicker?":     "a/3",
		"look at renderChart":                 "a/3",
		"tabs or spaces?":                     "b/1",
		"hi":                                  "",
		"ok, go on":                           "",
		"why is the sky blue?":                "",
		"fix the function":                    "",
		"what does unknownName do":            "",
		"use of the":                          "",
		"\x00\xff":                            "",
		strings.Repeat("lorem ipsum ", 20000): "",
	} {
		if got := remind(t, k, prompt); got != want {
			t.Errorf("%.60q reminds of %q, want %q", prompt, got, want)
		}
	}
	if got := remind(t, k, "export invoices faster"); got != remind(t, &Ticklers{View: k.View}, "export invoices faster") {
		t.Error("another answer the second time")
	}
}

// TestChance checks that in a memory in which every message has some common words, a prompt of
// those has no reminder.
func TestChance(t *testing.T) {
	w := remembering(t)
	words := strings.Fields("server client request response handler timeout retry cache index query")
	var texts []string
	for i := range 200 {
		var said []string
		for j := range 5 {
			said = append(said, words[(i*7+j*j*3+i/10)%len(words)])
		}
		texts = append(texts, strings.Join(said, " "))
	}
	texts = append(texts, "The zeppelin cache keeps balloons.", "Noted.")
	tell(t, w, "c", texts...)
	k := &Ticklers{View: view(t, w)}
	if got := remind(t, k, "the cache of the server has a timeout"); got != "" {
		t.Errorf("common words remind of %s", got)
	}
	if got := remind(t, k, "what did the zeppelin cache keep, balloons?"); got != "c/101" {
		t.Errorf("rare words remind of %q", got)
	}
}

func TestHidden(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a", "Marmots hibernate in burrows.", "They do.", "Marmots whistle near burrows.", "Yes.")
	v := view(t, w)
	info, err := v.Conversations.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		k    Ticklers
		want string
	}{
		{Ticklers{View: v}, "a/1 a/2"},
		{Ticklers{View: v, Mine: info}, "a/1 a/2"},
		{Ticklers{View: v, Mine: info, InView: NewestInView(info.Turns, 1)}, "a/1"},
		{Ticklers{View: v, Mine: info, InView: NewestInView(info.Turns, 5)}, ""},
		{Ticklers{View: v, Mine: info, Hidden: map[int]bool{1: true}}, "a/2"},
	} {
		if got := remind(t, &tt.k, "marmots and their burrows"); got != tt.want {
			t.Errorf("in view from %d, hidden %v: %q, want %q", tt.k.InView, tt.k.Hidden, got, tt.want)
		}
	}
}

func TestReminders(t *testing.T) {
	w := remembering(t)
	tell(t, w, "a", "Marmots hibernate in burrows.", "They do.")
	ask := func(o Options) []string {
		t.Helper()
		o.Count, o.Terms = func(s string) int { return len(s) / 4 }, func(string, func(string)) {}
		p, err := NewPast(view(t, w), o)
		if err != nil {
			t.Fatal(err)
		}
		const prompt = "do marmots hibernate?"
		list, err := p.Reminders(context.Background(), intent.Classify(prompt, intent.Context{}), 3)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range list {
			if m.Dropped != "" {
				continue
			}
			if m.Kind != "tickler" || m.Format != "tickler" || m.Reason == "" || len(m.MessageIDs) != 2 || !strings.Contains(m.Body, "contexture.conversation.turn") {
				t.Errorf("memo %+v", m)
			}
			out = append(out, m.ID)
		}
		return out
	}
	if got := ask(Options{Ticklers: 5, Budget: 1000}); len(got) != 1 || got[0] != "tickler:a/T-1" {
		t.Errorf("no conversation: %v", got)
	}
	if got := ask(Options{Ticklers: 0, Budget: 1000}); len(got) != 0 {
		t.Errorf("switched off: %v", got)
	}
	if got := ask(Options{Ticklers: 5, Budget: 1000, Conversation: "a"}); len(got) != 0 {
		t.Errorf("in view: %v", got)
	}
	tell(t, w, "b", "do marmots hibernate?")
	if got := ask(Options{Ticklers: 5, Budget: 1000, Conversation: "b", Prompt: "do marmots hibernate?"}); len(got) != 1 || got[0] != "tickler:a/T-1" {
		t.Errorf("the prompt reminds of itself: %v", got)
	}
	if err := w.Delete("b"); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		tell(t, w, "a", "Something else entirely.", "Indeed.")
	}
	if got := ask(Options{Ticklers: 5, Budget: 10, Conversation: "a"}); len(got) != 1 || got[0] != "tickler:a/T-1" {
		t.Errorf("out of view: %v", got)
	}
	if got := ask(Options{Ticklers: 5, Budget: 100000, Conversation: "a"}); len(got) != 0 {
		t.Errorf("a history that fits whole is repeated: %v", got)
	}
}
