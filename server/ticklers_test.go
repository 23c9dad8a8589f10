package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

const poolSource = `package pool

// Pool hands out connections.
type Pool struct{ slots chan int }

// Acquire waits for a free slot.
func (p *Pool) Acquire() int {
	return <-p.slots
}

// New makes a pool.
func New(n int) *Pool { return &Pool{make(chan int, n)} }

func drainQueue() {}
`

// talked is a workspace in whose memory a conversation spoke of its code.
func talked(t *testing.T, o servertest.Options) (*servertest.Editor, string) {
	t.Helper()
	root := servertest.Tree(t, map[string]string{
		"store/pool.go":  poolSource,
		"web/lock.go":    "package web\n\ntype Lock struct{}\n\nfunc (l *Lock) Acquire() {}\n\nfunc New() *Lock { return nil }\n",
		"main.go":        "package main\n\nfunc main() {\n\tp := pool.New(3)\n\tp.Acquire()\n}\n",
		".gitignore":     "gen/\n",
		"gen/pool.go":    poolSource,
		"docs/README.md": "# Readme\n\nNothing here.\n",
	})
	o.Roots = []string{root}
	e := servertest.Start(t, o)
	e.AwaitIdle()
	tell(e, "shop", "2026-10-30T09:00:00Z",
		"Connections run out under load. Where should the limit live?",
		"The limit of connections lives in `Pool.Acquire` in store/pool.go: it blocks until a slot is free, because callers should wait.")
	tell(e, "shop", "2026-10-31T09:00:00Z",
		"Which timezone do invoices use?",
		"We decided that invoices are dated in UTC, whatever the customer's timezone is; the formatter converts them.")
	tell(e, "shop", "2026-11-01T09:00:00Z",
		"Please look at how the queue is emptied at the end.",
		"I changed `drainQueue` so that nothing is lost when the worker stops.")
	tell(e, "shop", "2026-11-02T09:00:00Z", "Is the README fine?", "It is short, and that is fine.")
	return e, root
}

// tell appends a turn.
func tell(e *servertest.Editor, conversation, at string, texts ...string) {
	var messages []map[string]any
	for i, text := range texts {
		messages = append(messages, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text, "at": at})
	}
	e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": conversation, "messages": messages}, nil)
}

func ticklers(t *testing.T, e *servertest.Editor, args map[string]any) []command.Tickler {
	t.Helper()
	var r command.TicklersResult
	e.MustExecute("contexture.ticklers", args, &r)
	if r.Ticklers == nil {
		t.Error("the list is null")
	}
	return r.Ticklers
}

func turnsOf(list []command.Tickler) string {
	var out []string
	for _, k := range list {
		out = append(out, k.TurnID)
	}
	return strings.Join(out, " ")
}

func TestTicklersByPrompt(t *testing.T) {
	e, root := talked(t, servertest.Options{})
	for prompt, want := range map[string]string{
		"why do we block when connections run out?":   "T-1",
		"In which timezone are invoices dated?":       "T-2",
		"what does drainQueue do?":                    "T-3",
		"make the slot limit in store/pool.go bigger": "T-1",
		"hello":                              "",
		"thanks!":                            "",
		"what is the weather like tomorrow?": "",
		"write a haiku about the sea":        "",
		"explain generics in Rust":           "",
		"add pagination to the search page, customers": "",
	} {
		if got := turnsOf(ticklers(t, e, map[string]any{"prompt": prompt})); got != want {
			t.Errorf("%q reminds of %q, want %q", prompt, got, want)
		}
	}
	list := ticklers(t, e, map[string]any{"prompt": "why do we block when connections run out?", "limit": 1})
	if len(list) != 1 {
		t.Fatalf("%d ticklers", len(list))
	}
	k := list[0]
	if k.ID != "tickler:shop/T-1" || k.Date != "2026-10-30" || k.ConversationID != "shop" || k.Summary == "" || k.Score <= 0 ||
		!strings.HasPrefix(k.Title, "Turn 1 of ") || !strings.Contains(k.Text, "contexture.conversation.turn") {
		t.Errorf("tickler %+v", k)
	}
	if !slices.Equal(k.URIs, []string{servertest.URI(filepath.Join(root, "store/pool.go"))}) || !slices.Contains(k.Symbols, "Pool.Acquire") {
		t.Errorf("uris %v, symbols %v", k.URIs, k.Symbols)
	}
	var turn command.TurnResult
	e.MustExecute(k.Retrieve.Command, k.Retrieve.Arguments[0], &turn)
	if turn.TurnID != "T-1" || !strings.Contains(turn.Text, "slot") {
		t.Errorf("the call gives %+v", turn)
	}
	var again command.RecallResult
	e.MustExecute("contexture.recall", map[string]any{"expand": k.ID}, &again)
	if len(again.Items) != 1 || !strings.Contains(again.Text, "slot") {
		t.Errorf("expanded: %+v", again)
	}
}

