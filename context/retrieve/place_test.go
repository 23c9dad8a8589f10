package retrieve

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
	"pgregory.net/rapid"
)

// market is a workspace in which one function is called and calls others.
func market() map[string]string {
	files := map[string]string{
		"store/order.go": `package store

import "errors"

// Order is what somebody wants.
type Order struct {
	Items []string
}

// place books the order once its items are there.
func (o *Order) place(l *Ledger) error {
	if err := checkStock(o.Items); err != nil {
		return err
	}
	if len(o.Items) == 0 {
		return errors.New("nothing to place")
	}
	return l.book(len(o.Items))
}
`,
		"store/stock.go":      "package store\n\n// checkStock reports what is missing.\nfunc checkStock(items []string) error {\n\treturn nil\n}\n",
		"store/ledger.go":     "package store\n\n// Ledger keeps amounts.\ntype Ledger struct{ sum int }\n\nfunc (l *Ledger) book(amount int) error {\n\tl.sum += amount\n\treturn nil\n}\n",
		"store/order_test.go": "package store\n\nimport \"testing\"\n\nfunc TestPlace(t *testing.T) {\n\to := &Order{}\n\tif o.place(&Ledger{}) == nil {\n\t\tt.Error(\"placed\")\n\t}\n}\n",
		"store/checkout.go":   "package store\n\n// checkout is the end of a visit.\nfunc checkout(cart []string, l *Ledger) error {\n\to := &Order{Items: cart}\n\treturn o.place(l)\n}\n",
		"mail/bounce.go":      "package mail\n\n// handleBounce retries a mail that bounced, a function of this package.\nfunc handleBounce(address string) bool {\n\treturn address != \"\"\n}\n",
		"mail/send.go":        "package mail\n\n// sendMail sends a mail by the relay.\nfunc sendMail(address string) bool {\n\treturn address != \"\"\n}\n",
		"docs/guide.md":       "# Guide\n\nEvery function of this program has tests. Call a function to see what it does.\n",
		"Makefile":            "place:\n\techo place\n",
	}
	for i := range 12 {
		files[fmt.Sprintf("lib/part%d.go", i)] = fmt.Sprintf("package lib\n\n// Run%d is one of many.\nfunc Run%[1]d() int {\n\treturn %[1]d\n}\n\nfunc start() int { return %[1]d }\n", i)
	}
	return files
}

// lineOf returns the line of a text in a file, from 0.
func lineOf(t *testing.T, text, needle string) int {
	t.Helper()
	i := strings.Index(text, needle)
	if i < 0 {
		t.Fatalf("no %q", needle)
	}
	return strings.Count(text[:i], "\n")
}

// found searches with a location and lists the results that pass a filter, with their first reason.
func found(s *indexer.Snapshot, prompt string, at Place, view ...string) (out []string) {
	r := ask(s, prompt, func(r *Request) { r.At, r.Near = at, view })
	for _, c := range r.Worth() {
		reason := ""
		if len(c.Reasons) > 0 {
			reason = c.Reasons[0]
		}
		out = append(out, s.Chunk(c.Chunk).Path+": "+reason)
	}
	return out
}

var openPrompts = []string{
	"What does this function do?", "explain", "refactor this", "why is this slow?", "who calls this?", "Was macht diese Funktion?",
	"¿qué hace esta función?", "これは何をしますか?", "что делает эта функция?", "is this correct?", "?",
}

