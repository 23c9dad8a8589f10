package hosts

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts/answer"
)

// MaxAct is the maximum size of what is told at an act of the assistant, in bytes.
const MaxAct = 300

// passedMark ends the id under which a conversation was given a command of a turn.
const passedMark = "#passed"

// shortestStated is the least of a statement that is worth telling, in bytes.
const shortestStated = 40

// ActText returns what is told before an edit or after a failure: a line for each statement that
// the conversation was not given and that is not doubtful, in at most [MaxAct] bytes. A rule is
// left out once the conversation was given all rules. The text is empty if nothing is left;
// otherwise ids are those under which the statements in it are given.
func ActText(kind Kind, list []command.ActStatement, given []string) (text string, ids []string) {
	title := answer.Stated
	if kind == Failed {
		title = answer.Fixed
	}
	hasRules := slices.ContainsFunc(given, func(id string) bool { return strings.HasPrefix(id, standingPrefix) })
	var b strings.Builder
	b.WriteString(title + "\n")
	for _, s := range list {
		id := s.ID
		if s.Passed != "" {
			id += passedMark // of a turn that was given, the command need not have been
		}
		if slices.Contains(given, id) || s.Kind == "rule" && hasRules || s.Doubtful {
			continue
		}
		from := fmt.Sprintf(" (%s)\n", strings.Join(strings.Fields(s.Kind+" "+s.Date+" "+s.TurnID), " "))
		room := MaxAct - b.Len() - len("- ") - len(from)
		said := "this passed instead: " + s.Passed
		if s.Passed == "" {
			said = clipped(strings.Join(strings.Fields(s.Text), " "), room)
		} else if len(said) > room || strings.Contains(said, "\n") { // a part of a command is another one
			continue
		}
		if said == "" {
			break
		}
		b.WriteString("- " + said + from)
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return "", nil
	}
	return b.String(), ids
}

// clipped returns a text in at most so many bytes, "" if hardly anything of it would be left.
func clipped(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return text
	}
	end := most - len(mark)
	if end < shortestStated {
		return ""
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end]) + mark
}
