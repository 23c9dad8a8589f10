package server_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func TestAppend(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	refused(t, e, "contexture.conversation.append", args{"conversationId": "c", "messages": []args{}}, "messages", "")
	for _, tt := range []struct {
		name     string
		messages []args
		want     command.AppendResult
	}{
		{"before the first user message", []args{message("system", "Be brief."), assistant("Hello.")}, command.AppendResult{TurnIDs: []string{"T-1"}, MessageCount: 2, TurnCount: 1}},
		{"the first one is of that turn", []args{user("Why does it fail?", "id", "m1")}, command.AppendResult{TurnIDs: []string{"T-1"}, MessageCount: 3, TurnCount: 1}},
		{"an answer is in its turn", []args{assistant("The lock is held.", "id", "m2")}, command.AppendResult{TurnIDs: []string{"T-1"}, MessageCount: 4, TurnCount: 1}},
		{"nothing at all", []args{}, command.AppendResult{MessageCount: 4, TurnCount: 1}},
		{"nothing twice", []args{user("Why does it fail?", "id", "m1"), assistant("other words", "id", "m2")}, command.AppendResult{MessageCount: 4, TurnCount: 1, Duplicates: []string{"m1", "m2"}}},
		{"a user message opens a turn", []args{assistant("again", "id", "m2"), user("And now?", "id", "m3"), message("tool", "ok")}, command.AppendResult{TurnIDs: []string{"T-2"}, MessageCount: 6, TurnCount: 2, Duplicates: []string{"m2"}}},
		{"twice in one batch", []args{user("x", "id", "m4"), user("y", "id", "m4")}, command.AppendResult{TurnIDs: []string{"T-3"}, MessageCount: 7, TurnCount: 3, Duplicates: []string{"m4"}}},
		{"the rest of a turn and a new one", []args{assistant("a"), user("b"), user("c")}, command.AppendResult{TurnIDs: []string{"T-3", "T-4", "T-5"}, MessageCount: 10, TurnCount: 5}},
		{"times out of order", []args{user("later", "at", "2031-01-02T03:04:05Z"), assistant("earlier", "at", "1999-12-31T23:59:59Z")}, command.AppendResult{TurnIDs: []string{"T-6"}, MessageCount: 12, TurnCount: 6}},
	} {
		got := say(t, e, "c", tt.messages...)
		if !slices.Equal(got.TurnIDs, tt.want.TurnIDs) || !slices.Equal(got.Duplicates, tt.want.Duplicates) || got.MessageCount != tt.want.MessageCount || got.TurnCount != tt.want.TurnCount {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if r := turnOf(t, e, "c", "T-1", "R"); !strings.Contains(r.Text, "Be brief.") || !strings.Contains(r.Text, "Why does it fail?") || len(r.MessageIDs) != 4 {
		t.Errorf("the first turn: %+v", r)
	}
	if r := turnOf(t, e, "c", "T-6", "R"); strings.Index(r.Text, "later") > strings.Index(r.Text, "earlier") {
		t.Errorf("the order is not that of the append: %s", r.Text)
	}
}

// turnOf requests a turn without showing it on the board.
func turnOf(t *testing.T, e *servertest.Editor, conversation, turn, level string) command.TurnResult {
	t.Helper()
	return ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": conversation, "turnId": turn, "level": level, "pin": false})
}

// TestPromptAfterSystemMessage checks that a prompt that was appended before the bundle is
// requested is not shown twice, and that what precedes it in its turn is shown.
func TestPromptAfterSystemMessage(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	e.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"ticklers": args{"max": 0}}}})
	const prompt = "Where does the quokka sleep?"
	for name, tt := range map[string]struct {
		messages []args
		before   []string // ids of the messages shown
	}{
		"alone":                    {[]args{user(prompt, "id", "p")}, nil},
		"after a system message":   {[]args{message("system", "Be brief.", "id", "s"), user(prompt, "id", "p")}, []string{"s"}},
		"after several":            {[]args{message("system", "Be brief.", "id", "s"), assistant("Hello.", "id", "a"), user(prompt, "id", "p")}, []string{"s", "a"}},
		"after a turn":             {[]args{message("system", "Be brief.", "id", "s"), user("Hello.", "id", "u"), user(prompt, "id", "p")}, []string{"s", "u"}},
		"and an answer":            {[]args{message("system", "Be brief.", "id", "s"), user(prompt, "id", "p"), assistant("Under a bush.", "id", "a")}, []string{"s", "p", "a"}},
		"said before in this turn": {[]args{user("Hello.", "id", "u"), assistant("Yes?", "id", "a"), message("tool", "ok", "id", "t"), user(prompt, "id", "p")}, []string{"u", "a", "t"}},
	} {
		say(t, e, name, tt.messages...)
		b := bundleOf(t, e, args{"prompt": prompt, "conversationId": name})
		checkBundle(t, b, prompt)
		e.MustExecute("contexture.conversation.delete", args{"conversationId": name}, nil) // the next has the same prompt
		var told []string
		for _, it := range b.Items {
			if it.Layer == "L6_message_history" {
				told = append(told, it.MessageIDs...)
			}
		}
		times := 1
		if slices.Contains(tt.before, "p") {
			times = 2
		}
		if !slices.Equal(told, tt.before) || strings.Count(b.Text, prompt) != times {
			t.Errorf("%s: told are %v, want %v:\n%s", name, told, tt.before, b.Text)
		}
	}
}

