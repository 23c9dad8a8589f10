package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// statement is the sentence of a line that has the most words of the query.
type statement struct {
	line    *loadedLine
	text    string
	words   int // of the query
	profile utterance.Profile
}

// find sets the sentence; a question is none.
func (s *statement) find(wanted func(text string) int) {
	for _, text := range sentences(s.line.Text) {
		if n := wanted(text); n > s.words && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "？") {
			s.words, s.text = n, text
		}
	}
	s.profile = utterance.NewProfile(s.text)
}

// updates reports whether a statement is about the same thing as an earlier one and answers the
// query as well. Statements with different names in one position may be about two things, unless
// the later one says that something has changed.
func (s statement) updates(earlier statement) bool {
	if float64(s.words) < asWell*float64(earlier.words) || utterance.SameSubject(earlier.profile, s.profile, 0) < sameSubject {
		return false
	}
	return !utterance.Renamed(earlier.text, s.text) || utterance.Score(s.text, utterance.Person, "")[utterance.Change] >= changes
}

// newestFirst exchanges the scores of two statements about the same thing that answer the query
// equally well, so that the later one comes first. The order in time alone changes nothing:
// messages that only share the query's words keep their scores.
func newestFirst(lines []loadedLine, wanted func(text string) int) {
	best := 0.0
	for i := range lines {
		best = max(best, lines[i].Score)
	}
	var list []statement
	for i := range lines {
		if l := &lines[i]; l.Score >= comparedScore*best && !l.at.IsZero() {
			list = append(list, statement{line: l})
		}
	}
	slices.SortStableFunc(list, func(a, b statement) int { return cmp.Compare(b.line.Score, a.line.Score) })
	list = list[:min(maxCompared, len(list))]
	if len(list) < 2 {
		return
	}
	for i := range list {
		list[i].find(wanted)
	}
	list = slices.DeleteFunc(list, func(s statement) bool { return s.words == 0 })
	slices.SortStableFunc(list, func(a, b statement) int { return a.line.at.Compare(b.line.at) })
	for i, earlier := range list {
		for _, later := range list[i+1:] {
			if a, b := earlier.line, later.line; a.Score >= b.Score && a.at.Before(b.at) && later.updates(earlier) {
				a.Score, b.Score = b.Score, a.Score
			}
		}
	}
}
