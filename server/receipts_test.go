package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestReceipts checks the receipts of a conversation that is in memory, of one that is not, and
// that those of other workspaces are left out.
func TestReceipts(t *testing.T) {
	state, root := t.TempDir(), servertest.Tree(t, map[string]string{"boat/hull.go": source("seal")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	when := func(minutes int) string { return at.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339) }
	found := strings.Repeat("boat/hull.go:3:func seal\n", 8)
	ask[command.AppendResult](t, e, "contexture.conversation.append", args{"conversationId": "claude-code/s", "messages": []args{
		{"role": "user", "content": "Where is the hull sealed?", "at": when(0)},
		{"role": "assistant", "content": "", "at": when(1), "toolCalls": []args{{"name": "Grep", "arguments": args{"pattern": "seal"}, "result": found}}},
		{"role": "assistant", "content": "", "at": when(2), "toolCalls": []args{{"name": "Read", "arguments": args{"file_path": root + "/boat/hull.go"}, "result": "package boat"}}},
		{"role": "assistant", "content": "In seal.", "at": when(3)},
		{"role": "user", "content": "And the mast?", "at": when(10)},
		{"role": "assistant", "content": "There is none.", "at": when(11)},
	}})
	hand := func(root, id string, minutes int, moment, text string) {
		t.Helper()
		if err := hosts.RecordGiven(state, root, id, hosts.Given{
			At: at.Add(time.Duration(minutes)*time.Minute + time.Second/2), Moment: moment, Text: text, Took: 20 * time.Millisecond,
		}); err != nil {
			t.Fatal(err)
		}
	}
	const names, rule = "Found:\nboat/hull.go:3  func seal\nboat/mast.go:1\n", "Stated about this file before:\n- Keep it tight.\n"
	hand(root, "claude-code/s", 0, "beforePrompt", names)
	hand(root, "claude-code/s", 2, "beforeEdit", rule)
	hand(root, "claude-code/s", 10, "beforePrompt", names)
	hand(root, "codex/unknown", 5, "atStart", rule)
	hand("/elsewhere", "codex/foreign", 5, "atStart", rule)

	r := ask[command.ReceiptsResult](t, e, "contexture.receipts", args{})
	first := command.Receipt{
		Prompts: 1, Given: len(names)/4 + len(rule)/4, Places: 10, Named: 2, Opened: 1, Looks: 2, LookTokens: len(found)/4 + len("package boat")/4,
		Needless: 1, Spared: len(found) / 4, Milliseconds: 40,
	}
	whole := first
	whole.Places = 20
	whole.Prompts, whole.Given, whole.Named, whole.Milliseconds = 2, first.Given+len(names)/4, 4, 60
	if len(r.Conversations) != 2 || r.Unseen != 1 || r.Total.Prompts != 3 || r.Total.Given != whole.Given+len(rule)/4 {
		t.Fatalf("%+v", r)
	}
	if c := r.Conversations[0]; c.ConversationID != "claude-code/s" || !c.Seen || c.Receipt != whole {
		t.Errorf("%+v\nwant %+v", c, whole)
	}
	if c := r.Conversations[1]; c.ConversationID != "codex/unknown" || c.Seen || c.Given != len(rule)/4 || c.Looks != 0 {
		t.Errorf("what is not in memory: %+v", c)
	}
	if got := fmt.Sprint(r.Moments); got != fmt.Sprintf("[{beforePrompt 2 %d 40} {atStart 1 %d 20} {beforeEdit 1 %d 20}]", 2*(len(names)/4), len(rule)/4, len(rule)/4) {
		t.Errorf("moments %s", got)
	}

	r = ask[command.ReceiptsResult](t, e, "contexture.receipts", args{"conversationId": "claude-code/s", "limit": 5})
	if len(r.Prompts) != 2 || r.Prompts[0].TurnID != "T-2" || r.Prompts[1].TurnID != "T-1" || r.Prompts[1].Receipt != first ||
		r.Prompts[1].Prompt != "Where is the hull sealed?" || fmt.Sprint(r.Prompts[1].Names) != "[boat/hull.go boat/mast.go]" {
		t.Errorf("%+v\nwant %+v", r.Prompts, first)
	}
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "claude-code/s"})
	if r := ask[command.ReceiptsResult](t, e, "contexture.receipts", args{}); len(r.Conversations) != 1 || r.Total.Prompts != 1 {
		t.Errorf("after it was deleted: %+v", r)
	}
	var failed command.ReceiptsResult
	if err := e.Execute("contexture.receipts", args{"conversationId": "nobody"}, &failed); code(t, err) == 0 {
		t.Error("an unknown conversation has receipts")
	}
}

