//go:build linux || darwin

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestHookAtTheAct checks what is told before an edit and after a failure: what names the file or
// is about the same failure, once, and else nothing.
func TestHookAtTheAct(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "store/pool.go": "package store\n", "store/doc.go": "package store\n", "api/doc.go": "package api\n",
	})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	put := func(kind, title, text string) {
		e.MustExecute("contexture.knowledge.put", map[string]any{"kind": kind, "title": title, "content": text, "topics": []string{}, "keywords": []string{}}, nil)
	}
	put("rule", "Locks", "Never dial with the lock held in pool.go.")
	put("rule", "Docs", "Keep doc.go short.")
	put("rule", "Style", "Wrap errors.")
	put("lesson", "Pools drain in time once they are closed last", "error: pool 7 of /tmp/a/pool.go is not drained after 30 seconds\nClose the pool last.")
	e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": "claude-code/before", "messages": []map[string]any{
		{"role": "user", "content": "We decided to keep store/pool.go free of timers.", "at": "2026-03-04T05:06:07Z"}, {"role": "assistant", "content": "Understood."},
	}}, nil)
	e.MustExecute("contexture.remember", map[string]any{"kind": "lesson", "text": "cat: /srv/a/ledger-3.csv: No such file or directory\nmake ledgers writes them first."}, nil)
	e.AwaitIdle()
	if _, stderr, code := s.run("", "contexture", "index", "--root", root); code != 0 { // a hook's session may have an index of its own
		t.Fatalf("%d, %s", code, stderr)
	}
	run := func(session, event, input string) string {
		t.Helper()
		input = fmt.Sprintf(`{"session_id":%q,"cwd":%q,%s}`, session, root, strings.ReplaceAll(input, "ROOT", root))
		out, stderr, code := s.run(input, "contexture", "hook", "claude-code", event)
		if code != 0 || stderr != "" || len(out) > hosts.MaxAct+200 {
			t.Errorf("%s %s: %d, %s, %s", event, input, code, stderr, out)
		}
		return out
	}
	const pool = `"tool_name":"Edit","tool_input":{"file_path":"ROOT/store/pool.go"}`
	out := run("s", "PreToolUse", pool)
	for _, want := range []string{`"hookEventName":"PreToolUse"`, "Never dial with the lock held", "(rule ", "free of timers. (decision 2026-03-04 T-1)"} {
		if !strings.Contains(out, want) {
			t.Errorf("before an edit there is no %q in %s", want, out)
		}
	}
	for what, out := range map[string]string{
		"a second time":                        run("s", "PreToolUse", pool),
		"a name that two files have":           run("s", "PreToolUse", `"tool_name":"Write","tool_input":{"file_path":"ROOT/store/doc.go"}`),
		"a file elsewhere":                     run("s", "PreToolUse", `"tool_name":"Write","tool_input":{"file_path":"/elsewhere/store/pool.go"}`),
		"a tool that edits nothing":            run("new", "PreToolUse", `"tool_name":"Bash","tool_input":{"command":"rm ROOT/store/pool.go"}`),
		"a tool with other fields":             run("new", "PreToolUse", `"tool_name":"Edit","tool_input":{"file_path":["ROOT/store/pool.go"]}`),
		"another failure":                      run("s", "PostToolUseFailure", `"tool_name":"Bash","error":"error: the pool has no such connection"`),
		"a failure that says nothing":          run("s", "PostToolUseFailure", `"tool_name":"Bash","error":"Exit code 1"`),
		"a failure of a form that is not text": run("s", "PostToolUseFailure", `"tool_name":"Bash","error":{"code":1}`),
	} {
		if out != "" {
			t.Errorf("%s: %s", what, out)
		}
	}
	if out := run("before", "PreToolUse", pool); !strings.Contains(out, "Never dial") || strings.Contains(out, "timers") {
		t.Errorf("to the conversation that decided: %s", out)
	}
	failure := `"tool_name":"Bash","error":"Exit code 1\nerror: pool 12 of /home/b/pool.go is not drained after 5 seconds"`
	if out := run("s", "PostToolUseFailure", failure); !strings.Contains(out, "Pools drain in time") || !strings.Contains(out, "The same failure before") {
		t.Errorf("after the same failure: %s", out)
	}
	if out := run("s", "PostToolUseFailure", failure); out != "" {
		t.Errorf("a second time: %s", out)
	}
	if out := run("s", "PostToolUseFailure", `"tool_name":"Bash","error":"Exit code 1\ncat: /srv/b/ledger-7.csv: No such file or directory"`); !strings.Contains(out, "make ledgers writes them first") {
		t.Errorf("after a failure that a person wrote about: %s", out)
	}
	if out := run("new", "SessionStart", `"source":"startup"`); !strings.Contains(out, "Never dial") {
		t.Errorf("at the start: %s", out)
	}
	if out := run("new", "PreToolUse", pool); strings.Contains(out, "Never dial") || !strings.Contains(out, "timers") {
		t.Errorf("to a conversation that was given all rules: %s", out)
	}
	out, stderr, code := s.run("", "contexture", "receipts", "--root", root)
	for _, want := range []string{"given ", "beforeEdit: ", "atStart: ", "claude-code/s ", "2 conversations not captured"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("the receipts lack %q: %d, %s, %s", want, code, stderr, out)
		}
	}
	if out, stderr, code := s.run("", "contexture", "receipts", "--root", root, "claude-code/none"); code == 0 || !strings.Contains(stderr, "claude-code/none") {
		t.Errorf("receipts of an unknown conversation: %d, %s, %s", code, stderr, out)
	}
	if out, _, code := s.run("", "contexture", "receipts", "--root", root, "claude-code/s"); code != 0 || strings.Contains(out, "claude-code/before") || !strings.Contains(out, "beforeEdit") {
		t.Errorf("receipts of one that is not in memory: %d, %s", code, out)
	}
	if _, stderr, code := s.run("", "contexture", "memory", "forget", "--workspace", "--yes", "--root", root); code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	if left, err := filepath.Glob(filepath.Join(s.state, "hosts", "receipts", "*")); err != nil || len(left) > 0 {
		t.Errorf("after the workspace was forgotten: %v, %v", left, err)
	}
}

