package knowledge

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// problemWords is how many words describe a failure at least.
const problemWords = 3

// problemOf returns the line of a lesson that describes the failure best: the first that reports a
// failure with a reason, else the first reported one; "" when neither has enough content.
func problemOf(l *Item) string {
	lines := strings.Split(l.Content, "\n")
	for _, line := range lines {
		if saysWhy(line) && utterance.CountWords(line) >= problemWords {
			return line
		}
	}
	if !l.Learned || len(utterance.Sentences(lines[0])) > 0 && utterance.CountWords(lines[0]) >= problemWords {
		return lines[0]
	}
	return ""
}

// signOf returns a problem without what differs at each occurrence: numbers, addresses, and the
// folders of files.
func signOf(problem string) string {
	var out []string
	for word := range strings.FieldsSeq(strings.ToLower(problem)) {
		if i := strings.LastIndexByte(word, '/'); i >= 0 {
			word = word[i+1:]
		}
		word = strings.TrimRight(strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, word), ":.,;")
		if word != "" {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// failures holds the signs of the failures that a text reports.
type failures map[string]bool

// mostFailures bounds the failures that are read of a pasted log.
const mostFailures = 200

// failuresIn returns the failures that lines of a text report with a reason.
func failuresIn(text string) failures {
	var out failures
	for line := range strings.Lines(text) {
		if len(line) > longestLine || !saysWhy(line) || utterance.CountWords(line) < problemWords {
			continue
		}
		if out == nil {
			out = failures{}
		}
		if out[signOf(line)] = true; len(out) == mostFailures {
			break
		}
	}
	return out
}

// recur reports whether the failure that a lesson is about is one of them.
func (f failures) recur(l *Item) bool {
	return len(f) > 0 && l.Kind == Lesson && slices.ContainsFunc(strings.Split(l.Content, "\n"), func(line string) bool {
		return f[signOf(line)]
	})
}

// lessonTitle names a lesson that was learned by its failure and by what was done about it.
func lessonTitle(l *Item) string {
	title := titleOf(problemOf(l))
	if title == "" {
		title = titleOf(l.Content)
	}
	if len(l.Worked) > 0 {
		title += " — " + titleOf(l.Worked[0])
	}
	return title
}

// Recurring returns the lessons about the failures that a text reports with a reason, whatever
// their numbers and folders, in the order of the list.
func Recurring(text string, lessons []Item) (out []Item) {
	reported := failuresIn(text)
	for i := range lessons {
		if lessons[i].Holds() && reported.recur(&lessons[i]) {
			out = append(out, lessons[i])
		}
	}
	return out
}
