//go:build linux || darwin

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
)

// hour is an event of a day: what a host sends, and what the answer must contain; "" for no answer
// at all.
type hour struct{ event, input, want string }

// TestDay plays a day of each host that has hooks, with the commands that the installation wrote
// and the host's documented events: a start, a prompt, an unrelated prompt, a compaction, a prompt
// after it, and the end of a turn.
func TestDay(t *testing.T) {
	days := map[string][]hour{
		hosts.ClaudeCode: {
			{"SessionStart", `"session_id":"s","transcript_path":"/l","cwd":ROOT,"permission_mode":"default","hook_event_name":"SessionStart","source":"startup"`, "RULE"},
			{"UserPromptSubmit", `"session_id":"s","transcript_path":"/l","cwd":ROOT,"permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":PROMPT`, "FOUND"},
			{"UserPromptSubmit", `"session_id":"s","transcript_path":"/l","cwd":ROOT,"permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"push it"`, "RULE"},
			{"SessionStart", `"session_id":"s","transcript_path":"/l","cwd":ROOT,"permission_mode":"default","hook_event_name":"SessionStart","source":"compact"`, "RULE"},
			{"UserPromptSubmit", `"session_id":"s","transcript_path":"/l","cwd":ROOT,"permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":PROMPT`, "FOUND"},
			{"Stop", `"session_id":"s","transcript_path":"/l","cwd":ROOT,"permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false`, ""},
		},
		hosts.Codex: {
			{"SessionStart", `"session_id":"s","transcript_path":null,"cwd":ROOT,"hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"startup"`, "RULE"},
			{"UserPromptSubmit", `"session_id":"s","turn_id":"1","transcript_path":null,"cwd":ROOT,"hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":PROMPT`, "FOUND"},
			{"SessionStart", `"session_id":"s","transcript_path":null,"cwd":ROOT,"hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"compact"`, "RULE"},
			{"Stop", `"session_id":"s","turn_id":"1","transcript_path":"/l","cwd":ROOT,"hook_event_name":"Stop","model":"m","permission_mode":"default","stop_hook_active":false,"last_assistant_message":"a"`, ""},
		},
		hosts.Cursor: {
			{"sessionStart", `"conversation_id":"c","session_id":"c","is_background_agent":false,"hook_event_name":"sessionStart","cursor_version":"3.7","workspace_roots":[ROOT],"transcript_path":null`, "RULE"},
			{"beforeSubmitPrompt", `"conversation_id":"c","generation_id":"g","hook_event_name":"beforeSubmitPrompt","cursor_version":"3.7","workspace_roots":[ROOT],"prompt":PROMPT,"attachments":[]`, "FOUND"},
			{"beforeSubmitPrompt", `"conversation_id":"c","generation_id":"g","hook_event_name":"beforeSubmitPrompt","cursor_version":"3.7","workspace_roots":[ROOT],"prompt":"go on","attachments":[]`, `{"continue":true}`},
			{"preCompact", `"conversation_id":"c","hook_event_name":"preCompact","cursor_version":"3.7","workspace_roots":[ROOT],"trigger":"auto"`, ""},
			{"beforeSubmitPrompt", `"conversation_id":"c","generation_id":"g","hook_event_name":"beforeSubmitPrompt","cursor_version":"3.7","workspace_roots":[ROOT],"prompt":"go on","attachments":[]`, "RULE"},
			{"stop", `"conversation_id":"c","generation_id":"g","hook_event_name":"stop","cursor_version":"3.7","workspace_roots":[ROOT],"status":"completed","loop_count":0`, ""},
		},
		hosts.VSCode: {
			{"SessionStart", `"timestamp":"2026-07-29T10:30:00.000Z","cwd":ROOT,"sessionId":"v","hookEventName":"SessionStart","transcript_path":"/l","source":"new"`, "RULE"},
			{"UserPromptSubmit", `"timestamp":"2026-07-29T10:30:00.000Z","cwd":ROOT,"sessionId":"v","hookEventName":"UserPromptSubmit","transcript_path":"/l","prompt":PROMPT`, "FOUND"},
			{"PreCompact", `"timestamp":"2026-07-29T10:30:00.000Z","cwd":ROOT,"sessionId":"v","hookEventName":"PreCompact","transcript_path":"/l","trigger":"auto"`, ""},
			{"UserPromptSubmit", `"timestamp":"2026-07-29T10:30:00.000Z","cwd":ROOT,"sessionId":"v","hookEventName":"UserPromptSubmit","transcript_path":"/l","prompt":PROMPT`, "RULE"},
			{"Stop", `"timestamp":"2026-07-29T10:30:00.000Z","cwd":ROOT,"sessionId":"v","hookEventName":"Stop","transcript_path":"/l","stop_hook_active":false`, ""},
		},
		hosts.Gemini: {
			{"SessionStart", `"session_id":"g","transcript_path":"/l","cwd":ROOT,"hook_event_name":"SessionStart","timestamp":"2026-07-29T10:30:00Z","source":"startup"`, "RULE"},
			{"BeforeAgent", `"session_id":"g","transcript_path":"/l","cwd":ROOT,"hook_event_name":"BeforeAgent","timestamp":"2026-07-29T10:30:00Z","prompt":PROMPT`, "FOUND"},
			{"PreCompress", `"session_id":"g","transcript_path":"/l","cwd":ROOT,"hook_event_name":"PreCompress","timestamp":"2026-07-29T10:30:00Z","trigger":"auto"`, ""},
			{"BeforeAgent", `"session_id":"g","transcript_path":"/l","cwd":ROOT,"hook_event_name":"BeforeAgent","timestamp":"2026-07-29T10:30:00Z","prompt":PROMPT`, "RULE"},
			{"AfterAgent", `"session_id":"g","transcript_path":"/l","cwd":ROOT,"hook_event_name":"AfterAgent","timestamp":"2026-07-29T10:30:00Z","prompt":PROMPT,"prompt_response":"a","stop_hook_active":false`, ""},
		},
		hosts.OpenCode: {
			{"session.created", `"sessionID":"o","directory":ROOT`, ""},
			{"chat.message", `"sessionID":"o","directory":ROOT,"prompt":PROMPT`, "FOUND"},
			{"session.compacted", `"sessionID":"o","directory":ROOT`, ""},
			{"chat.message", `"sessionID":"o","directory":ROOT,"prompt":PROMPT`, "RULE"},
			{"session.idle", `"sessionID":"o","directory":ROOT`, ""},
		},
	}
	playDays(t, days)
}

