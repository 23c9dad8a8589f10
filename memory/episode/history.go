package episode

import (
	"cmp"
	"slices"
)

// Period is the summary of a month: its weightiest episodes with what was decided in them.
type Period struct {
	Month    string // YYYY-MM, of the episodes' ends
	Episodes int    // number of all episodes of the month
	Chapters []Chapter
}

// Chapter is an episode in a period.
type Chapter struct {
	Episode string // its id
	Title   Note
	Notes   []Note // decisions and what worked, in order
}

// Bounds of a period.
const mostChapters, mostOfChapter = 12, 3

// MonthOf returns the month that an episode belongs to.
func MonthOf(e *Episode) string { return e.End.UTC().Format("2006-01") }

// History returns the summary of each month, newest first.
func History(all []Episode) []Period {
	by := map[string][]*Episode{}
	for i := range all {
		by[MonthOf(&all[i])] = append(by[MonthOf(&all[i])], &all[i])
	}
	var out []Period
	for month, list := range by {
		slices.SortStableFunc(list, func(a, b *Episode) int {
			return cmp.Or(cmp.Compare(b.Weight, a.Weight), a.Begin.Compare(b.Begin), cmp.Compare(a.ID, b.ID))
		})
		p := Period{Month: month, Episodes: len(list)}
		list = list[:min(mostChapters, len(list))]
		slices.SortStableFunc(list, func(a, b *Episode) int { return cmp.Or(a.Begin.Compare(b.Begin), cmp.Compare(a.ID, b.ID)) })
		for _, e := range list {
			var notes []Note
			for _, n := range e.Notes {
				if n.Part == Decided || n.Part == Worked {
					notes = append(notes, n)
				}
			}
			p.Chapters = append(p.Chapters, Chapter{Episode: e.ID, Title: e.Title, Notes: weightiest(notes, mostOfChapter)})
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Period) int { return cmp.Compare(b.Month, a.Month) })
	return out
}
