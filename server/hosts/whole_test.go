package hosts

import (
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// front returns the fields of a Markdown file's head and the text below it.
func front(t *testing.T, text string) (fields map[string]any, body string) {
	t.Helper()
	rest, ok := strings.CutPrefix(text, "---\n")
	head, body, closed := strings.Cut(rest, "\n---\n")
	if err := yaml.Unmarshal([]byte(head), &fields); err != nil || !ok || !closed {
		t.Fatalf("%v, no head in\n%s", err, text)
	}
	return fields, body
}

// TestAgentFields checks that each host finds in the sub-agent's file the fields that its documents
// require, and the program's commands, wherever the program is.
func TestAgentFields(t *testing.T) {
	for _, p := range []Program{
		opt, {Path: `/my "tools"/it's\'/contexture`, Args: []string{"--state-dir", "/s"}}, {Path: `C:\Program Files\contexture.exe`, Windows: true},
	} {
		for host, want := range map[string]map[string]any{
			ClaudeCode: {"name": agentName, "tools": "Bash, Read"},
			Codex:      {"name": agentName},
			Cursor:     {"name": agentName},
			OpenCode:   {"mode": "subagent", "permission": map[string]any{"edit": "deny"}},
			Gemini:     {"name": agentName, "tools": []any{"run_shell_command", "read_file"}},
		} {
			want["description"] = agentDescription
			text, got := ownText(t, host, whatAgent, p), map[string]any{}
			var body string
			if host == Codex {
				if err := toml.Unmarshal([]byte(text), &got); err != nil {
					t.Fatalf("%v in\n%s", err, text)
				}
				body, _ = got["developer_instructions"].(string)
				delete(got, "developer_instructions")
			} else {
				got, body = front(t, text)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: fields are %v, want %v", host, got, want)
			}
			for _, command := range []string{"search WORDS", "recall WORDS", "blame FILE"} {
				if !strings.Contains(body, "\n- `"+p.shell()+" "+command+"`") {
					t.Errorf("%s: there is no %q in\n%s", host, command, body)
				}
			}
		}
	}
}

// ownText returns the text of one of a host's own files.
func ownText(t *testing.T, host, what string, p Program) string {
	t.Helper()
	for _, o := range ownedFiles[host] {
		if o.what == what {
			return o.text(p)
		}
	}
	t.Fatalf("%s has no %s", host, what)
	return ""
}

// TestOwnFilesAreMarked checks that every own file is recognized as the program's.
func TestOwnFilesAreMarked(t *testing.T) {
	for host, list := range ownedFiles {
		for _, o := range list {
			if n := strings.Count(o.text(opt), wholeMark); n != 1 {
				t.Errorf("%s %s has %d marks", host, o.what, n)
			}
		}
	}
}

// mostStanding is the number of tokens that all texts together may have which always stand before a
// host's model.
const mostStanding = 600

// TestStandingTokens checks what the texts cost that always stand before a model: the descriptions
// of the skill and of the sub-agent, and the block in a file of instructions.
func TestStandingTokens(t *testing.T) {
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	fields, _ := front(t, skill)
	description, _ := fields["description"].(string)
	ofSkill, ofAgent, ofBlock := counter.Count(description), counter.Count(agentDescription), counter.Count(agentsBlock())
	if sum := ofSkill + ofAgent + ofBlock; sum > mostStanding || min(ofSkill, ofAgent, ofBlock) == 0 {
		t.Errorf("%d tokens stand before a model, of at most %d: %d of the skill, %d of the sub-agent, %d of the block", sum, mostStanding, ofSkill, ofAgent, ofBlock)
	}
}

// TestAgentsFolderStays checks that the folder of sub-agents stays with a person's own ones in it,
// also if the record of the installation is lost.
func TestAgentsFolderStays(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{".claude/agents/mine.md": "mine\n"})
	was := readTree(t, home)
	m := machineAt(t, home, nil)
	install(t, m, opt, ClaudeCode)
	m.StateDir = filepath.Join(t.TempDir(), "another")
	uninstall(t, m, ClaudeCode)
	if now := readTree(t, home); !maps.Equal(was, now) {
		t.Errorf("files are %v, were %v", now, was)
	}
}
