package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
)

// many repeats a line.
func many(line string) string { return strings.Repeat(line+"\n", 9) }

// TestOutline checks that a method is accompanied by the header of its type with the fields and by
// what it implements or overrides, with the reason, in any language.
func TestOutline(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"java", map[string]string{
			"w/Furnace.java": "package w;\n\n/** Furnace. */\npublic class Furnace extends Base\n    implements Hot {\n  /* a comment */\n  private int heat = 3;\n  @Deprecated\n  private String door;\n\n" +
				"  public void vitrify(String glaze) {\n    heat += glaze.length();\n  }\n\n  public void load(int n) {\n" + many("    heat += n * 17;") + "  }\n}\n",
			"w/Hot.java":  "package w;\n\npublic interface Hot {\n  void vitrify(String glaze);\n}\n",
			"x/Cold.java": "package x;\n\npublic interface Cold {\n  void vitrify(String glaze);\n}\n",
		}, []string{"4: public class Furnace extends Base", "7: private int heat = 3;", "9: private String door;",
			"w/Hot.java:4: void vitrify(String glaze); (of Hot, which Furnace.vitrify implements)"}},
		{"python", map[string]string{
			"w/furnace.py": "from w.base import Base\n\n\nclass Furnace(Base):\n    \"\"\"Burns.\n\n    unrelated: text\n    \"\"\"\n\n    heat = max(\n        3,\n        4,\n    )\n\n" +
				"    def vitrify(self, glaze):\n        \"\"\"Vitrify the glaze.\"\"\"\n        return self.heat + len(glaze)\n\n    def load(self, n):\n" + many("        self.heat += n * 17"),
			"w/base.py": "class Base:\n    def vitrify(self, glaze):\n        raise NotImplementedError\n",
		}, []string{"4: class Furnace(Base):", "10: heat = max( 3, 4, )", "w/base.py:2: def vitrify(self, glaze): (of Base, which Furnace.vitrify overrides)"}},
		{"rust", map[string]string{
			"w/furnace.rs": "pub struct Furnace {\n    heat: u32,\n    door: String,\n}\n\nimpl Furnace {\n    pub fn load(&mut self, n: u32) {\n" + many("        self.heat += n * 17;") + "    }\n}\n\n" +
				"impl Hot for Furnace {\n    // vitrify burns the glaze\n    fn vitrify(&mut self, glaze: &str) -> u32 {\n        self.heat + glaze.len() as u32\n    }\n}\n",
			"w/hot.rs": "pub trait Hot {\n    fn vitrify(&mut self, glaze: &str) -> u32;\n}\n",
		}, []string{"1: pub struct Furnace", "2: heat: u32,", "3: door: String,",
			"w/hot.rs:2: fn vitrify(&mut self, glaze: &str) -> u32; (of Hot, which Furnace.vitrify implements)"}},
		{"typescript", map[string]string{
			"w/furnace.ts": "export class Furnace<\n  // any\n  A extends string,\n> {\n  #heat = 3\n  door?: string\n\n  vitrify(glaze: string): number {\n    return this.#heat + glaze.length\n  }\n\n  load(n: number) {\n" +
				many("    this.#heat += n * 17") + "  }\n}\n",
		}, []string{"1: export class Furnace<", "5: #heat = 3", "6: door?: string"}},
		{"go", map[string]string{
			"w/furnace.go": "package w\n\n// Furnace burns.\ntype Furnace struct {\n\theat int // degrees\n\tdoor string\n}\n\nfunc (f *Furnace) Load(n int) {\n" + many("\tf.heat += n * 17") + "}\n\n// Vitrify burns the glaze.\nfunc (f *Furnace) Vitrify(glaze string) int { return f.heat + len(glaze) }\n",
			"w/hot.go":     "package w\n\ntype Hot interface {\n\tVitrify(glaze string) int\n\tLoad(n int)\n}\n",
			"w/cold.go":    "package w\n\ntype Cold interface {\n\tVitrify(glaze string) int\n\tFreeze()\n}\n",
		}, []string{"4: type Furnace struct", "5: heat int // degrees", "6: door string",
			"w/hot.go:4: Vitrify(glaze string) int (of Hot, which Furnace.Vitrify implements)"}},
		{"go, the type in a file of its own", map[string]string{
			"w/furnace.go": "package w\n\ntype Furnace struct{\n\theat int\n}\n",
			"w/vitrify.go": "package w\n\nfunc (f *Furnace) Vitrify(glaze string) int { return f.heat + len(glaze) }\n",
			"v/furnace.go": "package v\n\ntype Furnace struct{\n\tcold int\n}\n",
		}, []string{"w/furnace.go:3: type Furnace struct", "w/furnace.go:4: heat int"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newWorkspace(t, tt.files).index()
			b := &build{src: sources(s), reader: s.NewReader()}
			at := methodOf(t, s, "Furnace", "vitrify")
			d := &draft{place: &foundPlace{text: "heat"}, forms: []form{{start: at.Line, end: at.EndLine}}}
			d.place.chunk.File = at.File
			owner, method, ok := b.owner(d)
			if !ok || method != at {
				t.Fatalf("the owner is %+v of %+v", owner, method)
			}
			d.forms[0].start = at.EndLine // a piece in which no function begins
			if _, piece, ok := b.owner(d); !ok || piece != at {
				t.Errorf("the end of the method is a piece of %+v", piece)
			}
			unseen := func(indexer.Symbol) bool { return false }
			var got []string
			for _, line := range append(b.outline(owner, d.place.text, unseen), b.declared(owner, method, unseen)...) {
				got = append(got, placed(line, at.File))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the outline is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			for _, line := range b.outline(owner, "", func(o indexer.Symbol) bool { return o.Line == owner.Line }) {
				if line.Line == owner.Line {
					t.Errorf("what is shown is shown again: %s", line.text)
				}
			}
		})
	}
}

// methodOf finds a method by its names, ignoring case.
func methodOf(t *testing.T, s *indexer.Snapshot, of, name string) indexer.Symbol {
	t.Helper()
	var out indexer.Symbol
	s.Paths(func(file int, _ string) {
		for _, d := range s.FileSymbols(file) {
			if strings.EqualFold(d.Name, name) && strings.TrimLeft(d.Container, "*") == of {
				out = d
			}
		}
	})
	if out.Name == "" {
		t.Fatalf("there is no %s.%s", of, name)
	}
	return out
}

// TestFieldsThatAreUsed checks that used fields come before others, in the order of their lines.
func TestFieldsThatAreUsed(t *testing.T) {
	var text strings.Builder
	text.WriteString("package w\n\ntype Furnace struct {\n")
	for i := range 3 * maxFields {
		fmt.Fprintf(&text, "\tpart%c int\n", 'a'+i)
	}
	text.WriteString("}\n\nfunc (f *Furnace) Vitrify() int { return f.partx + f.partu }\n")
	s := newWorkspace(t, map[string]string{"w.go": text.String()}).index()
	b := &build{src: sources(s), reader: s.NewReader()}
	d := &draft{place: &foundPlace{text: "return f.partx + f.partu"}, forms: []form{{start: methodOf(t, s, "Furnace", "Vitrify").Line, end: 100}}}
	owner, _, ok := b.owner(d)
	list := b.outline(owner, d.place.text, func(indexer.Symbol) bool { return false })
	if n := len(list); !ok || n != 1+maxFields || list[1].text != "parta int" || list[n-2].text != "partu int" || list[n-1].text != "partx int" {
		t.Errorf("the outline is %+v", list)
	}
}
