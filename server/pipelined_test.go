package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestPipelinedAppends checks that requests sent without waiting for answers take effect in the
// order sent. A long append takes longer to prepare than the short ones behind it; a rejected or
// cancelled one delays no other.
func TestPipelinedAppends(t *testing.T) {
	const n = 200
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	var all []*servertest.Pending
	for i := range n {
		content := fmt.Sprint("number ", i)
		switch i % 10 {
		case 3:
			content += strings.Repeat(" and a story about the harbour", 2000)
		case 6:
			all = append(all, nil)
			e.BeginCommand("contexture.conversation.append", args{"conversationId": "c", "messages": []args{message("robot", "x")}})
			cancelled := e.BeginCommand("contexture.conversation.append", args{"conversationId": "other", "messages": []args{user(content)}})
			cancelled.Cancel()
			continue
		}
		all = append(all, e.BeginCommand("contexture.conversation.append", args{"conversationId": "c", "messages": []args{user(content)}}))
	}
	list := e.BeginCommand("contexture.conversation.list", args{})
	turns := 0
	for i, p := range all {
		if p == nil {
			continue
		}
		turns++
		var out command.AppendResult
		if err := p.Wait(&out); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint("T-", turns); len(out.TurnIDs) != 1 || out.TurnIDs[0] != want || out.MessageCount != turns {
			t.Errorf("append %d made %v of %d messages, want %s", i, out.TurnIDs, out.MessageCount, want)
		}
		if i%20 == 0 {
			if r := turnOf(t, e, "c", out.TurnIDs[0], "R"); !strings.Contains(r.Text, fmt.Sprint("number ", i)) {
				t.Errorf("%s is %.60q, want number %d", out.TurnIDs[0], r.Text, i)
			}
		}
	}
	var listed command.ListResult
	if err := list.Wait(&listed); err != nil {
		t.Fatal(err)
	}
	for _, c := range listed.Conversations {
		if c.ID == "c" && c.TurnCount != turns {
			t.Errorf("a list sent after %d turns shows %d", turns, c.TurnCount)
		}
	}
}

// TestPipelinedCommands checks that reading and changing commands see the effect of those sent
// before them.
func TestPipelinedCommands(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	for i := range 30 {
		id, fork := fmt.Sprint("c", i), fmt.Sprint("f", i)
		scope := args{"conversationId": id}
		first := e.BeginCommand("contexture.conversation.append", args{"conversationId": id, "messages": []args{user("first")}})
		put := e.BeginCommand("contexture.board.put", args{"conversationId": id, "title": "note", "content": "before the fork", "type": "note"})
		forked := e.BeginCommand("contexture.conversation.fork", args{"conversationId": id, "atTurn": "T-1", "newConversationId": fork})
		grown := e.BeginCommand("contexture.conversation.append", args{"conversationId": fork, "messages": []args{user("in the fork")}})
		gone := e.BeginCommand("contexture.conversation.delete", scope)
		again := e.BeginCommand("contexture.conversation.append", args{"conversationId": id, "messages": []args{user("anew")}})
		turn := e.BeginCommand("contexture.conversation.turn", args{"conversationId": id, "turnId": "T-1", "level": "R", "pin": false})
		for k, p := range []*servertest.Pending{first, put, forked, gone} {
			if err := p.Wait(nil); err != nil {
				t.Errorf("command %d: %v", k, err)
			}
		}
		var out command.AppendResult
		if err := grown.Wait(&out); err != nil || out.TurnCount != 2 {
			t.Errorf("the fork has %d turns, %v", out.TurnCount, err)
		}
		if err := again.Wait(&out); err != nil || out.TurnCount != 1 {
			t.Errorf("the new conversation has %d turns, %v", out.TurnCount, err)
		}
		var text command.TurnResult
		if err := turn.Wait(&text); err != nil || !strings.Contains(text.Text, "anew") {
			t.Errorf("its turn is %q, %v", text.Text, err)
		}
	}
}
