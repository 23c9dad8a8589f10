package profile

import (
	"slices"
	"time"
)

// Weeks is how many weeks a subject's history has.
const Weeks = 12

const week = 7 * 24 * time.Hour

// WeekOf returns the beginning of the week that a time is in: a Monday in UTC.
func WeekOf(t time.Time) time.Time {
	return time.Unix(0, 0).UTC().Add(time.Duration(weekNumber(t))*week - toMonday)
}

// toMonday is from the Monday of the week of 1970's first day, a Thursday, to that day.
const toMonday = 3 * 24 * time.Hour

// weekNumber counts weeks from the one of 1970's first day.
func weekNumber(t time.Time) int64 {
	const seconds = int64(week / time.Second)
	at := t.Unix() + int64(toMonday/time.Second)
	n := at / seconds
	if at%seconds < 0 {
		n--
	}
	return n
}

// weeksOf counts turns by their weeks up to the present one. What is dated later than that counts
// as of it.
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

// asOf returns a set whose weeks are counted up to another time.
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

// shifted returns weeks as they are so many weeks later.
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

// laterWeeks joins what a run counted in the turns that it read with what the run before counted in
// those and in others, which of both is not known: the greater one is no turn too many.
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

// sumOfWeeks joins the weeks of two subjects that are one. A turn that speaks of both counts twice.
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
