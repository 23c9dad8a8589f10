package repocheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// goRelease is the language's release; the protocol's library does not build with a later one.
const goRelease = "1.26"

// pinned are the versions that were tested together.
var pinned = map[string]string{
	"go.lsp.dev/protocol":                  "v1.0.1",
	"go.lsp.dev/jsonrpc2":                  "v1.0.1",
	"go.lsp.dev/uri":                       "v1.0.1",
	"github.com/smacker/go-tree-sitter":    "v0.0.0-20240827094217-dd81d9e9be82",
	"github.com/cockroachdb/pebble/v2":     "v2.1.7",
	"github.com/fsnotify/fsnotify":         "v1.10.1",
	"github.com/pkoukk/tiktoken-go":        "v0.1.8",
	"github.com/pkoukk/tiktoken-go-loader": "v0.0.2",
	"github.com/zeebo/xxh3":                "v1.1.0",
	"github.com/nats-io/nats.go":           "v1.55.0",
	"github.com/nats-io/nats-server/v2":    "v2.15.2",
	"github.com/nats-io/jwt/v2":            "v2.8.2",
	"github.com/nats-io/nkeys":             "v0.4.16",
}

// Modules checks the module file: its path, Go's release, the pinned versions, and that nothing is
// replaced.
func Modules(t *Tree) []Finding {
	at := slices.IndexFunc(t.Files, func(f *File) bool { return f.Path == "go.mod" })
	if at < 0 {
		return []Finding{{"go.mod", 0, "is not there"}}
	}
	mod, err := modfile.Parse("go.mod", t.Files[at].Text, nil)
	if err != nil {
		return []Finding{{"go.mod", 0, err.Error()}}
	}
	var out []Finding
	say := func(line int, format string, args ...any) {
		out = append(out, Finding{"go.mod", line, fmt.Sprintf(format, args...)})
	}
	if mod.Module == nil || mod.Module.Mod.Path != module {
		say(0, "the module's path is not %s", module)
	}
	if mod.Go == nil || !release(mod.Go.Version) {
		say(0, "the go line does not say %s", goRelease)
	}
	if mod.Toolchain != nil && !release(strings.TrimPrefix(mod.Toolchain.Name, "go")) {
		say(mod.Toolchain.Syntax.Start.Line, "the toolchain is not of Go %s", goRelease)
	}
	for _, r := range mod.Replace {
		say(r.Syntax.Start.Line, "replaces %s: whoever installs the program gets the original", r.Old.Path)
	}
	missing := maps.Clone(pinned)
	for _, r := range mod.Require {
		want, ok := pinned[r.Mod.Path]
		if ok && r.Mod.Version != want {
			say(r.Syntax.Start.Line, "requires %s %s: measured to work is %s", r.Mod.Path, r.Mod.Version, want)
		}
		delete(missing, r.Mod.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		say(0, "does not require %s %s", name, missing[name])
	}
	return sorted(out)
}

func release(version string) bool {
	return version == goRelease || strings.HasPrefix(version, goRelease+".")
}
