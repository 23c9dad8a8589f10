package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// refusal is a call that violates the contract, and the field that the answer names.
type refusal struct{ command, args, field string }

func refusals() []refusal {
	long := func(n int) string { return strings.Repeat("x", n) }
	message := func(m string) string { return `{"conversationId":"c","messages":[` + m + `]}` }
	return []refusal{
		{"bundle", `{}`, "prompt"},
		{"bundle", `{"prompt":null}`, "prompt"},
		{"bundle", `{"prompt":""}`, "prompt"},
		{"bundle", `{"prompt":7}`, "prompt"},
		{"bundle", `{"Prompt":"x"}`, "Prompt"},
		{"bundle", `{"prompt":"x","prompt":"y"}`, "prompt"},
		{"bundle", `{"prompt":"x","budget":null,"budget":300}`, "budget"},
		{"bundle", `{"prompt":"x","":1}`, `""`},
		{"bundle", `{"prompt":"` + long(1<<20+1) + `"}`, "prompt"},
		{"bundle", `{"prompt":"x","budget":255}`, "budget"},
		{"bundle", `{"prompt":"x","budget":0}`, "budget"},
		{"bundle", `{"prompt":"x","budget":1000001}`, "budget"},
		{"bundle", `{"prompt":"x","budget":300.5}`, "budget"},
		{"bundle", `{"prompt":"x","budget":1e400}`, "budget"},
		{"bundle", `{"prompt":"x","budget":1e-400}`, "budget"},
		{"bundle", `{"prompt":"x","budget":1000.00000000000000000001}`, "budget"},
		{"bundle", `{"prompt":"x","budget":99999999999999999999}`, "budget"},
		{"bundle", `{"prompt":"x","budget":"1000"}`, "budget"},
		{"bundle", `{"prompt":"x","budget":true}`, "budget"},
		{"bundle", `{"prompt":"x","encoding":"gpt2"}`, "encoding"},
		{"bundle", `{"prompt":"x","encoding":""}`, "encoding"},
		{"bundle", `{"prompt":"x","frame":"Task"}`, "frame"},
		{"bundle", `{"prompt":"x","deadlineMs":49}`, "deadlineMs"},
		{"bundle", `{"prompt":"x","deadlineMs":60001}`, "deadlineMs"},
		{"bundle", `{"prompt":"x","includeText":1}`, "includeText"},
		{"bundle", `{"prompt":"x","workspace":"/srv/app"}`, "workspace"},
		{"bundle", `{"prompt":"x","workspace":7}`, "workspace"},
		{"bundle", `{"prompt":"x","workspace":"C:\\\\app"}`, "workspace"},
		{"bundle", `{"prompt":"x","conversationId":""}`, "conversationId"},
		{"bundle", `{"prompt":"x","conversationId":"a\u0000b"}`, "conversationId"},
		{"bundle", `{"prompt":"x","conversationId":"a\nb"}`, "conversationId"},
		{"bundle", `{"prompt":"x","conversationId":"\ud800"}`, "conversationId"},
		{"bundle", `{"prompt":"x","conversationId":"` + strings.Repeat("é", 201) + `"}`, "conversationId"},
		{"bundle", `{"prompt":"x","textDocument":"file:///a"}`, "textDocument"},
		{"bundle", `{"prompt":"x","textDocument":{}}`, "textDocument.uri"},
		{"bundle", `{"prompt":"x","textDocument":{"uri":"file:///a","version":1}}`, "textDocument.version"},
		{"bundle", `{"prompt":"x","textDocument":{"uri":"file:///%zz"}}`, "textDocument.uri"},
		{"bundle", `{"prompt":"x","position":{"line":1,"character":1}}`, "textDocument"},
		{"bundle", `{"prompt":"x","textDocument":{"uri":"file:///a"},"position":{"line":-1,"character":1}}`, "position.line"},
		{"bundle", `{"prompt":"x","textDocument":{"uri":"file:///a"},"position":{"line":1}}`, "position.character"},
		{"bundle", `{"prompt":"x","textDocument":{"uri":"file:///a"},"selection":{"start":{"line":2,"character":0},"end":{"line":1,"character":9}}}`, "selection.end"},
		{"bundle", `{"prompt":"x","visibleDocuments":["file:///a","b"]}`, "visibleDocuments[1]"},
		{"bundle", `{"prompt":"x","exclude":"*.go"}`, "exclude"},
		{"bundle", `{"prompt":"x","exclude":["*.go","[a"]}`, "exclude[1]"},
		{"bundle", `{"prompt":"x","exclude":[null]}`, "exclude[0]"},
		{"bundle", `{"prompt":"x","layers":[]}`, "layers"},
		{"bundle", `{"prompt":"x","layers":{"L5":{}}}`, "layers.L5"},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{"min":-1}}}`, "layers.L5_jit.min"},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{"min":2,"max":1}}}`, "layers.L5_jit.min"},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{"elasticity":1.01}}}`, "layers.L5_jit.elasticity"},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{"elasticity":1e999}}}`, "layers.L5_jit.elasticity"},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{"size":1}}}`, "layers.L5_jit.size"},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{},"L5_jit":{}}}`, "layers.L5_jit"},
		{"bundle", `[]`, "arguments[0]"},
		{"bundle", `"x"`, "arguments[0]"},
		{"bundle", `{"prompt":"x"`, "arguments"},
		{"bundle", `{"prompt":"x",}`, "arguments"},
		{"bundle", `{"prompt":"x"} {}`, "arguments[0]"},
		{"bundle", `{"prompt":"a` + "\n" + `b"}`, "prompt"},
		{"bundle", `{"prompt":"\x"}`, "prompt"},
		{"bundle", `{"prompt":"x","budget":01000}`, "budget"},
		{"search", `{}`, "query"},
		{"search", `{"query":"x","limit":0}`, "limit"},
		{"search", `{"query":"x","limit":10001}`, "limit"},
		{"search", `{"query":"x","mode":"fuzzy"}`, "mode"},
		{"search", `{"query":"x","kinds":["code","pie"]}`, "kinds[1]"},
		{"search", `{"query":"x","paths":["{a"]}`, "paths[0]"},
		{"recall", `{}`, "query"},
		{"recall", `{"query":"x","memoryType":"all"}`, "memoryType"},
		{"recall", `{"query":"x","budget":63}`, "budget"},
		{"ticklers", `{}`, "prompt"},
		{"ticklers", `{"textDocument":{"uri":"file:///a"}}`, "position"},
		{"ticklers", `{"position":{"line":0,"character":0}}`, "textDocument"},
		{"ticklers", `{"prompt":"x","textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}`, "textDocument"},
		{"ticklers", `{"prompt":"x","limit":21}`, "limit"},
		{"feedback", `{"bundleId":"b"}`, "response"},
		{"feedback", `{"response":"b"}`, "bundleId"},
		{"feedback", `{"bundleId":"b","response":"","followups":[1]}`, "followups[0]"},
		{"presence", `{"localTime":"yesterday"}`, "localTime"},
		{"presence", `{"navigation":[{"path":"a"}]}`, "navigation[0].at"},
		{"presence", `{"navigation":[{"path":"a","at":"2026-10-31T9:30:00Z"}]}`, "navigation[0].at"},
		{"presence", `{"idleSince":"9999-12-31T23:59:59-01:00"}`, "idleSince"},
		{"conversation.append", `{"messages":[]}`, "conversationId"},
		{"conversation.append", `{"conversationId":"c"}`, "messages"},
		{"conversation.append", message(`{"role":"user","content":"x"},{"role":"robot","content":"x"}`), "messages[1].role"},
		{"conversation.append", message(`{"content":"x"}`), "messages[0].role"},
		{"conversation.append", message(`{"role":"user"}`), "messages[0].content"},
		{"conversation.append", message(`{"role":"user","content":null}`), "messages[0].content"},
		{"conversation.append", message(`{"role":"user","content":"x","id":""}`), "messages[0].id"},
		{"conversation.append", message(`{"role":"user","content":"x","at":"2026-10-31"}`), "messages[0].at"},
		{"conversation.append", message(`{"role":"user","content":"` + long(4<<20+1) + `"}`), "messages[0].content"},
		{"conversation.append", message(`{"role":"user","content":"` + long(4<<20) + `","reasoning":"x"}`), "messages[0]"},
		{"conversation.append", message(`{"role":"user","content":"","toolCalls":[{"name":"t","arguments":{},"result":"` + long(4<<20) + `"}]}`), "messages[0]"},
		{"conversation.append", message(`{"role":"user","content":"","toolCalls":[{"name":"t","arguments":{}}]}`), "messages[0].toolCalls[0].result"},
		{"conversation.append", message(strings.Repeat(`{"role":"user","content":""},`, 10_000) + `{"role":"user","content":""}`), "messages"},
		{"conversation.append", message(nested(96)), "messages[0].toolCalls[0].arguments"},
		{"conversation.turn", `{"conversationId":"c"}`, "turnId"},
		{"conversation.turn", `{"conversationId":"c","turnId":"T-0"}`, "turnId"},
		{"conversation.turn", `{"conversationId":"c","turnId":"T-01"}`, "turnId"},
		{"conversation.turn", `{"conversationId":"c","turnId":"t-1"}`, "turnId"},
		{"conversation.turn", `{"conversationId":"c","turnId":1}`, "turnId"},
		{"conversation.turn", `{"conversationId":"c","turnId":"T-99999999999999999999"}`, "turnId"},
		{"conversation.turn", `{"conversationId":"c","turnId":"T-1","level":"X"}`, "level"},
		{"conversation.turn", `{"conversationId":"c","turnId":"T-1","pin":"yes"}`, "pin"},
		{"conversation.window", `{"conversationId":"c","arcBudget":12000}`, "arcBudget"},
		{"conversation.window", `{"conversationId":"c","arcBudget":-1}`, "arcBudget"},
		{"conversation.fork", `{"conversationId":"c","atTurn":0,"newConversationId":"d"}`, "atTurn"},
		{"conversation.fork", `{"conversationId":"c","atTurn":1.5,"newConversationId":"d"}`, "atTurn"},
		{"conversation.fork", `{"conversationId":"c","atTurn":"T-1"}`, "newConversationId"},
		{"conversation.list", `{"limit":0}`, "limit"},
		{"conversation.list", `{"conversationId":"c"}`, "conversationId"},
		{"task.complete", `{"taskId":"t","validation":{"notes":"x"}}`, "validation.success"},
		{"task.block", `{"taskId":"t"}`, "reason"},
		{"task.list", `{"limit":101}`, "limit"},
		{"knowledge.put", `{"kind":"fact","title":"t","content":"c","topics":[],"keywords":[]}`, "kind"},
		{"knowledge.put", `{"kind":"rule","title":"t","content":"c","topics":["a",""],"keywords":[]}`, "topics[1]"},
		{"knowledge.put", `{"kind":"rule","title":"t","content":"c","topics":[],"keywords":[],"weight":-1}`, "weight"},
		{"knowledge.put", `{"kind":"rule","title":"t","content":"` + long(1<<20+1) + `","topics":[],"keywords":[]}`, "content"},
		{"board.put", `{"conversationId":"c","type":"note","title":"t","content":"c","ttl":0}`, "ttl"},
		{"board.put", `{"conversationId":"c","type":"note","title":"t","content":"c","ttl":101}`, "ttl"},
		{"cabinet.put", `{"title":"t","content":"` + long(1<<20+1) + `"}`, "content"},
		{"cabinet.put", `{"title":"t","content":"c","uri":"not a uri"}`, "uri"},
		{"index.rebuild", `{"scope":"some"}`, "scope"},
		{"index.why", `{}`, "textDocument"},
		{"index.status", `{"x":1}`, "x"},
		{"nothing", `{}`, "command"},
	}
}

