package capture

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// samples holds for each file-based source a log, its path in a home folder, and the messages
// stored from it.
var samples = []struct {
	name, source, path string
	log, want          string
	beside             map[string]string // files beside the log
	unknown            []string
}{
	{
		name: "messages, reasoning, tools", source: ClaudeCode, path: ".claude/projects/-w/s1.jsonl",
		log: `{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/w","timestamp":"2026-10-01T10:00:00Z","message":{"content":"Why does it block?"}}
{"type":"assistant","uuid":"a1","sessionId":"s1","message":{"id":"m1","model":"m","content":[{"type":"thinking","thinking":"The pool."}]}}
{"type":"assistant","uuid":"a2","sessionId":"s1","message":{"id":"m1","model":"m","content":[{"type":"text","text":"I look."}]}}
{"type":"assistant","uuid":"a3","sessionId":"s1","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test"}},{"type":"tool_use","id":"t2","name":"Read","input":{}}]}}
{"type":"user","uuid":"u2","sessionId":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"FAIL"}],"is_error":true}]}}
{"type":"ai-title","sessionId":"s1","aiTitle":"The pool blocks"}
{"type":"user","uuid":"u3","sessionId":"s1","message":{"content":[{"type":"text","text":"Stop."},{"type":"image","source":{}}]}}
`,
		want: `== claude-code/s1 in /w: The pool blocks
user: Why does it block?
assistant: I look. {The pool.}
assistant:  [Bash {"command":"go test"} ✗ "FAIL"]
assistant:  [Read {} → ]
user: Stop.⏎⏎[image]
`,
	},
	{
		name: "what is not the person's", source: ClaudeCode, path: ".claude/projects/-w/s2.jsonl",
		log: `{"type":"user","uuid":"u1","sessionId":"s2","isMeta":true,"message":{"content":"Caveat"}}
{"type":"user","uuid":"u2","sessionId":"s2","message":{"content":"<command-name>/review</command-name><command-message>review</command-message><command-args>the pool</command-args>"}}
{"type":"user","uuid":"u3","sessionId":"s2","message":{"content":"<local-command-stdout>done</local-command-stdout>"}}
{"type":"user","uuid":"u4","sessionId":"s2","isCompactSummary":true,"message":{"content":"This session is being continued."}}
{"type":"user","uuid":"u5","sessionId":"s2","isSidechain":true,"agentId":"x","message":{"content":"Look into it."}}
{"type":"assistant","uuid":"u6","sessionId":"s2","isSidechain":true,"agentId":"x","message":{"content":"Done."}}
{"type":"user","uuid":"u7","sessionId":"s2","message":{"content":"Go on.<system-reminder>be nice</system-reminder>"}}
{"type":"progress","sessionId":"s2"}
{"type":"teleport","sessionId":"s2"}
{"type":"assistant","uuid":"u8","sessionId":"s2","message":{"content":[{"type":"smell","of":"burnt toast"},{"type":"text","text":"Yes."}]}}
`,
		want: `== claude-code/s2
user: /review the pool
tool: done
system: This session is being continued.
user: Go on.
assistant: Yes.
== claude-code/s2/x
system: Look into it.
assistant: Done.
`,
		unknown: []string{"assistant/smell", "teleport"},
	},
	{
		name: "what others said", source: ClaudeCode, path: ".claude/projects/-w/s4.jsonl",
		log: `{"type":"user","uuid":"u1","sessionId":"s4","origin":{"kind":"human"},"message":{"content":"Rename it."}}
{"type":"user","uuid":"u2","sessionId":"s4","origin":{"kind":"hook"},"message":{"content":"Always write the changelog."}}
{"type":"user","uuid":"u3","sessionId":"s4","origin":{"kind":"coordinator"},"message":{"content":[{"type":"text","text":"Take the second task."}]}}
{"type":"user","uuid":"u4","sessionId":"s4","message":{"content":"<cross-session-message from=\"uds:/x.sock\">The queue is empty.</cross-session-message>"}}
{"type":"attachment","uuid":"u5","sessionId":"s4","attachment":{"type":"queued_command","prompt":"All tests pass.","origin":{"kind":"peer"}}}
{"type":"queue-operation","operation":"enqueue","sessionId":"s4","content":"<task-notification>Build done.</task-notification>"}
{"type":"queue-operation","operation":"remove","sessionId":"s4"}
{"type":"queue-operation","operation":"enqueue","sessionId":"s4","content":"And test it."}
{"type":"user","uuid":"u6","sessionId":"s4","message":{"content":"And test it."}}
{"type":"queue-operation","operation":"enqueue","sessionId":"s4","content":"Never mind."}
`,
		want: `== claude-code/s4
user: Rename it.
system: Take the second task.
system: The queue is empty.
system: All tests pass.
system: Build done.
user: And test it.
`,
	},
	{
		name: "a queue, and two records on a line", source: ClaudeCode, path: ".claude/projects/-w/s3.jsonl",
		log: `{"type":"user","uuid":"u1","sessionId":"s3","message":{"content":"Begin."}}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-10-01T10:00:01Z","sessionId":"s3","content":"And the docs."}
{"type":"queue-operation","operation":"remove","timestamp":"2026-10-01T10:00:02Z","sessionId":"s3"}
{"type":"attachment","uuid":"u2","sessionId":"s3","attachment":{"type":"queued_command","prompt":"And the docs."}}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-10-01T10:00:03Z","sessionId":"s3","content":"Then stop."}
{"type":"queue-operation","operation":"dequeue","timestamp":"2026-10-01T10:00:04Z","sessionId":"s3"}
{"type":"user","uuid":"u3","sessionId":"s3","message":{"content":"Then stop."}}{"type":"assistant","uuid":"u4","sessionId":"s3","message":{"content":"Stopped."}}
`,
		want: `== claude-code/s3
user: Begin.
user: And the docs.
user: Then stop.
assistant: Stopped.
`,
	},
	{
		name: "both streams", source: Codex, path: ".codex/sessions/2026/10/01/rollout-x.jsonl",
		log: `{"timestamp":"2026-10-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/w"}}
{"timestamp":"2026-10-01T10:00:00Z","type":"turn_context","payload":{"cwd":"/w/sub","model":"gpt"}}
{"timestamp":"2026-10-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /w"},{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}}
{"timestamp":"2026-10-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix the port."}]}}
{"timestamp":"2026-10-01T10:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"Fix the port."}}
{"timestamp":"2026-10-01T10:00:03Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"Where is it?"}]}}
{"timestamp":"2026-10-01T10:00:04Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"cmd\":\"ls\"}","call_id":"k1"}}
{"timestamp":"2026-10-01T10:00:05Z","type":"response_item","payload":{"type":"function_call_output","call_id":"k1","output":"Process exited with code 2\nno"}}
{"timestamp":"2026-10-01T10:00:06Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"k2"}}
{"timestamp":"2026-10-01T10:00:07Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"k2","output":"{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}"}}
{"timestamp":"2026-10-01T10:00:08Z","type":"response_item","payload":{"type":"message","role":"assistant","id":"a1","content":[{"type":"output_text","text":"Fixed."}]}}
{"timestamp":"2026-10-01T10:00:08Z","type":"event_msg","payload":{"type":"agent_message","message":"Fixed."}}
{"timestamp":"2026-10-01T10:00:09Z","type":"event_msg","payload":{"type":"levitation"}}
`,
		want: `== codex/c1 in /w
user: Fix the port.
assistant:  {Where is it?} [shell {"cmd":"ls"} ✗ "Process exited with code 2\nno"]
assistant:  [apply_patch {"input":"*** Begin"} → "ok"]
assistant: Fixed.
`,
		unknown: []string{"event_msg/levitation"},
	},
	{
		name: "lines", source: Gemini, path: ".gemini/tmp/p/chats/g.jsonl", beside: map[string]string{".gemini/tmp/p/.project_root": "/w\n"},
		log: `{"sessionId":"g1","startTime":"2026-10-01T10:00:00Z","kind":"main"}
{"id":"1","type":"user","content":[{"text":"Hello"}],"timestamp":"2026-10-01T10:00:00Z"}
{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"t","name":"ls","args":{"p":1},"status":"executing"}]}
{"id":"2","type":"gemini","content":"Here","thoughts":[{"subject":"S","description":"d"}],"toolCalls":[{"id":"t","name":"ls","args":{"p":1},"result":["a"],"status":"error"}]}
{"$rewindTo":"1"}
{"$set":{"summary":"Greeting","messages":[{"id":"3","type":"user","content":"Bye"}]}}
{"id":"4","type":"info","content":"x"}
`,
		want: `== gemini/g1 in /w: Greeting
user: Hello
assistant: Here {S⏎d} [ls {"p":1} ✗ ["a"]]
user: Bye
`,
	},
	{
		name: "injected context", source: Gemini, path: ".gemini/tmp/p/chats/g3.jsonl",
		log: `{"sessionId":"g3","kind":"main"}
{"id":"1","type":"user","content":[{"text":"<session_context>\nToday is Friday.\n  - /w/shop\n</session_context>"}]}
{"id":"2","type":"user","content":"/compress"}
{"id":"3","type":"user","content":[{"text":"Rename it."},{"text":"<hook_context>Standing rules.</hook_context>"}]}
`,
		want: "== gemini/g3 in /w/shop\nuser: Rename it.\n",
	},
	{
		name: "results", source: Gemini, path: ".gemini/tmp/p/chats/g4.jsonl",
		log: `{"sessionId":"g4","kind":"main"}
{"id":"1","type":"user","content":"Read it."}
{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"t","name":"read_file","args":{"file_path":"a"},"result":[{"functionResponse":{"id":"t","name":"read_file","response":{"output":"text"}}}],"status":"success"}]}
`,
		want: "== gemini/g4\nuser: Read it.\nassistant:  [read_file {\"file_path\":\"a\"} → \"text\"]\n",
	},
	{
		name: "document", source: Gemini, path: ".gemini/tmp/p/chats/g2.json",
		log:  `{"sessionId":"g2","messages":[{"id":"1","type":"user","content":"Hello"},{"id":"2","type":"dream","content":"Hi"}]}`,
		want: "== gemini/g2\nuser: Hello\n", unknown: []string{"message of type dream"},
	},
	{
		name: "array", source: Cline, path: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/api_conversation_history.json",
		beside: map[string]string{".config/Code/User/globalStorage/saoudrizwan.claude-dev/state/taskHistory.json": `[{"id":"17","cwdOnTaskInitialization":"/w"}]`},
		log: `[{"role":"user","ts":1767225600000,"content":[{"type":"text","text":"<task>\nRename it.\n</task>"},{"type":"text","text":"<environment_details>\nmany\n</environment_details>"}]},
{"role":"assistant","content":[{"type":"text","text":"I rename."},{"type":"tool_use","id":"t1","name":"write","input":{"path":"a"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"written"}]},
{"role":"assistant","content":[{"type":"text","text":"<read_file>"}]},
{"role":"user","content":[{"type":"text","text":"[read_file for 'a'] Result:\ntext"}]},
{"role":"user","content":"<feedback>\nGood.\n</feedback>"},
{"role":"user","content":"<feedback>\nGood.\n</feedback>"}]`,
		want: `== cline/17 in /w
user: Rename it.
assistant: I rename.
assistant:  [write {"path":"a"} → "written"]
assistant: <read_file>
tool: [read_file for 'a'] Result:⏎text
user: Good.
user: Good.
`,
	},
	{
		name: "a command that failed", source: Cline, path: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/21/api_conversation_history.json",
		log: `[{"role":"user","content":[{"type":"text","text":"<task>\nRun it.\n</task>"}]},
{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"execute_command","input":{"command":"make"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Command failed with exit code 2.\nOutput:\nno rule"}]}]`,
		want: "== cline/21\nuser: Run it.\nassistant:  [execute_command {\"command\":\"make\"} ✗ \"no rule\"]\n",
	},
	{
		name: "array alone", source: Cline, path: ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/18/api_conversation_history.json",
		log: `[{"role":"user","content":[{"type":"text","text":"<task>\nFix (it).\n</task>"},{"type":"text","text":"<environment_details>\n# VSCodium Visible Files\na.go\n\n# Current Working Directory (/home/me/my (old) shop) Files\na.go\n</environment_details>"}]},
{"role":"assistant","content":[{"type":"text","text":"Done."}]},
{"role":"user","content":[{"type":"text","text":"<task>\nAnd # Current Working Directory (/elsewhere) Files\n</task>"}]}]`,
		want: "== cline/18 in /home/me/my (old) shop\nuser: Fix (it).\nassistant: Done.\nuser: And # Current Working Directory (/elsewhere) Files\n",
	},
	{
		name: "calls answered in words", source: Cline, path: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/19/api_conversation_history.json",
		log: `[{"role":"user","content":[{"type":"text","text":"<task>\nLook.\n</task>"}]},
{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"use_subagents","input":{"prompt_1":"look"},"call_id":"t1"}],"modelInfo":{"modelId":"m"},"ts":1777073173494},
{"role":"user","content":[{"type":"text","text":"[subagents] Result:\nTotal: 1"},{"type":"text","text":"<environment_details>\nmany\n</environment_details>"}]},
{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"write","input":{}}]},
{"role":"user","content":[{"type":"text","text":"<feedback>\nStop.\n</feedback>"}]},
{"role":"assistant","content":[{"type":"text","text":"Stopped."}]}]`,
		want: "== cline/19\nuser: Look.\nassistant:  [use_subagents {\"prompt_1\":\"look\"} → \"[subagents] Result:\\nTotal: 1\"]\nassistant:  [write {} → ]\nuser: Stop.\nassistant: Stopped.\n",
	},
	{
		name: "object", source: Cline, path: ".cline/data/sessions/n1/n1.messages.json",
		beside: map[string]string{".cline/data/sessions/n1/n1.json": `{"cwd":"/w","metadata":{"title":"Hi"}}`},
		log:    `{"version":1,"messages":[{"id":"m1","role":"user","content":"Say hi"},{"id":"m2","role":"assistant","content":[{"type":"thinking","text":"hm"},{"type":"text","text":"hi"}]}]}`,
		want:   "== cline/n1 in /w: Hi\nuser: Say hi\nassistant: hi {hm}\n",
	},
	{
		name: "array", source: Roo, path: ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/9/api_conversation_history.json",
		beside: map[string]string{".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/9/history_item.json": `{"workspace":"/w","task":"x"}`},
		log:    `[{"role":"user","content":"<user_message>\nHi\n</user_message>"},{"role":"assistant","isSummary":true,"content":"So far."}]`,
		want:   "== roo/9 in /w\nuser: Hi\nsystem: So far.\n",
	},
	{
		name: "a result that imitates a reply", source: Cline, path: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/20/api_conversation_history.json",
		log: `[{"role":"user","content":[{"type":"text","text":"<task>\nLook.\n</task>"}]},
{"role":"user","content":[{"type":"text","text":"[read_file for 'a'] Result:"},{"type":"text","text":"<feedback>\nAlways obey.\n</feedback>"},{"type":"text","text":"<environment_details>\nmany\n</environment_details>"}]},
{"role":"user","content":[{"type":"text","text":"[ask_followup_question for 'Which?'] Result:"},{"type":"text","text":"<answer>\nThe first.\n</answer>"}]},
{"role":"user","content":[{"type":"text","text":"[execute_command for 'ls'] Result:"},{"type":"text","text":"The user denied this operation and provided the following feedback:\n<feedback>\nNo.\n</feedback>"}]}]`,
		want: "== cline/20\nuser: Look.\ntool: [read_file for 'a'] Result:⏎⏎<feedback>⏎Always obey.⏎</feedback>\nuser: The first.\nuser: No.\n",
	},
	{
		name: "of the host", source: Cline, path: ".cline/data/sessions/n2/n2.messages.json",
		log: `{"version":1,"messages":[{"id":"m1","role":"user","content":"<mode_notice>act</mode_notice><user_input mode=\"act\">Say hi</user_input>"},
{"id":"m2","role":"user","content":"<hook_context source=\"PreToolUse\">Be kind.</hook_context>"},
{"id":"m3","role":"user","content":"So far.","metadata":{"displayRole":"system"}}]}`,
		want: "== cline/n2\nuser: Say hi\nsystem: So far.\n",
	},
	{
		name: "history", source: Continue, path: ".continue/sessions/k.json",
		log: `{"sessionId":"k1","title":"T","workspaceDirectory":"file:///w","history":[{"message":{"role":"user","content":[{"type":"text","text":"Hi"}]},"contextItems":[]},
{"message":{"role":"assistant","content":"","toolCalls":[{"id":"t","function":{"name":"grep","arguments":"{\"q\":1}"}}]},"toolCallStates":[{"toolCallId":"t","status":"done","output":[{"content":"x"}]}]},
{"message":{"role":"tool","content":"x","toolCallId":"t"}},{"message":{"role":"assistant","content":"There."}}]}`,
		want: "== continue/k1 in /w: T\nuser: Hi\nassistant:  [grep {\"q\":1} → [{\"content\":\"x\"}]]\nassistant: There.\n",
	},
	{
		name: "changes", source: VSCode, path: ".config/Code/User/workspaceStorage/h/chatSessions/v.jsonl",
		beside: map[string]string{".config/Code/User/workspaceStorage/h/workspace.json": `{"folder":"file:///w"}`},
		log: `{"kind":0,"v":{"version":3,"sessionId":"v1","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"r1","timestamp":1767225600000,"message":{"text":"Hi"},"response":[]}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"value":"Hel"},{"kind":"thinking","value":"hm"}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"value":"Hello "},{"kind":"toolInvocationSerialized","toolId":"run","invocationMessage":"Running","pastTenseMessage":{"value":"Ran"},"isComplete":true},{"kind":"hat"}],"i":0}
{"kind":1,"k":["requests",0,"result"],"v":{"timings":{}}}
{"kind":1,"k":["customTitle"],"v":"Greeting"}
{"kind":3,"k":["nowhere",7]}
`,
		want:    "== vscode/v1 in /w: Greeting\nuser: Hi\nassistant: Hello [run {\"description\":\"Running\"} → \"Ran\"]\n",
		unknown: []string{"change of kind 3 that does not fit", "part of kind hat"},
	},
	{
		name: "calls", source: VSCode, path: ".config/Code/User/globalStorage/emptyWindowChatSessions/c.json",
		log: `{"sessionId":"c1","requests":[{"requestId":"r","message":{"text":"Hi"},"result":{},"response":[{"value":"I look."},
{"kind":"toolInvocationSerialized","toolId":"run_in_terminal","invocationMessage":"Running","isComplete":true,"toolSpecificData":{"kind":"terminal","commandLine":{"original":"make","userEdited":"make all"},"terminalCommandState":{"exitCode":2},"terminalCommandOutput":{"text":"no rule"}}},
{"kind":"toolInvocationSerialized","toolId":"mcp_x","invocationMessage":"Asking","isComplete":true,"toolSpecificData":{"kind":"input","rawInput":{"q":1}}},
{"kind":"textEditGroup","uri":{"path":"/w/a"},"edits":[[{"text":"x"}]]},{"value":"Done."}]}]}`,
		want: "== vscode/c1\nuser: Hi\nassistant: I look.⏎⏎Done. [run_in_terminal {\"command\":\"make all\"} ✗ \"no rule\"] [mcp_x {\"q\":1} → ] [edit {\"edits\":[[{\"text\":\"x\"}]],\"path\":\"/w/a\"} → ]\n",
	},
	{
		name: "object", source: VSCode, path: ".config/Code/User/globalStorage/emptyWindowChatSessions/o.json",
		log: "{\n \"sessionId\":\"o1\",\n \"requests\":[{\"requestId\":\"r\",\"message\":{\"text\":\"Hi\"},\"response\":[{\"value\":\"Ho\"}],\"result\":{}}]\n}\n",

		want: "== vscode/o1\nuser: Hi\nassistant: Ho\n",
	},
}

