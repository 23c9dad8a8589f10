package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

const turnsCommand = "contexture.conversation.turns"

func turnsPage(t *testing.T, e *servertest.Editor, a args) command.TurnsResult {
	t.Helper()
	return ask[command.TurnsResult](t, e, turnsCommand, a)
}

// marked formats the marks of a page as "T-1 decision text", with ✗ for superseded ones.
func marked(page command.TurnsResult) (out []string) {
	for _, turn := range page.Turns {
		for _, m := range turn.Marks {
			line := turn.TurnID + " " + m.Kind + " " + m.Text
			if m.Superseded {
				line += " ✗"
			}
			out = append(out, line)
		}
	}
	return out
}

func TestTurnsMarks(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	say(t, e, "c", user("What shall we store the ledger in?", "author", "Ada", "at", "2026-03-01T10:00:00Z"), assistant("Postgres or SQLite would do."))
	say(t, e, "c", user("Let's use SQLite for the ledger."), assistant("Fine, the ledger goes into SQLite."))
	say(t, e, "c", user("From now on always wrap errors with the operation's name."), assistant("I will."))
	say(t, e, "c", user("Actually, let's switch the ledger to Postgres instead of SQLite."), assistant("The ledger goes into Postgres."))
	say(t, e, "c", user("Who rotates the signing keys of the gateway?"))
	page := turnsPage(t, e, args{"conversationId": "c"})
	if len(page.Turns) != 5 || page.Next != "" || page.ForkOf != nil || len(page.Forks) != 0 || page.Source != "" {
		t.Fatalf("%+v", page)
	}
	if page.Title != "What shall we store the ledger in?" {
		t.Errorf("the title is %q", page.Title)
	}
	first := page.Turns[0]
	if first.TurnID != "T-1" || first.Author != "Ada" || first.Title != "What shall we store the ledger in?" || first.MessageCount != 2 ||
		!strings.HasPrefix(first.At.Format("2006-01-02T15:04"), "2026-03-01T10:00") {
		t.Errorf("the first turn is %+v", first)
	}
	for _, turn := range page.Turns {
		if want := counted(t, "o200k_base", turnOf(t, e, "c", turn.TurnID, "R").Text); turn.Tokens != want {
			t.Errorf("%s has %d tokens, want %d", turn.TurnID, turn.Tokens, want)
		}
	}
	got := marked(page)
	for _, want := range []string{
		"T-2 decision Let's use SQLite for the ledger. ✗",
		"T-3 rule From now on always wrap errors with the operation's name.",
		"T-4 decision Actually, let's switch the ledger to Postgres instead of SQLite.",
		"T-5 question Who rotates the signing keys of the gateway?",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no mark %q in %q", want, got)
		}
	}
	for _, turn := range page.Turns {
		for _, m := range turn.Marks {
			if m.Kind != "rule" {
				continue
			}
			it := ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.get", args{"id": m.ID}).Item
			if it.Kind != "rule" {
				t.Errorf("the mark %+v names %+v", m, it)
			}
		}
	}
	ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{
		"kind": "lesson", "id": "l1", "title": "Keys", "content": "The keys rotate on Sundays.", "topics": []string{"keys"}, "keywords": []string{"keys"},
		"sourceTurns": []string{"c/T-1", "c/T-5", "other/T-2"},
	})
	if got := marked(turnsPage(t, e, args{"conversationId": "c"})); !slices.Contains(got, "T-5 lesson Keys") || slices.Contains(got, "T-1 lesson Keys") {
		t.Errorf("a lesson is not marked in the turn that it was learned in, or in others: %q", got)
	}
}

