package server_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func recall(t testing.TB, e *servertest.Editor, a args) command.RecallResult {
	t.Helper()
	return ask[command.RecallResult](t, e, "contexture.recall", a)
}

// checkRecall checks an answer's budget and spans.
func checkRecall(t *testing.T, r command.RecallResult, budget int) {
	t.Helper()
	if n := counted(t, "o200k_base", r.Text); n != r.Tokens || n > budget {
		t.Errorf("%d tokens are said, %d counted, %d allowed", r.Tokens, n, budget)
	}
	at := 0
	seen := map[string]bool{}
	for _, it := range r.Items {
		if it.Span == nil || it.Span.Start < at || it.Span.End <= it.Span.Start || it.Span.End > len(r.Text) {
			t.Fatalf("span of %+v", it)
		}
		at = it.Span.End
		if seen[it.ID] || it.ID == "" || it.Kind == "" || it.Format == "" {
			t.Errorf("%+v", it)
		}
		seen[it.ID] = true
	}
}

func TestRecall(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	s := newSpeaker(41)
	for i := range 30 {
		say(t, e, "noise", s.turn(200)...)
		if i == 10 {
			say(t, e, "noise", user("My sister's parrot is called Figaro.", "id", "parrot"), assistant("A fine name for a parrot.", "id", "fine"))
		}
	}
	say(t, e, "other", user("The parrot at the office is called Zerlina.", "id", "office"))
	ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{"kind": "lesson", "id": "birds", "title": "Parrots", "content": "A parrot needs a large cage.", "topics": []string{"birds"}, "keywords": []string{"parrot"}})
	ask[command.TaskResult](t, e, "contexture.task.block", args{"taskId": "cage", "reason": "the parrot sits on the plans"})

	for _, budget := range []int{64, 65, 100, 250, 500, 2000, 100000} {
		for _, kind := range []string{"any", "turn", "lesson", "reference", "task", "decision", "fact", "procedure", "episode", "code", "rule"} {
			checkRecall(t, recall(t, e, args{"query": "What is the parrot called?", "budget": budget, "memoryType": kind}), budget)
		}
	}
	r := recall(t, e, args{"query": "What is my sister's parrot called?", "conversationId": "noise", "budget": 300})
	if !strings.Contains(r.Text, "Figaro") || strings.Contains(r.Text, "Zerlina") {
		t.Errorf("in one conversation: %s", r.Text)
	}
	if !slices.ContainsFunc(r.Items, func(it command.Item) bool {
		return slices.Contains(it.MessageIDs, "parrot") && it.ConversationID == "noise" && it.TurnID != ""
	}) {
		t.Errorf("its items: %+v", r.Items)
	}
	if r := recall(t, e, args{"query": "What is the parrot called?"}); !strings.Contains(r.Text, "Figaro") || !strings.Contains(r.Text, "Zerlina") {
		t.Errorf("in all: %s", r.Text)
	}
	for kind, want := range map[string]string{"lesson": "lesson", "task": "blocker", "code": "code"} {
		for _, it := range recall(t, e, args{"query": "parrot backoff", "memoryType": kind}).Items {
			if it.Kind != want && it.Kind != "doc" {
				t.Errorf("%s: %+v", kind, it)
			}
		}
	}
	const name = "contexture.recall"
	refused(t, e, name, args{}, "query", "")
	refused(t, e, name, args{"query": "x", "conversationId": "nowhere"}, "", "notFound")
	refused(t, e, name, args{"query": "x", "budget": 63}, "budget", "")
	refused(t, e, name, args{"query": "x", "memoryType": "dream"}, "memoryType", "")
	for _, odd := range []string{"?", "  ", "\u200b", "the of and", strings.Repeat("parrot ", 20000)} {
		checkRecall(t, recall(t, e, args{"query": odd}), 2000)
	}
}

// TestRecallOfAnID checks that a query with the id of a conversation, as answers print it or
// shortened, is about that conversation alone.
func TestRecallOfAnID(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	const id = "claude-code/5f0c0003-aaaa-4aaa-8aaa-000000000003"
	say(t, e, id, user("Make the potoroo exporter write CSV."), assistant("It writes CSV."), user("And the header?"), assistant("It has one now."))
	say(t, e, id+"/side", user("List the exporters of wombats."), assistant("There are two."))
	say(t, e, "claude-code/5f0c0004-bbbb-4bbb-8bbb-000000000004", user("The wombat exporter writes CSV too."), assistant("Noted."))
	say(t, e, "claude-code/5f0c0004-bcbc-4bbb-8bbb-000000000005", user("Rename the bilby."), assistant("Done."))
	for query, want := range map[string]string{
		id:                                     "potoroo",
		"5f0c0003-aaaa-4aaa-8aaa-000000000003": "potoroo",
		"`5f0c0004-bb`":                        "wombat exporter",
		"which exporter, in 5f0c0004-bb?":      "wombat exporter",
		"what was done in " + id + "?":         "potoroo",
		id + " T-2":                            "has one now",
	} {
		r := recall(t, e, args{"query": query, "memoryType": "turn"})
		if !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s", query, r.Text)
		}
		checkRecall(t, r, 2000)
		for _, it := range r.Items {
			if it.ConversationID != r.Items[0].ConversationID {
				t.Errorf("%s: of %s too", query, it.ConversationID)
			}
		}
	}
	if r := recall(t, e, args{"query": "5f0c0004", "memoryType": "turn"}); len(r.Items) > 0 {
		t.Errorf("the beginning of two ids: %s", r.Text)
	}
}

