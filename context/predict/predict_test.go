package predict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var noon = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

func situation() Situation {
	return Situation{
		Now:     noon,
		Active:  Talk{ID: "a", Asked: "why does it wait?", Answered: "Because of the lock. Shall I remove it?"},
		Visible: []Talk{{ID: "a", Asked: "x"}, {ID: "b", Asked: "how do uploads work?"}, {ID: "c"}},
		Replies: []string{"yes", "go on"},
		Topics: []Topic{
			{Name: "uploads", Weight: 1, Last: noon.Add(-time.Hour)},
			{Name: "billing", Weight: .5, Last: noon.Add(-47 * time.Hour), Usual: 2},
			{Name: "old", Weight: .9, Last: noon.Add(-49 * time.Hour)},
		},
		Entities: []Thing{
			{Name: "queue.go", Weight: 1, Last: noon.Add(-71 * time.Hour)},
			{Name: "uploads", Weight: .9, Last: noon},
			{Name: "gone.go", Weight: 1, Last: noon.Add(-73 * time.Hour)},
		},
	}
}

func describe(list []Prediction) string {
	var b strings.Builder
	for i := range list {
		p := &list[i]
		fmt.Fprintf(&b, "%s %s%s%s %.2f %v", p.Type(), p.Conversation, opt("/", p.Topic), opt("/", p.Entity), p.Probability, p.Parts())
		for _, u := range p.Bundles {
			fmt.Fprintf(&b, " %q", u.Prompt)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func opt(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

func TestPredict(t *testing.T) {
	got := describe(Predict(situation(), nil))
	want := `conversation a 0.85 [conversation topic] "Because of the lock. Shall I remove it?" "why does it wait?" "yes"
topic a/uploads 0.40 [topic] "uploads"
conversation b 0.30 [conversation] "how do uploads work?"
entity a/queue.go 0.25 [entity] "queue.go"
topic a/billing 0.22 [topic] "billing"
`
	if got != want {
		t.Errorf("predicted\n%s, want\n%s", got, want)
	}
	if got := Predict(Situation{Now: noon}, nil); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestPredictIsBounded checks that there are at most eight, the best first, however many signals.
func TestPredictIsBounded(t *testing.T) {
	s := situation()
	for i := range 50 {
		name := fmt.Sprint("n", i)
		s.Visible = append(s.Visible, Talk{ID: name, Asked: "x"})
		s.Topics = append(s.Topics, Topic{Name: "t" + name, Weight: float64(i) / 50, Last: noon, Usual: 3})
		s.Entities = append(s.Entities, Thing{Name: "e" + name, Weight: float64(i) / 50, Last: noon})
	}
	list := Predict(s, nil)
	if len(list) != Most || !slices.IsSortedFunc(list, func(a, b Prediction) int {
		return int(math.Copysign(1, b.Probability-a.Probability))
	}) && list[0].Signal != Active {
		t.Errorf("%d predictions:\n%s", len(list), describe(list))
	}
	for i := 1; i < len(list); i++ {
		if list[i].Probability > list[i-1].Probability {
			t.Errorf("not in order:\n%s", describe(list))
		}
	}
}

func TestResearch(t *testing.T) {
	visit := func(minute int, path string) Visit {
		return Visit{path, noon.Add(time.Duration(minute) * time.Minute)}
	}
	for _, c := range []struct {
		name   string
		visits []Visit
		want   bool
	}{
		{"nothing", nil, false},
		{"one file again and again", []Visit{visit(0, "a.go"), visit(1, "a.go"), visit(2, "a.go")}, false},
		{"three files once", []Visit{visit(0, "a.go"), visit(1, "b.go"), visit(2, "c.go")}, false},
		{"back and forth", []Visit{visit(0, "a.go"), visit(1, "b.go"), visit(2, "c.go"), visit(3, "a.go")}, true},
		{"a document between files", []Visit{visit(0, "a.go"), visit(1, "docs/Guide.MD"), visit(2, "c.go")}, true},
		{"too slow", []Visit{visit(0, "a.go"), visit(60, "guide.md"), visit(120, "c.go"), visit(180, "a.go")}, false},
	} {
		if got := researching(c.visits); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	s := situation()
	s.Visits = []Visit{visit(0, "a.go"), visit(1, "guide.md"), visit(2, "c.go")}
	for _, p := range Predict(s, nil) {
		if !p.Deep || !slices.Contains(p.Parts(), "deep_knowledge") {
			t.Errorf("%+v is not deepened", p)
		}
	}
}

// TestWeightsLearn checks that the weight of a signal that comes true rises, that of one that never
// does falls, and both stay within 0 … 1.
func TestWeightsLearn(t *testing.T) {
	w := &Weights{}
	before := Predict(situation(), w)
	for range 200 {
		list := Predict(situation(), w)
		w.Learn(list, func(p *Prediction) bool { return p.Entity != "" })
	}
	w = Decode(w.Encode())
	after := Predict(situation(), w)
	find := func(list []Prediction, s Signal) float64 {
		for _, p := range list {
			if p.Signal == s {
				return p.Probability
			}
		}
		t.Fatalf("no prediction of signal %d in\n%s", s, describe(list))
		return 0
	}
	if b, a := find(before, Entity), find(after, Entity); a <= b || a > 1 {
		t.Errorf("entities came true: %.2f → %.2f", b, a)
	}
	if b, a := find(before, Active), find(after, Active); a >= b/2 || a < 0 {
		t.Errorf("the conversation never went on: %.2f → %.2f", b, a)
	}
	if after[0].Signal != Entity {
		t.Errorf("what comes true is not first:\n%s", describe(after))
	}
}

func TestUsualHours(t *testing.T) {
	w := &Weights{}
	if w.Usual("mail", 9) != 0 {
		t.Error("something is known of a topic that was never asked about")
	}
	for range 20 {
		w.Asked("Mail", 9)
	}
	for h := range 24 {
		w.Asked("code", h)
	}
	w = Decode(w.Encode())
	if u := w.Usual("mail", 10); u < minUsual {
		t.Errorf("asked at nine, at ten it counts %.2f", u)
	}
	if u := w.Usual("mail", 20); u > .5 {
		t.Errorf("asked at nine, at twenty it counts %.2f", u)
	}
	if u := w.Usual("code", 9); u < .8 || u > 1.3 {
		t.Errorf("asked at any hour, it counts %.2f", u)
	}
	for i := range 2 * maxHours {
		w.Asked(fmt.Sprint(i), i%24)
	}
	if len(w.Hours) > maxHours || w.Usual("mail", 9) == 0 {
		t.Errorf("%d topics are known, and the one that was asked about most is lost", len(w.Hours))
	}
}

// FuzzDecode checks that any stored value decodes to usable weights.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"signals":[{"tries":3,"hits":9}],"hours":{"1":null}}`))
	f.Add([]byte(`{"signals":[{"tries":1e300,"hits":-1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := Decode(data)
		w.Asked("x", 3)
		for _, p := range Predict(situation(), w) {
			if !(p.Probability >= 0 && p.Probability <= 1) {
				t.Errorf("probability %v of %+v", p.Probability, p)
			}
		}
	})
}

// FuzzCut checks that the part cut from a message is valid text of bounded length.
func FuzzCut(f *testing.F) {
	f.Add(strings.Repeat("日本語 ", 400))
	f.Add(strings.Repeat("x", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		for _, got := range []string{clip(text), tail(text)} {
			if !utf8.ValidString(got) || len(got) > askedBytes || !strings.Contains(text, got) {
				t.Errorf("of %q is taken %q", text, got)
			}
		}
	})
}
