package arc

import (
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// shortened is the number of characters of a message that the arc of a short conversation shows.
const shortened = 100

// Short returns the arc of a whole conversation of up to six messages. Its text is the messages
// themselves, each as "role: content" cut to 100 characters. Decisions, questions and focus are
// found as in long conversations.
func Short(msgs []dialogue.Message) Arc {
	var lines []string
	var turns []dialogue.Turn
	asked := false // the last turn has a user message; messages before the first belong to its turn
	for i, m := range msgs {
		lines = append(lines, string(m.Role)+": "+truncate(strings.Join(strings.Fields(m.Content), " ")))
		if m.Role == dialogue.User && asked || len(turns) == 0 {
			turns = append(turns, dialogue.Turn{Number: len(turns) + 1, First: i})
		}
		last := &turns[len(turns)-1]
		last.Messages = append(last.Messages, m)
		asked = asked || m.Role == dialogue.User
	}
	f := NewFolder()
	for _, t := range turns {
		n := Note(t)
		f.Add(&n)
	}
	a := f.Arc(nil, Light, 0, nil)
	a.Text = strings.Join(lines, "\n")
	return a
}

func truncate(s string) string {
	if utf8.RuneCountInString(s) <= shortened {
		return s
	}
	n := 0
	for i := range s {
		if n == shortened-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		n++
	}
	return s
}
