package hosts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClaudeCodePlugin checks that the plugin in editors/claude-code has the hooks that an
// installation writes, with the same events and timeouts, run as a plugin.
func TestClaudeCodePlugin(t *testing.T) {
	plugin := filepath.Join("..", "..", "editors", "claude-code", "plugin")
	type settings struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	read := func(path string) (s settings) {
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	home := t.TempDir()
	install(t, machineAt(t, home, nil), opt, ClaudeCode)
	want, got := read(filepath.Join(home, ".claude", "settings.json")), read(filepath.Join(plugin, "hooks", "hooks.json"))
	if len(got.Hooks) != len(want.Hooks) || len(want.Hooks) == 0 {
		t.Fatalf("the plugin has hooks for %d events, an installation for %d", len(got.Hooks), len(want.Hooks))
	}
	for event, groups := range want.Hooks {
		installed := groups[0].Hooks[0]
		if len(got.Hooks[event]) != 1 || len(got.Hooks[event][0].Hooks) != 1 {
			t.Fatalf("%s: not one hook", event)
		}
		own := got.Hooks[event][0].Hooks[0]
		if own.Type != installed.Type || own.Timeout != installed.Timeout || !strings.HasSuffix(own.Command, "/scripts/hook.sh\" "+event) {
			t.Errorf("%s: %+v; an installation has %+v", event, own, installed)
		}
	}
	script, err := os.ReadFile(filepath.Join(plugin, "scripts", "hook.sh"))
	if want := `exec contexture hook claude-code "$1" --plugin`; err != nil || !strings.Contains(string(script), want+"\n") {
		t.Errorf("%v: the script does not run %s", err, want)
	}
}
