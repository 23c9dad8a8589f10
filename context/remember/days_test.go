package remember_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/subject"
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

// subjects makes the subjects of the conversations.
func (d *days) subjects(t testing.TB) subject.Set {
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string][]subject.Use{}
	for c, id := range d.ids {
		for _, turn := range d.talks[id] {
			for _, m := range turn.Messages {
				for _, n := range subject.Names(m, counter.Familiarity) {
					key := subject.Fold(n.Name)
					uses[key] = append(uses[key], subject.Use{Name: n.Name, Conversation: uint32(c), Turn: turn.Number, At: m.At, Source: id + "/" + dialogue.TurnID(turn.Number)})
				}
			}
		}
	}
	return subject.Group(uses, nil)
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
func (d *days) judge(t *testing.T, s subject.Set, y tally) {
	called := func(list []subject.Subject, name string) *subject.Subject {
		for i := range list {
			if slices.Contains(list[i].Keys, subject.Fold(name)) {
				return &list[i]
			}
		}
		return nil
	}
	for _, e := range d.expect {
		switch e[0] {
		case "topic":
			re := regexp.MustCompile("(?i)" + e[1])
			if !y.point("topic", slices.ContainsFunc(s.Topics[:min(len(s.Topics), 12)], func(t subject.Subject) bool { return re.MatchString(t.Label) })) {
				t.Logf("%s: no topic %s", d.name, e[1])
			}
		case "none":
			if !y.point("none", called(s.Topics, e[1]) == nil && called(s.Entities, e[1]) == nil) {
				t.Logf("%s: %s is a topic or an entity", d.name, e[1])
			}
		case "entity":
			var found *subject.Subject
			for n := range strings.SplitSeq(e[1], " = ") {
				n = strings.TrimPrefix(strings.TrimSpace(n), "Frau ")
				found = cmp.Or(found, called(s.Entities, n), called(s.Topics, n))
			}
			if !y.point("entity", found != nil) {
				t.Logf("%s: nothing is called %s", d.name, e[1])
			} else if len(e) > 2 && !y.point("kind", found.Kind() == e[2]) {
				t.Logf("%s: %s is a %s", d.name, e[1], found.Kind())
			}
		}
	}
}

// TestDays checks that what people call by name in invented days of work in nine languages is
// found, that what its name shows to be of a kind is of it, and that no ordinary word is a subject.
// There are none of names in scripts without spaces, nor of those that people use once.
func TestDays(t *testing.T) {
	files, err := filepath.Glob("testdata/days/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	y := tally{}
	for _, file := range files {
		d := loadDays(t, file)
		s := d.subjects(t)
		d.judge(t, s, y)
	}
	for _, of := range []string{"topic", "entity", "kind", "none"} {
		if y[of][1] == 0 || y.share(of) < 1 {
			t.Errorf("%s: %d of %d", of, y[of][0], y[of][1])
		}
	}
}