// TestExpand checks that every id of an answer expands to its item, whatever the budget, and that
// an invalid id expands to none.
func TestExpand(t *testing.T) {
	root := village(t)
	servertest.WriteFile(t, filepath.Join(root, "src", "README.md"), "# Sources\n\nHere are all parts, each with its steps, which the session cache calls one after the other.\n")
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	s := newSpeaker(51)
	const conversation = "a/T-3:x y"
	for range 40 {
		say(t, e, conversation, s.turn(500)...)
	}
	say(t, e, conversation, user("Let's use SQLite instead of Redis for the session cache."), assistant("The session cache is in SQLite now."))
	say(t, e, conversation, user("From now on, always name the session cache's keys in lower case."), assistant("Understood."))
	for i := range 12 {
		say(t, e, conversation, user(fmt.Sprintf("Now the importer, part %d.", i)), assistant(s.text(500)))
	}
	ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{"kind": "lesson", "id": "l:1/2", "title": "session cache", "content": s.text(400), "topics": []string{}, "keywords": []string{"session", "cache"}})
	ask[command.TaskResult](t, e, "contexture.task.block", args{"taskId": "b:1", "reason": s.text(2000)})
	ask[command.TaskResult](t, e, "contexture.task.complete", args{"taskId": "c/1", "intent": "the session cache", "requiresContext": true})
	ask[command.BoardItemResult](t, e, "contexture.board.put", args{"conversationId": conversation, "type": "note", "title": "note", "content": s.text(900)})
	ask[command.CabinetPutResult](t, e, "contexture.cabinet.put", args{"title": "plan", "content": "x", "note": "the\nnote"})
	ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": conversation, "turnId": "T-9", "level": "R"})

	kinds := map[string]string{}
	note := func(items []command.Item) {
		for _, it := range items {
			if it.Kind != "prompt" {
				kinds[it.ID] = it.Kind
			}
		}
	}
	for _, prompt := range []string{"what did we decide about the session cache?", "how does Step3 of part7 work?"} {
		for _, id := range []string{conversation, "new"} {
			note(bundleOf(t, e, args{"prompt": prompt, "conversationId": id, "budget": 16000, "exclude": []string{"docs"}}).Items)
		}
		for _, kind := range []string{"any", "turn", "lesson", "task", "rule", "code", "decision"} {
			note(recall(t, e, args{"query": prompt, "memoryType": kind}).Items)
		}
	}
	var told []string
	for id, kind := range kinds {
		if !slices.Contains(told, kind) {
			told = append(told, kind)
		}
		for _, budget := range []int{64, 300, 2000, 100000} {
			r := recall(t, e, args{"expand": id, "budget": budget})
			checkRecall(t, r, budget)
			if len(r.Items) > 1 && kind != "topic" || len(r.Items) == 0 && budget >= 2000 {
				t.Errorf("%s %q at %d tokens: %+v", kind, id, budget, r.Items)
			}
			if budget == 100000 && r.Items[0].Format != "full" {
				t.Errorf("%s %q is not shown in full: %s", kind, id, r.Items[0].Format)
			}
		}
	}
	slices.Sort(told)
	for _, kind := range []string{"arc", "blocker", "code", "lesson", "notice", "preference", "rule", "summary", "task", "turn"} {
		if !slices.Contains(told, kind) {
			t.Errorf("nothing of kind %s was told: %v", kind, told)
		}
	}
	t.Logf("%d ids of kinds %v", len(kinds), told)
	for _, id := range []string{
		"nonsense", "turn:", "turn:nowhere/T-1", "turn:" + conversation + "/T-99", "turn:" + conversation + "/T-0", "turn:" + conversation + "/T-3-through-2",
		"turn:" + conversation + "/T-3-through-99", "arc:nowhere", "task:none", "blocker:none", "knowledge:none", "tickler:none", "rules:x", "board:x", "board:" + conversation + "/B-99",
		"board:nowhere/B-1", "cabinet:x", "c-0000", "topic:none.md", "preference:none", "identity:none", "prompt", ":", "/", "\x00",
	} {
		refused(t, e, "contexture.recall", args{"expand": id}, "", "notFound")
	}
	empty := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	refused(t, empty, "contexture.recall", args{"expand": "rules"}, "", "notFound")
	refused(t, empty, "contexture.recall", args{"expand": "cabinet"}, "", "notFound")
}

