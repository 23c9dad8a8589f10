package arc

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// talk is a scripted conversation of testdata/talks.txt with the expected content of its arc.
type talk struct {
	name, lang string
	turns      []dialogue.Turn
	checks     []string
}

// readTalks parses the format described at the head of testdata/talks.txt.
func readTalks(t testing.TB, path string) (list []talk) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := regexp.MustCompile(`^[DRdQq][0-9|]* `)
	script := ""
	flush := func() {
		if len(list) > 0 {
			list[len(list)-1].turns = turnsOf(script)
		}
		script = ""
	}
	for _, line := range strings.Split(string(raw), "\n") {
		switch {
		case strings.HasPrefix(line, "# "), line == "":
		case strings.HasPrefix(line, "== "):
			flush()
			f := strings.Fields(line)
			list = append(list, talk{name: f[1], lang: f[2]})
		case check.MatchString(line):
			list[len(list)-1].checks = append(list[len(list)-1].checks, line)
		default:
			script += line + "\n"
		}
	}
	flush()
	return list
}

// turnsOf returns the turns of a script.
func turnsOf(script string) (turns []dialogue.Turn) {
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		role, text, ok := strings.Cut(line, ": ")
		r := map[string]dialogue.Role{"u": dialogue.User, "a": dialogue.Assistant}[role]
		if !ok || r == "" {
			m := turns[len(turns)-1].Messages
			m[len(m)-1].Content += "\n" + line
			continue
		}
		if r == dialogue.User || len(turns) == 0 {
			turns = append(turns, dialogue.Turn{Number: len(turns) + 1})
		}
		last := &turns[len(turns)-1]
		last.Messages = append(last.Messages, dialogue.Message{Role: r, Content: text})
	}
	return turns
}

// arcOf returns the arc of turns.
func arcOf(turns []dialogue.Turn, style Style, budget int) Arc {
	f := NewFolder()
	for _, t := range turns {
		n := Note(t)
		f.Add(&n)
	}
	return f.Arc(nil, style, budget, nil)
}

// holds reports whether an arc meets an expectation.
func holds(t testing.TB, a Arc, check string) bool {
	kind, pattern, _ := strings.Cut(check, " ")
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	switch kind[0] {
	case 'Q', 'q':
		for _, q := range a.Open {
			found = found || re.MatchString(q.Text)
		}
	case 'R':
		for _, d := range a.Decisions {
			for _, r := range d.Rejected {
				found = found || re.MatchString(r)
			}
		}
	default:
		for _, d := range a.Decisions {
			of := kind[1:] == ""
			for _, turn := range strings.Split(kind[1:], "|") {
				of = of || turn == strconv.Itoa(d.Turn)
			}
			found = found || of && re.MatchString(d.Text+"\n"+strings.Join(d.Rejected, "\n"))
		}
	}
	return found == strings.ContainsRune("DRQ", rune(kind[0]))
}

// TestTalks checks the percentage of expectations that are met. None has to be 100, because the
// underlying scores are not perfect; what is neither a decision nor an open question counts most.
func TestTalks(t *testing.T) {
	least := map[string]int{"D": 75, "R": 80, "d": 92, "Q": 75, "q": 92}
	met, of := map[string]int{}, map[string]int{}
	for _, talk := range readTalks(t, "testdata/talks.txt") {
		a := arcOf(talk.turns, Dense, 0)
		for _, c := range talk.checks {
			if kind := c[:1]; holds(t, a, c) {
				met[kind]++
			} else {
				t.Logf("%s: %s: %+v %+v", talk.name, c, a.Decisions, a.Open)
			}
			of[c[:1]]++
		}
	}
	for kind, want := range least {
		if got := 100 * met[kind] / max(of[kind], 1); got < want {
			t.Errorf("%s: %d of %d: %d %%, want %d", kind, met[kind], of[kind], got, want)
		} else {
			t.Logf("%s: %d of %d: %d %%", kind, met[kind], of[kind], got)
		}
	}
}

// TestOutright checks that the arc lists what the person calls decided and what the person calls
// open, in a sentence, a label or the heading of a list, and takes neither for the other.
func TestOutright(t *testing.T) {
	for _, talk := range readTalks(t, "testdata/outright.txt") {
		a := arcOf(talk.turns, Dense, 0)
		for _, c := range talk.checks {
			if !holds(t, a, c) {
				t.Errorf("%s: %s: %+v %+v", talk.name, c, a.Decisions, a.Open)
			}
		}
	}
}

// TestUndecided checks that a short sentence that says that nothing is decided reopens what was
// asked before, and that a denial of something else leaves a decision one.
func TestUndecided(t *testing.T) {
	const asked = "u: Redis or Memcached for the sessions?\na: Both work.\nu: "
	for _, s := range []string{"Ich habe mich noch nicht entschieden.", "aún no hemos decidido", "まだ決めていません。", "我们还没决定"} {
		if a := arcOf(turnsOf(asked+s+"\na: Done."), Dense, 0); len(a.Decisions) != 0 || len(a.Open) != 1 || a.Open[0].Turn != 1 {
			t.Errorf("%s: %+v %+v", s, a.Decisions, a.Open)
		}
	}
	for _, s := range []string{"We decided not to use pgx.", "Wir haben entschieden, kein Redis zu nehmen", "pgxは使わないことに決めました。"} {
		if a := arcOf(turnsOf(asked+s+"\na: Done."), Dense, 0); len(a.Decisions) != 1 || a.Decisions[0].Text != s || len(a.Open) != 0 {
			t.Errorf("%s: %+v %+v", s, a.Decisions, a.Open)
		}
	}
}
