package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

const testSkill = "---\nname: ask\ndescription: \"Ask: first.\"\nmetadata:\n  version: \"2\"\n---\n\nDo größer things.\n"

// stateless is what a request of the newest revision carries.
const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// TestSkill checks that a client finds the skill by the extension's methods, and its bytes as a
// resource.
func TestSkill(t *testing.T) {
	c := serveOptions(t, Options{Skill: testSkill})
	id := 0
	ask := func(method, params string) answer {
		id++
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params))
		return c.read()
	}
	entry := map[string]any{
		"uri":         "skill://ask/SKILL.md",
		"frontmatter": map[string]any{"name": "ask", "description": "Ask: first.", "metadata": map[string]any{"version": "2"}},
		"resources": []any{map[string]any{
			"uri": "skill://ask/SKILL.md", "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(testSkill))), "size": float64(len(testSkill)),
		}},
	}
	for _, meta := range []string{"", stateless} {
		get := `"uri":"skill://ask/SKILL.md"`
		if meta != "" {
			get += ","
		}
		for method, want := range map[string]struct {
			params string
			member string
			value  any
		}{
			"skills/list": {meta, "skills", []any{entry}},
			"skills/get":  {get + meta, "skill", entry},
		} {
			a := ask(method, want.params)
			var got map[string]any
			if err := json.Unmarshal(a.Result, &got); err != nil {
				t.Fatalf("%s: %v, %+v", method, err, a.Error)
			}
			delete(got, "_meta") // of the SDK
			all := map[string]any{"resultType": "complete", "ttlMs": float64(listsHold), "cacheScope": "private", want.member: want.value}
			if !reflect.DeepEqual(got, all) {
				t.Errorf("%s: %v, want %v", method, got, all)
			}
		}
		var read struct {
			Contents []struct{ URI, MimeType, Text string }
		}
		if a := ask("resources/read", get+meta); json.Unmarshal(a.Result, &read) != nil || len(read.Contents) != 1 ||
			read.Contents[0].Text != testSkill || read.Contents[0].URI != "skill://ask/SKILL.md" || read.Contents[0].MimeType != "text/markdown" {
			t.Errorf("resources/read: %s, %+v", a.Result, a.Error)
		}
	}
	a := ask("resources/list", "")
	if !strings.Contains(string(a.Result), `"description":"Ask: first."`) || !strings.Contains(string(a.Result), `"name":"ask"`) {
		t.Errorf("resources/list: %s", a.Result)
	}
	for _, wrong := range [][2]string{
		{"skills/get", `"uri":"skill://other/SKILL.md"`}, {"skills/get", `"uri":"skill://ask"`}, {"skills/get", ""}, {"skills/get", `"uri":7`},
		{"skills/list", `"cursor":"x"`}, {"skills/list", `"cursor":7`},
	} {
		if a := ask(wrong[0], wrong[1]); a.code() != -32602 || strings.Contains(a.Error.Message, "*mcp.") || strings.Contains(a.Error.Message, "json:") {
			t.Errorf("%s {%s}: %+v", wrong[0], wrong[1], a.Error)
		}
	}
	for method, code := range map[string]int{"skills/list": 0, "skills/get": -32602} {
		c.write(`{"jsonrpc":"2.0","id":"x","method":"` + method + `"}`)
		if a := c.read(); a.code() != code {
			t.Errorf("%s without parameters: %+v", method, a)
		}
	}
	if a := ask("resources/directory/read", `"uri":"skill://ask"`); a.code() != -32601 {
		t.Errorf("what is not declared: %+v", a)
	}
}

// TestSkillIsDeclared checks that the extension is among the capabilities if and only if there is a
// skill.
func TestSkillIsDeclared(t *testing.T) {
	for _, text := range []string{testSkill, ""} {
		c := serveOptions(t, Options{Skill: text})
		c.write(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + stateless + `}}`)
		var found struct {
			Capabilities struct {
				Extensions map[string]map[string]any
				Resources  any
			}
		}
		a := c.read()
		if err := json.Unmarshal(a.Result, &found); err != nil {
			t.Fatalf("%v, %+v", err, a.Error)
		}
		settings, declared := found.Capabilities.Extensions["io.modelcontextprotocol/skills"]
		if declared != (text != "") || len(settings) > 0 || found.Capabilities.Resources == nil {
			t.Errorf("capabilities with %q are %s", text, a.Result)
		}
		c.write(`{"jsonrpc":"2.0","id":2,"method":"skills/list"}`)
		if a := c.read(); (a.code() == -32601) != (text == "") {
			t.Errorf("with %q: %+v", text, a)
		}
	}
	for _, text := range []string{"Do things.\n", "---\nname: ask\n", "---\nname: ask\n---\n\nx\n", "---\n- a\n---\n\nx\n", "---\nname: [ask]\ndescription: d\n---\n\nx\n"} {
		if _, err := New(Options{Skill: text, Logger: slog.New(slog.DiscardHandler)}); err == nil || !strings.HasPrefix(err.Error(), "read skill: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