func TestTurnsPages(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	for i := range 7 {
		say(t, e, "trunk", user(fmt.Sprintf("question %d", i+1)), assistant("answer"))
	}
	var pages []string
	next := ""
	for {
		a := args{"conversationId": "trunk", "limit": 3}
		if next != "" {
			a["before"] = next
		}
		page := turnsPage(t, e, a)
		var ids []string
		for _, turn := range page.Turns {
			ids = append(ids, turn.TurnID)
		}
		pages = append(pages, strings.Join(ids, " "))
		if next = page.Next; next == "" {
			break
		}
	}
	if want := []string{"T-5 T-6 T-7", "T-2 T-3 T-4", "T-1"}; !slices.Equal(pages, want) {
		t.Errorf("the pages are %q, want %q", pages, want)
	}
	if page := turnsPage(t, e, args{"conversationId": "trunk", "before": "T-1"}); len(page.Turns) != 0 || page.Next != "" {
		t.Errorf("before the first turn there is %+v", page)
	}
	if page := turnsPage(t, e, args{"conversationId": "trunk", "before": "T-4000", "limit": 1}); len(page.Turns) != 1 || page.Turns[0].TurnID != "T-7" {
		t.Errorf("before a turn that is not there yet: %+v", page)
	}
	refused(t, e, turnsCommand, args{"conversationId": "nowhere"}, "", "notFound")
	refused(t, e, turnsCommand, args{"conversationId": "trunk", "before": "x"}, "before", "")

	const fork = "contexture.conversation.fork"
	ask[command.ForkResult](t, e, fork, args{"conversationId": "trunk", "atTurn": "T-7", "newConversationId": "late"})
	ask[command.ForkResult](t, e, fork, args{"conversationId": "trunk", "atTurn": "T-3", "newConversationId": "codex/early"})
	say(t, e, "codex/early", user("its own"))
	ask[command.ForkResult](t, e, fork, args{"conversationId": "codex/early", "atTurn": "T-4", "newConversationId": "twig"})
	page := turnsPage(t, e, args{"conversationId": "trunk"})
	if want := []command.Branch{{ConversationID: "codex/early", TurnID: "T-3"}, {ConversationID: "late", TurnID: "T-7"}}; !slices.Equal(page.Forks, want) {
		t.Errorf("the forks are %+v, want %+v", page.Forks, want)
	}
	page = turnsPage(t, e, args{"conversationId": "codex/early"})
	if page.Source != "codex" || page.ForkOf == nil || *page.ForkOf != (command.Branch{ConversationID: "trunk", TurnID: "T-3"}) ||
		len(page.Forks) != 1 || page.Forks[0].ConversationID != "twig" || len(page.Turns) != 4 {
		t.Errorf("the fork is %+v", page)
	}
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "trunk"})
	if page = turnsPage(t, e, args{"conversationId": "codex/early"}); page.ForkOf != nil || len(page.Turns) != 4 || page.Turns[0].Title != "question 1" {
		t.Errorf("a fork of what was deleted is %+v", page)
	}
}

// listedConversations returns the ids on all pages of a list.
func listedConversations(t *testing.T, e *servertest.Editor, a args) (ids []string) {
	t.Helper()
	for {
		page := ask[command.ListResult](t, e, "contexture.conversation.list", a)
		for _, c := range page.Conversations {
			ids = append(ids, c.ID)
		}
		if page.Next == "" {
			return ids
		}
		if len(page.Conversations) == 0 {
			t.Fatal("a page that is not the last is empty")
		}
		a["before"] = page.Next
	}
}

func TestListQuery(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	day := 0
	add := func(id, title string, texts ...string) {
		day++
		a := args{"conversationId": id, "messages": []args{}}
		if title != "" {
			a["title"] = title
		}
		for _, text := range texts {
			a["messages"] = append(a["messages"].([]args), user(text, "at", fmt.Sprintf("2026-03-%02dT10:00:00Z", day)))
		}
		ask[command.AppendResult](t, e, "contexture.conversation.append", a)
	}
	add("one", "", "The walrus queue is slow.", "It was the retry loop.")
	add("two", "Walruses at work", "Nothing of interest.")
	add("claude-code/three", "", "Is the queue of walruses empty?")
	add("four", "", "A walrus.", "And a queue, in another message.")
	add("five", "Retry loops", "Nothing here.")
	for range 12 {
		add(fmt.Sprintf("filler %d", day), "", "Other matters.")
	}
	ask[command.ForkResult](t, e, "contexture.conversation.fork", args{"conversationId": "one", "atTurn": "T-1", "newConversationId": "six"})
	for _, tt := range []struct {
		a    args
		want []string
	}{
		{args{"query": "walrus queue"}, []string{"claude-code/three", "one", "six"}},
		{args{"query": "retry LOOP"}, []string{"five", "one"}}, // the fork branched off earlier
		{args{"query": "walruses at"}, []string{"two", "four", "claude-code/three", "one", "six"}},
		{args{"query": "?"}, []string{"claude-code/three"}}, // does not contain the term
		{args{"query": "zebra"}, nil},
		{args{"query": "walrus", "source": "claude-code"}, []string{"claude-code/three"}},
		{args{"forkOf": "one"}, []string{"six"}},
		{args{"forkOf": "two"}, nil},
	} {
		for _, limit := range []int{1, 2, 50} {
			a := args{"limit": limit}
			for k, v := range tt.a {
				a[k] = v
			}
			got := listedConversations(t, e, a)
			if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(tt.want))) {
				t.Errorf("%v, %d a page: %q, want %q", tt.a, limit, got, tt.want)
			}
		}
	}
	all := listedConversations(t, e, args{"limit": 4})
	if got := listedConversations(t, e, args{"limit": 2, "query": "walrus queue"}); !slices.IsSortedFunc(got, func(a, b string) int { return slices.Index(all, a) - slices.Index(all, b) }) {
		t.Errorf("%q are not in the order of the whole list %q", got, all)
	}
	refused(t, e, "contexture.conversation.list", args{"source": "nobody"}, "source", "")
	refused(t, e, "contexture.conversation.list", args{"forkOf": "nowhere"}, "", "notFound")
	for _, c := range ask[command.ListResult](t, e, "contexture.conversation.list", args{}).Conversations {
		if (c.Source == "claude-code") != (c.ID == "claude-code/three") || (c.ForkOf != nil) != (c.ID == "six") {
			t.Errorf("the line is %+v", c)
		}
	}
}