// TestAppendIsAllOrNothing checks that one invalid message rejects the batch, and that nothing of
// it is found.
func TestAppendIsAllOrNothing(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	say(t, e, "c", user("What stays?"))
	many := make([]args, 10001)
	for i := range many {
		many[i] = user("x")
	}
	good := user("pelican feathers")
	const mib = 1 << 20
	for _, tt := range []struct {
		name, conversation string
		messages           any
		field              string
	}{
		{"role", "c", []args{good, message("robot", "x")}, "messages[1].role"},
		{"no role", "c", []args{good, {"content": "x"}}, "messages[1].role"},
		{"no content", "c", []args{good, {"role": "user"}}, "messages[1].content"},
		{"too long", "c", []args{good, user(strings.Repeat("x", 4*mib+1))}, "messages[1].content"},
		{"too long with its reasoning", "c", []args{good, assistant(strings.Repeat("x", 2*mib), "reasoning", strings.Repeat("y", 2*mib+1))}, "messages[1]"},
		{"too many", "c", many, "messages"},
		{"id with a control character", "c", []args{good, user("x", "id", "a\x07b")}, "messages[1].id"},
		{"empty id", "c", []args{good, user("x", "id", "")}, "messages[1].id"},
		{"id that is a number", "c", []args{good, user("x", "id", 7)}, "messages[1].id"},
		{"no time", "c", []args{good, user("x", "at", "yesterday")}, "messages[1].at"},
		{"unknown field", "c", []args{good, user("x", "mood", "sad")}, "messages[1].mood"},
		{"tool without a name", "c", []args{good, assistant("x", "toolCalls", []args{{"arguments": nil, "result": nil}})}, "messages[1].toolCalls[0].name"},
		{"uri", "c", []args{good, user("x", "uris", []string{"not a uri"})}, "messages[1].uris[0]"},
		{"no list", "c", "x", "messages"},
		{"conversation with a line feed", "c\n", []args{good}, "conversationId"},
		{"conversation without a name", "", []args{good}, "conversationId"},
		{"conversation of 201 characters", strings.Repeat("ä", 201), []args{good}, "conversationId"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, e, "contexture.conversation.append", args{"conversationId": tt.conversation, "messages": tt.messages}, tt.field, "")
		})
	}
	list := ask[command.ListResult](t, e, "contexture.conversation.list", args{})
	if len(list.Conversations) != 1 || list.Conversations[0].MessageCount != 1 {
		t.Errorf("after what was refused: %+v", list)
	}
	if r := recall(t, e, args{"query": "pelican feathers"}); len(r.Items) != 0 {
		t.Errorf("something refused is found: %+v", r.Items)
	}
}