// playDays plays all days in one workspace.
func playDays(t *testing.T, days map[string][]hour) {
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "pool.go": "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire() {}\n"})
	s.done(append([]string{"install"}, slices.Collect(maps.Keys(days))...)...)
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.MustExecute("contexture.knowledge.put", map[string]any{"kind": "rule", "title": "Errors", "content": "Wrap errors.", "topics": []string{}, "keywords": []string{}}, nil)
	e.AwaitIdle()
	quoted, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("ROOT", string(quoted), "PROMPT", `"who waits in pool.Acquire?"`)
	for name, day := range days {
		for i, h := range day {
			out, stderr, code := s.run("{"+fill.Replace(h.input)+"}", "sh", "-c", s.hookCommand(name, h.event))
			what := fmt.Sprintf("%s, %d, %s: %d, %q, %q", name, i, h.event, code, out, stderr)
			if code != 0 || stderr != "" || out != "" && !json.Valid([]byte(out)) {
				t.Errorf("%s", what)
			}
			switch want := map[string]string{"FOUND": `pool.go:4  func Acquire`, "RULE": "Wrap errors."}[h.want]; {
			case want != "" && !strings.Contains(out, want), want == "" && strings.TrimSpace(out) != h.want:
				t.Errorf("%s, want %q", what, h.want)
			}
		}
	}
}

// hookCommand returns the command line that the installation wrote for an event. OpenCode's plugin
// builds it itself.
func (s *stranger) hookCommand(host, event string) string {
	s.t.Helper()
	if host == hosts.OpenCode {
		return "contexture hook opencode " + event
	}
	find := regexp.MustCompile(`"command": ("[^"]* hook ` + host + " " + event + `")`)
	for _, name := range []string{".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json", ".copilot/hooks/contexture.json", ".gemini/settings.json"} {
		data, err := os.ReadFile(filepath.Join(s.home, name))
		if err != nil {
			continue
		}
		if m := find.FindSubmatch(data); m != nil {
			var line string
			if err := json.Unmarshal(m[1], &line); err != nil {
				s.t.Fatal(err)
			}
			return line
		}
	}
	s.t.Fatalf("no command for %s of %s is written", event, host)
	return ""
}

// TestOneHostAnswers checks that a prompt gets its context exactly once, whether or not Cursor and
// VS Code also run Claude Code's hooks.
func TestOneHostAnswers(t *testing.T) {
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "pool.go": "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	s.done("install", "claude-code")
	ask := func(session string) string {
		out, _, _ := s.run(`{"conversation_id":"`+session+`","cursor_version":"3.7","workspace_roots":["`+root+`"],"prompt":"who waits in pool.Acquire?"}`,
			"sh", "-c", s.hookCommand("claude-code", "UserPromptSubmit"))
		return out
	}
	if out := ask("a"); !strings.Contains(out, "pool.go:4  func Acquire") {
		t.Errorf("Cursor without hooks of its own gets %q", out)
	}
	s.done("install", "cursor")
	if out := ask("b"); out != "" {
		t.Errorf("Cursor with hooks of its own gets %q", out)
	}
}
