//go:build linux || darwin

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// clineTask is a task of Cline's extension that runs the installed hooks.
type clineTask struct {
	s             *stranger
	root, version string
	id            string
}

// fire runs the hook of an event as Cline does, and returns the context that its answer adds.
func (c *clineTask) fire(event, input string) string {
	c.s.t.Helper()
	text := fmt.Sprintf(`{"clineVersion":%q,"hookName":%q,"timestamp":"1790000000000","taskId":%q,"workspaceRoots":[%q],"userId":"u","model":{"provider":"p","slug":"m"},%s}`,
		c.version, event, c.id, c.root, input)
	return c.raw(event, text)
}

// raw runs the hook of an event with any standard input.
func (c *clineTask) raw(event, text string) string {
	c.s.t.Helper()
	out, _, code := c.s.run(text, filepath.Join(c.s.home, "Documents", "Cline", "Hooks", event))
	var answer struct {
		Cancel              *bool
		ContextModification string
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&answer); err != nil || code != 0 || answer.Cancel == nil || *answer.Cancel {
		c.s.t.Fatalf("%s exits with %d and answers %.300s, %v", event, code, out, err)
	}
	return answer.ContextModification
}

// TestClineHooks plays Cline's events to the hooks that an installation writes, and checks what
// reaches the model, and that nothing cancels what the assistant does.
func TestClineHooks(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".config")
	if err := os.WriteFile(filepath.Join(s.home, ".config", "user-dirs.dirs"), []byte("XDG_DOCUMENTS_DIR=\"$HOME/Documents\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "pay/retry.go": "package pay\n\n// Retry pays again.\nfunc Retry() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.MustExecute("contexture.knowledge.put", map[string]any{"kind": "rule", "title": "Retries", "content": "Never retry twice in pay/retry.go.", "topics": []string{}, "keywords": []string{}}, nil)
	e.MustExecute("contexture.remember", map[string]any{"kind": "lesson", "text": "cat: /srv/a/ledger-3.csv: No such file or directory\nmake ledgers writes them first."}, nil)
	e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": "cline/before", "messages": []map[string]any{
		{"role": "user", "content": "We decided to keep pay/retry.go free of timers.", "at": "2026-03-03T05:06:07Z"}, {"role": "assistant", "content": "Understood."},
	}}, nil)
	e.AwaitIdle()
	s.done("index", "--root", root)
	s.done("install", "cline")
	const (
		start    = `"taskStart":{"taskMetadata":{"initialTask":"Fix it"}}`
		prompt   = `"userPromptSubmit":{"prompt":"what does Retry in pay/retry.go do?"}`
		edit     = `"preToolUse":{"toolName":"replace_in_file","parameters":{"path":"pay/retry.go","diff":"x"}}`
		failure  = `"postToolUse":{"toolName":"execute_command","parameters":{"command":"make"},"result":"Command failed with exit code 1.\nOutput:\ncat: /srv/b/ledger-7.csv: No such file or directory","success":true}`
		truncate = `"preCompact":{"compactionStrategy":"standard-truncation-lastquarter"}`
		condense = `"preCompact":{"compactionStrategy":"auto-condense"}`
		rule     = "Never retry twice"
	)
	events := []struct{ key, event, input, want string }{
		{"atStart", "TaskStart", start, rule},
		{"beforeEdit", "PreToolUse", edit, "free of timers"},
		{"beforePrompt", "UserPromptSubmit", prompt, "retry.go:4"},
		{"afterFailure", "PostToolUse", failure, "make ledgers writes them first"},
		{"afterCompaction", "PreCompact", condense, rule},
	}
	task := &clineTask{s, root, "3.82.0", "all"}
	for _, c := range events {
		if got := task.fire(c.event, c.input); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q lacks %q", c.event, got, c.want)
		}
	}
	for _, c := range [][2]string{{"TaskStart", start}, {"TaskResume", `"taskResume":{}`}, {"TaskComplete", `"taskComplete":{}`}, {"PreCompact", truncate}} {
		if got := task.fire(c[0], c[1]); got != "" {
			t.Errorf("%s: %q in a task that has it", c[0], got)
		}
	}
	if got := task.fire("UserPromptSubmit", prompt); !strings.Contains(got, rule) {
		t.Errorf("with the prompt after a truncation: %q", got)
	}
	for event, input := range map[string]string{
		"PreToolUse":       `"preToolUse":{"toolName":"read_file","parameters":{"path":"pay/retry.go"}}`,
		"PostToolUse":      `"postToolUse":{"toolName":"read_file","parameters":{"path":"x"},"result":"cat: /srv/b/ledger-7.csv: No such file or directory\nexit code 1","success":true}`,
		"UserPromptSubmit": `"userPromptSubmit":{"prompt":"/compact"}`,
	} {
		if got := (&clineTask{s, root, "3.82.0", "other"}).fire(event, input); got != "" {
			t.Errorf("%s: %q for %s", event, got, input)
		}
	}
	// What is discarded does not count as given.
	task = &clineTask{s, root, "4.1.13", "new"}
	if got := task.fire("TaskStart", start) + task.fire("UserPromptSubmit", prompt); got != "" {
		t.Errorf("a version that discards it is given %q", got)
	}
	if got := task.fire("PreToolUse", `"preToolUse":{"toolName":"editor","parameters":{"path":"`+root+`/pay/retry.go","new_text":"x"}}`); !strings.Contains(got, rule) {
		t.Errorf("before an edit it is given %q", got)
	}
	for name, input := range map[string]string{"nothing": "", "a list": "[]", "a field of another type": `{"taskId":7}`, "no folder": `{"taskId":"t","workspaceRoots":[]}`,
		"10 MB": `{"taskId":"t","workspaceRoots":["` + root + `"],"x":"` + strings.Repeat("x", 10<<20) + `"}`} {
		for _, event := range []string{"TaskStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"} {
			if got := task.raw(event, input); got != "" {
				t.Errorf("%s, %s: %q", event, name, got)
			}
		}
	}
	if out, _, code := s.run("{}", "contexture", "hook", "cline", "TaskPaused"); code != 0 || out != "{\"cancel\":false}\n" {
		t.Errorf("an unknown event: %d, %s", code, out)
	}
	for _, off := range events {
		if err := os.WriteFile(filepath.Join(root, ".contexture.toml"), []byte("[hooks]\n"+off.key+" = false\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range events {
			got := (&clineTask{s, root, "3.82.0", off.key + c.key}).fire(c.event, c.input)
			if (got == "") != (c.key == off.key) {
				t.Errorf("%s is off, and %s is answered with %q", off.key, c.key, got)
			}
		}
	}
	if out := s.done("receipts", "--root", root, "cline/all"); !strings.Contains(out, "beforePrompt") || !strings.Contains(out, "afterFailure") {
		t.Errorf("receipts: %s", out)
	}
	// A daemon that hangs holds nothing up.
	s.env = append(s.env, "CONTEXTURE_HOOK_TIME=")
	pid := daemonOf(s.state)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	for _, c := range events {
		begun := time.Now()
		if got, took := (&clineTask{s, root, "3.82.0", "late"}).fire(c.event, c.input), time.Since(begun); got != "" || took > servertest.Patience/2 {
			t.Errorf("%s: %q after %v", c.event, got, took)
		}
	}
}