// TestAppendAtLimits checks that values just within the limits are accepted.
func TestAppendAtLimits(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	many := make([]args, 10000)
	for i := range many {
		many[i] = user("x", "id", fmt.Sprint(i))
	}
	if got := say(t, e, "many", many...); got.TurnCount != 10000 || len(got.TurnIDs) != 10000 {
		t.Errorf("%d turns of 10000", got.TurnCount)
	}
	if got := say(t, e, strings.Repeat("ä", 200), user(strings.Repeat("word ", 4<<20/5))); got.MessageCount != 1 {
		t.Errorf("%+v", got)
	}
	tools := assistant("", "toolCalls", []args{{"name": "t", "arguments": nil, "result": []any{1, "two", nil}, "isError": true}})
	if got := say(t, e, "tools", tools, tools); got.MessageCount != 2 || got.TurnCount != 1 {
		t.Errorf("%+v", got)
	}
}

// TestConcurrentAppends appends concurrently, to one conversation and to several, and checks that
// nothing is lost or duplicated.
func TestConcurrentAppends(t *testing.T) {
	state := t.TempDir()
	root := servertest.Tree(t, nil)
	const writers, each = 50, 6
	t.Run("write", func(t *testing.T) {
		e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
		var mu sync.Mutex
		turns := map[string]int{}
		var group sync.WaitGroup
		for g := range writers {
			group.Go(func() {
				for i := range each {
					for _, conversation := range []string{"one", fmt.Sprintf("own-%d", g%5)} {
						var got command.AppendResult
						err := e.Execute("contexture.conversation.append", args{"conversationId": conversation, "messages": []args{
							user(fmt.Sprintf("question %d of %d", i, g), "id", fmt.Sprintf("q-%d-%d", g, i)),
							assistant(fmt.Sprintf("answer %d of %d", i, g), "id", fmt.Sprintf("a-%d-%d", g, i)),
							user("said by all", "id", "common"),
						}}, &got)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						for _, id := range got.TurnIDs {
							turns[conversation+" "+id]++
						}
						mu.Unlock()
					}
				}
			})
		}
		group.Wait()
		for id, n := range turns {
			if n > 1 {
				t.Errorf("turn %s was given %d times", id, n)
			}
		}
	})
	e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
	seen := map[string]int{"one": writers*each + 1}
	for g := range 5 {
		seen[fmt.Sprintf("own-%d", g)] = writers/5*each + 1
	}
	for _, c := range ask[command.ListResult](t, e, "contexture.conversation.list", args{}).Conversations {
		if c.TurnCount != seen[c.ID] || c.MessageCount != 2*seen[c.ID]-1 {
			t.Errorf("%+v, want %d turns", c, seen[c.ID])
		}
		ids := map[string]bool{}
		for n := 1; n <= c.TurnCount; n++ {
			r := turnOf(t, e, c.ID, fmt.Sprintf("T-%d", n), "R")
			for _, id := range r.MessageIDs {
				if ids[id] {
					t.Errorf("message %s is in %s twice", id, c.ID)
				}
				ids[id] = true
			}
		}
		if len(ids) != c.MessageCount {
			t.Errorf("%d messages of %d in the turns of %s", len(ids), c.MessageCount, c.ID)
		}
		delete(seen, c.ID)
	}
	if len(seen) > 0 {
		t.Errorf("not there: %v", seen)
	}
}

// TestMemorySettings checks the settings memory.enabled and memory.learn.
func TestMemorySettings(t *testing.T) {
	root := servertest.Tree(t, nil)
	off := servertest.Start(t, servertest.Options{Roots: []string{root}, InitOptions: args{"memory": args{"enabled": false}}})
	refused(t, off, "contexture.conversation.append", args{"conversationId": "c", "messages": []args{user("x")}}, "", "unavailable")
	refused(t, off, "contexture.conversation.list", args{}, "", "unavailable")
	refused(t, off, "contexture.board.list", args{"conversationId": "c"}, "", "unavailable")
	refused(t, off, "contexture.task.list", args{}, "", "unavailable")
	b := bundleOf(t, off, args{"prompt": "hello there", "conversationId": "c"})
	checkBundle(t, b, "hello there")

	for _, learn := range []bool{false, true} {
		e := servertest.Start(t, servertest.Options{Roots: []string{root}, InitOptions: args{"memory": args{"learn": learn}}})
		say(t, e, "c", user("From now on, always use tabs for indentation in Go files."), assistant("I will."))
		rules := ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{"kind": "rule"}).Items
		if learn != (len(rules) > 0) {
			t.Errorf("learn=%v: rules %+v", learn, rules)
		}
	}
}