// TestHooksSwitchedOff checks that a sub-agent is told the rules and what its task is part of, and
// that each hook is silent once its setting is off, in the person's file or in the repository's.
func TestHooksSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "pay/retry.go": "package pay\n\n// Retry pays again.\nfunc Retry() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.MustExecute("contexture.knowledge.put", map[string]any{"kind": "rule", "title": "Retries", "content": "Never retry twice in pay/retry.go.", "topics": []string{}, "keywords": []string{}}, nil)
	e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": "claude-code/s", "messages": []map[string]any{
		{"role": "user", "content": "Where does pay/retry.go pay again?", "at": "2026-03-04T05:06:07Z"}, {"role": "assistant", "content": "In Retry."},
	}}, nil)
	e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": "claude-code/before", "messages": []map[string]any{
		{"role": "user", "content": "We decided to keep pay/retry.go free of timers.", "at": "2026-03-03T05:06:07Z"}, {"role": "assistant", "content": "Understood."},
	}}, nil)
	e.AwaitIdle()
	if _, stderr, code := s.run("", "contexture", "index", "--root", root); code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	run := func(event, input string) string {
		t.Helper()
		out, stderr, code := s.run(fmt.Sprintf(`{"session_id":"s","cwd":%q,%s}`, root, input), "contexture", "hook", "claude-code", event)
		if code != 0 || stderr != "" {
			t.Errorf("%s: %d, %s", event, code, stderr)
		}
		return out
	}
	calls := []struct{ key, event, input string }{
		{"beforeSubagent", "SubagentStart", `"agent_id":"a","agent_type":"Explore"`},
		{"beforeEdit", "PreToolUse", `"tool_name":"Edit","tool_input":{"file_path":"pay/retry.go"}`},
		{"beforePrompt", "UserPromptSubmit", `"prompt":"what does Retry in pay/retry.go do?"`},
		{"atStart", "SessionStart", `"source":"startup"`},
		{"afterCompaction", "SessionStart", `"source":"compact"`},
	}
	for _, c := range calls {
		out := run(c.event, c.input)
		if out == "" {
			t.Errorf("%s is silent", c.key)
		}
		if c.key == "beforeSubagent" && (!strings.Contains(out, "Never retry twice") || !strings.Contains(out, "What the conversation that starts you is about") || strings.Contains(out, "compacted")) {
			t.Errorf("a sub-agent is told %s", out)
		}
	}
	for _, c := range calls {
		if err := os.WriteFile(filepath.Join(root, ".contexture.toml"), []byte("[hooks]\n"+c.key+" = false\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, other := range calls {
			run("SessionStart", `"source":"startup"`) // what was given is forgotten
			if out := run(other.event, other.input); (out == "") != (other.key == c.key) {
				t.Errorf("%s is off, and %s is answered with %q", c.key, other.key, out)
			}
		}
	}
}
