package main

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's root folder as the tests see it.
const root = "../.."

// TestCommitted checks that the committed files are those that the sources generate; what follows
// from the contract's types, several times. The rest takes seconds and has no order of its own.
func TestCommitted(t *testing.T) {
	for range 4 {
		model, err := load(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range outputs {
			if strings.HasPrefix(out.path, "server/") || strings.HasPrefix(out.path, "editors/") {
				committed(t, out, model)
			}
		}
	}
	for _, out := range outputs {
		if !strings.HasPrefix(out.path, "server/") && !strings.HasPrefix(out.path, "editors/") {
			committed(t, out, &Model{Root: root})
		}
	}
}

func committed(t *testing.T, out output, model *Model) {
	t.Helper()
	want, err := out.make(model, root)
	if err != nil {
		t.Fatalf("%s: %v", out.path, err)
	}
	got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(out.path)))
	if err != nil {
		t.Errorf("%v\nwrite it with: go run ./cmd/gen", err)
		return
	}
	// A checkout may have changed the line ends of text.
	if path.Ext(out.path) != ".ranks" {
		got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale, first at line %d\nwrite it again with: go run ./cmd/gen", out.path, firstDifference(got, want))
	}
}

func firstDifference(a, b []byte) int {
	line := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return line
		}
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

func TestCommandName(t *testing.T) {
	for method, want := range map[string]string{"Bundle": "bundle", "ConversationAppend": "conversation.append", "IndexWhy": "index.why"} {
		if got := commandName(method); got != want {
			t.Errorf("commandName(%s) = %s, want %s", method, got, want)
		}
	}
}

// TestContract compares the ids with the agreed contract: a change here is a change of the version.
func TestContract(t *testing.T) {
	want := []string{
		"bundle", "search", "symbol", "impact", "recall", "ticklers", "act", "receipts", "feedback", "presence",
		"conversation.append", "conversation.turn", "conversation.history", "conversation.window", "conversation.arc", "conversation.turns",
		"conversation.fork", "conversation.list", "conversation.delete",
		"task.complete", "task.block", "task.unblock", "task.list",
		"remember", "knowledge.put", "knowledge.get", "knowledge.list", "knowledge.accept", "knowledge.delete", "knowledge.topics",
		"knowledge.entities", "knowledge.profile", "knowledge.graph", "knowledge.steer", "knowledge.status", "knowledge.process", "knowledge.recommendations",
		"knowledge.digest", "knowledge.workspace",
		"team.status", "team.join", "team.leave", "team.share", "team.sync", "team.export", "team.import",
		"board.list", "board.put", "board.remove",
		"cabinet.put", "cabinet.get", "cabinet.list", "cabinet.delete", "learned.reset",
		"capture.status", "capture.set", "capture.poke", "capture.import",
		"index.status", "index.rebuild", "index.why", "index.skipped", "index.exclude", "index.secrets", "syntax", "metrics", "metrics.recent", "config",
	}
	model, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(model.Commands) != len(want) {
		t.Errorf("%d commands, want %d", len(model.Commands), len(want))
	}
	for i, c := range model.Commands {
		if i < len(want) && c.ID != "contexture."+want[i] {
			t.Errorf("command %d is %s, want contexture.%s", i, c.ID, want[i])
		}
	}
}

// TestSettings compares the settings' keys with the contract.
func TestSettings(t *testing.T) {
	want := map[string]bool{}
	for _, key := range []string{
		"budget.default", "budget.encoding", "order", "history.strategy", "identity.file", "preferences.files",
		"index.include", "index.exclude", "index.maxFileBytes", "index.followLinks", "index.paused",
		"ollama.url", "ollama.allowRemote", "ollama.embedModel", "ollama.chatModel", "ollama.prefixes",
		"memory.enabled", "memory.learn", "ticklers.max", "ticklers.codeLens", "ticklers.hover",
		"filter.enabled", "judge.enabled", "secrets.allow", "metrics.listen", "enabled",
		"prediction.enabled", "budget.adaptive", "team.enabled", "team.share", "team.bandwidth",
		"hooks.atStart", "hooks.beforePrompt", "hooks.beforeEdit", "hooks.afterFailure", "hooks.beforeSubagent", "hooks.afterCompaction",
	} {
		want[key] = true
	}
	limited := map[string]string{ // by what a repository's file may set
		"ollama.url": "never", "ollama.allowRemote": "never", "ollama.embedModel": "never", "ollama.chatModel": "never",
		"ollama.prefixes": "never", "metrics.listen": "never", "secrets.allow": "never", "memory.learn": "never",
		"index.followLinks": "never", "memory.enabled": "onlyOff", "identity.file": "inRoot", "preferences.files": "inRoot",
		"prediction.enabled": "onlyOff", "team.enabled": "onlyOff", "team.bandwidth": "never",
		"hooks.atStart": "onlyOff", "hooks.beforePrompt": "onlyOff", "hooks.beforeEdit": "onlyOff", "hooks.afterFailure": "onlyOff",
		"hooks.beforeSubagent": "onlyOff", "hooks.afterCompaction": "onlyOff",
	}
	model, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range model.Settings {
		if !want[s.Key] {
			t.Errorf("setting %s is not in the contract", s.Key)
		}
		delete(want, s.Key)
		if limit := cmp.Or(limited[s.Key], "any"); s.Repository != limit {
			t.Errorf("a repository may set %s: %s, want %s", s.Key, s.Repository, limit)
		}
		if says := strings.Contains(s.Doc, "repository"); says != (s.Repository != "any") {
			t.Errorf("the documentation of %s: %s", s.Key, s.Doc)
		}
	}
	for key := range want {
		t.Errorf("setting %s is missing", key)
	}
}

// TestRefused checks that an error names what cannot be part of the contract, and where it is.
func TestRefused(t *testing.T) {
	const command = "package command\nconst Version = 1\n// Commands.\ntype Commands interface {\n\t// Ping answers.\n\tPing(ctx C, args *PingArgs) (*PingResult, error)\n}\n" +
		"// PingResult is one.\ntype PingResult struct {\n\t// Ok.\n\tOk bool `json:\"ok\"`\n}\n"
	const settings = "package settings\n// Settings.\ntype Settings struct {\n\t// On.\n\tOn bool `key:\"on\" repository:\"any\"`\n}\n"
	const args = "// PingArgs is one.\ntype PingArgs struct {\n\t// A.\n\tA string `json:\"a\"`\n}\n"
	for name, test := range map[string]struct{ args, settings, want string }{
		"good":                {args, settings, ""},
		"undocumented field":  {strings.Replace(args, "\t// A.\n", "", 1), settings, "doc comment"},
		"type of a field":     {strings.Replace(args, "string", "chan int", 1), settings, "no such type"},
		"no argument type":    {"", settings, "Ping"},
		"undocumented key":    {args, strings.Replace(settings, "\t// On.\n", "", 1), "on"},
		"setting without key": {args, strings.Replace(settings, "`key:\"on\" repository:\"any\"`", "", 1), "On"},
		"no limit":            {args, strings.Replace(settings, " repository:\"any\"", "", 1), "repository"},
		"no settings":         {args, "package settings\n", "Settings"},
	} {
		dir := t.TempDir()
		for path, text := range map[string]string{"server/command/a.go": command + test.args, "server/settings/a.go": test.settings} {
			file := filepath.Join(dir, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := load(dir)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
