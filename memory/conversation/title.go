package conversation

import (
	"errors"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// maxTitleRunes bounds a generated title, including the ellipsis.
const maxTitleRunes = 80

// makeTitle returns the first sentence of a text: of its first line with a letter or digit, up to a
// sentence's end. It is empty when there is no such line. A heading, or a line that ends with a
// colon, announces what a title should tell, so that the line after it follows. A line that only
// names a command, such as /clear, asks for nothing that a title could tell. A line that only
// stands for an attachment, such as [image], is the title where no other line can be. A title that
// is too long is cut between words and ends with an ellipsis.
func makeTitle(text string) string {
	var attachment, announced string
	inHeading := false
	for line := range strings.Lines(text) {
		line = strings.Join(strings.FieldsFunc(line, isGap), " ")
		heading := isHeading(line)
		switch {
		case strings.HasPrefix(line, "```") || !strings.ContainsFunc(line, isWord) || namesCommand(line) || heading && inHeading:
		case standsForAttachment(line):
			if attachment == "" {
				attachment = shorten(line, maxTitleRunes)
			}
		case announced != "":
			return shorten(announced+" "+firstSentence(withoutMarker(line)), maxTitleRunes)
		case heading:
			announced, inHeading = strings.TrimSuffix(withoutMarker(line), ":")+":", true
		case strings.HasSuffix(line, ":"):
			announced = withoutMarker(line)
		default:
			return shorten(firstSentence(line), maxTitleRunes)
		}
	}
	if announced != "" {
		return shorten(strings.TrimSuffix(announced, ":"), maxTitleRunes)
	}
	return attachment
}

// isHeading reports whether a line is a heading in Markdown.
func isHeading(line string) bool {
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	return marks > 0 && marks <= 6 && strings.HasPrefix(line[marks:], " ")
}

// withoutMarker returns a line without the mark of a heading or of a list's item.
func withoutMarker(line string) string {
	if mark, rest, ok := strings.Cut(line, " "); ok && (strings.Trim(mark, "#") == "" || mark == "-" || mark == "*") {
		return rest
	}
	return line
}

// namesCommand reports whether a line is nothing but a host's command: /clear, /model.
func namesCommand(line string) bool {
	return strings.HasPrefix(line, "/") && !strings.ContainsAny(line[1:], " /.")
}

// standsForAttachment reports whether a line is one name in brackets, as hosts and the import write
// it for a picture, a file or a paste: [image], [Image #1], [Pasted text #1 +12 lines].
func standsForAttachment(line string) bool {
	return strings.HasPrefix(line, "[") && strings.IndexAny(line[1:], "[]") == len(line)-2
}

// TurnTitle returns a title of at most 80 characters for a turn: the beginning of its first user
// message or, if no user message has content, of the first message that has. It is empty when no
// message has a letter or digit.
func TurnTitle(messages []dialogue.Message) string {
	for _, users := range []bool{true, false} {
		for i := range messages {
			if m := &messages[i]; (m.Role == dialogue.User) == users {
				if title := makeTitle(m.Content); title != "" {
					return title
				}
			}
		}
	}
	return ""
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

func isGap(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// firstSentence cuts after the first mark that ends a sentence: one of . ! ? before a space (so
// that the dot in file.go does not count), or one of the full-width marks.
func firstSentence(line string) string {
	for i, c := range line {
		rest := line[i+len(string(c)):]
		switch c {
		case '.', '!', '?':
			if strings.HasPrefix(rest, " ") && strings.ContainsFunc(line[:i], isWord) {
				return line[:len(line)-len(rest)]
			}
		case '。', '！', '？':
			return line[:len(line)-len(rest)]
		}
	}
	return line
}

// shorten cuts a line to at most limit runes, between words if one ends in its last half.
func shorten(line string, limit int) string {
	runes := []rune(line)
	if len(runes) <= limit {
		return line
	}
	cut := limit - 1
	for i := cut; i > limit/2; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(runes[:cut]), " ") + "…"
}

// errEnough ends a walk that has found its result.
var errEnough = errors.New("enough")

// retitle generates a conversation's title from the first user message at or after an index that
// yields one, skipping those for which skip returns true.
func retitle(view store.View, info *Info, from int, skip func(index int) bool) error {
	info.Title, info.titleFrom = "", titleNone
	err := eachEntry(view, *info, from, info.Messages, func(index int, e entry) error {
		if e.Role != dialogue.User || skip(index) {
			return nil
		}
		if info.Title = makeTitle(e.Content); info.Title != "" {
			info.titleFrom = index
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
