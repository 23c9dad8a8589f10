package packed

import (
	"bytes"
	"maps"
	"slices"
	"testing"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/swift"
)

// fetched are the grammars that are packed from npm's packages; the module has none to compare them
// with, or older ones.
var fetched = []string{
	"bash", "csharp", "dart", "elixir", "julia", "ocaml", "ocaml interface", "r", "ruby", "rust", "scala",
	"sql", "tsx", "typescript",
}

// originals are the same grammars as the others as the module compiles them.
var originals = map[string]func() *sitter.Language{
	"cpp": cpp.GetLanguage, "kotlin": kotlin.GetLanguage, "php": php.GetLanguage, "swift": swift.GetLanguage,
}

// language is TSLanguage of parser.h.
type language struct {
	counts                                                 [9]uint32
	maxAliases                                             uint16
	parseTable, smallTable, smallMap, actions              unsafe.Pointer
	symbolNames, fieldNames, fieldSlices, fieldEntries     unsafe.Pointer
	symbolMetadata, publicSymbols, aliasMap, aliases       unsafe.Pointer
	lexModes, lex, lexKeywords                             unsafe.Pointer
	keywordToken                                           uint16
	scannerStates, scannerSymbols                          unsafe.Pointer
	create, destroy, scan, serialize, deserialize, primary unsafe.Pointer
}

// TestTables: a packed grammar has the tables of the grammar that the module compiles. Its lexers
// are the same source; package chunk's goldens parse with them.
func TestTables(t *testing.T) {
	got, want := slices.Sorted(maps.Keys(grammars)), slices.Sorted(maps.Keys(originals))
	if want = append(want, fetched...); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Fatalf("packed are %q, compared %q", got, want)
	}
	for name, original := range originals {
		want := *(**language)(unsafe.Pointer(original()))
		got := (*language)(Language(name))
		if got.counts != want.counts || got.maxAliases != want.maxAliases || got.keywordToken != want.keywordToken {
			t.Errorf("%s: counts %v, want %v", name, got.counts, want.counts)
			continue
		}
		if (got.create == nil) != (want.create == nil) || got.create != nil && got.create == want.create {
			t.Errorf("%s has the scanner of the module", name)
		}
		ours := []unsafe.Pointer{got.parseTable, got.smallTable, got.smallMap, got.actions, got.lexModes, got.primary}
		theirs := []unsafe.Pointer{want.parseTable, want.smallTable, want.smallMap, want.actions, want.lexModes, want.primary}
		for i := range ours {
			end := uintptr(ours[0]) + uintptr(grammars[name].size)
			if i+1 < len(ours) {
				end = uintptr(ours[i+1])
			}
			const padding = 7 // at most, behind each table
			size := int(end-uintptr(ours[i])) - padding
			if !bytes.Equal(unsafe.Slice((*byte)(ours[i]), size), unsafe.Slice((*byte)(theirs[i]), size)) {
				t.Errorf("%s: table %d differs", name, i)
			}
		}
	}
	for _, name := range fetched {
		const newest = 14 // version of the format that the runtime reads
		if l := (*language)(Language(name)); l.counts[0] != newest || l.parseTable == nil || l.primary == nil || l.scan == nil {
			t.Errorf("%s: version %d, parse table %v, states %v, scanner %v", name, l.counts[0], l.parseTable, l.primary, l.scan)
		}
	}
	if Language("fortran") != nil {
		t.Error("a language that is not packed has a grammar")
	}
}

func BenchmarkLanguage(b *testing.B) {
	for b.Loop() {
		Language("csharp")
	}
}
