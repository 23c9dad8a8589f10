package cut

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// placeOf returns a range of a file as a place that certainly has to do with a question.
func placeOf(text, question string, in Range, definitions ...Range) Place {
	q := &Question{}
	q.Add(lexical.Query([]byte(question)), 1)
	var lines [][]byte
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, []byte(line))
	}
	p := Place{Question: q, Lines: lines, In: in, Chance: .9, FileChance: .9}
	for _, d := range definitions {
		p.Definitions = append(p.Definitions, Definition{d, d.First})
	}
	return p
}

// cutOf returns what is shown of a place.
func cutOf(p Place, price float64, most int) Passage { return Cut(Judge([]Place{p}), price, most)[0] }

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

// TestSignature checks that what stands before the name of a definition is not shown for it, and
// that a line for a preprocessor is no block.
func TestSignature(t *testing.T) {
	text := "[Guarded]\n[Trimmed(\"no\")]\npublic class Kettle\n{\n\tvoid boil()\n\t{\n" + strings.Repeat("\t\tstep();\n", 40) +
		"#if LOUD\n\t\twhistle();\n#endif\n" + strings.Repeat("\t\tstep();\n", 20) + "\t\tscald();\n" + strings.Repeat("\t\tstep();\n", 40) + "\t}\n}"
	last := strings.Count(text, "\n")
	p := placeOf(text, "when does the kettle scald", Range{0, last})
	p.Definitions = []Definition{{Range{0, last}, 2}, {Range{4, last - 1}, 4}}
	got := cutOf(p, .0001, 40).Text(p.Lines) // the one line that scalds, with what it stands in
	for _, want := range []string{"public class Kettle\n", "\tvoid boil()\n", "\t\tscald();"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for _, no := range []string{"Guarded", "Trimmed", "#endif"} {
		if strings.Contains(got, no) {
			t.Errorf("%q is shown in\n%s", no, got)
		}
	}
}

func TestCut(t *testing.T) {
	const price, most = .0001, 150
	text := long(80)
	all := Range{0, strings.Count(text, "\n")}
	place := placeOf(text, "when does the kettle whistle scald", all, all)
	p := cutOf(place, price, most)
	got := p.Text(place.Lines)
	for _, want := range []string{"func pour(\n\tcup Cup,\n) error {\n", "\tfor cup.open {\n", "\t\tif kettle.whistles {\n\t\t\treturn errScald", "… 4-"} {
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
	if none := cutOf(place, 1, most); len(none.Shown) > 0 {
		t.Errorf("at a price that nothing is worth it shows %v", none.Shown)
	}
	if none := cutOf(place, price, 0); len(none.Shown) > 0 {
		t.Errorf("without room it shows %v", none.Shown)
	}
	if none := cutOf(placeOf(text, "elephants", all, all), price, most); len(none.Shown) > 0 {
		t.Errorf("without a word of it it shows %v", none.Shown)
	}
	for _, in := range []Range{{-5, -1}, {len(place.Lines), len(place.Lines) + 3}, {5, 4}} {
		other := place
		other.In = in
		if none := cutOf(other, price, most); len(none.Shown) > 0 {
			t.Errorf("of %v it shows %v", in, none.Shown)
		}
	}
}

// TestProbable checks that of two places alike the lines of the more probable one are shown first,
// and that a line at which the question points is shown though it has none of its words.
func TestProbable(t *testing.T) {
	text := long(80)
	all := Range{0, strings.Count(text, "\n")}
	likely, unlikely := placeOf(text, "kettle whistle scald", all, all), placeOf(text, "kettle whistle scald", all, all)
	unlikely.Chance, unlikely.FileChance, unlikely.Rank = .01, .01, 9
	parts := Judge([]Place{unlikely, likely})
	if u, l := slices.Max(parts[0].chance), slices.Max(parts[1].chance); u >= l {
		t.Errorf("the best line of the improbable place has %v, that of the probable one %v", u, l)
	}
	if cut := Cut(parts, 0, 60); len(cut[0].Shown) > 0 || len(cut[1].Shown) == 0 {
		t.Errorf("shown are %v of the improbable place, %v of the probable one", cut[0].Shown, cut[1].Shown)
	}
	at := placeOf(text, "elephants", all, all)
	at.Pointed = map[int]bool{10: true}
	if p := cutOf(at, 0, 60); !p.Holds(10) {
		t.Errorf("the line pointed at is not among %v", p.Shown)
	}
}

// TestSameLine checks that a line that stands in two functions is shown in one.
func TestSameLine(t *testing.T) {
	body := strings.Repeat("\tx()\n", 40)
	text := "func cup() {\n" + body + "\twhistle(kettle)\n" + body + "}\n\nfunc pot() {\n" + body + "\t\twhistle(kettle)\n" + body + "}\n"
	cup, pot := Range{0, 82}, Range{84, 166}
	p := cutOf(placeOf(text, "kettle whistle", Range{0, 166}, cup, pot), 0, 1000)
	if p.Holds(41) == p.Holds(125) {
		t.Errorf("shown are %v, with both or neither", p.Shown)
	}
}

func TestSmallDefinitionIsWhole(t *testing.T) {
	text := "import x\n\nfunc kettle() {\n\ta()\n\twhistle(1)\n\twhistle(2)\n}\n\nfunc cup() {\n\tc()\n}"
	p := cutOf(placeOf(text, "kettle whistle", Range{0, 10}, Range{2, 6}, Range{8, 10}), .0001, 35) // three of its lines have a word
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

// TestQuestion checks that words are found in names and in their other forms, each once.
func TestQuestion(t *testing.T) {
	var q Question
	if q.In([]byte("kettle")) != 0 {
		t.Error("a question without words has some")
	}
	q.Add([]lexical.QueryTerm{{Text: "kettl", Weight: 3}, {Text: "whistl", Weight: 1}}, 1)
	q.Add([]lexical.QueryTerm{{Text: "kettl", Weight: 9}, {Text: "cup", Weight: 8}}, .5)
	for line, want := range map[string]float64{
		"theKettle.whistles(cup)": 1, "kettle kettles KETTLE": 3. / 8, "\tcup := x // whistling": 5. / 8, "": 0, "für Käse": 0,
	} {
		for range 2 {
			if got := q.Share([]byte(line)); got != want {
				t.Errorf("%q has %v of the words, want %v", line, got, want)
			}
		}
	}
}

// TestFitted checks that the model in the program has this program's inputs, and that others are
// refused.
func TestFitted(t *testing.T) {
	m, err := rank.Load(fitted, NumFeatures)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Trees) == 0 {
		t.Error("it has no trees")
	}
	if _, err := rank.Load(fitted, NumFeatures+1); err == nil {
		t.Error("a model of other inputs is accepted")
	}
}

// TestWordsAreFoundQuickly checks that what rules words of a file out by their first letters rules
// out none with a word of the question: of Go's own words and of some in all spellings.
func TestWordsAreFoundQuickly(t *testing.T) {
	lines := []string{
		"func parseHTTPVersion(v string) (major_version int)", "the retries were retried: RETRY_DELAY, retryDelay", "x := a1b2c3d4e5f60718 + 0xdeadbeefcafe",
		"größter Wert für Straßen, Äpfel", "データベースの接続", "don't re-enter e.g. io", "ID ids URLs utf8 x509Cert i18n", "running runs ran happily happiness flies",
	}
	for _, asked := range lines {
		q := &Question{}
		lexical.Terms([]byte(asked), func(text string) { q.Add([]lexical.QueryTerm{{Text: text, Weight: 1}}, 1) })
		for _, line := range lines {
			var want Words
			lexical.Terms([]byte(line), func(text string) {
				if id, ok := q.ids[text]; ok {
					want |= 1 << id
				}
			})
			if got := q.In([]byte(line)); got&want != want {
				t.Errorf("words of %q in %q: %b, want %b", asked, line, got, want)
			}
		}
	}
}

// TestCommitted checks that what commits say of a line is told of it, of those around it and of the
// place, and that such a line is judged without a word of the question near it.
func TestCommitted(t *testing.T) {
	text := "func pour() {\n" + strings.Repeat("\tstep()\n", 30) + "}"
	p := placeOf(text, "kettle", Range{0, 31}, Range{0, 31})
	if chances := Judge([]Place{p})[0].chance; slices.Max(chances) != 0 {
		t.Fatalf("without any evidence the chances are %v", chances)
	}
	p.Committed = map[int]float64{15: .5}
	lines := Examine([]Place{p})[0]
	for _, c := range []struct {
		line int
		want [4]float32
	}{{15, [4]float32{.5, .5, .5, .5}}, {13, [4]float32{0, .5, .5, .5}}, {9, [4]float32{0, 0, .5, .5}}, {0, [4]float32{0, 0, 0, .5}}} {
		x := lines[c.line]
		if got := [4]float32{x[fCommitted], x[fCommittedNear], x[fCommittedAround], x[fCommittedPlace]}; got != c.want {
			t.Errorf("line %d: %v, want %v", c.line, got, c.want)
		}
	}
	if chances := Judge([]Place{p})[0].chance; chances[15] == 0 || chances[0] != 0 {
		t.Errorf("the chances are %v", chances)
	}
}

// TestLikeness checks that a line which says the same as the question in other words is read as
// more alike than others, with what is around it.
func TestLikeness(t *testing.T) {
	text := "func pour(cup int) error {\n\tstep()\n\tpot.boil()\n\tstep()\n\n\n\n\n\n\n\n\n\n}"
	p := placeOf(text, "kettle", Range{0, 13}, Range{0, 13})
	if x := Examine([]Place{p})[0][2]; x[fLike] != 0 || x[fLikeOfBest] != 0 {
		t.Errorf("without meaning the likeness is %v, %v", x[fLike], x[fLikeOfBest])
	}
	p = placeOf(text, "kettle", Range{0, 13}, Range{0, 13})
	p.Means(func(term string) float32 { return map[string]float32{"pot": 1, "boil": .5, "cup": -.5}[term] })
	x := Examine([]Place{p})[0]
	for n, want := range []float32{-.5, 0, 1.5, 0} {
		if x[n][fLike] != want || x[n][fLikeOfBest] != want/1.5 {
			t.Errorf("line %d has %v and %v, want %v", n, x[n][fLike], x[n][fLikeOfBest], want)
		}
	}
	const all = 1. / 14
	if got, want := [4]float32{x[2][fLikeNear], x[2][fLikeAround], x[2][fLikeWithin], x[2][fLikePlace]}, [4]float32{1. / 6, 1. / 11, all, all}; got != want {
		t.Errorf("what is around has %v, want %v", got, want)
	}
	if x[13][fLikeNear] != 0 {
		t.Errorf("what is far has %v", x[13][fLikeNear])
	}
}