// TestExpandedRules checks that the list of rules has those that are active, as every other view
// has them, and no candidates.
func TestExpandedRules(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	say(t, e, "c", user("Never use semicolons in this code base."), user("moved to the Bergen office in May, so mornings are quiet here now"), user("line limit for the reports: 120, as the printer wants it"))
	e.AwaitIdle()
	text := recall(t, e, args{"expand": "rules"}).Text
	states := map[string]int{}
	for _, it := range ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{"kind": "rule"}).Items {
		states[it.State]++
		if strings.Contains(text, it.Content) != (it.State == "confirmed") {
			t.Errorf("%s, %q: the list is %q", it.State, it.Content, text)
		}
	}
	if states["confirmed"] == 0 || states["candidate"] == 0 {
		t.Errorf("rules by their states: %v", states)
	}
}

// TestIDsAreUnique checks that several messages of a turn are one hit of a search, that a turn
// continued in another session is two items of a recall, and that each id of an answer expands to
// what it names.
func TestIDsAreUnique(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	at := func(m args, time string) args { m["at"] = time; return m }
	say(t, e, "a/T-1.2",
		at(user("Which glaze goes into the kiln?", "id", "m1"), "2026-03-01T09:00:00Z"),
		at(assistant("The blue glaze goes into the kiln at noon.", "id", "m2"), "2026-03-01T09:01:00Z"),
		at(assistant("The kiln is cold, and the blue glaze is done.", "id", "m3"), "2026-03-02T18:00:00Z"),
		at(assistant("The kiln again: a third firing of the glaze.", "id", "m4"), "2026-03-03T18:00:00Z"),
		at(user("Then the kiln and its glaze may rest.", "id", "m5"), "2026-03-03T18:01:00Z"))
	ask[command.ForkResult](t, e, "contexture.conversation.fork", args{"conversationId": "a/T-1.2", "atTurn": 1, "newConversationId": "f"})
	say(t, e, "f", at(assistant("In the fork the kiln has no glaze.", "id", "m6"), "2026-03-03T19:00:00Z"))
	check := func(what string) {
		t.Helper()
		for limit := 1; limit < 9; limit++ {
			hits := ask[command.SearchResult](t, e, "contexture.search", args{"query": "kiln glaze", "kinds": []string{"message"}, "limit": limit}).Hits
			seen, messages := map[string]bool{}, map[string]bool{}
			for _, h := range hits {
				if seen[h.ID] {
					t.Errorf("%s, limit %d: %s comes twice", what, limit, h.ID)
				}
				seen[h.ID] = true
				expanded := recall(t, e, args{"expand": h.ID, "budget": 1000})
				for _, id := range h.MessageIDs {
					if messages[h.ConversationID+id] || len(expanded.Items) != 1 || !slices.Contains(expanded.Items[0].MessageIDs, id) {
						t.Errorf("%s: message %s of %+v is shown before, or is not in %+v", what, id, h, expanded.Items)
					}
					messages[h.ConversationID+id] = true
				}
			}
			if len(hits) > limit || limit > 3 && len(messages) != 6 {
				t.Errorf("%s, limit %d: %d hits with %d messages, want 6 messages", what, limit, len(hits), len(messages))
			}
		}
		r := recall(t, e, args{"query": "kiln glaze", "memoryType": "turn", "budget": 4000})
		checkRecall(t, r, 4000)
		for _, it := range r.Items {
			expanded := recall(t, e, args{"expand": it.ID, "budget": 1000})
			for _, id := range it.MessageIDs {
				if len(expanded.Items) != 1 || expanded.Items[0].ID != it.ID || !slices.Contains(expanded.Items[0].MessageIDs, id) {
					t.Errorf("%s: %+v is expanded to %+v", what, it, expanded.Items)
				}
			}
		}
	}
	check("with both")
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "a/T-1.2"})
	say(t, e, "f", at(user("So much for the glaze in the kiln.", "id", "m7"), "2026-03-03T19:30:00Z"))
	check("with the fork alone")
	refused(t, e, "contexture.recall", args{"expand": "turn:f/T-1.x"}, "", "notFound")
	refused(t, e, "contexture.recall", args{"expand": "turn:f/T-1."}, "", "notFound")
}

// TestRecallOfUnknownTopic checks that a topic that never came up has an answer without items, even
// if it shares common words with others, and that the answer names it.
func TestRecallOfUnknownTopic(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	e.AwaitIdle()
	say(t, e, "c", user("What do we do with the boat on the pier?"), assistant("We paint it on Monday."))
	for query, subject := range map[string]string{
		"what do we do with the Kubernetes quota?": "Kubernetes quota", "Kontingent": "Kontingent", "¿qué hacemos con el contingente?": "qué hacemos contingente",
	} {
		r := recall(t, e, args{"query": query})
		if len(r.Items) != 0 || r.Text != "nothing is remembered about "+strconv.Quote(subject) || r.Tokens == 0 || len(r.Degraded) != 0 {
			t.Errorf("%q: %+v", query, r)
		}
	}
	want := `nothing of type decision is remembered about "boat"`
	if r := recall(t, e, args{"query": "the boat", "memoryType": "decision"}); r.Text != want {
		t.Errorf("%q, want %q", r.Text, want)
	}
	if r := recall(t, e, args{"query": "what about the boat?"}); !strings.Contains(r.Text, "We paint it on Monday.") {
		t.Errorf("the answer to it is missing: %s", r.Text)
	}
}
