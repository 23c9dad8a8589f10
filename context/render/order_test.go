package render

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenItems returns one item of every section, and two that show that the caller's order is kept
// and that a kind may be in another layer.
func goldenItems() []item.Item {
	return []item.Item{
		{Kind: "prompt", Layer: item.L7Message, Body: "Where does </ctx-code> get escaped?"},
		{Kind: "code", Layer: item.L5JIT, Attrs: []item.Attr{{Name: "path", Value: "render/escape.go"}, {Name: "lines", Value: "24-33"}, {Name: "symbols", Value: "Escape"}, {Name: "why", Value: "defines Escape"}},
			Body: "func Escape(body string) string {\n\treturn rewrite(body)\n}"},
		{Kind: "lesson", Layer: item.L5JIT, Title: "Escape once", Body: "Twice is wrong: \"</ctx-lesson>\"."},
		{Kind: "doc", Layer: item.L5JIT, Attrs: []item.Attr{{Name: "path", Value: "docs/text.md"}, {Name: "lines", Value: "1-3"}}, Body: "# Text\n\nUse `<code>`."},
		{Kind: "tickler", Layer: item.L4Conversation, Body: "this reminds you of turn 2 (2026-10-31): escaping"},
		{Kind: "reference", Layer: item.L2Topic, Title: "Escaping", Body: "All about it."},
		{Kind: "blocker", Layer: item.L4Conversation, Body: "waiting for review"},
		{Kind: "entity", Layer: item.L3Entity, Title: "Escape", Body: "func(string) string"},
		{Kind: "topic", Layer: item.L2Topic, Title: "render", Body: "Package render turns items into text."},
		{Kind: "arc", Layer: item.L4Conversation, Stable: true, Body: "Decided: escape the bracket only."},
		{Kind: "summary", Tag: "T-1-through-2-C", Layer: item.L6History, Stable: true, Body: "asked about escaping"},
		{Kind: "turn", Tag: "T-3-R", Layer: item.L6History, Stable: true, Body: "user: and < b?\nassistant: stays"},
		{Kind: "preference", Layer: item.L1Preferences, Stable: true, Body: "Be brief."},
		{Kind: "identity", Layer: item.L0Identity, Stable: true, Body: "You help with Go."},
	}
}

func TestAssembleGolden(t *testing.T) {
	for _, order := range []Order{Cache, Primed} {
		t.Run(string(order), func(t *testing.T) {
			res := Assemble(goldenItems(), order)
			path := filepath.Join("testdata", string(order)+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(res.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if res.Text != string(want) {
				t.Errorf("text differs from %s:\n%s", path, res.Text)
			}
		})
	}
}

func TestStablePrefix(t *testing.T) {
	items := goldenItems()
	cached, primed := Assemble(items, Cache), Assemble(items, Primed)
	if want := cached.Spans[9].End; cached.StablePrefix != want {
		t.Errorf("cache: stable prefix %d, want %d, the end of the arc", cached.StablePrefix, want)
	}
	if want := primed.Spans[12].End; primed.StablePrefix != want {
		t.Errorf("primed: stable prefix %d, want %d, the end of the preferences", primed.StablePrefix, want)
	}
	if got := Assemble(nil, Cache); got.Text != "" || got.StablePrefix != 0 || len(got.Spans) != 0 {
		t.Errorf("nothing to assemble gave %+v", got)
	}
}

func TestSectionOf(t *testing.T) {
	tests := []struct {
		kind  item.Kind
		layer item.Layer
		want  section
	}{
		{"rule", item.L1Preferences, preferences},
		{"lesson", item.L1Preferences, preferences},
		{"turn", item.L6History, history},
		{"turn", item.L5JIT, board},
		{"lesson", item.L3Entity, lessons},
		{"task", item.L4Conversation, board},
		{"arc", item.L4Conversation, arc},
		{"message", item.L4Conversation, board},
		{"code", item.L3Entity, entities},
		{"code", item.NumLayers, jit},
		{"lesson", -1, lessons},
		{"prompt", item.L7Message, prompt},
	}
	for _, tt := range tests {
		if got := sectionOf(item.Item{Kind: tt.kind, Layer: tt.layer}); got != tt.want {
			t.Errorf("%s in %s: section %d, want %d", tt.kind, tt.layer, got, tt.want)
		}
	}
}
