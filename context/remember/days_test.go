package remember_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/dialogue"
	. "github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// days is a file of testdata: conversations, and what a colleague who took part would say about
// them.
type days struct {
	name   string
	talks  map[string][]dialogue.Turn
	ids    []string
	expect [][]string
}

func loadDays(t testing.TB, file string) *days {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := &days{name: filepath.Base(file), talks: map[string][]dialogue.Turn{}}
	id, at := "", time.Time{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		rest := strings.TrimSpace(line[min(2, len(line)):])
		switch {
		case strings.HasPrefix(line, "=="):
			date, name, _ := strings.Cut(rest, " ")
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				t.Fatal(err)
			}
			id, at = name, day.Add(9*time.Hour)
			d.ids = append(d.ids, id)
		case strings.HasPrefix(line, "> "):
			n := len(d.talks[id]) + 1
			d.talks[id] = append(d.talks[id], dialogue.Turn{Number: n, Messages: []dialogue.Message{
				{Role: dialogue.User, Content: rest, At: at.Add(time.Duration(n) * time.Minute), ID: fmt.Sprintf("%s-u%d", id, n)}}})
		case strings.HasPrefix(line, "< "):
			turn := &d.talks[id][len(d.talks[id])-1]
			turn.Messages = append(turn.Messages, dialogue.Message{Role: dialogue.Assistant, Content: rest, At: turn.Messages[0].At.Add(20 * time.Second),
				ID: fmt.Sprintf("%s-a%d", id, turn.Number)})
		case strings.HasPrefix(line, "%%"):
			kind, what, _ := strings.Cut(rest, " ")
			fields := []string{kind}
			if kind == "entity" {
				for f := range strings.SplitSeq(what, " |") {
					fields = append(fields, strings.TrimSpace(f))
				}
			} else {
				fields = append(fields, what)
			}
			d.expect = append(d.expect, fields)
		}
	}
	return d
}

// read appends the conversations to a reader, and returns what their arcs say.
func (d *days) read(t testing.TB) (*Reader, Options) {
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	r, o := &Reader{}, Options{Familiar: counter.Familiarity}
	for _, id := range d.ids {
		folder := arc.NewFolder()
		for _, said := range d.talks[id] {
			t := said
			turn := Turn{Source: id + "/" + dialogue.TurnID(t.Number), Conversation: id, Number: t.Number, At: t.Messages[0].At}
			before := ""
			for _, m := range t.Messages {
				role := utterance.Person
				if m.Role == dialogue.Assistant {
					role = utterance.Assistant
				}
				for _, s := range utterance.Read(m.Content, role, before) {
					turn.Sentences = append(turn.Sentences, Sentence{Text: m.Content[s.Start:s.End], Message: m.ID, At: m.At, Person: role == utterance.Person, Scores: s.Scores})
					if role == utterance.Person && s.Scores[utterance.Directive] >= .4 {
						o.Rules = append(o.Rules, Statement{Text: m.Content[s.Start:s.End], Conversation: id, Turn: dialogue.TurnID(t.Number), Message: m.ID, At: m.At})
					}
				}
				before = m.Content
			}
			r.Add(turn)
			notes := arc.Note(t)
			folder.Add(&notes)
		}
		a := folder.Arc(nil, arc.Rich, 0, nil)
		for _, dec := range a.Decisions {
			o.Decided = append(o.Decided, Statement{Text: dec.Text, Conversation: id, Turn: dialogue.TurnID(dec.Turn), At: d.talks[id][dec.Turn-1].Messages[0].At})
		}
		for _, q := range a.Open {
			o.Open = append(o.Open, Statement{Text: q.Text, Conversation: id, Turn: dialogue.TurnID(q.Turn), At: d.talks[id][q.Turn-1].Messages[0].At})
		}
	}
	return r, o
}

// tally counts points by category.
type tally map[string][2]int

func (y tally) point(of string, ok bool) bool {
	n := y[of]
	n[1]++
	if ok {
		n[0]++
	}
	y[of] = n
	return ok
}

