package cut

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// fileOf returns a file whose definitions are given, with the words of a question.
func fileOf(text, question string, definitions ...Range) File {
	var q Question
	q.Add(lexical.Query([]byte(question)), 1)
	var lines [][]byte
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, []byte(line))
	}
	return File{Lines: lines, Definitions: definitions, All: q.All, Terms: func(n int) []Term { return q.In(lines[n]) }}
}

// long returns a function of many lines, with a condition in the middle.
func long(steps int) string {
	var b strings.Builder
	b.WriteString("func pour(\n\tcup Cup,\n) error {\n")
	for i := range steps {
		if i == steps/2 {
			b.WriteString("\tfor cup.open {\n\t\tif kettle.whistles {\n\t\t\treturn errScald\n\t\t}\n\t}\n")
		}
		fmt.Fprintf(&b, "\tstep%d()\n", i)
	}
	return b.String() + "}"
}

func TestCut(t *testing.T) {
	const price = .0001
	text := long(80)
	all := Range{0, strings.Count(text, "\n")}
	f := fileOf(text, "when does the kettle whistle scald", all)
	p := f.Judge(all).Cut(1, price)
	got := p.Text(f.Lines)
	for _, want := range []string{"func pour(\n\tcup Cup,\n) error {\n", "\tfor cup.open {\n", "\t\tif kettle.whistles {\n\t\t\treturn errScald\n", "… 4-"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "step2()") || strings.Contains(got, "step79()") {
		t.Errorf("too much is shown:\n%s", got)
	}
	if at := 3 + 40 + 1; !reflect.DeepEqual(p.Matched, []int{at, at + 1}) || !p.Holds(at) || p.Holds(10) {
		t.Errorf("the lines with words are %v of %v", p.Matched, p.Shown)
	}
	if none := f.Judge(all).Cut(1, 1); len(none.Shown) > 0 {
		t.Errorf("at a price that nothing is worth it shows %v", none.Shown)
	}
	if none := f.Judge(all).Cut(0, price); len(none.Shown) > 0 {
		t.Errorf("of what has nothing to do with it it shows %v", none.Shown)
	}
	if none := fileOf(text, "elephants", all).Judge(all).Cut(1, price); len(none.Shown) > 0 {
		t.Errorf("without a word of it it shows %v", none.Shown)
	}
	for _, in := range []Range{{-5, -1}, {len(f.Lines), len(f.Lines) + 3}, {5, 4}} {
		if none := f.Judge(in).Cut(1, price); len(none.Shown) > 0 {
			t.Errorf("of %v it shows %v", in, none.Shown)
		}
	}
}

func TestSmallDefinitionIsWhole(t *testing.T) {
	text := "import x\n\nfunc kettle() {\n\ta()\n\twhistle()\n\tb()\n}\n\nfunc cup() {\n\tc()\n}"
	f := fileOf(text, "kettle whistle", Range{2, 6}, Range{8, 10})
	p := f.Judge(Range{0, 10}).Cut(1, .06)
	if !reflect.DeepEqual(p.Shown, []Range{{2, 6}}) {
		t.Errorf("it shows %v", p.Shown)
	}
}

func TestPassage(t *testing.T) {
	p := Passage{Shown: []Range{{4, 6}}, Matched: []int{5}, Bytes: 9}
	q := Passage{Shown: []Range{{0, 1}, {9, 9}, {20, 21}}, Matched: []int{5, 20}, Bytes: 7}
	both := p.Join(q)
	if want := (Passage{Shown: []Range{{0, 9}, {20, 21}}, Matched: []int{5, 20}, Bytes: 16}); !reflect.DeepEqual(both, want) {
		t.Errorf("joined they are %+v", both)
	}
	rest := both.Without(func(n int) bool { return n >= 3 && n <= 8 || n == 20 })
	if want := []Range{{0, 2}, {9, 9}, {21, 21}}; !reflect.DeepEqual(rest.Shown, want) || !reflect.DeepEqual(rest.Matched, []int(nil)) {
		t.Errorf("left are %+v", rest)
	}
}

// TestFitted checks that the model in the program has this program's inputs, and that others are
// refused.
func TestFitted(t *testing.T) {
	if m := fitted(); !strings.HasPrefix(m.About, "go run ./cmd/train lines") {
		t.Errorf("it was fitted by %q", m.About)
	}
	for name, spoil := range map[string]func(file map[string]any){
		"fewer inputs":  func(file map[string]any) { file["Weights"] = file["Weights"].([]any)[1:] },
		"another field": func(file map[string]any) { file["Scale"] = 1 },
		"no numbers":    func(file map[string]any) { file["Weights"] = "many" },
	} {
		var file map[string]any
		if err := json.Unmarshal(fittedJSON, &file); err != nil {
			t.Fatal(err)
		}
		spoil(file)
		b, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := load(b); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
