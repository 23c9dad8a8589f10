package hosts

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// checkWriter checks, for a text that a writer accepts, that installing twice changes nothing more,
// and that all else in the text keeps its meaning, both after the installation and after the
// removal.
func checkWriter(t *testing.T, w writer, text []byte, meaning func([]byte) any, without func(any) any) {
	t.Helper()
	out, kept, err := w.install(text, text)
	if err != nil || len(kept) > 0 || bytes.Equal(out, text) {
		return
	}
	again, _, err := w.install(out, text)
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("%q became %q and %q: %v", text, out, again, err)
	}
	had, has := without(meaning(text)), without(meaning(out))
	if !reflect.DeepEqual(had, has) {
		t.Fatalf("%q became %q", text, out)
	}
	back, err := w.remove(out, text)
	if err != nil {
		t.Fatalf("%q became %q: %v", text, out, err)
	}
	rest := without(meaning(back))
	if !reflect.DeepEqual(had, rest) {
		t.Fatalf("%q became %q and %q", text, out, back)
	}
}

// orNothing returns nil for an empty mapping.
func orNothing(m map[string]any) any {
	if len(m) == 0 {
		return nil
	}
	return m
}

func FuzzTOML(f *testing.F) {
	for _, text := range []string{"", "a = 1", "[mcp_servers]\nb.c = 1\n", "[mcp_servers.a]\n# x\n\n[z]\n", "a = '''\n[mcp_servers.contexture]\n'''\n", "\"a\" = [\n  [1], # [\n]\n",
		"[[l]]\na=\"\\\"\"\n[[l]]\n", "mcp_servers.x.command = \"y\"\n", "a = {b = [{c = 1}]}\n\n\n"} {
		f.Add([]byte(text))
	}
	meaning := func(data []byte) any {
		var all map[string]any
		if err := toml.Unmarshal(data, &all); err != nil {
			f.Fatal(err)
		}
		return orNothing(all)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkWriter(t, tomlFile{program: opt}, text, meaning, func(v any) any {
			all, is := v.(map[string]any)
			if !is {
				return v
			}
			if servers, is := all["mcp_servers"].(map[string]any); is {
				delete(servers, programName)
				if len(servers) == 0 {
					delete(all, "mcp_servers")
				}
			}
			return orNothing(all)
		})
	})
}

func FuzzYAML(f *testing.F) {
	for _, text := range []string{"", "a: 1", "mcpServers:\n", "mcpServers: []\n", "mcpServers: # none\n", "mcpServers:\n- name: a\n  command: b\nz: 1\n", "mcpServers:\n    # c\n    - name: a\n",
		"a: |\n  mcpServers:\n\n", "---\na: 1\n", "# only\n", "mcpServers: ~\n", "mcpServers:\n  -\n    name: a\n"} {
		f.Add([]byte(text))
	}
	meaning := func(data []byte) any {
		var all map[string]any
		if err := yaml.Unmarshal(data, &all); err != nil {
			return err.Error()
		}
		return orNothing(all)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkWriter(t, yamlFile{program: opt}, text, meaning, func(v any) any {
			all, is := v.(map[string]any)
			if !is {
				return v
			}
			list, _ := all[yamlList].([]any)
			var rest []any
			for _, e := range list {
				if s, is := e.(map[string]any); !is || s["name"] != programName {
					rest = append(rest, e)
				}
			}
			all[yamlList] = rest
			if len(rest) == 0 {
				delete(all, yamlList)
			}
			return orNothing(all)
		})
	})
}

// TestOwnHooksUnderAnotherName checks that a hook is recognized whatever the file of the program is
// called, and that hooks of other programs are not taken for it.
func TestOwnHooksUnderAnotherName(t *testing.T) {
	c := hookCommand{Program{Path: "/opt/bin/ctx"}, Codex, "Stop"}
	for line, want := range map[string]bool{
		"/opt/bin/ctx hook codex Stop": true, "/old/ctx --offline hook codex Stop": true, "/x/contexture hook codex Stop": true, "'/a b/contexture-1.2' hook codex Stop": true,
		"/opt/bin/other hook codex Stop": false, "/opt/bin/ctx hook codex SessionStart": false, "/opt/bin/ctx run hook codex Stop": false,
	} {
		if got := c.isOurs(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
