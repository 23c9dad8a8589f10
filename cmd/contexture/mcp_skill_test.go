//go:build linux || darwin

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/servertest"
)

// TestMCPServesTheInstalledSkill checks that a client of the server reads the skill that an
// installation writes, byte for byte, and that its entry describes these bytes.
func TestMCPServesTheInstalledSkill(t *testing.T) {
	s := newStranger(t)
	s.done("install", "--offline", "claude-code") // as the server is started below
	written, err := os.ReadFile(filepath.Join(s.home, ".claude", "skills", "contexture", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	const uri = "skill://contexture/SKILL.md"
	out, stderr, code := s.run(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"skills/list","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"` + uri + `"}}`,
	}, "\n"), "contexture", "mcp", "--daemon=off", "--offline", "--root", servertest.Tree(t, map[string]string{".git/HEAD": ""}))
	if code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	var got struct {
		Skills []struct {
			URI         string
			Frontmatter map[string]string
			Resources   []struct {
				URI, Digest string
				Size        int
			}
		}
		Contents []struct{ Text string }
	}
	for line := range strings.Lines(out) {
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if answer.ID > 1 {
			if err := json.Unmarshal(answer.Result, &got); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
	}
	if len(got.Contents) != 1 || got.Contents[0].Text != string(written) {
		t.Errorf("the skill is %q, installed is %q", got.Contents, written)
	}
	if len(got.Skills) != 1 || got.Skills[0].URI != uri || got.Skills[0].Frontmatter["name"] != "contexture" || len(got.Skills[0].Resources) != 1 {
		t.Fatalf("the skills are %+v", got.Skills)
	}
	if r := got.Skills[0].Resources[0]; r.URI != uri || r.Size != len(written) || r.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256(written)) {
		t.Errorf("its file is %+v", r)
	}
}