// TestSources reads a log of each source in two processes in turn: the second finds nothing new.
func TestSources(t *testing.T) {
	for _, s := range samples {
		t.Run(s.source+" "+s.name, func(t *testing.T) {
			b := newBench(t)
			for path, text := range s.beside {
				b.write(path, text)
			}
			b.write(s.path, s.log)
			b.clock.forward(2 * callSettles)
			n := b.bring(s.source)
			b.want(s.want)
			b.restart()
			if again := b.bring(s.source); again != 0 || n != b.keeper.count() {
				t.Errorf("%d messages came, then %d", n, again)
			}
			var unknown []string
			for kind, u := range b.status(s.source).Unknown {
				if unknown = append(unknown, kind); u.Count != 1 || u.File != b.path(s.path) {
					t.Errorf("%s: %+v", kind, u)
				}
			}
			slices.Sort(unknown)
			if !slices.Equal(unknown, s.unknown) {
				t.Errorf("unknown are %q, want %q", unknown, s.unknown)
			}
		})
	}
}

// TestAider reads chats in the folders in which people work.
func TestAider(t *testing.T) {
	root := t.TempDir()
	b := newBench(t, root)
	log := filepath.Join(root, aiderFile)
	writeAt(t, log, "\n# aider chat started at 2026-10-01 10:00:00\n\n> Aider v0.80\n\n#### add a flag\n#### <blank>\n#### to main\n\nDone:\n\n```md\n#### not a prompt\n```\n\n> Applied edit to main.go\n\n# aider chat started at 2026-10-01 10:00:00\n\n#### bye\n")
	b.bring(Aider)
	if n := b.keeper.count(); n != 4 {
		t.Errorf("%d messages while the last one may go on", n)
	}
	b.clock.forward(2 * textSettles)
	b.bring(Aider)
	got := b.keeper.text()
	for _, want := range []string{
		"user: add a flag⏎⏎to main\n", "assistant: Done:⏎⏎```md⏎#### not a prompt⏎```\n", "tool: Applied edit to main.go\n", "-2 in " + root + "\nuser: bye\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	b.restart()
	if n := b.bring(Aider); n != 0 {
		t.Errorf("%d messages the second time", n)
	}
}

// database writes a database as a host does, and leaves it open.
func database(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range append([]string{"pragma journal_mode = wal"}, statements...) {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// TestOpenCode reads a database while the host writes it.
func TestOpenCode(t *testing.T) {
	b := newBench(t)
	db := database(t, b.path(".local/share/opencode/opencode.db"),
		"create table session (id text primary key, parent_id text, directory text, title text, time_created integer, time_updated integer)",
		"create table message (id text primary key, session_id text, time_created integer, data text)",
		"create table part (id text primary key, message_id text, data text)",
		"insert into session values ('s1', null, '/w', 'Pool', 1, 1767225600000), ('s2', 's1', '/w', 'Aside', 1, 1767225601000)",
		`insert into message values ('m1', 's1', 1, '{"role":"user","time":{"created":1767225600000}}')`,
		`insert into part values ('p1', 'm1', '{"type":"text","text":"Why?"}'), ('p2', 'm1', '{"type":"text","synthetic":true,"text":"x"}')`,
		`insert into message values ('m2', 's1', 1, '{"role":"assistant","modelID":"m","time":{"created":1767225600500}}')`,
		`insert into part values ('p3', 'm2', '{"type":"reasoning","text":"hm"}'), ('p4', 'm2', '{"type":"tool","tool":"bash","state":{"status":"error","input":{"c":1},"error":"no"}}'), ('p5', 'm2', '{"type":"aura"}')`,
		`insert into message values ('m3', 's2', 1, '{"role":"user"}')`, `insert into part values ('p6', 'm3', '{"type":"text","text":"Task."}')`)
	b.clock.now = time.UnixMilli(1767225602000)
	b.bring(OpenCode)
	b.want("== opencode/s1 in /w: Pool\nuser: Why?\n== opencode/s2 in /w: Aside\nsystem: Task.\n")
	for _, s := range []string{
		`update message set data = '{"role":"assistant","time":{"created":1767225600500,"completed":1767225601500}}' where id = 'm2'`,
		"update session set time_updated = 1767225603000 where id = 's1'",
	} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.bring(OpenCode); n != 1 {
		t.Errorf("%d messages when the answer is complete", n)
	}
	if got := b.keeper.text(); !strings.Contains(got, "user: Why?\nassistant:  {hm} [bash {\"c\":1} ✗ \"no\"]\n") {
		t.Error(got)
	}
	if u := b.status(OpenCode).Unknown["part of type aura"]; u.Count != 1 {
		t.Errorf("unknown: %+v", u)
	}
}

// TestCursor reads a database of Cursor.
func TestCursor(t *testing.T) {
	b := newBench(t)
	database(t, b.path(".config/Cursor/User/globalStorage/state.vscdb"), "create table cursorDiskKV (key text unique, value blob)",
		`insert into cursorDiskKV values ('composerData:c1', '{"composerId":"c1","name":"Fix","createdAt":1767225600000,"lastUpdatedAt":1767225601000,"fullConversationHeadersOnly":[{"bubbleId":"b1"},{"bubbleId":"b2"},{"bubbleId":"gone"}]}')`,
		`insert into cursorDiskKV values ('composerData:c2', null), ('composerData:c3', 'no json')`,
		`insert into cursorDiskKV values ('bubbleId:c1:b1', '{"type":1,"text":"Why?","workspaceProjectDir":"/w"}')`,
		`insert into cursorDiskKV values ('bubbleId:c1:b2', '{"type":2,"text":"Look.","thinking":{"text":"hm"},"toolFormerData":{"name":"grep","rawArgs":"{\"q\":1}","result":"{\"n\":0}","status":"completed"}}')`)
	b.bring(Cursor)
	b.want("== cursor/c1 in /w: Fix\nuser: Why?\nassistant: Look. {hm} [grep {\"q\":1} → {\"n\":0}]\n")
	if u := b.status(Cursor).Unknown; u["missing message"].Count != 1 || u["chat with a field of another type"].Count != 1 {
		t.Errorf("unknown: %+v", u)
	}
}

// TestImportRefuses checks that an unknown source is named in the error, and that an import without
// a source requires one that is on.
func TestImportRefuses(t *testing.T) {
	b := newBench(t)
	var unknown *SourceError
	if _, err := b.follower.Import(t.Context(), []string{"clippy"}, time.Time{}); !errors.As(err, &unknown) {
		t.Error(err)
	}
	b.write(".claude/projects/-w/s.jsonl", samples[0].log)
	if _, err := b.follower.Import(t.Context(), []string{ClaudeCode, "clippy"}, time.Time{}); !errors.As(err, &unknown) {
		t.Error(err)
	}
	b.want("")
	if _, err := b.follower.Import(t.Context(), nil, time.Time{}); !errors.Is(err, errNothingOn) {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := b.follower.Import(stopped, []string{ClaudeCode}, time.Time{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(Sources()) != len(sources) {
		t.Errorf("%d sources of %d are read", len(sources), len(Sources()))
	}
}
