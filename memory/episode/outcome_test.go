package episode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// settledEpisode makes sittings of three turns, a day apart, from notes "part conversation/T-n
// text".
func settledEpisode(lines ...string) Episode {
	e := Episode{ID: "episode-1"}
	for i, line := range lines {
		f := strings.SplitN(line, " ", 3)
		conv, turn, _ := strings.Cut(f[1], "/")
		e.Notes = append(e.Notes, Note{Part: Part(f[0]), Conversation: conv, Turn: turn, Text: f[2], At: time.Unix(int64(i)*86400, 0)})
		s := Span{Conversation: conv, From: 1, To: 3}
		if !slices.Contains(e.Spans, s) {
			e.Spans = append(e.Spans, s)
		}
	}
	return e
}

// outcomeLines formats the links of turns, one a line.
func outcomeLines(x *Index, source string) string {
	var out []string
	for _, o := range x.Outcomes(source) {
		line := o.Cause.Source() + " → " + o.Effect.Source()
		if o.Loose {
			line += " loose"
		}
		if o.Weight <= 0 || o.Weight > 1 {
			line += fmt.Sprint(" weighs ", o.Weight)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestOutcomes(t *testing.T) {
	tests := []struct {
		name   string
		notes  []string
		source string
		want   string
	}{
		{"what shares the subject", []string{
			"decided a/T-1 we keep the manifests in Parquet", "wrong a/T-2 the manifests in Parquet are too large", "worked a/T-3 the manifests in Parquet are small after packing",
		}, "a/T-1", "a/T-1 → a/T-2\na/T-1 → a/T-3"},
		{"what helped also follows from what went wrong", []string{
			"decided a/T-1 we keep the manifests in Parquet", "wrong a/T-2 the harbour crane jams", "worked a/T-3 the harbour crane turns again",
		}, "a/T-2", "a/T-2 → a/T-3"},
		{"another matter of the same sitting", []string{"decided a/T-1 we keep the manifests in Parquet", "wrong a/T-2 my tea is cold"}, "a/T-1", ""},
		{"a later sitting", []string{"decided a/T-1 we keep the manifests in Parquet", "wrong b/T-2 my tea is cold"}, "b/T-2", "a/T-1 → b/T-2 loose"},
		{"what was merely said in a later sitting", []string{"decided a/T-1 we keep the manifests in Parquet", "stated b/T-2 my tea is cold"}, "a/T-1", ""},
		{"a question", []string{"decided a/T-1 we keep the manifests in Parquet", "open b/T-2 do we keep the manifests in Parquet"}, "a/T-1", ""},
		{"nothing came before", []string{"wrong a/T-1 the manifests in Parquet are too large", "decided a/T-2 no more manifests in Parquet"}, "a/T-2", "a/T-1 → a/T-2"},
		{"the nearest of two", []string{"decided a/T-1 Listen in Parquet", "decided b/T-1 Listen in Parquet", "wrong c/T-1 der Kran klemmt"}, "c/T-1", "b/T-1 → c/T-1 loose"},
		{"the same turn", []string{"decided a/T-1 we keep the manifests in Parquet", "wrong a/T-1 the manifests in Parquet are too large"}, "a/T-1", ""},
		{"an unknown turn", []string{"decided a/T-1 we keep the manifests in Parquet"}, "z/T-1", ""},
	}
	for _, test := range tests {
		x := NewIndex([]Episode{settledEpisode(test.notes...)}, func(string, func(string)) {})
		if got := outcomeLines(x, test.source); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestOutcomesOfNothing checks that there are none without episodes, and that an episode with
// invalid turns is harmless.
func TestOutcomesOfNothing(t *testing.T) {
	none := func(string, func(string)) {}
	if got := NewIndex(nil, none).Outcomes("a/T-1"); got != nil {
		t.Errorf("%+v", got)
	}
	odd := settledEpisode("decided a/T-x one", "wrong b/ two", "worked /T-0 three")
	NewIndex([]Episode{odd, {}}, none).Outcomes("b/")
}

// BenchmarkOutcomes measures the outcomes that one question needs of a year's episodes.
func BenchmarkOutcomes(b *testing.B) {
	var all []Episode
	for i := range 2000 {
		var lines []string
		for n := range mostNotes {
			lines = append(lines, fmt.Sprintf("%s c%d/T-%d the manifests of barge %d go to berth %d before the harbour office opens", []Part{Decided, Wrong, Worked}[n%3], i, n+1, i, n))
		}
		all = append(all, settledEpisode(lines...))
	}
	x := NewIndex(all, func(string, func(string)) {})
	x.Outcomes("c1/T-1")
	for b.Loop() {
		for i := range 12 {
			x.Outcomes(fmt.Sprintf("c%d/T-%d", 150*i, i+1))
		}
	}
}
