package episode

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// sat returns a sitting of a day about some words, with decisions.
func sat(conversation string, day int, words string, decided ...string) Sitting {
	at := noon.Add(time.Duration(day) * 24 * time.Hour)
	note := func(part Part, text string) Note {
		return Note{Part: part, Text: text, Conversation: conversation, Turn: "T-1", Message: conversation + text, At: at, Score: .8}
	}
	s := Sitting{Span: Span{conversation, 1, 4}, Begin: at, End: at.Add(time.Hour), Title: note("", "about "+words)}
	for _, w := range strings.Fields(words) {
		s.Words = append(s.Words, Word{w, 1})
	}
	for _, text := range decided {
		s.Notes = append(s.Notes, note(Decided, text))
	}
	return s
}

func build(t *testing.T, o Options, sittings ...Sitting) []Episode {
	t.Helper()
	out, err := Build(sittings, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var year = []Sitting{
	sat("a", 0, "gateway retries upload", "retry four times"),
	sat("b", 1, "ledger rounding cents"),
	sat("c", 2, "gateway retries upload pause", "pauses double"),
	sat("d", 3, "ledger rounding cents tax"),
	sat("e", 60, "gateway retries upload", "retry six times"),
}

func TestSittingsAboutOneMatterAreAnEpisode(t *testing.T) {
	var got []string
	for _, e := range build(t, Options{}, year...) {
		var talks []string
		for _, s := range e.Spans {
			talks = append(talks, s.Conversation)
		}
		got = append(got, strings.Join(talks, "+"))
	}
	if want := []string{"a+c", "b+d", "e"}; !slices.Equal(got, want) { // e comes two months later
		t.Errorf("episodes are %v, want %v", got, want)
	}
}

// TestEpisodesStay checks that earlier episodes stay as they are, whatever is added later and in
// any order of sittings.
func TestEpisodesStay(t *testing.T) {
	all := build(t, Options{}, year...)
	for n := range year {
		some := build(t, Options{}, year[:n]...)
		for i, e := range some {
			whole := all[i]
			if e.ID != whole.ID || e.Begin != whole.Begin || len(e.Spans) > len(whole.Spans) || !slices.Equal(e.Spans, whole.Spans[:len(e.Spans)]) {
				t.Errorf("of %d sittings, episode %d is %+v, and %+v of all", n, i, e.Spans, whole.Spans)
			}
		}
	}
	turned := slices.Clone(year)
	slices.Reverse(turned)
	if again := build(t, Options{}, turned...); !reflect.DeepEqual(again, all) {
		t.Errorf("the order matters:\n%+v\n%+v", again, all)
	}
}

func TestReplacedWithinAMatter(t *testing.T) {
	in := ""
	replaced := func(text string) (string, bool) { return in, text == "retry four times" }
	for by, want := range map[string]bool{"e": true, "c": true, "b": false} {
		in = by
		e := build(t, Options{Replaced: replaced}, year...)[0]
		if got := e.Notes[0].Replaced; got != want {
			t.Errorf("replaced in %s: %v, want %v", by, got, want)
		}
		if e.Notes[1].Replaced {
			t.Error("a decision that nothing replaced is replaced")
		}
	}
}

func TestPauseEndsIt(t *testing.T) {
	stop := errors.New("stop")
	if _, err := Build(year, Options{Pause: func() error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("error is %v", err)
	}
}

func TestBounds(t *testing.T) {
	var many []Sitting
	for i := range 40 {
		var said []string
		for k := range 10 {
			said = append(said, fmt.Sprintf("decision %d of %d", k, i))
		}
		many = append(many, sat(fmt.Sprint("talk", i), i, "one matter", said...))
	}
	list := build(t, Options{}, many...)
	if len(list) != 4 {
		t.Errorf("40 sittings are %d episodes, want 4 of 12 at most", len(list))
	}
	for _, e := range list {
		if len(e.Spans) > mostSittings || len(e.Notes) > mostNotes || len(e.Words) > mostWords {
			t.Errorf("an episode has %d sittings, %d notes, %d words", len(e.Spans), len(e.Notes), len(e.Words))
		}
	}
}

func TestHistory(t *testing.T) {
	months := History(build(t, Options{}, year...))
	if len(months) != 2 || months[0].Month != "2026-05" || months[1].Month != "2026-03" || months[1].Episodes != 2 {
		t.Fatalf("months are %+v", months)
	}
	c := months[1].Chapters[0]
	if c.Title.Text != "about gateway retries upload pause" && c.Title.Text != "about gateway retries upload" || len(c.Notes) != 2 || c.Notes[0].Text != "retry four times" {
		t.Errorf("the first chapter is %+v", c)
	}
}

func terms(text string, yield func(string)) {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		yield(strings.Trim(w, "?.,"))
	}
}

func TestFind(t *testing.T) {
	x := NewIndex(build(t, Options{}, year...), terms)
	found := x.Find("how many retries has the gateway?", 5)
	if len(found) == 0 || found[0].Spans[0].Conversation != "e" && found[0].Spans[0].Conversation != "a" {
		t.Fatalf("found %+v", found)
	}
	for _, f := range found {
		if f.Fit < leastFit || f.Fit > 1 {
			t.Errorf("fit %v", f.Fit)
		}
	}
	if found := x.Find("kubernetes quota of the cluster", 5); len(found) != 0 {
		t.Errorf("what nobody spoke of finds %+v", found)
	}
	if found := NewIndex(nil, terms).Find("anything", 5); len(found) != 0 {
		t.Errorf("nothing finds %+v", found)
	}
}