func TestTicklersArguments(t *testing.T) {
	e, root := talked(t, servertest.Options{})
	doc := map[string]any{"uri": servertest.URI(filepath.Join(root, "main.go"))}
	at := map[string]any{"line": 4, "character": 4}
	around := map[string]any{"start": at, "end": at}
	for name, tt := range map[string]struct {
		args  map[string]any
		field string
	}{
		"nothing":               {map[string]any{}, "prompt"},
		"both":                  {map[string]any{"prompt": "x", "textDocument": doc, "position": at}, "textDocument"},
		"prompt and position":   {map[string]any{"prompt": "x", "position": at}, "textDocument"},
		"prompt and range":      {map[string]any{"prompt": "x", "range": around}, "textDocument"},
		"position alone":        {map[string]any{"position": at}, "textDocument"},
		"range alone":           {map[string]any{"range": around}, "textDocument"},
		"document alone":        {map[string]any{"textDocument": doc}, "position"},
		"limit over the limits": {map[string]any{"prompt": "x", "limit": 21}, "limit"},
	} {
		err := e.Execute("contexture.ticklers", tt.args, nil)
		if e, ok := err.(*servertest.Error); !ok || e.Code != command.CodeInvalidParams || e.Data.Field != tt.field {
			t.Errorf("%s: %v, want field %s", name, err, tt.field)
		}
	}
}

func TestTicklersByPosition(t *testing.T) {
	e, root := talked(t, servertest.Options{})
	uri := func(name string) string { return servertest.URI(filepath.Join(root, name)) }
	at := func(line, character int) map[string]any { return map[string]any{"line": line, "character": character} }
	for _, tt := range []struct {
		name, uri string
		line, at  int
		want      string
	}{
		{"the definition", uri("store/pool.go"), 6, 18, "T-1"},
		{"within it", uri("store/pool.go"), 7, 3, "T-1"},
		{"another definition: the file's turn comes after its own", uri("store/pool.go"), 13, 8, "T-3 T-1"},
		{"a call in another file", uri("main.go"), 4, 5, "T-1"},
		{"another symbol of the same name", uri("web/lock.go"), 4, 18, ""},
		{"behind the end", uri("store/pool.go"), 900, 3, "T-1"},
		{"an ignored file", uri("gen/pool.go"), 6, 18, ""},
		{"a file outside", "file:///elsewhere/pool.go", 6, 18, ""},
		{"no file", uri("store/none.go"), 6, 18, ""},
		{"a file nobody spoke of by its path", uri("docs/README.md"), 0, 1, ""},
	} {
		got := ticklers(t, e, map[string]any{"textDocument": map[string]any{"uri": tt.uri}, "position": at(tt.line, tt.at)})
		if turnsOf(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, turnsOf(got), tt.want)
		}
	}
	call := map[string]any{"start": at(3, 0), "end": at(4, 12)}
	got := ticklers(t, e, map[string]any{"textDocument": map[string]any{"uri": uri("main.go")}, "range": call, "position": at(0, 0)})
	if turnsOf(got) != "T-1" {
		t.Errorf("a range gives %q", turnsOf(got))
	}

	e.Open("untitled:one", "func x() {\n\tdrainQueue()\n}\n")
	got = ticklers(t, e, map[string]any{"textDocument": map[string]any{"uri": "untitled:one"}, "position": at(1, 4)})
	if turnsOf(got) != "T-3" {
		t.Errorf("an unsaved buffer gives %q", turnsOf(got))
	}
	e.Open(uri("main.go"), "package main\n\n// über 😀 drainQueue\nfunc main() {}\n")
	got = ticklers(t, e, map[string]any{"textDocument": map[string]any{"uri": uri("main.go")}, "position": at(2, 13)})
	if turnsOf(got) != "T-3" {
		t.Errorf("an unsaved text gives %q", turnsOf(got))
	}
}

