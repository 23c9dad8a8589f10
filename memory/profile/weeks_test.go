package profile

import (
	"slices"
	"testing"
	"time"
)

func TestWeekOf(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-23T00:00:00Z": "2026-11-23", "2026-11-22T23:59:59Z": "2026-11-16", "2026-11-29T23:30:00Z": "2026-11-23",
		"2026-11-30T00:30:00+01:00": "2026-11-23", "1970-01-01T00:00:00Z": "1969-12-29", "1969-12-28T12:00:00Z": "1969-12-22",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := WeekOf(when); got.Format(time.DateOnly) != want || got.Weekday() != time.Monday {
			t.Errorf("the week of %s begins on %s, want %s", at, got, want)
		}
	}
}

// weeksOf returns the last n weeks of a topic.
func weeksOf(set Set, label string, n int) []int {
	topic := topicOf(set, label)
	if topic == nil || len(topic.Weeks) != Weeks {
		return nil
	}
	return topic.Weeks[Weeks-n:]
}

// TestWeeks checks that the weeks of a subject count its turns up to the week of the latest
// message, whatever the clock, and that a run that does not read all turns keeps earlier counts and
// counts nothing twice.
func TestWeeks(t *testing.T) {
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	old := spoken("old", monday, "the zorbex stumbles", "restart zorbex twice", "zorbex again", "is zorbex awake", "see the zorbex", "zorbex, once more", "poor zorbex", "the zorbex rests")
	other := spoken("other", monday, "look at the glimfeather", "glimfeather is green", "the glimfeather once more", "ask glimfeather")
	for _, now := range []time.Time{{}, monday.AddDate(1, 0, 0)} {
		set := findIn(t, Options{Now: now}, old, other)
		if got := weeksOf(set, "zorbex", 3); !slices.Equal(got, []int{0, 7, 1}) || !set.Latest.Equal(monday.AddDate(0, 0, 7)) {
			t.Errorf("zorbex has the weeks %v up to %s", got, set.Latest)
		}
		if got := weeksOf(set, "glimfeather", 2); !slices.Equal(got, []int{4, 0}) {
			t.Errorf("glimfeather has the weeks %v", got)
		}
	}

	before := findIn(t, Options{}, old, other)
	later := spoken("new", monday.AddDate(0, 0, 21), "the zorbex is back", "zorbex runs", "where is zorbex", "thank you zorbex")
	set := findIn(t, Options{Before: before, Partial: true}, later)
	if got := weeksOf(set, "zorbex", 5); !slices.Equal(got, []int{0, 7, 1, 0, 4}) {
		t.Errorf("after a run over new turns zorbex has the weeks %v", got)
	}
	if got := weeksOf(set, "glimfeather", 5); !slices.Equal(got, []int{0, 4, 0, 0, 0}) {
		t.Errorf("after a run over new turns glimfeather has the weeks %v", got)
	}
	again := findIn(t, Options{Before: set, Partial: true}, later)
	if got := weeksOf(again, "zorbex", 5); !slices.Equal(got, []int{0, 7, 1, 0, 4}) {
		t.Errorf("after a second run over them zorbex has the weeks %v", got)
	}

	merged := before.Steer(Steering{Act: Merge, ID: topicOf(before, "glimfeather").ID, Into: topicOf(before, "zorbex").ID})
	if got := weeksOf(merged, "zorbex", 2); !slices.Equal(got, []int{11, 1}) || !merged.Latest.Equal(before.Latest) {
		t.Errorf("merged they have the weeks %v", got)
	}
	if got := weeksOf(before, "zorbex", 2); !slices.Equal(got, []int{7, 1}) {
		t.Errorf("merging has changed the set before: %v", got)
	}

	topicOf(before, "zorbex").Weeks = nil // of a program that did not count them
	set = findIn(t, Options{Before: before, Partial: true}, later)
	if got := weeksOf(set, "zorbex", 1); !slices.Equal(got, []int{4}) {
		t.Errorf("after weeks that were not counted zorbex has %v", got)
	}
}
