package history

import (
	"strings"
	"unicode"
)

// TaskLine is a task as the one-shot history tells it.
type TaskLine struct{ ID, Intent, State string }

func (t TaskLine) String() string {
	s := "- " + t.ID
	if t.State != "" {
		s += " [" + t.State + "]"
	}
	if t.Intent != "" {
		s += ": " + t.Intent
	}
	return s
}

// OneShot is a history without turns: what was asked for, what there is to do, what happened. The
// specification is the user's first message; tasks come most important first, the log one line a
// turn, oldest first. When the budget, in count's tokens, is short, the oldest lines of the log go
// first, then the last tasks, and at last the end of the specification, with a mark that says so.
// The text never costs more than the budget; it is empty when nothing fits. logged is how many
// lines of the log, the newest, it has.
func OneShot(spec string, tasks []TaskLine, log []string, budget int, count func(string) int) (out string, logged int) {
	var taskLines []string
	for _, t := range tasks {
		taskLines = append(taskLines, t.String())
	}
	text := func(specLines []string, nTasks, nLog int) string {
		var b strings.Builder
		section(&b, "Specification", specLines)
		section(&b, "Tasks", taskLines[:nTasks])
		section(&b, "Log", log[len(log)-nLog:])
		return b.String()
	}
	whole := strings.Split(strings.TrimSpace(spec), "\n")
	if strings.TrimSpace(spec) == "" {
		whole = nil
	}
	if count(text(whole, 0, 0)) > budget {
		return cutSpec(spec, budget, count), 0
	}
	nTasks := most(len(taskLines), func(n int) bool { return count(text(whole, n, 0)) <= budget })
	nLog := most(len(log), func(n int) bool { return count(text(whole, nTasks, n)) <= budget })
	return text(whole, nTasks, nLog), nLog
}

const cutMark = "[… shortened]"

// cutSpec is the specification alone, cut at a word where there is one.
func cutSpec(spec string, budget int, count func(string) int) string {
	runes := []rune(strings.TrimSpace(spec))
	text := func(n int) string {
		var b strings.Builder
		section(&b, "Specification", []string{strings.TrimSpace(string(runes[:n])) + " " + cutMark})
		return b.String()
	}
	fits := func(n int) bool { return count(text(n)) <= budget }
	n := most(len(runes), fits)
	if n == 0 {
		return ""
	}
	for word := n; word > max(n-longWord, 0); word-- {
		if unicode.IsSpace(runes[word-1]) && fits(word) {
			return text(word)
		}
	}
	return text(n)
}

const longWord = 40 // runes; a text without a space for longer is cut anywhere

// section writes a heading and its lines, or nothing.
func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(title + ":\n")
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
}

// most is the greatest n up to limit for which fits holds, 0 if none; fits is asked as if it never
// came back once it was false, and the answer is always one that was found to fit.
func most(limit int, fits func(n int) bool) int {
	low, high := 0, limit
	for low < high {
		mid := (low + high + 1) / 2
		if fits(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
