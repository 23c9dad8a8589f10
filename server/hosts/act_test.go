package hosts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts/answer"
)

// TestActText checks that what is told at an act keeps to its size, whatever its statements, and is
// recognized as an answer in a host's log.
func TestActText(t *testing.T) {
	long := strings.Repeat("größer als alles, ", 40)
	for _, c := range []struct {
		texts []string
		ids   string
	}{
		{nil, ""},
		{[]string{"One line."}, "a"},
		{[]string{"Two\nlines  with\tgaps.", "And more."}, "ab"},
		{[]string{long}, "a"},
		{[]string{long, "There is no room for it."}, "a"},
		{[]string{strings.Repeat("x", 90), long}, "ab"},
		{[]string{strings.Repeat("x", 150), long}, "a"}, // hardly anything would be left of it
	} {
		var list []command.ActStatement
		for i, text := range c.texts {
			list = append(list, command.ActStatement{ID: string(rune('a' + i)), Kind: "decision", Text: text, Date: "2026-10-31", TurnID: "T-7"})
		}
		for _, kind := range []Kind{Editing, Failed} {
			text, ids := ActText(kind, list, nil)
			if strings.Join(ids, "") != c.ids || len(text) > MaxAct || !utf8.ValidString(text) || (text == "") != (c.ids == "") {
				t.Errorf("%.40q: %q with %d bytes: %s", c.texts, ids, len(text), text)
			}
			if n := strings.Count(text, "\n"); c.ids != "" && n != 1+len(ids) {
				t.Errorf("%d lines for %d statements: %s", n, len(ids), text)
			}
			if left := answer.Without("before\n" + text); left != "before\n" {
				t.Errorf("a log keeps %q of %s", left, text)
			}
		}
	}
	rule := []command.ActStatement{{ID: "r", Kind: "rule", Text: "Never."}}
	if text, _ := ActText(Editing, rule, []string{"standing:1x"}); text != "" {
		t.Errorf("a rule is told to a conversation that was given all: %s", text)
	}
	if text, _ := ActText(Editing, rule, []string{"r"}); text != "" {
		t.Errorf("a rule is told twice: %s", text)
	}
	doubtful := []command.ActStatement{{ID: "d", Kind: "lesson", Text: "It failed — a.go", Doubtful: true}, {ID: "l", Kind: "lesson", Text: "It failed — make all"}}
	if text, ids := ActText(Failed, doubtful, nil); strings.Join(ids, "") != "l" || strings.Contains(text, "a.go") {
		t.Errorf("what is doubtful is told: %s", text)
	}
	const passed = `hub diff 88 --format "a  b"`
	for line, want := range map[string]string{
		passed: answer.Fixed + "\n- this passed instead: " + passed + " (lesson 2026-10-05 T-1)\n",
		"hub diff 88 " + strings.Repeat("x", MaxAct): "", // half a command would be another one
		"hub diff 88 \\\n --names":                   "",
	} {
		list := []command.ActStatement{{ID: "t", Kind: "lesson", Text: line + " passed", Passed: line, Date: "2026-10-05", TurnID: "T-1"}}
		text, ids := ActText(Failed, list, []string{"t"}) // the turn was given, without the command
		if text != want {
			t.Errorf("%q is told as %q, want %q", line, text, want)
		}
		if again, _ := ActText(Failed, list, ids); want != "" && again != "" {
			t.Errorf("%q is told again", line)
		}
	}
}

// TestTaskText checks that what a sub-agent is told keeps to its size, and is recognized as an
// answer in a host's log.
func TestTaskText(t *testing.T) {
	text := TaskText(Standing{Rules: []string{"Wrap errors."}, Focus: "Payments are retried.", Files: []string{"a.go", "b.go"}, Decisions: []string{"No."}})
	want := answer.Rules + "\n- Wrap errors.\n\n" + answer.Task + "\n- Payments are retried.\n\n" + answer.Working + "\n- a.go, b.go\n"
	if text != want {
		t.Errorf("%s", text)
	}
	if left := answer.Without("before\n" + text + "after\n"); left != "before\nafter\n" {
		t.Errorf("a log keeps %q", left)
	}
	if text := TaskText(Standing{Decisions: []string{"No."}}); text != "" {
		t.Errorf("of nothing: %s", text)
	}
	long := TaskText(Standing{Rules: []string{strings.Repeat("a ", 300), strings.Repeat("b ", 300)}, Focus: "Short."})
	if len(long) > MaxTask || strings.Contains(long, "b b") || !strings.Contains(long, "Short.") {
		t.Errorf("%d bytes: %s", len(long), long)
	}
}
