package history

import (
	"strings"
	"unicode"
)

// TaskLine is a task as shown in the one-shot history.
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

// OneShot returns a history without turns: the specification, the tasks and the log. The
// specification is the user's first message; tasks are listed most important first, the log with
// one line for each turn, oldest first. If the budget, in count's tokens, is short, OneShot drops
// the oldest lines of the log first, then the last tasks, and finally the end of the specification,
// which it marks as cut. The text never costs more than the budget; it is empty when nothing fits.
// logged is the number of log lines in it, which are the newest.
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

// cutSpec returns the specification alone, cut at a word boundary if possible.
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

const longWord = 40 // runes; a longer text without a space is cut anywhere

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

// most returns the greatest n up to limit for which fits holds, 0 if none. It assumes that fits
// stays false once it is false, and returns only an n for which it has seen fits hold.
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