// TestRefused checks that a violation of the contract is answered with InvalidParams and the name
// of the field.
func TestRefused(t *testing.T) {
	for _, test := range refusals() {
		e := call(t, Prefix+test.command, test.args)
		if e.Code != CodeInvalidParams || e.Field != test.field || e.Message == "" {
			t.Errorf("%s %.120s: %d, field %q, %q; want field %q", test.command, test.args, e.Code, e.Field, e.Message, test.field)
		}
	}
}

// nested is a message whose tool call has arguments of n nested lists.
func nested(n int) string {
	return `{"role":"user","content":"","toolCalls":[{"name":"t","result":1,"arguments":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}]}`
}

// admission is a call that the contract allows.
type admission struct{ command, args string }

func admissions() []admission {
	return []admission{
		{"bundle", `{"prompt":"x"}`},
		{"bundle", ` { "prompt" : "x" , "budget" : 12000.0 } `},
		{"bundle", `{"prompt":"x","budget":1.2e4,"deadlineMs":50,"conversationId":"` + strings.Repeat("é", 200) + `"}`},
		{"bundle", `{"prompt":"` + strings.Repeat("x", 1<<20) + `","budget":1000000}`},
		{"bundle", `{"prompt":"x","budget":null,"layers":null,"textDocument":null,"includeText":null,"workspace":null}`},
		{"bundle", `{"prompt":"x","layers":{"L5_jit":{"min":0,"ideal":5,"max":10,"priority":62.5,"elasticity":0.5},"L2_topic":null}}`},
		{"bundle", `{"prompt":"x","exclude":["**/*.{go,mod}","vendor/**"],"visibleDocuments":["untitled:Untitled-1","file:///c%3A/a%20b.go"]}`},
		{"bundle", `{"prompt":"x","textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0},"selection":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}}}`},
		{"recall", `{"expand":"chunk:12"}`},
		{"ticklers", `{"prompt":"x"}`},
		{"ticklers", `{"textDocument":{"uri":"file:///a"},"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":4}}}`},
		{"feedback", `{"bundleId":"b","response":"","followups":[]}`},
		{"presence", `{}`},
		{"presence", `{"localTime":"2026-10-31T09:30:00.5+02:00","navigation":[{"path":"a.go","at":"2026-10-31T09:30:00Z"}]}`},
		{"conversation.append", `{"conversationId":"c","messages":[]}`},
		{"conversation.append", `{"conversationId":"c","messages":[{"role":"tool","content":"","toolCalls":[{"name":"t","arguments":null,"result":null}]}]}`},
		{"conversation.append", `{"conversationId":"c","messages":[{"role":"user","content":"` + strings.Repeat("x", 4<<20) + `"}]}`},
		{"conversation.append", `{"conversationId":"c","messages":[` + nested(95) + `]}`},
		{"conversation.fork", `{"conversationId":"c","atTurn":"T-12","newConversationId":"d"}`},
		{"task.complete", `{"taskId":"t","validation":{"success":false}}`},
		{"knowledge.put", `{"kind":"rule","title":"t","content":"c","topics":[],"keywords":[],"sourceTurns":["T-1"]}`},
		{"metrics", `null`},
		{"metrics", ``},
		{"metrics", `{"workspace":"file:///srv/app"}`},
	}
}