// A prompt without an object of its own, in any language, is about what is at the cursor.
func TestOpenPromptUsesCursor(t *testing.T) {
	files := market()
	s := index(t, files)
	want := []string{
		"store/order.go: the method at the cursor", "store/checkout.go: calls place", "store/ledger.go: called by place",
		"store/order_test.go: calls place", "store/stock.go: called by place",
	}
	for _, prompt := range openPrompts {
		got := found(s, prompt, Place{Path: "store/order.go", Known: true, First: lineOf(t, files["store/order.go"], "nothing to place"), Last: 14})
		if len(got) == 0 || got[0] != want[0] {
			t.Errorf("%q: first is %q", prompt, got)
			continue
		}
		slices.Sort(got[1:])
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

// The position of the cursor decides what comes first.
func TestPlaceOfTheCursor(t *testing.T) {
	files := market()
	var long strings.Builder
	long.WriteString("package lib\n\nfunc long() int {\n\tn := 0\n")
	for i := range 400 {
		fmt.Fprintf(&long, "\tn += %d // step %d of the long way\n", i, i)
	}
	long.WriteString("\treturn n\n}\n\n\n\n\n// after is what follows.\nfunc after() int {\n" + strings.Repeat("\t_ = long()\n", 60) + "\treturn 1\n}\n")
	files["lib/long.go"] = long.String()
	files["empty.go"] = ""
	s := index(t, files)
	order := files["store/order.go"]
	line := func(needle string) int { return lineOf(t, order, needle) }
	at := func(path string, line int, name string) Place {
		return Place{Path: path, Known: true, First: line, Last: line, Name: name}
	}
	for _, tt := range []struct {
		name  string
		place Place
		first string
		also  []string
	}{
		{"in a body", at("store/order.go", line("return err\n"), ""), "store/order.go: the method at the cursor", nil},
		{"on a call", at("store/order.go", line("checkStock("), "checkStock"), "store/stock.go: defines checkStock, which is at the cursor", []string{"store/order.go: the method at the cursor"}},
		{"on a type", at("store/order.go", line("func (o"), "Ledger"), "store/ledger.go: defines Ledger, which is at the cursor", []string{"store/order.go: the method at the cursor"}},
		{"on a local name", at("store/order.go", line("return err\n"), "err"), "store/order.go: the method at the cursor", nil},
		{"on its own name", at("store/order.go", line("func (o"), "place"), "store/order.go: the method at the cursor", []string{"store/checkout.go: calls place"}},
		{"in a doc comment", at("store/order.go", line("// place"), ""), "store/order.go: the method at the cursor", []string{"store/stock.go: called by place"}},
		{"on a blank line", at("store/order.go", line("// place")-1, ""), "store/order.go: the struct at the cursor", nil},
		{"in the head", at("store/order.go", 0, ""), "store/order.go: the struct at the cursor", []string{"store/checkout.go: uses Order"}},
		{"on a member", at("store/order.go", line("Items []"), ""), "store/order.go: the struct at the cursor", nil},
		{"behind the end", at("store/order.go", 99_999, ""), "store/order.go: the method at the cursor", nil},
		{"in prose", at("docs/guide.md", 2, ""), "docs/guide.md: the section at the cursor", nil},
		{"in the middle of much", at("lib/long.go", 200, ""), "lib/long.go: the function at the cursor", []string{"lib/long.go: calls long"}},
		{"below much", at("lib/long.go", 408, ""), "lib/long.go: the function at the cursor", []string{"lib/long.go: called by after"}},
		{"a document without a cursor", Place{Path: "mail/send.go"}, "mail/send.go: the open document", nil},
		{"a selection", Place{Path: "store/order.go", Known: true, Selected: true, First: line("if err"), Last: line("if err") + 1}, "store/order.go: the selection", []string{"store/stock.go: called in the selection", "store/checkout.go: calls place"}},
		{"a selection of several", Place{Path: "store/ledger.go", Known: true, Selected: true, First: 0, Last: 99}, "store/ledger.go: the selection", []string{"store/order.go: calls book"}},
	} {
		got := found(s, "what is this?", tt.place)
		if len(got) == 0 || got[0] != tt.first {
			t.Errorf("%s: first of %q, want %q", tt.name, got, tt.first)
		}
		for _, also := range tt.also {
			if !slices.Contains(got, also) {
				t.Errorf("%s: no %q in %q", tt.name, also, got)
			}
		}
	}
	middle := ask(s, "what is this?", func(r *Request) { r.At = at("lib/long.go", 200, "") }).Candidates[0]
	if k := s.Chunk(middle.Chunk); k.StartLine > 200 || k.EndLine < 200 {
		t.Errorf("first are lines %d to %d", k.StartLine, k.EndLine)
	}
	for _, nowhere := range []Place{{Path: "no/such.go", Known: true}, {Path: "empty.go", Known: true, First: 3, Last: 3}, {}} {
		if got := found(s, "what is this?", nowhere); len(got) > 0 {
			t.Errorf("%+v: %q", nowhere, got)
		}
	}
}

// Without an active document, an open prompt is about the visible ones.
func TestDocumentsInView(t *testing.T) {
	s := index(t, market())
	got := found(s, "explain this", Place{}, "no/such.go", "mail/send.go", "store/stock.go")
	if want := []string{"mail/send.go: a document in view", "store/stock.go: a document in view"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := found(s, "explain this", Place{Path: "no/such.go", Known: true}, "mail/send.go"); len(got) != 1 {
		t.Errorf("in a document that is not indexed: %q", got)
	}
}

// A prompt with an object of its own has that first, and what is at the cursor after it.
func TestPromptKeepsItsObject(t *testing.T) {
	files := market()
	s := index(t, files)
	at := Place{Path: "store/order.go", Known: true, First: 14, Last: 14}
	for prompt, first := range map[string]string{
		"what does sendMail do?":                   "mail/send.go",
		"explain mail/bounce.go":                   "mail/bounce.go",
		"how are mails retried that bounced?":      "mail/bounce.go",
		"error: nothing to place":                  "store/order.go",
		"where is it checked what stock there is?": "store/stock.go",
	} {
		got := found(s, prompt, at)
		if len(got) == 0 || !strings.HasPrefix(got[0], first+":") {
			t.Errorf("%q: first of %q, want %s", prompt, got, first)
		}
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, "store/order.go: ") }) {
			t.Errorf("%q: what is at the cursor is not in %q", prompt, got)
		}
	}
	// Of a name with many definitions, the one in the active document is meant.
	for _, path := range []string{"lib/part3.go", "lib/part9.go"} {
		if got := found(s, "what does `start` do?", Place{Path: path, Known: true}); len(got) == 0 || !strings.HasPrefix(got[0], path) {
			t.Errorf("in %s: %q", path, got)
		}
	}
}