func TestFork(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	for i := range 8 {
		say(t, e, "trunk", user(fmt.Sprintf("question number %d about walruses", i+1), "id", fmt.Sprintf("u%d", i+1)), assistant(fmt.Sprintf("reply %d", i+1)))
	}
	const fork = "contexture.conversation.fork"
	got := ask[command.ForkResult](t, e, fork, args{"conversationId": "trunk", "atTurn": "T-5", "newConversationId": "branch"})
	if got != (command.ForkResult{ConversationID: "branch", TurnCount: 5}) {
		t.Errorf("%+v", got)
	}
	if got := ask[command.ForkResult](t, e, fork, args{"conversationId": "trunk", "atTurn": 3, "newConversationId": "by number"}); got.TurnCount != 3 {
		t.Errorf("at a number: %+v", got)
	}
	for _, tt := range []struct {
		from       string
		at         any
		to         string
		field, why string
	}{
		{"trunk", "T-9", "new", "", "notFound"},
		{"trunk", "T-0", "new", "atTurn", ""},
		{"trunk", "T-1x", "new", "atTurn", ""},
		{"trunk", -1, "new", "atTurn", ""},
		{"trunk", 1.5, "new", "atTurn", ""},
		{"nowhere", "T-1", "new", "", "notFound"},
		{"trunk", "T-5", "branch", "", "exists"},
		{"trunk", "T-5", "trunk", "", "exists"},
		{"trunk", "T-5", "a\tb", "newConversationId", ""},
	} {
		refused(t, e, fork, args{"conversationId": tt.from, "atTurn": tt.at, "newConversationId": tt.to}, tt.field, tt.why)
	}

	for n := 1; n <= 5; n++ {
		id := fmt.Sprintf("T-%d", n)
		if a, b := turnOf(t, e, "trunk", id, "R"), turnOf(t, e, "branch", id, "R"); a.Text != b.Text || !slices.Equal(a.MessageIDs, b.MessageIDs) {
			t.Errorf("turn %s differs: %q and %q", id, a.Text, b.Text)
		}
	}
	if r := say(t, e, "branch", user("a question of the branch alone")); !slices.Equal(r.TurnIDs, []string{"T-6"}) || r.MessageCount != 11 {
		t.Errorf("the branch goes on with %+v", r)
	}
	if r := say(t, e, "branch", user("again", "id", "u2"), user("its own", "id", "u7")); !slices.Equal(r.Duplicates, []string{"u2"}) || !slices.Equal(r.TurnIDs, []string{"T-7"}) {
		t.Errorf("ids of the shared past: %+v", r)
	}
	if r := turnOf(t, e, "trunk", "T-6", "R"); !strings.Contains(r.Text, "number 6") {
		t.Errorf("the trunk has changed: %s", r.Text)
	}
	ask[command.ForkResult](t, e, fork, args{"conversationId": "branch", "atTurn": "T-6", "newConversationId": "twig"})
	for _, gone := range []string{"trunk", "branch"} {
		ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": gone})
		if r := turnOf(t, e, "twig", "T-4", "R"); !strings.Contains(r.Text, "number 4") {
			t.Errorf("after %s was deleted: %s", gone, r.Text)
		}
	}
	say(t, e, "by number", user("its own question"), user("another of its own about walruses"))
	for query, found := range map[string]bool{"question number 4 walruses": true, "question number 6 walruses": false, "branch alone": true} {
		r := recall(t, e, args{"query": query})
		if got := slices.ContainsFunc(r.Items, func(it command.Item) bool {
			return it.ConversationID == "twig" && strings.Contains(r.Text[it.Span.Start:it.Span.End], map[bool]string{true: "number 4", false: "branch alone"}[strings.HasPrefix(query, "question")])
		}); got != found && found {
			t.Errorf("%q is not found in what is left: %s", query, r.Text)
		}
		if !found && strings.Contains(r.Text, "number 6") {
			t.Errorf("%q is found: %s", query, r.Text)
		}
		for _, it := range r.Items {
			if block := r.Text[it.Span.Start:it.Span.End]; strings.Contains(block, "its own") != (it.ConversationID == "by number") {
				t.Errorf("%q is found in %q: %s", query, it.ConversationID, block)
			}
		}
	}
	if r := turnOf(t, e, "twig", "T-6", "R"); !strings.Contains(r.Text, "branch alone") {
		t.Errorf("the twig's last turn: %s", r.Text)
	}
	h := ask[command.HistoryResult](t, e, "contexture.conversation.history", args{"conversationId": "twig"})
	if !strings.Contains(h.Text, "number 1 ") || !strings.Contains(h.Text, "branch alone") || strings.Contains(h.Text, "number 6") {
		t.Errorf("the twig's history: %s", h.Text)
	}
}

