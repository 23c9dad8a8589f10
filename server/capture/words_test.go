package capture

import (
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/hosts/answer"
)

// TestWords checks whose words the parts of a person's message are.
func TestWords(t *testing.T) {
	ours := answer.Opening + "<item>\npool.go:1-3\n</item>\n" + answer.Closing
	for _, tt := range []struct {
		name   string
		source string
		parts  []string
		role   dialogue.Role
		text   string
	}{
		{"plain", ClaudeCode, []string{"Rename it."}, dialogue.User, "Rename it."},
		{"reminder", ClaudeCode, []string{"Go on.\n<system-reminder>\nBe nice.\n</system-reminder>"}, dialogue.User, "Go on."},
		{"reminder alone", Continue, []string{"<system-reminder>Be nice.</system-reminder>"}, "", ""},
		{"a reminder within a reminder", Codex, []string{"<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>Go on."}, dialogue.User, "Go on."},
		{"not closed", ClaudeCode, []string{"What is <system-reminder> for?"}, dialogue.User, "What is <system-reminder> for?"},
		{"not closed, then one", ClaudeCode, []string{"What is <system-reminder> for?\n<system-reminder>x</system-reminder>"}, dialogue.User, "What is <system-reminder> for?"},
		{"in code", ClaudeCode, []string{"Remove `<system-reminder>x</system-reminder>` there."}, dialogue.User, "Remove `<system-reminder>x</system-reminder>` there."},
		{"in a block", ClaudeCode, []string{"Remove it:\n```xml\n<hook_context>x</hook_context>\n```"}, dialogue.User, "Remove it:\n```xml\n<hook_context>x</hook_context>\n```"},
		{"other elements", ClaudeCode, []string{"Why is <my-button a='1'>x</my-button> green?"}, dialogue.User, "Why is <my-button a='1'>x</my-button> green?"},
		{"teammate", ClaudeCode, []string{"Another Claude session sent a message:\n<teammate-message teammate_id=\"scout\" color=\"blue\">\nTwo quolls.\n</teammate-message>"}, dialogue.System, "Two quolls."},
		{"teammate and person", ClaudeCode, []string{"<teammate-message a=\"b\">Two quolls.</teammate-message>\nAre there more?"}, dialogue.User, "Are there more?"},
		{"channel", ClaudeCode, []string{"<channel source=\"telegram\" user=\"ann\">Deploy it.</channel>"}, dialogue.System, "Deploy it."},
		{"a feed", ClaudeCode, []string{"Parse <channel><title>News</title></channel> for me."}, dialogue.User, "Parse <channel><title>News</title></channel> for me."},
		{"output", ClaudeCode, []string{"<local-command-stdout>Set model to x</local-command-stdout>"}, dialogue.Tool, "Set model to x"},
		{"command", ClaudeCode, []string{"<command-message>clear is running…</command-message>\n<command-name>/clear</command-name>\n<command-args></command-args>"}, "", ""},
		{"command with arguments", ClaudeCode, []string{"<command-name>/review</command-name><command-args>the pool</command-args>Review what is named, always in English."}, dialogue.User, "/review the pool"},
		{"typed command", Gemini, []string{"/compress"}, "", ""},
		{"path", Gemini, []string{"/etc/hosts"}, dialogue.User, "/etc/hosts"},
		{"shell", ClaudeCode, []string{"<bash-input>ls</bash-input>"}, dialogue.User, "! ls"},
		{"interrupted", ClaudeCode, []string{"[Request interrupted by user for tool use]"}, dialogue.System, "[Request interrupted by user for tool use]"},
		{"environment", Codex, []string{"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>", "<environment_context>\n</environment_context>", "Fix it."}, dialogue.User, "Fix it."},
		{"a part of the editor's", Codex, []string{"# Context from my IDE setup:\n\n## Active file: a.go\n\n## My request for Codex:\nFix it.\n"}, dialogue.User, "Fix it."},
		{"permissions", Codex, []string{"<permissions instructions>x</permissions instructions>", "Go."}, dialogue.User, "Go."},
		{"hook", Gemini, []string{"Rename it.", "<hook_context>" + ours + "</hook_context>"}, dialogue.User, "Rename it."},
		{"our answer after a prompt", OpenCode, []string{"Rename it.\n\n" + ours}, dialogue.User, "Rename it."},
		{"our answer before a prompt", VSCode, []string{ours + "\nRename it."}, dialogue.User, "Rename it."},
		{"our answer after a compaction", Cursor, []string{answer.Rules + "\n- Always use tabs.\n\n" + answer.Files + "\n- a.go\n\nGo on."}, dialogue.User, "Go on."},
		{"a task", Cline, []string{"<task>\nRename it.\n</task>", "<environment_details>\n# Open Tabs\n</environment_details>"}, dialogue.User, "Rename it."},
		{"a mention in a task", Cline, []string{"<task>\nRename 'a.go' (see below for file content)\n\n<file_content path=\"a.go\">\npackage a\n</file_content>\n</task>"}, dialogue.User, "Rename 'a.go' (see below for file content)"},
		{"beside the person's words", Cursor, []string{"<open_tabs>\na.go\n</open_tabs>\n<user_query>\nRename it.\n</user_query>"}, dialogue.User, "Rename it."},
		{"a person's element", ClaudeCode, []string{"<task>\nRename it.\n</task>\nAnd test."}, dialogue.User, "<task>\nRename it.\n</task>\nAnd test."},
		{"a log line", ClaudeCode, []string{"[ERROR] build failed"}, dialogue.User, "[ERROR] build failed"},
		{"a host's error", Roo, []string{"[ERROR] You did not use a tool"}, dialogue.System, "[ERROR] You did not use a tool"},
	} {
		if role, text := words(tt.source, tt.parts...); role != tt.role || text != tt.text {
			t.Errorf("%s: %s says %q, want %s, %q", tt.name, role, text, tt.role, tt.text)
		}
	}
}

// TestWordsInTime reads messages of many elements that are never closed.
func TestWordsInTime(t *testing.T) {
	began := time.Now()
	for _, piece := range []string{"<system-reminder>", "<system-reminder", "</system-reminder>", "```\n", "`", "<hook_context><system-reminder>", "<"} {
		words(ClaudeCode, strings.Repeat(piece, (512<<10)/len(piece)))
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("it takes %v", d)
	}
}

// FuzzWords checks that whatever remains as the person's was in the message, in its order.
func FuzzWords(f *testing.F) {
	f.Add("a <system-reminder>b</system-reminder> c")
	f.Add("```\n<hook_context>\n```</hook_context>`<task>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, source := range []string{ClaudeCode, Cline} {
			role, own := words(source, text)
			if (role == "") != isBlank(own) {
				t.Fatalf("%q: %s says %q", text, role, own)
			}
			if len(own) > len(text)+2*strings.Count(text, "<")+2 {
				t.Fatalf("%q became the longer %q", text, own)
			}
		}
	})
}
