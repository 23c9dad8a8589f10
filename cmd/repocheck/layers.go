package repocheck

import (
	"fmt"
	"strings"
)

// layer is a part of the repository and the packages of the repository that it may import, besides
// itself.
type layer struct {
	dir   string // the folder; the layer includes everything below it
	inner bool   // whether its packages may import each other
	may   []string
	rule  string
}

// layers lists the most specific first: the first one whose folder contains a package applies.
var layers = []layer{
	{dir: "cmd/repocheck", rule: "the repository's rules may import nothing of ours"},
	{dir: "cmd", may: []string{"server", "indexer", "context", "memory"}, rule: "cmd may import all but other commands"},
	{dir: "server/command", rule: "the contract is a leaf and may import nothing of ours"},
	{dir: "server/settings", rule: "settings are a leaf and may import nothing of ours"},
	{
		dir: "server/transport", inner: true, may: []string{"server/command", "server/settings"},
		rule: "server/transport may import only the leaves of server",
	},
	{
		dir: "server/mcp", may: []string{"server/command", "server/settings", "server/transport", "context/item", "context/render", "context/tokens"},
		rule: "server/mcp may import only what carries the contract, and what its texts are written and counted with",
	},
	{
		dir:  "server/engine",
		may:  []string{"server/command", "server/settings", "server/secrets", "server/transport", "context", "indexer", "memory"},
		rule: "server/engine may import neither sessions nor commands",
	},
	{
		dir:  "server/learning",
		may:  []string{"server/command", "server/settings", "server/engine", "context", "indexer", "memory"},
		rule: "server/learning may import the engine, but neither sessions nor commands",
	},
	{
		dir:  "server/session",
		may:  []string{"server/command", "server/settings", "server/secrets", "server/transport", "server/engine", "context", "indexer", "memory"},
		rule: "server/session may import the engine and the transport, but no commands",
	},
	{dir: "server/team/fact", rule: "server/team/fact is what a team shares and may import nothing of ours"},
	{dir: "server/team/enrol", rule: "server/team/enrol makes credentials and may import nothing of ours"},
	{
		dir: "server/team/stream", may: []string{"server/team/enrol", "server/team/nodetest", "server/team/teamtest"},
		rule: "server/team/stream carries bytes and may import only server/team/enrol of ours",
	},
	{
		dir: "server/team/node", may: []string{"server/team/enrol", "server/team/stream", "server/team/nodetest", "server/team/teamtest"},
		rule: "server/team/node may import only server/team/enrol and server/team/stream of ours",
	},
	{
		dir: "server/team", inner: true, may: []string{"server/command", "server/settings", "server/engine", "indexer", "memory"},
		rule: "server/team may import the engine, but neither sessions nor commands",
	},
	{dir: "server/servertest", inner: true, may: []string{"server", "indexer", "context", "memory"}, rule: "server may import only context, indexer and memory"},
	{dir: "server", inner: true, may: []string{"context", "indexer", "memory"}, rule: "server may import only context, indexer and memory"},
	{dir: "context/tokens", rule: "context/tokens is a leaf and may import nothing of ours"},
	{dir: "context/item", rule: "context/item is a leaf and may import nothing of ours"},
	{dir: "context/intent", rule: "context/intent is pure and may import nothing of ours"},
	{dir: "context/budget", may: []string{"context/item"}, rule: "context/budget is pure and may import only context/item of ours"},
	{dir: "context/render", may: []string{"context/item"}, rule: "context/render is pure and may import only context/item of ours"},
	{dir: "context", inner: true, may: []string{"indexer", "memory"}, rule: "context may import only indexer and memory"},
	{dir: "indexer", inner: true, rule: "indexer may import neither memory nor anything above it"},
	{dir: "memory", inner: true, rule: "memory may import neither indexer nor anything above it"},
}

// confined are the libraries, and a package of ours, that only few packages may import.
var confined = []struct {
	library string
	by      []string
}{
	{"github.com/smacker/go-tree-sitter", []string{"indexer/chunk"}},
	{"github.com/cockroachdb/pebble", []string{"indexer/store", "memory/store"}},
	{"github.com/nats-io/nats.go", []string{"server/team/stream"}},
	{"github.com/nats-io/jwt", []string{"server/team/enrol", "server/team/node"}},
	{"github.com/nats-io/nkeys", []string{"server/team/enrol", "server/team/fact"}},
	// The server has 11 MB, which the main program must not contain.
	{"github.com/nats-io/nats-server", []string{"server/team/node"}},
	{module + "/server/team/node", []string{"cmd/contexture-team", "server/team/node", "server/team/nodetest"}},
	// Nor may the program that the tests of cmd/contexture run and measure.
	{module + "/server/team/nodetest", []string{"server"}},
}

// forTests are packages that only tests may import, and to which the rules for tests apply.
var forTests = []string{"server/servertest", "server/team/nodetest", "server/team/teamtest", "indexer/ollama/ollamatest"}

// within reports whether name is dir or below it.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, dir+"/")
}

// Layering checks the directions of imports. It also applies to tests, except a package's own
// external test.
func Layering(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if f.Dir() == "context" {
			out = append(out, Finding{f.Path, 0, "context has no Go files of its own, so that nobody imports a package called context"})
		}
		for _, i := range t.imports(f) {
			if text := misplaced(f, i.path); text != "" {
				out = append(out, Finding{f.Path, i.line, text})
			}
		}
	}
	return sorted(out)
}

// misplaced returns what is wrong with an import, or "".
func misplaced(f *File, target string) string {
	from := f.Dir()
	for _, c := range confined {
		if within(target, c.library) && !insideAny(from, c.by) {
			return fmt.Sprintf("%s imports %s: only %s may", from, target, strings.Join(c.by, " and "))
		}
	}
	to, ours := strings.CutPrefix(target, module+"/")
	if !ours || to == from {
		return ""
	}
	if insideAny(to, forTests) && !f.IsTest() && !insideAny(from, forTests) {
		return fmt.Sprintf("%s imports %s: it is for tests only", from, to)
	}
	for _, l := range layers {
		if !within(from, l.dir) {
			continue
		}
		if insideAny(to, l.may) || l.inner && within(to, l.dir) {
			return ""
		}
		return fmt.Sprintf("%s imports %s: %s", from, to, l.rule)
	}
	return fmt.Sprintf("%s imports %s: no layer holds %s", from, to, from)
}

func insideAny(name string, dirs []string) bool {
	for _, d := range dirs {
		if within(name, d) {
			return true
		}
	}
	return false
}