func TestDelete(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	say(t, e, "c", user("The quokka enclosure needs a new fence.", "id", "q"), assistant("Noted: fence for quokkas."))
	say(t, e, "d", user("The heron pond is fine."))
	ask[command.BoardItemResult](t, e, "contexture.board.put", args{"conversationId": "c", "type": "note", "title": "n", "content": "x"})
	if r := recall(t, e, args{"query": "quokka fence"}); len(r.Items) == 0 {
		t.Fatal("nothing is found before")
	}
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "c"})
	if r := recall(t, e, args{"query": "quokka fence"}); len(r.Items) != 0 || r.Text != `nothing is remembered about "quokka fence"` {
		t.Errorf("found after: %s", r.Text)
	}
	for _, name := range []string{"conversation.delete", "conversation.history", "conversation.window", "conversation.arc", "conversation.turns", "board.list"} {
		refused(t, e, "contexture."+name, args{"conversationId": "c"}, "", "notFound")
	}
	refused(t, e, "contexture.recall", args{"query": "quokka", "conversationId": "c"}, "", "notFound")
	if r := say(t, e, "c", user("A new beginning.", "id", "q")); r.TurnCount != 1 || len(r.Duplicates) != 0 {
		t.Errorf("a new conversation of the name begins with %+v", r)
	}
	if l := ask[command.BoardListResult](t, e, "contexture.board.list", args{"conversationId": "c"}); len(l.Items) != 0 {
		t.Errorf("its board: %+v", l)
	}
	if w := ask[command.WindowResult](t, e, "contexture.conversation.window", args{"conversationId": "c"}); len(w.Messages) != 1 || w.Messages[0].Content != "A new beginning." {
		t.Errorf("its window: %+v", w)
	}
}

func TestListPages(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	const list = "contexture.conversation.list"
	if l := ask[command.ListResult](t, e, list, args{}); len(l.Conversations) != 0 || l.Next != "" {
		t.Errorf("of nothing: %+v", l)
	}
	var want []string
	for i := range 23 {
		id := fmt.Sprintf("c%02d", i)
		say(t, e, id, user(fmt.Sprintf("Title of %d?", i), "at", fmt.Sprintf("2026-01-%02dT10:00:00Z", 1+(i*7)%23)))
		want = append(want, id)
	}
	slices.SortFunc(want, func(a, b string) int {
		var x, y int
		fmt.Sscanf(a, "c%d", &x)
		fmt.Sscanf(b, "c%d", &y)
		return (y*7)%23 - (x*7)%23
	})
	for _, limit := range []int{1, 5, 23, 24} {
		var got []string
		before := any(nil)
		for range 30 {
			a := args{"limit": limit}
			if before != nil {
				a["before"] = before
			}
			page := ask[command.ListResult](t, e, list, a)
			if len(page.Conversations) > limit {
				t.Fatalf("%d on a page of %d", len(page.Conversations), limit)
			}
			for _, c := range page.Conversations {
				got = append(got, c.ID)
			}
			if page.Next == "" {
				break
			}
			before = page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %v, want %v", limit, got, want)
		}
	}
	for _, before := range []string{"nonsense", "!!", "bm9uc2Vuc2U", "\u0000"} {
		refused(t, e, list, args{"before": before}, "before", "")
	}
	refused(t, e, list, args{"limit": 0}, "limit", "")
	refused(t, e, list, args{"limit": 1001}, "limit", "")
}