// A prompt unrelated to the workspace does not find the surroundings of the cursor.
func TestPlaceWhereThePromptIsAboutSomethingElse(t *testing.T) {
	s := index(t, market())
	at := Place{Path: "store/order.go", Known: true, First: 14, Last: 14}
	if with, without := found(s, "what's 17 % of 2340?", at), found(s, "what's 17 % of 2340?", Place{}); !slices.Equal(with, without) {
		t.Errorf("%q, without a cursor %q", with, without)
	}
	for _, prompt := range []string{"what's the capital of France?", "how many litres are in a gallon of milk?", "plan a birthday party for my sister"} {
		if got := found(s, prompt, at); len(got) > 1 {
			t.Errorf("%q: %q", prompt, got)
		}
	}
}

// Text that may not be in an answer is not found through the cursor either.
func TestPlaceKeeps(t *testing.T) {
	s := index(t, market())
	for _, hidden := range []string{"store/order.go", "store/stock.go", "store/checkout.go"} {
		r := ask(s, "What does this function do?", func(r *Request) {
			r.At, r.Near = Place{Path: "store/order.go", Known: true, First: 14, Last: 14, Name: "checkStock"}, []string{"store/order.go", "store/stock.go"}
			r.Keep = func(path, _ string) bool { return path != hidden }
		})
		for _, c := range r.Candidates {
			if s.Chunk(c.Chunk).Path == hidden {
				t.Errorf("%s is a candidate: %q", hidden, c.Reasons)
			}
		}
	}
}

// No location causes an error, and the same location gives the same candidates.
func TestAnyPlace(t *testing.T) {
	files := market()
	s := index(t, files)
	var paths []string
	for path := range files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	prompts := append(slices.Clone(openPrompts), "sendMail", "how are mails sent", "17 4711", "store/order.go", "place place place")
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(0, 30).Draw(t, "first")
		at := Place{
			Path: rapid.SampledFrom(append(paths, "", "none")).Draw(t, "path"), Known: rapid.Bool().Draw(t, "known"), First: first,
			Last: first + rapid.IntRange(0, 30).Draw(t, "lines"), Selected: rapid.Bool().Draw(t, "selected"),
			Name: rapid.SampledFrom([]string{"", "place", "checkStock", "Ledger", "start", "x", "no"}).Draw(t, "name"), Qualifier: rapid.SampledFrom([]string{"", "l", "Ledger", "store"}).Draw(t, "qualifier"),
		}
		view := rapid.SliceOfN(rapid.SampledFrom(paths), 0, 6).Draw(t, "view")
		prompt := rapid.SampledFrom(prompts).Draw(t, "prompt")
		change := func(r *Request) { r.At, r.Near = at, view }
		r := ask(s, prompt, change)
		seen := map[int]bool{}
		for i, c := range r.Candidates {
			if seen[c.Chunk] || math.IsNaN(c.Score) || math.IsInf(c.Score, 0) || c.Score <= 0 || i > 0 && c.Score > r.Candidates[i-1].Score {
				t.Fatalf("candidate %d: %+v", i, c)
			}
			seen[c.Chunk] = true
		}
		if again := ask(s, prompt, change); !reflect.DeepEqual(again.Candidates, r.Candidates) {
			t.Fatal("other candidates the second time")
		}
	})
}

// Among tests, tests rank no lower than other code.
func TestPlaceInATest(t *testing.T) {
	files := market()
	files["store/kit_test.go"] = "package store\n\n// filled is an order for tests.\nfunc filled() *Order {\n\treturn &Order{}\n}\n"
	files["store/full_test.go"] = "package store\n\nimport \"testing\"\n\nfunc TestFilled(t *testing.T) {\n\tif filled() == nil {\n\t\tt.Fatal()\n\t}\n}\n"
	s := index(t, files)
	r := ask(s, "what does this do?", func(r *Request) { r.At = Place{Path: "store/kit_test.go", Known: true, First: 4, Last: 4} })
	score := map[string]float64{}
	for _, c := range r.Candidates {
		score[s.Chunk(c.Chunk).Path] = c.Score
	}
	if score["store/full_test.go"] < score["store/kit_test.go"]/2 {
		t.Errorf("%v", score)
	}
}

func TestCalls(t *testing.T) {
	for rest, want := range map[string]bool{
		"(1)": true, " (1)": true, "[int](1)": true, "::<u8>(1)": true, "!(1)": true, ")": false, "[3]": false, " < 3 { other(1) }": false,
	} {
		if callsWith(rest) != want {
			t.Errorf("%q: %v, want %v", rest, !want, want)
		}
	}
}