func TestTicklersInView(t *testing.T) {
	e, _ := talked(t, servertest.Options{})
	ask := func() string {
		return turnsOf(ticklers(t, e, map[string]any{"prompt": "Which timezone do invoices use?", "conversationId": "shop"}))
	}
	if got := ask(); got != "" {
		t.Errorf("a turn in view is repeated: %s", got)
	}
	for range 3 {
		tell(e, "shop", "2026-11-03T09:00:00Z", "Tell me about tomatoes.", "They are red.")
	}
	if got := ask(); got != "" {
		t.Errorf("a turn that a bundle shows whole is repeated: %s", got)
	}
	for range 3 {
		tell(e, "shop", "2026-11-03T09:00:00Z", "Tell me about tomatoes.", strings.Repeat("They are red, round and sweet. ", 800))
	}
	if got := ask(); got != "T-2" {
		t.Errorf("a turn out of view: %q", got)
	}
	e.MustExecute("contexture.conversation.fork", map[string]any{"conversationId": "shop", "atTurn": "T-3", "newConversationId": "fork"}, nil)
	list := ticklers(t, e, map[string]any{"prompt": "Which timezone do invoices use?", "conversationId": "fork"})
	if len(list) != 0 {
		t.Errorf("a fork repeats what it shares: %s", turnsOf(list))
	}
	e.MustExecute("contexture.conversation.delete", map[string]any{"conversationId": "shop"}, nil)
	list = ticklers(t, e, map[string]any{"prompt": "Which timezone do invoices use?", "conversationId": "new"})
	if turnsOf(list) != "T-2" || list[0].ConversationID != "fork" {
		t.Errorf("of a deleted conversation: %+v", list)
	}
	e.MustExecute(list[0].Retrieve.Command, list[0].Retrieve.Arguments[0], nil)
}

func TestTicklersOff(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}, InitOptions: map[string]any{"memory": map[string]any{"enabled": false}}})
	err := e.Execute("contexture.ticklers", map[string]any{"prompt": "backoff"}, nil)
	if e, ok := err.(*servertest.Error); !ok || e.Data.Code != command.DataUnavailable {
		t.Errorf("without memory: %v", err)
	}
}

func TestTicklersOfManyRoots(t *testing.T) {
	one, two := project(t), project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{one, two}})
	err := e.Execute("contexture.ticklers", map[string]any{"prompt": "backoff"}, nil)
	if e, ok := err.(*servertest.Error); !ok || e.Data.Field != "workspace" {
		t.Errorf("without a workspace: %v", err)
	}
	e.MustExecute("contexture.conversation.append", map[string]any{
		"workspace": servertest.URI(two), "conversationId": "c", "messages": []any{map[string]any{"role": "user", "content": "Backoff in retry.go doubles too fast"}},
	}, nil)
	ask := func(root string) []command.Tickler {
		return ticklers(t, e, map[string]any{"workspace": servertest.URI(root), "prompt": "why does Backoff double so fast?"})
	}
	if got := ask(one); len(got) != 0 {
		t.Errorf("another root's memory shows: %s", turnsOf(got))
	}
	got := ask(two)
	if turnsOf(got) != "T-1" {
		t.Fatalf("%q", turnsOf(got))
	}
	e.MustExecute(got[0].Retrieve.Command, got[0].Retrieve.Arguments[0], nil)
}