// TestAdmitted checks that a call that the contract allows reaches the implementation, which here
// answers unavailable.
func TestAdmitted(t *testing.T) {
	for _, test := range admissions() {
		if e := call(t, Prefix+test.command, test.args); e.DataCode != DataUnavailable {
			t.Errorf("%s %.120s: %v", test.command, test.args, e)
		}
	}
}

func TestArguments(t *testing.T) {
	raw := func(args ...string) (out []json.RawMessage) {
		for _, a := range args {
			out = append(out, json.RawMessage(a))
		}
		return out
	}
	for _, args := range [][]json.RawMessage{nil, raw(), raw("null"), raw(" null "), raw("{}"), raw("")} {
		if err := Decode(args, new(PresenceArgs)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, args := range [][]json.RawMessage{raw("{}", "{}"), raw("{}", "null"), raw("null", "{}")} {
		err := Decode(args, new(PresenceArgs))
		if e := AsError(err); e == nil || e.Field != "arguments[1]" || e.Code != CodeInvalidParams {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestDefaults checks that an absent or null field gets the contract's default, and that a field
// whose default is a setting stays zero.
func TestDefaults(t *testing.T) {
	for _, input := range []string{`{"prompt":"x"}`, `{"prompt":"x","includeText":null,"deadlineMs":null}`} {
		want := BundleArgs{Prompt: "x", KnowledgeDepth: "standard", Fill: "relevant", DeadlineMS: 1000, IncludeText: true}
		if got := decoded[BundleArgs](t, input); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", input, got)
		}
	}
	if got := decoded[TurnArgs](t, `{"conversationId":"c","turnId":"T-1"}`); got.Level != "S" || !got.Pin {
		t.Errorf("turn: %+v", got)
	}
	if got := decoded[TurnArgs](t, `{"conversationId":"c","turnId":"T-1","pin":false}`); got.Pin {
		t.Error("turn: pin false is not kept")
	}
	if got := decoded[WindowArgs](t, `{"conversationId":"c","budget":2000}`); *got.ArcBudget != 300 {
		t.Errorf("window: arc budget %d, want 15 %% of 2000", *got.ArcBudget)
	}
	if got := decoded[WindowArgs](t, `{"conversationId":"c","arcBudget":0}`); *got.ArcBudget != 0 || got.Budget != 12000 {
		t.Errorf("window: %+v", got)
	}
	if got := decoded[ForkArgs](t, `{"conversationId":"c","atTurn":7,"newConversationId":"d"}`); got.AtTurn != "T-7" {
		t.Errorf("fork: %+v", got)
	}
	got := decoded[RebuildArgs](t, `{"workspace":"file:///a"}`)
	if got.What != "all" || got.Workspace != "file:///a" {
		t.Errorf("rebuild: %+v", got)
	}
}

// TestText checks that text arrives as it was sent, with invalid text replaced.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`"a\u00e9\n\ud83d\ude00\/"`: "aé\n😀/",
		`"\ud800x"`:                 "\uFFFDx",
		"\"\xff\"":                  "\uFFFD",
		`"<|endoftext|>"`:           "<|endoftext|>",
	} {
		if got := decoded[SearchArgs](t, `{"query":`+in+`}`).Query; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	call := decoded[AppendArgs](t, `{"conversationId":"c","messages":[{"role":"user","content":"","toolCalls":[{"name":"t","arguments": {"a": 1.50, "a":2} ,"result":"\u00e9"}]}]}`).Messages[0].ToolCalls[0]
	if string(call.Arguments) != `{"a": 1.50, "a":2}` || string(call.Result) != `"\u00e9"` {
		t.Errorf("tool call is changed: %s %s", call.Arguments, call.Result)
	}
	at := decoded[TaskBlockArgs](t, `{"taskId":"t","reason":"r","at":"2026-10-31T01:30:00+02:00"}`).At
	if want := time.Date(2026, 10, 30, 23, 30, 0, 0, time.UTC); !at.Equal(want) {
		t.Errorf("at is %v, want %v", at, want)
	}
}

func decoded[A any](t *testing.T, input string) A {
	t.Helper()
	var args A
	if err := Decode([]json.RawMessage{json.RawMessage(input)}, &args); err != nil {
		t.Fatalf("%.200s: %v", input, err)
	}
	return args
}

// TestRoundTrip checks that decoding an encoded value returns the same value.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 20, 200)
		want := AppendArgs{ConversationID: rapid.StringMatching(`[a-zA-Z0-9 _é-]{1,50}`).Draw(t, "id"), Messages: []Message{}, Title: text.Draw(t, "title")}
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			want.Messages = append(want.Messages, Message{
				Role: rapid.SampledFrom([]string{"user", "assistant", "system", "tool"}).Draw(t, "role"), Content: text.Draw(t, "content"),
				Symbols: rapid.SliceOfN(text, 1, 3).Draw(t, "symbols"),
			})
		}
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got AppendArgs
		if err := Decode([]json.RawMessage{raw}, &got); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s decodes to %+v", raw, got)
		}
	})
}

