package receipt

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func call(name, args, result string) dialogue.ToolCall {
	return dialogue.ToolCall{Name: name, Arguments: json.RawMessage(args), Result: json.RawMessage(mustJSON(result))}
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func turn(calls ...dialogue.ToolCall) []dialogue.Message {
	return []dialogue.Message{{Role: dialogue.Assistant, ToolCalls: calls}}
}

// work is the folder of the workspace.
const work = "/home/a"

const given = "Found:\nboat/hull.go:12  func Seal\nboat/mast.go:3\n"

func give(text string) Delivery { return Give(time.Time{}, "beforePrompt", text, 0) }

func TestReceipt(t *testing.T) {
	long := strings.Repeat("x", 400)
	tests := []struct {
		name  string
		calls []dialogue.ToolCall
		want  Receipt
	}{
		{"nothing done", nil, Receipt{}},
		{
			"a search that led to a named file",
			[]dialogue.ToolCall{call("Grep", `{"pattern":"seal"}`, "boat/hull.go:12:func Seal "+long), call("Read", `{"file_path":"/home/a/boat/hull.go"}`, long)},
			Receipt{Opened: 1, Looks: 2, LookTokens: 206, Needless: 1, Spared: 106},
		},
		{
			"a search that led elsewhere",
			[]dialogue.ToolCall{call("Grep", `{"pattern":"seal"}`, "boat/keel.go:1:x"), call("Read", `{"file_path":"boat/keel.go"}`, long)},
			Receipt{Looks: 2, LookTokens: 104},
		},
		{
			"a listing of named files alone",
			[]dialogue.ToolCall{call("Glob", `{"pattern":"boat/*"}`, "boat/hull.go\nboat/mast.go\n")},
			Receipt{Looks: 1, LookTokens: 6, Needless: 1, Spared: 6},
		},
		{
			"a listing of other files too",
			[]dialogue.ToolCall{call("Glob", `{"pattern":"boat/*"}`, "boat/hull.go\nboat/keel.go\n")},
			Receipt{Looks: 1, LookTokens: 6},
		},
		{
			"in a shell, before an edit of a named file; looks after it do not count",
			[]dialogue.ToolCall{
				call("Bash", `{"command":"cd boat && rg -n mast | head"}`, "mast.go:3:x"), call("Edit", `{"file_path":"boat/mast.go","old_string":"a","new_string":"b"}`, ""),
				call("Bash", `{"command":"grep -r mast ."}`, long),
			},
			Receipt{Opened: 1, Looks: 1, LookTokens: 2, Needless: 1, Spared: 2},
		},
		{
			"a patch",
			[]dialogue.ToolCall{call("shell", `{"command":["bash","-lc","ls boat"]}`, "hull.go"), call("apply_patch", mustJSON("*** Begin Patch\n*** Update File: boat/hull.go\n"), "")},
			Receipt{Opened: 1, Looks: 1, LookTokens: 1, Needless: 1, Spared: 1},
		},
		{
			"a file printed in a shell",
			[]dialogue.ToolCall{call("exec_command", `{"cmd":"sed -n 1,40p boat/hull.go"}`, long)},
			Receipt{Opened: 1, Looks: 1, LookTokens: 100},
		},
		{
			"an edit whose file is not known ends the search",
			[]dialogue.ToolCall{call("Edit", `{"diff":"+ x"}`, ""), call("Grep", `{"pattern":"seal"}`, long), call("Read", `{"path":"boat/hull.go"}`, long)},
			Receipt{Opened: 1},
		},
		{"a program's run is no look-up", []dialogue.ToolCall{call("Bash", `{"command":"go test ./..."}`, long)}, Receipt{}},
		{"arguments that are none", []dialogue.ToolCall{{Name: "x", Arguments: json.RawMessage(`[1`)}, {Name: "y"}}, Receipt{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Given, tt.want.Places, tt.want.Named = len(given)/4, (len(given)-len("Found:\n"))/4, 2
			if got := Read(turn(tt.calls...), work).Receipt(give(given)); got != tt.want {
				t.Errorf("%+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// TestTaken checks which words of what was given count as taken up.
func TestTaken(t *testing.T) {
	g := give("Stated before:\n- Never dial with pool.mu held; DrainPool does, in go_test and mast.go:3.\nboat/hull.go:12  func SealHull\nThe plain words are common.\n")
	w := Read([]dialogue.Message{
		{Role: dialogue.User, Content: "Why does go_test hang?"},
		{Role: dialogue.Assistant, Content: "In go_test, SealHull common", ToolCalls: []dialogue.ToolCall{call("Grep", `{"pattern":"DrainPool","path":"mast.go"}`, "pool.mu")}},
	}, work)
	if r := w.Receipt(g, g); r.Words != 4 || r.Taken != 2 {
		t.Errorf("%d of %d words", r.Taken, r.Words)
	}
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	w = Read([]dialogue.Message{
		{Role: dialogue.User, At: noon.Add(-time.Second), Content: "how long?"},
		{Role: dialogue.Assistant, At: noon, Content: "SealHull took 0.5s."},
		{Role: dialogue.Assistant, At: noon.Add(time.Minute), Content: "DrainPool", ToolCalls: []dialogue.ToolCall{call("Read", `{"path":"/w/boat/hull.go"}`, "")}},
		{Role: dialogue.Assistant, At: noon.Add(time.Minute), Content: "SealHull"},
	}, work)
	if r := w.Receipt(Give(noon.Add(time.Second), "", "SealHull DrainPool boat/hull.go 0.5s", 0)); r.Words != 3 || r.Taken != 2 {
		t.Errorf("%d of %d words after they were given", r.Taken, r.Words)
	}
	w = Read([]dialogue.Message{
		{Role: dialogue.User, At: noon, Content: "how long?"},
		{Role: dialogue.Assistant, At: noon, Content: "SealHull took 0.5s."}, // the log has one time for both
	}, work)
	if r := w.Receipt(Give(noon.Add(time.Second), "", "SealHull DrainPool", 0)); r.Words != 2 || r.Taken != 1 {
		t.Errorf("%d of %d words of an answer without a time of its own", r.Taken, r.Words)
	}
}

// TestNothingGiven checks that what was not given makes nothing needless.
func TestNothingGiven(t *testing.T) {
	w := Read(turn(call("Glob", `{"pattern":"*"}`, "a.go\n"), call("Read", `{"path":"a.go"}`, "package a")), work)
	if got := w.Receipt(); got.Given != 0 || got.Needless != 0 || got.Net() != 0 || got.Looks != 2 {
		t.Errorf("%+v", got)
	}
}

// TestUnknownWorkspace checks that files count by the ends of their paths where the folder of the
// workspace is not known.
func TestUnknownWorkspace(t *testing.T) {
	w := Read(turn(call("Grep", `{"pattern":"seal"}`, "boat/hull.go:12:func Seal"), call("Read", `{"path":"/b/boat/hull.go"}`, "x"), call("Read", `{"path":"boat/mast.go"}`, "x")), "")
	if r := w.Receipt(give(given)); r.Needless != 1 || r.Opened != 2 {
		t.Errorf("%+v", r)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Bash", `{"command":"rg x | head; cat a.go"}`, `"a.go:1:x"`)
	f.Add("apply_patch", `"*** Update File: a"`, `{"a":["b"]}`)
	f.Fuzz(func(t *testing.T, name, args, result string) {
		m := turn(dialogue.ToolCall{Name: name, Arguments: json.RawMessage(args), Result: json.RawMessage(result)})
		if r := Read(m, work).Receipt(give("a.go:1\n")); r.Needless > r.Looks || r.Spared > r.LookTokens || r.Opened > r.Named {
			t.Errorf("%+v", r)
		}
	})
}

// TestAsked checks that the program's own tools are no look-ups, and that what they answered bears
// only on what came later.
func TestAsked(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(1_700_000_000+int64(second), 0) }
	find := call("Grep", `{"pattern":"seal"}`, "boat/hull.go\n")
	open := call("Read", `{"file_path":"boat/mast.go"}`, "package boat")
	for _, own := range []dialogue.ToolCall{
		call("mcp__contexture__search", `{"query":"seal"}`, given), call("contexture_search", `{"query":"seal"}`, given),
		call("use_mcp_tool", `{"server_name":"contexture","tool_name":"search","arguments":"{}"}`, given),
	} {
		messages := []dialogue.Message{
			{Role: dialogue.Assistant, At: at(0), ToolCalls: []dialogue.ToolCall{find, open}},
			{Role: dialogue.Assistant, At: at(10), ToolCalls: []dialogue.ToolCall{own}},
			{Role: dialogue.Assistant, At: at(20), ToolCalls: []dialogue.ToolCall{find}},
		}
		asked := Give(at(11), Asked, given+"<ctx-code path=\"boat/a&amp;b.go\" lines=\"1-2\">\npackage boat\n</ctx-code>\n", 0)
		want := Receipt{Given: asked.Tokens(), Places: 10, Named: 3, Looks: 3, LookTokens: 9, Needless: 1, Spared: 3}
		if got := Read(messages, "").Receipt(asked); got != want {
			t.Errorf("%s: %+v, want %+v", own.Name, got, want)
		}
		if names := strings.Join(asked.Names, " "); names != "boat/hull.go boat/mast.go boat/a&b.go" {
			t.Errorf("named %s", names)
		}
		for i := range messages { // a log without times does not show what came first
			messages[i].At = time.Time{}
		}
		if got := Read(messages, "").Receipt(asked); got.Needless != 0 || got.Opened != 0 || got.Looks != 3 {
			t.Errorf("without times: %+v", got)
		}
	}
}