func (y tally) share(of string) float64 { return float64(y[of][0]) / float64(max(1, y[of][1])) }

// judge compares a set with the expected one.
func (d *days) judge(t *testing.T, s Set, y tally) {
	for _, e := range d.expect {
		switch e[0] {
		case "topic":
			re := regexp.MustCompile("(?i)" + e[1])
			if !y.point("topic", slices.ContainsFunc(s.Topics[:min(len(s.Topics), 12)], func(t Topic) bool { return re.MatchString(t.Label) })) {
				t.Logf("%s: no topic %s", d.name, e[1])
			}
		case "none":
			bad := slices.ContainsFunc(s.Topics, func(t Topic) bool { return strings.EqualFold(t.Label, e[1]) }) ||
				slices.ContainsFunc(s.Entities, func(n Entity) bool { return strings.EqualFold(n.Label, e[1]) })
			if !y.point("none", !bad) {
				t.Logf("%s: %s is a topic or an entity", d.name, e[1])
			}
		case "entity":
			d.judgeEntity(t, s, e[1:], y)
		}
	}
}

func (d *days) judgeEntity(t *testing.T, s Set, e []string, y tally) {
	var names []string
	for n := range strings.SplitSeq(e[0], " = ") {
		names = append(names, strings.TrimSpace(n))
	}
	find := func(name string) *Entity {
		for i := range s.Entities {
			for _, n := range append([]string{s.Entities[i].Label}, s.Entities[i].Names...) {
				if strings.EqualFold(strings.Trim(n, "@"), strings.Trim(name, "@")) || strings.EqualFold("frau "+n, name) || strings.EqualFold(n+"さん", name) {
					return &s.Entities[i]
				}
			}
		}
		return nil
	}
	x := find(names[0])
	if !y.point("entity", x != nil) {
		t.Logf("%s: no entity %s", d.name, names[0])
		return
	}
	if !y.point("kind", string(x.Kind) == e[1]) {
		t.Logf("%s: %s is a %s, not a %s", d.name, names[0], x.Kind, e[1])
	}
	for _, n := range names[1:] {
		if o := find(n); !y.point("merged", o == nil || o == x) || o == nil && y.point("merged", false) {
			t.Logf("%s: %s is not %s", d.name, n, names[0])
		}
	}
	for i, part := range []Part{What, Decision, Rule, Question} {
		if len(e) <= i+2 || e[i+2] == "" {
			continue
		}
		re := regexp.MustCompile(e[i+2])
		if !y.point(string(part), slices.ContainsFunc(x.Statements, func(st Statement) bool { return re.MatchString(st.Text) && (part != What || st.Part == What) })) {
			t.Logf("%s: %s of %s: no %s in %v", d.name, part, names[0], e[i+2], texts(x.Statements))
		}
	}
	if len(e) > 6 && e[6] != "" {
		re := regexp.MustCompile(e[6])
		if !y.point("related", re.MatchString(strings.Join(append(slices.Clone(x.Related), texts(x.Statements)...), "\n"))) {
			t.Logf("%s: %s is not related to %s: %v", d.name, names[0], e[6], x.Related)
		}
	}
}

func texts(list []Statement) (out []string) {
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s: %s", s.Part, s.Text))
	}
	return out
}

// TestDays checks that topics, entities and profiles of invented days of work in nine languages are
// those that a colleague would name.
func TestDays(t *testing.T) {
	files, err := filepath.Glob("testdata/days/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	y := tally{}
	for _, file := range files {
		d := loadDays(t, file)
		r, o := d.read(t)
		s, err := r.Find(o)
		if err != nil {
			t.Fatal(err)
		}
		d.judge(t, s, y)
	}
	for of, least := range map[string]float64{
		"topic": .7, "entity": .95, "kind": .95, "merged": 1, "none": 1, "what": .85, "decision": .7, "rule": .6, "related": .95,
	} {
		if t.Logf("%-9s %d of %d, %.2f", of, y[of][0], y[of][1], y.share(of)); y.share(of) < least {
			t.Errorf("%s: %.2f, want %.2f", of, y.share(of), least)
		}
	}
}