// TestIntegers compares the decoder of integers with exact arithmetic.
func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1<<52, 1<<52).Draw(t, "n")
		zeros := rapid.IntRange(0, 12).Draw(t, "zeros")
		shift := rapid.IntRange(0, 12).Draw(t, "shift")
		lit := fmt.Sprintf("%d%s.%se-%d", n, strings.Repeat("0", shift), strings.Repeat("0", zeros), shift)
		if got, ok := parseInt(lit); !ok || got != n {
			t.Fatalf("%s: %d %v, want %d", lit, got, ok, n)
		}
		if n%10 != 0 {
			if got, ok := parseInt(fmt.Sprintf("%de-1", n)); ok {
				t.Fatalf("%de-1 is read as %d", n, got)
			}
		}
	})
}

// recorder keeps the arguments of one command.
type recorder struct {
	Unimplemented
	got *SearchArgs
}

func (r *recorder) Search(_ context.Context, args *SearchArgs) (*SearchResult, error) {
	r.got = args
	return &SearchResult{Hits: []Hit{{ID: "h"}}}, nil
}

// TestCancelled checks that a cancelled request does no work, and that an error caused by the
// cancellation is reported as such.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	args := []json.RawMessage{json.RawMessage(`{"taskId":"t"}`)}
	if _, err := Dispatch(ctx, cancels{cancel: cancel}, "contexture.task.unblock", args); AsError(err).Code != CodeRequestCancelled {
		t.Errorf("cancelled on the way: %v", err)
	}
	r := &recorder{}
	if _, err := Dispatch(ctx, r, "contexture.search", []json.RawMessage{json.RawMessage(`{"query":"x"}`)}); AsError(err).Code != CodeRequestCancelled || r.got != nil {
		t.Errorf("cancelled before: %v, %v", err, r.got)
	}
}

// cancels is cancelled while it runs.
type cancels struct {
	Unimplemented
	cancel func()
}

func (c cancels) TaskUnblock(context.Context, *TaskUnblockArgs) (*TaskResult, error) {
	c.cancel()
	return nil, errors.New("read: aborted")
}

func TestDispatch(t *testing.T) {
	r := &recorder{}
	result, err := Dispatch(t.Context(), r, "contexture.search", []json.RawMessage{json.RawMessage(`{"query":"x","kinds":["code"]}`)})
	if err != nil || r.got == nil || r.got.Limit != 20 || r.got.Kinds[0] != "code" {
		t.Fatalf("%v, %+v", err, r.got)
	}
	raw, err := json.Marshal(result)
	want := `{"hits":[{"id":"h","kind":"","score":0,"title":"","snippet":"","messageIds":[],"signals":{}}],"stages":[],"degraded":[],"versions":{"index":0,"knowledge":0}}`
	if err != nil || string(raw) != want {
		t.Fatalf("%v, %s", err, raw)
	}
}
