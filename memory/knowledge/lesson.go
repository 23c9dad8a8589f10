package knowledge

import (
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Bounds of a lesson.
const (
	lessonReach  = 8    // turns between a problem and the word that it is solved
	lessonTokens = 2000 // of its content
	problemShare = .35  // of lessonTokens that the problem may take
)

// lessonsIn finds lessons in the turns of a conversation: a problem that a user or a tool states, what the assistant did,
// and the user's word that it worked.
func lessonsIn(talk []Told, count func(string) int) []*Item {
	var out []*Item
	for i := 0; i < len(talk); i++ {
		problem := problemOf(talk[i].Turn)
		if problem == "" {
			continue
		}
		for j := i + 1; j < len(talk) && j <= i+lessonReach; j++ {
			said := userText(talk[j].Turn)
			if works(said) {
				if l := lesson(talk[i:j+1], problem, said, count); l != nil {
					out = append(out, l)
				}
				i = j - 1
				break
			}
			if j > i+1 && problemOf(talk[j].Turn) != "" && !refers(said) {
				break // another problem
			}
		}
	}
	return out
}

// problemOf gives the text of a turn that states a problem, "" where none does.
func problemOf(t dialogue.Turn) string {
	for _, m := range t.Messages {
		if m.Role == dialogue.User && troubled(m.Content) {
			return m.Content
		}
		for _, c := range m.ToolCalls {
			if c.IsError {
				return userText(t) + "\n" + c.Name + ": " + string(c.Result)
			}
		}
		if m.Role == dialogue.Tool && failed(m.Content) {
			return userText(t) + "\n" + m.Content
		}
	}
	return ""
}

func userText(t dialogue.Turn) string {
	for _, m := range t.Messages {
		if m.Role == dialogue.User {
			return m.Content
		}
	}
	return ""
}

var troubles = []string{"error", "exception", "traceback", "panic:", "fails", "failing", "failed", "doesn't work", "does not work", "not working", "crash", "broken",
	"stack trace", "segfault", "deadlock", "undefined", "cannot find", "can't find", "timed out", "times out", "hangs", "is wrong", "bug in", "a bug", "regression", "leaks"}

// troubled reports whether a user's message states a problem.
func troubled(text string) bool {
	low := strings.ToLower(text[:min(len(text), 8<<10)])
	for _, w := range troubles {
		if strings.Contains(low, w) {
			return !works(text)
		}
	}
	return false
}

// failed reports whether a tool's output is that of a failure.
func failed(text string) bool {
	low := strings.ToLower(text[:min(len(text), 8<<10)])
	for _, w := range []string{"error:", "exception", "traceback (most", "panic:", "--- fail", "failed", "fatal:", "segmentation fault"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// works reports whether a message says that a problem is solved.
func works(text string) bool {
	low := strings.ToLower(text[:min(len(text), 600)])
	for _, w := range []string{"doesn't", "does not", "not work", "still", "didn't", "did not", "isn't", "but now", "n't fix", "no luck"} {
		if strings.Contains(low, w) {
			return false
		}
	}
	for _, w := range []string{"works now", "it works", "that works", "that worked", "it worked", "now works", "fixed it", "that fixed", "that did it", "did the trick", "is fixed", "solved",
		"tests pass", "passes now", "is green", "are green", "all green", "pass now", "problem is gone", "error is gone", "no more error", "that was it", "working now"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// refers reports whether a message goes on about the same problem.
func refers(text string) bool {
	low := strings.ToLower(text[:min(len(text), 300)])
	for _, w := range []string{"still", "same", "again", "now ", "but ", "that "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// lesson writes what happened between a problem and its solution; nil where the assistant said nothing.
func lesson(talk []Told, problem, confirmed string, count func(string) int) *Item {
	var fix []string
	var sources []string
	var at time.Time
	for i, t := range talk {
		sources = append(sources, SourceTurn(t.Conversation, dialogue.TurnID(t.Turn.Number)))
		for _, m := range t.Turn.Messages {
			if m.At.After(at) {
				at = m.At
			}
			if m.Role == dialogue.Assistant && i < len(talk)-1 && strings.TrimSpace(m.Content) != "" {
				fix = append(fix, strings.TrimSpace(m.Content))
			}
		}
	}
	if len(fix) == 0 {
		return nil
	}
	first := talk[0]
	content := "Problem: " + clip(problem, int(lessonTokens*problemShare), count) + "\n\nWhat worked: "
	// The last thing tried is what worked; what was tried before comes after it while there is room.
	room := lessonTokens - count(content) - 100
	tried := clip(fix[len(fix)-1], room, count)
	content += tried
	if room -= count(tried); len(fix) > 1 && room > 100 {
		content += "\n\nBefore that: " + clip(strings.Join(fix[:len(fix)-1], "\n\n"), room-20, count)
	}
	content += "\n\nConfirmed: " + firstSentence(confirmed)
	it := &Item{
		ID: makeID(string(Lesson), first.Conversation, dialogue.TurnID(first.Turn.Number)), Kind: Lesson,
		Title: "Solved: " + firstSentence(problem), Content: content, Topics: []string{}, Keywords: []string{}, Weight: 1,
		SourceTurns: sources, CreatedAt: at.UTC(), UpdatedAt: at.UTC(), Learned: true, Conversation: first.Conversation, Turn: first.Turn.Number,
	}
	it.Keywords = keywords(problem+"\n"+tried, 12)
	it.Topics = it.Keywords[:min(3, len(it.Keywords))]
	for _, t := range talk {
		for _, m := range t.Turn.Messages {
			if m.ID != "" && (m.Role == dialogue.User || m.Role == dialogue.Assistant) {
				it.MessageIDs = append(it.MessageIDs, m.ID)
			}
		}
	}
	return it
}

// clip cuts a text to so many tokens at the end of a line or a sentence.
func clip(text string, tokens int, count func(string) int) string {
	text = strings.TrimSpace(text)
	for tokens > 0 && count(text) > tokens {
		cut := min(len(text)*tokens/(count(text)+1), len(text)-1)
		text = strings.ToValidUTF8(text[:cut], "")
		if i := max(strings.LastIndexByte(text, '\n'), strings.LastIndex(text, ". ")); i > len(text)/2 {
			text = text[:i+1]
		}
		text = strings.TrimSpace(text)
	}
	return text
}

// firstSentence gives the first sentence of a text, at most 120 bytes of it.
func firstSentence(text string) string {
	line := ""
	for l := range strings.Lines(text) {
		if line = strings.TrimSpace(l); line != "" {
			break
		}
	}
	if i := strings.IndexAny(line, ".!?"); i > 20 && i+1 < len(line) && line[i+1] == ' ' {
		line = line[:i+1]
	}
	if len(line) > 120 {
		line = strings.ToValidUTF8(line[:117], "") + "…"
	}
	return line
}

// keywords gives the terms that name topics most often in a text; of equal ones the first.
func keywords(text string, most int) []string {
	n := map[string]int{}
	order := []string{}
	for _, s := range sentences(text) {
		for _, t := range s.tokens {
			if name := topical(t); name != "" {
				if n[name]++; n[name] == 1 {
					order = append(order, name)
				}
			}
		}
	}
	out := []string{}
	for want := 1 << 20; want > 0 && len(out) < most; want-- {
		next := 0
		for _, name := range order {
			if n[name] == want && len(out) < most {
				out = append(out, name)
			}
			if n[name] < want {
				next = max(next, n[name])
			}
		}
		want = next + 1
		if next == 0 {
			break
		}
	}
	return out
}
