package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// longestCommand is the size in bytes of a command above which nobody runs it again as it is: it
// carries a text of its own, as one of several lines does.
const longestCommand = 300

// CommandsThatWorked returns the commands in messages that ran a program and did not fail, word for
// word, each once and at most most: those that ran most often first, of others the latest. What
// only reads, as cat does, runs nothing in this sense.
func CommandsThatWorked(messages []dialogue.Message, most int) ([]string, error) {
	events, err := eventsOf([]TalkTurn{{Turn: dialogue.Turn{Messages: messages}}}, func() error { return nil })
	if err != nil {
		return nil, err
	}
	type command struct {
		text        string
		times, last int
	}
	byText := map[string]*command{}
	var list []*command
	for i, e := range events {
		if e.failed || !e.runs() || len(e.command) > longestCommand || strings.Contains(e.command, "\n") {
			continue
		}
		c := byText[e.command]
		if c == nil {
			c = &command{text: e.command}
			byText[e.command] = c
			list = append(list, c)
		}
		c.times++
		c.last = i
	}
	slices.SortFunc(list, func(a, b *command) int { return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(b.last, a.last)) })
	out := make([]string, 0, min(most, len(list)))
	for _, c := range list[:min(most, len(list))] {
		out = append(out, c.text)
	}
	return out, nil
}