func TestBundleReminds(t *testing.T) {
	e, _ := talked(t, servertest.Options{})
	find := func(b *command.BundleResult) (found []command.Item) {
		for _, it := range b.Items {
			if it.Kind == "tickler" || it.Kind == "turn" && it.Layer == "L5_jit" {
				found = append(found, it)
			}
		}
		return found
	}
	const prompt = "why do we block when connections run out?"
	b := bundleOf(t, e, map[string]any{"prompt": prompt, "conversationId": "other", "budget": 4000})
	checkBundle(t, b, prompt)
	got := find(b)
	// The statement about the prompt comes in full, without a reminder of it and without the turn
	// that followed, which has nothing on it.
	if len(got) != 1 || got[0].Kind != "turn" || got[0].TurnID != "T-1" || got[0].ConversationID != "shop" || got[0].Format != "full" || len(got[0].MessageIDs) < 2 {
		t.Fatalf("what was said: %+v", got)
	}
	if text := b.Text[got[0].Span.Start:got[0].Span.End]; !strings.Contains(text, "<ctx-turn") || !strings.Contains(text, "connections") {
		t.Errorf("its text is %s", text)
	}
	if !slices.ContainsFunc(b.Dropped, func(d command.Dropped) bool {
		return d.ID == "tickler:shop/T-1" && d.Reason == "duplicate"
	}) {
		t.Errorf("the reminder is not named: %+v", b.Dropped)
	}
	if !slices.ContainsFunc(b.Dropped, func(d command.Dropped) bool { return d.ID == "turn:shop/T-2" && d.Reason == "threshold" }) {
		t.Errorf("the turn that followed is not named: %+v", b.Dropped)
	}
	if full := find(bundleOf(t, e, map[string]any{"prompt": prompt, "conversationId": "other", "budget": 4000, "fill": "full"})); len(full) != 2 || full[1].TurnID != "T-2" {
		t.Errorf("a bundle that is to be filled: %+v", full)
	}
	if got := find(bundleOf(t, e, map[string]any{"prompt": prompt, "conversationId": "shop"})); len(got) != 0 {
		t.Errorf("the history's own turns are repeated: %+v", got)
	}
	for _, other := range []string{"hello", "what is the weather like tomorrow?"} {
		if got := find(bundleOf(t, e, map[string]any{"prompt": other, "conversationId": "other"})); len(got) != 0 {
			t.Errorf("%q reminds of %+v", other, got)
		}
	}
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"contexture": map[string]any{"ticklers": map[string]any{"max": 0}}}})
	if got := find(bundleOf(t, e, map[string]any{"prompt": prompt, "conversationId": "other"})); slices.ContainsFunc(got, func(it command.Item) bool { return it.Kind == "tickler" }) {
		t.Errorf("switched off: %+v", got)
	}
	if got := ticklers(t, e, map[string]any{"prompt": prompt}); turnsOf(got) != "T-1" {
		t.Errorf("the command is switched off with them: %q", turnsOf(got))
	}
}

func TestRenamedFilesKeepTheirTicklers(t *testing.T) {
	e, root := talked(t, servertest.Options{})
	uri := func(name string) string { return servertest.URI(filepath.Join(root, name)) }
	ask := func(name string) []command.Tickler {
		return ticklers(t, e, map[string]any{"textDocument": map[string]any{"uri": uri(name)}, "position": map[string]any{"line": 0, "character": 0}})
	}
	move := func(from, to string) {
		if err := os.Rename(filepath.Join(root, from), filepath.Join(root, to)); err != nil {
			t.Fatal(err)
		}
	}
	move("store/pool.go", "store/slots.go")
	e.Notify("workspace/didRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": uri("store/pool.go"), "newUri": uri("store/slots.go")}}})
	got := ask("store/slots.go")
	if turnsOf(got) != "T-1" || !slices.Equal(got[0].URIs, []string{uri("store/slots.go")}) {
		t.Fatalf("after the client told of it: %+v", got)
	}
	if err := os.MkdirAll(filepath.Join(root, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	move("store/slots.go", "deep/other.go")
	e.Eventually("the index sees the file move", func() bool { return turnsOf(ask("deep/other.go")) == "T-1" })
}
