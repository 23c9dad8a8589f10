package render

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenItems holds one item of every section, and two in places that show that the
// caller's order is kept and that a kind may leave its layer.
func goldenItems() []Item {
	return []Item{
		{Kind: "prompt", Layer: "L7_user_message", Raw: true, Body: "Where does </ctx-code> get escaped?"},
		{Kind: "code", Layer: "L5_jit", Attrs: []Attr{{"path", "render/escape.go"}, {"lines", "24-33"}, {"symbols", "Escape"}, {"why", "defines Escape"}},
			Body: "func Escape(body string) string {\n\treturn rewrite(body)\n}"},
		{Kind: "lesson", Layer: "L5_jit", Title: "Escape once", Body: "Twice is wrong: \"</ctx-lesson>\"."},
		{Kind: "doc", Layer: "L5_jit", Attrs: []Attr{{"path", "docs/text.md"}, {"lines", "1-3"}}, Body: "# Text\n\nUse `<code>`."},
		{Kind: "tickler", Layer: "L4_conversation", Body: "this reminds you of turn 2 (2026-10-31): escaping"},
		{Kind: "reference", Layer: "L2_topic", Title: "Escaping", Body: "All about it."},
		{Kind: "blocker", Layer: "L4_conversation", Body: "waiting for review"},
		{Kind: "entity", Layer: "L3_entity", Title: "Escape", Body: "func(string) string"},
		{Kind: "topic", Layer: "L2_topic", Title: "render", Body: "Package render turns items into text."},
		{Kind: "arc", Layer: "L4_conversation", Stable: true, Body: "Decided: escape the bracket only."},
		{Kind: "summary", Tag: "T-1-through-2-C", Layer: "L6_message_history", Stable: true, Body: "asked about escaping"},
		{Kind: "turn", Tag: "T-3-R", Layer: "L6_message_history", Stable: true, Body: "user: and < b?\nassistant: stays"},
		{Kind: "preference", Layer: "L1_global_prefs", Stable: true, Body: "Be brief."},
		{Kind: "identity", Layer: "L0_identity", Stable: true, Body: "You help with Go."},
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
		kind, layer string
		want        section
	}{
		{"rule", "L1_global_prefs", preferences},
		{"lesson", "L1_global_prefs", preferences},
		{"turn", "L6_message_history", history},
		{"turn", "L5_jit", board},
		{"lesson", "L3_entity", lessons},
		{"task", "L4_conversation", board},
		{"arc", "L4_conversation", arc},
		{"message", "L4_conversation", board},
		{"code", "L3_entity", entities},
		{"code", "L9_unknown", jit},
		{"lesson", "", lessons},
		{"prompt", "L7_user_message", prompt},
	}
	for _, tt := range tests {
		if got := sectionOf(Item{Kind: tt.kind, Layer: tt.layer}); got != tt.want {
			t.Errorf("%s in %s: section %d, want %d", tt.kind, tt.layer, got, tt.want)
		}
	}
}