// TestReceiptsOfTools checks that what a tool answered counts for the conversation with the call
// before it, once, that what has none stays apart, and that it is forgotten with the conversation.
func TestReceiptsOfTools(t *testing.T) {
	state, root := t.TempDir(), servertest.Tree(t, map[string]string{"boat/hull.go": source("seal")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	when := func(seconds int) string { return at.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339) }
	const text = "boat/hull.go:3-3\n```go\nfunc seal() {}\n```\n"
	talk := func(id string, shift int) {
		ask[command.AppendResult](t, e, "contexture.conversation.append", args{"conversationId": id, "messages": []args{
			{"role": "user", "content": "Where is the hull sealed?", "at": when(shift)},
			{"role": "assistant", "content": "", "at": when(shift + 5), "toolCalls": []args{{"name": "mcp__contexture__search", "arguments": args{"query": "seal"}, "result": text}}},
			{"role": "assistant", "content": "", "at": when(shift + 20), "toolCalls": []args{{"name": "Grep", "arguments": args{"pattern": "seal"}, "result": "boat/hull.go\n"}}},
			{"role": "assistant", "content": "In seal.", "at": when(shift + 25)},
		}})
	}
	talk("claude-code/s", 0)
	talk("claude-code/t", 600)
	hand := func(root, id string, seconds int) {
		t.Helper()
		if err := hosts.RecordGiven(state, root, id, hosts.Given{At: at.Add(time.Duration(seconds) * time.Second), Moment: receipt.Asked, Text: text, Took: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
	}
	hand(root, hosts.AskedBy+"a", 6)
	hand(root, hosts.AskedBy+"a", 606)
	hand(root, hosts.AskedBy+"b", -600)
	hand("/elsewhere", hosts.AskedBy+"c", 6)

	one := command.Receipt{Prompts: 1, Given: len(text) / 4, Places: 4, Named: 1, Looks: 1, LookTokens: 3, Needless: 1, Spared: 3, Milliseconds: 1}
	r := ask[command.ReceiptsResult](t, e, "contexture.receipts", args{})
	if len(r.Conversations) != 3 || r.Unseen != 1 || r.Total.Given != 3*(len(text)/4) || r.Places != (command.PlacesTrial{}) {
		t.Fatalf("%+v", r)
	}
	for i, id := range []string{"claude-code/t", "claude-code/s", hosts.AskedBy + "b"} {
		want := one
		if i == 2 {
			want = command.Receipt{Prompts: 1, Given: one.Given, Places: one.Places, Named: 1, Milliseconds: 1}
		}
		if c := r.Conversations[i]; c.ConversationID != id || c.Seen != (i < 2) || c.Receipt != want {
			t.Errorf("%+v\nwant %s with %+v", c, id, want)
		}
	}
	if got := fmt.Sprint(r.Moments); got != fmt.Sprintf("[{asked 3 %d 3}]", r.Total.Given) {
		t.Errorf("moments %s", got)
	}
	r = ask[command.ReceiptsResult](t, e, "contexture.receipts", args{"conversationId": "claude-code/s"})
	if len(r.Conversations) != 1 || len(r.Prompts) != 1 || r.Prompts[0].Receipt != one || r.Prompts[0].TurnID != "T-1" {
		t.Errorf("of one conversation: %+v", r)
	} else if d := r.Prompts[0].Deliveries; len(d) != 1 || d[0].Moment != receipt.Asked || d[0].Given != one.Given || d[0].Text != text {
		t.Errorf("it was given %+v", d)
	}
	ask[command.Deleted](t, e, "contexture.conversation.delete", args{"conversationId": "claude-code/t"})
	if r := ask[command.ReceiptsResult](t, e, "contexture.receipts", args{}); len(r.Conversations) != 1 || r.Conversations[0].ConversationID != hosts.AskedBy+"b" {
		t.Errorf("after one of the two that a server answered was deleted: %+v", r.Conversations)
	}
	if r := ask[command.ReceiptsResult](t, e, "contexture.receipts", args{"conversationId": hosts.AskedBy + "b"}); r.Prompts[0].Deliveries[0].Text != "" {
		t.Error("a text is kept though something was forgotten")
	}
}

// TestPlacesThatDoNotPay checks that the level of a workspace's trial rises when names of places
// spared less than they took, that each prompt counts once, that the newest and those of other
// workspaces do not, and that the trial begins again on request.
func TestPlacesThatDoNotPay(t *testing.T) {
	state, root := t.TempDir(), servertest.Tree(t, map[string]string{"boat/hull.go": source("seal")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
	begin := time.Now().UTC().Add(-4 * time.Hour).Truncate(time.Second)
	ends, n := begin, 0
	prompts := func(count int, of string) {
		t.Helper()
		var list []args
		for range count {
			list = append(list, args{"role": "user", "content": fmt.Sprintf("And plank %d?", n), "at": ends.Format(time.RFC3339)},
				args{"role": "assistant", "content": "It is oak.", "at": ends.Add(time.Second).Format(time.RFC3339)})
			if err := hosts.RecordGiven(state, of, "codex/s", hosts.Given{At: ends, Moment: hosts.BeforePrompt, Text: "boat/hull.go:3  func seal\n"}); err != nil {
				t.Fatal(err)
			}
			ends, n = ends.Add(10*time.Second), n+1
		}
		ask[command.AppendResult](t, e, "contexture.conversation.append", args{"conversationId": "codex/s", "messages": list})
	}
	trial := func(a args) command.PlacesTrial {
		return ask[command.ReceiptsResult](t, e, "contexture.receipts", a).Places
	}
	prompts(receipt.TrialPrompts-1, root)
	want := command.PlacesTrial{Prompts: receipt.TrialPrompts - 1, Given: 6 * (receipt.TrialPrompts - 1)}
	for range 2 {
		if got := trial(args{}); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
	if got := trial(args{"conversationId": "codex/s"}); got != want {
		t.Errorf("asked for one conversation: %+v, want %+v", got, want)
	}
	prompts(1, root)
	if got := trial(args{}); got != (command.PlacesTrial{Level: 1}) {
		t.Errorf("after fifty prompts: %+v", got)
	}
	if stored, err := hosts.ReadTrial(state, root); err != nil || stored.Level != 1 {
		t.Errorf("hooks read %+v, %v", stored, err)
	}
	ends = time.Now().UTC().Add(-time.Minute)
	prompts(1, root)
	if got := trial(args{}); got != (command.PlacesTrial{Level: 1}) {
		t.Errorf("a prompt whose answer may not be complete counts: %+v", got)
	}
	for _, a := range []args{{"reset": true}, {}} {
		if got := trial(a); got != (command.PlacesTrial{}) {
			t.Errorf("%v: %+v", a, got)
		}
	}
}
