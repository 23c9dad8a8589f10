package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

func TestQuoted(t *testing.T) {
	const code = "func Retry(n int) error {\n\tfor i := range n {\n\t\tif err := once(i); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn errExhausted\n}\n"
	tests := []struct {
		name, said string
		want       bool
	}{
		{"nothing was said", "", false},
		{"as it is", "Look:\n```go\n" + code + "```\n", true},
		{"with line numbers", "  12\tfunc Retry(n int) error {\n  13\t\tfor i := range n {\n  14\t\t\tif err := once(i); err == nil {\n  15\t\t\t\treturn nil\n  16: }\n17 | }\n18→\treturn errExhausted\n19 }", true},
		{"in a diff", "+func Retry(n int) error {\n+\tfor i := range n {\n+\t\tif err := once(i); err == nil {\n+\t\t\treturn nil\n+\t\t}\n+\t}\n+\treturn errExhausted\n+}", true},
		{"a line of it", "why does it `return errExhausted`?\nreturn errExhausted", false},
		{"an older version", "func Retry(n int) error {\n\tfor i := 0; i < n; i++ {\n\t\tif once(i) == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn errExhausted\n}\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := newQuoted()
			q.add(tt.said)
			if got := q.covers(code); got != tt.want {
				t.Errorf("covers = %v, want %v", got, tt.want)
			}
		})
	}
	q := newQuoted()
	q.add("}\n)\n")
	if q.covers("}\n)\n") {
		t.Error("braces alone are not recognised by")
	}
}

// TestNearDuplicatesAreCovered checks that a piece cut at other borders is a duplicate, and that
// one changed in its middle is not.
func TestNearDuplicatesAreCovered(t *testing.T) {
	var code []string
	for i := range 14 {
		code = append(code, fmt.Sprintf("\tsetting%d := load(%d)", i, i))
	}
	said := func(lines []string) shownLines {
		q := newQuoted()
		q.add(strings.Join(lines, "\n"))
		return q
	}
	whole := strings.Join(code, "\n")
	if !said(code[1 : len(code)-1]).covers(whole) {
		t.Error("a quotation without the first and the last line does not cover the piece")
	}
	if said(code[3 : len(code)-1]).covers(whole) {
		t.Error("a quotation of 10 of 14 lines covers the piece")
	}
	older := slices.Clone(code)
	older[6] = "\tsetting6 := guess(6)"
	if said(older).covers(whole) {
		t.Error("a quotation of an older version covers the piece")
	}
}

// TestQuotedRuns checks which lines of a piece the conversation shows, and which share of it is
// left.
func TestQuotedRuns(t *testing.T) {
	const code = "func a() {\n\tx := 1\n}\n\n// redirect sends the client elsewhere.\nfunc redirect(w writer, to string) {\n\tw.status(303)\n\n\tw.header(\"Location\", to)\n}\n\nfunc b() {}"
	for _, tt := range []struct {
		name, said string
		want       []elidedRun
		left       [2]float64
	}{
		{"nothing", "what is redirect?", nil, [2]float64{1, 1}},
		{"a function", "```go\nfunc redirect(w writer, to string) {\n  w.status(303);\n  w.header(\"Location\", to);\n}\n```", []elidedRun{{5, 9}}, [2]float64{.4, .6}},
		{"lines in another order", "w.header(\"Location\", to)\nfunc redirect(w writer, to string) {\nw.status(303)", nil, [2]float64{1, 1}},
		{"too little", "x := 1\n}", nil, [2]float64{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := newQuoted()
			q.add(tt.said)
			runs, left := q.runs(code)
			if !slices.Equal(runs, tt.want) {
				t.Errorf("runs %v, want %v", runs, tt.want)
			}
			if left < tt.left[0] || left > tt.left[1] {
				t.Errorf("left = %v, want %v", left, tt.left)
			}
		})
	}
}

// TestHistoryIsNotRepeated checks that the part of a piece that the history shows is not sent
// again, however old it is.
func TestHistoryIsNotRepeated(t *testing.T) {
	w := newWorkspace(t, shop())
	s := w.index()
	text := shop()["shop/order.go"]
	from := strings.Index(text, "func cancelOrder")
	quotation := text[from : from+strings.Index(text[from:], "\n}\n")]
	past := &memories{talk: Conversation{Messages: 2, Turns: 1, Tokens: 600}, history: func(int) []item.Item {
		return []item.Item{{ID: "turns", Kind: "turn", Tag: "T-1-R", Body: "user: this one?\n```go\n" + quotation + "\n}\n```", Score: 1}}
	}}
	src := sources(s)
	req := request("what does cancelOrder do when the order is locked?", 8000)
	req.Fill = retrieve.Full
	if b := made(t, req, src); strings.Count(b.Text, "\nfunc cancelOrder") != 1 {
		t.Fatal("the piece does not come without the conversation")
	}
	src.Past = past
	b := made(t, req, src)
	check(t, req, b)
	if n := strings.Count(b.Text, "\nfunc cancelOrder"); n != 1 {
		t.Errorf("the function is shown %d times:\n%s", n, b.Text)
	}
	duplicate := slices.ContainsFunc(b.Dropped, func(d item.Omission) bool { return d.Reason == "duplicate" })
	shortened := slices.ContainsFunc(b.Items, func(it item.Item) bool { return it.Format == "lines" && it.Path == "shop/order.go" })
	if !duplicate && !shortened {
		t.Error("neither dropped nor shortened")
	}
}
