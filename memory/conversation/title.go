package conversation

import (
	"strings"
	"unicode"
)

// maxTitleRunes is the length of a made title, the ellipsis of one that was cut included.
const maxTitleRunes = 80

// makeTitle gives the first sentence of a text: of its first line with a letter or digit in it, up to a sentence's
// end. It is empty where there is no such line. One that is too long is cut between words and ends with an ellipsis.
func makeTitle(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") || !strings.ContainsFunc(line, isWord) {
			continue
		}
		return shorten(firstSentence(strings.Join(strings.FieldsFunc(line, isGap), " ")), maxTitleRunes)
	}
	return ""
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

func isGap(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// firstSentence cuts after the first mark that ends a sentence: one of . ! ? before a space (so that file.go is
// none), or one of the full-width marks.
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
