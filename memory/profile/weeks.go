package profile

import (
	"slices"
	"time"
)

// Weeks is the number of weeks in a subject's history.
const Weeks = 12

const week = 7 * 24 * time.Hour

// WeekOf returns the beginning of a time's week: a Monday in UTC.
func WeekOf(t time.Time) time.Time {
	return time.Unix(0, 0).UTC().Add(time.Duration(weekNumber(t))*week - toMonday)
}

// toMonday is the time from the Monday of the week of 1 January 1970, a Thursday, to that day.
const toMonday = 3 * 24 * time.Hour

// weekNumber returns the number of weeks since that of 1 January 1970.
func weekNumber(t time.Time) int64 {
	const seconds = int64(week / time.Second)
	at := t.Unix() + int64(toMonday/time.Second)
	n := at / seconds
	if at%seconds < 0 {
		n--
	}
	return n
}

// weeksOf counts turns by week up to the present one. What is dated later counts in the present
// week.
func (f *finder) weeksOf(turns []int) []int {
	out := make([]int, Weeks)
	last := weekNumber(f.now)
	for _, i := range turns {
		if age := max(0, last-weekNumber(f.turns[i].At)); age < Weeks {
			out[Weeks-1-age]++
		}
	}
	return out
}

// asOf returns a set whose weeks end at another time.
func (s Set) asOf(now time.Time) Set {
	if s.Latest.IsZero() || now.IsZero() {
		return s
	}
	by := weekNumber(now) - weekNumber(s.Latest)
	if by == 0 {
		return s
	}
	s.Topics, s.Entities, s.Latest = slices.Clone(s.Topics), slices.Clone(s.Entities), now
	for i := range s.Topics {
		s.Topics[i].Weeks = shifted(s.Topics[i].Weeks, by)
	}
	for i := range s.Entities {
		s.Entities[i].Weeks = shifted(s.Entities[i].Weeks, by)
	}
	return s
}

// shifted returns weeks shifted by the given number of weeks.
func shifted(weeks []int, by int64) []int {
	if weeks == nil {
		return nil
	}
	out := make([]int, Weeks)
	for i, n := range weeks {
		if at := int64(i) - by; at >= 0 && at < Weeks {
			out[at] = n
		}
	}
	return out
}

// laterWeeks merges the counts of a run over the turns that it read with those of the previous run,
// over these and other turns. The overlap is unknown, so the larger count is taken, which never
// counts a turn twice.
func laterWeeks(now, before []int) []int {
	if now == nil || before == nil {
		return now
	}
	out := slices.Clone(now)
	for i := range out {
		out[i] = max(out[i], before[i])
	}
	return out
}

// sumOfWeeks adds the weeks of two subjects that are one. A turn that mentions both counts twice.
func sumOfWeeks(a, b []int) []int {
	if a == nil || b == nil {
		return slices.Clone(append(a, b...))
	}
	out := slices.Clone(a)
	for i := range out {
		out[i] += b[i]
	}
	return out
}
