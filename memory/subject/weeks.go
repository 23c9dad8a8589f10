package subject

import "time"

// Weeks is the number of weeks in a subject's history.
const Weeks = 12

const week = 7 * 24 * time.Hour

// toMonday is the time from the Monday of the week of 1 January 1970, a Thursday, to that day.
const toMonday = 3 * 24 * time.Hour

// WeekOf returns the beginning of a time's week: a Monday in UTC.
func WeekOf(t time.Time) time.Time {
	return time.Unix(0, 0).UTC().Add(time.Duration(weekNumber(t))*week - toMonday)
}

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
