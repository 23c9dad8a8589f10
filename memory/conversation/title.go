package conversation

import (
	"errors"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// maxTitleRunes is the length of a made title, the ellipsis of one that was cut included.
const maxTitleRunes = 80

// makeTitle returns the first sentence of a text: of its first line with a letter or digit in it,
// up to a sentence's end. It is empty where there is no such line. One that is too long is cut
// between words and ends with an ellipsis.
func makeTitle(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") || !strings.ContainsFunc(line, isWord) {
			continue
		}
		return shorten(firstSentence(strings.Join(strings.FieldsFunc(line, isGap), " ")), maxTitleRunes)
	}
	return ""
}

// TurnTitle returns a title of at most 80 characters for a turn: what the first message of a user
// in it begins with, or where none says anything, the first message that does. It is empty where no
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
// that file.go is none), or one of the full-width marks.
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

// shorten cuts a line to at most limit runes, between words where one ends in its last half.
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

// errEnough ends a walk that found what it looked for.
var errEnough = errors.New("enough")

// retitle makes a conversation's title of the first user message at or after an index that gives
// one, leaving out those that skip names.
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
