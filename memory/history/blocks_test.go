package history

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// texts returns each turn's tag in lower case as its text.
type texts struct{ broken int }

var errGone = errors.New("gone")

func (t texts) Text(turn int, l dialogue.Level) (string, error) {
	if turn == t.broken {
		return "", errGone
	}
	return strings.ToLower(dialogue.Tag(turn, l)), nil
}

func TestBlocks(t *testing.T) {
	l := Layout{Bands: []Band{
		{dialogue.Tiny, 3, 5}, {dialogue.Compressed, 6, 6}, {dialogue.Smoothed, 7, 8}, {dialogue.Raw, 9, 9},
	}}
	got, err := Blocks(l, texts{})
	want := []Block{
		{"T-3-through-5-T", dialogue.Tiny, 3, 5, "Turn 3: t-3-t\nTurn 4: t-4-t\nTurn 5: t-5-t"},
		{"T-6-C", dialogue.Compressed, 6, 6, "t-6-c"},
		{"T-7-S", dialogue.Smoothed, 7, 7, "t-7-s"},
		{"T-8-S", dialogue.Smoothed, 8, 8, "t-8-s"},
		{"T-9-R", dialogue.Raw, 9, 9, "t-9-r"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v, want\n%+v", err, got, want)
	}
	if _, err := Blocks(l, texts{broken: 4}); !errors.Is(err, errGone) || !strings.Contains(err.Error(), "T-4-T") {
		t.Errorf("%v does not say which turn", err)
	}
}

func TestSteady(t *testing.T) {
	for budget, want := range map[int]int{
		-1: 0, 0: 0, 1: 1, 31: 31, 33: 32, 4000: 3968, 4095: 3968, 4096: 4096, 100000: 98304,
	} {
		if got := Steady(budget); got != want {
			t.Errorf("Steady(%d) = %d, want %d", budget, got, want)
		}
	}
	for budget := 16; budget < 1<<20; budget += 97 {
		if got := Steady(budget); got > budget || (budget-got)*16 > budget {
			t.Fatalf("Steady(%d) = %d costs too much", budget, got)
		}
	}
}

func words(s string) int { return len(strings.Fields(s)) }

func TestOneShot(t *testing.T) {
	spec := "Write a parser for dates."
	tasks := []TaskLine{{"t1", "read the format", "done"}, {"t2", "", "blocked"}, {"t3", "tests", ""}}
	log := []string{"T-1 asked for a parser", "T-2 wrote it", "T-3 fixed leap years"}
	all := "Specification:\nWrite a parser for dates.\n\nTasks:\n- t1 [done]: read the format\n- t2 [blocked]\n- t3: tests\n\n" +
		"Log:\nT-1 asked for a parser\nT-2 wrote it\nT-3 fixed leap years\n"
	for _, c := range []struct {
		budget int
		want   string
	}{
		{words(all), all},
		{words(all) - 1, strings.Replace(all, "T-1 asked for a parser\n", "", 1)},
		{16, all[:strings.Index(all, "- t3")]},
		{6, "Specification:\nWrite a parser for dates.\n"},
		{5, "Specification:\nWrite a [… shortened]\n"},
		{2, ""},
		{0, ""},
	} {
		got, logged := OneShot(spec, tasks, log, c.budget, words)
		if got != c.want || logged != strings.Count(got, "\nT-") {
			t.Errorf("budget %d, %d logged:\n%s\nwant\n%s", c.budget, logged, got, c.want)
		}
	}
	if got, _ := OneShot(" ", nil, log[:1], 50, words); got != "Log:\nT-1 asked for a parser\n" {
		t.Errorf("without specification and tasks: %q", got)
	}
	runes := func(s string) int { return len([]rune(s)) }
	if got, _ := OneShot(strings.Repeat("字", 500), nil, nil, 120, runes); runes(got) != 120 {
		t.Errorf("a text without spaces is cut to %d runes, not 120: %q", runes(got), got)
	}
}
