package usage

import (
	"slices"
	"strings"
)

// rejections are beginnings of messages that reject the previous answer, in lower case and without
// punctuation; each ends at the end of a word.
var rejections = func() []string {
	all := []string{
		"wrong", "incorrect", "not what i", "you misunderstood", "you misread", "i didn't ask", "i did not ask", "i meant",
		"no that", "no this", "no it", "no i", "no you", "no don't", "no not", "still fails", "still failing", "still broken",
		"still wrong", "still doesn't", "still does not", "still not", "still the same", "same error", "undo that",
		"revert that", "doesn't work", "does not work", "didn't work", "did not work", "doesn't help", "didn't help",
	}
	for _, it := range []string{"that", "this", "it"} {
		for _, not := range []string{"'s not", " is not", " isn't"} {
			for _, what := range []string{"right", "correct", "it", "what", "how", "true", "working", "helpful"} {
				all = append(all, it+not+" "+what)
			}
		}
		for _, fails := range []string{
			"'s wrong", " is wrong", "'s incorrect", " is incorrect", " doesn't work", " does not work", " didn't work",
			" did not work", " doesn't help", " didn't help", " still fails", " still doesn't", " still does not",
		} {
			all = append(all, it+fails)
		}
	}
	return all
}()

// rejects reports whether a message begins with words that reject the previous answer: one of the
// rejections, or a bare "no", but not "no problem".
func rejects(message string) bool {
	const enough = 200 // bytes: the beginning decides
	opening := strings.ToLower(message[:min(len(message), enough)])
	opening = strings.TrimLeft(strings.ReplaceAll(opening, "’", "'"), " \t\r\n\"'*_>")
	for _, no := range []string{"no", "nope", "nah"} {
		if rest, ok := strings.CutPrefix(opening, no); ok && (rest == "" || strings.ContainsAny(rest[:1], ",.!;:\n")) {
			return true
		}
	}
	words := strings.FieldsFunc(opening, func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') && r < 0x80 })
	opening = strings.Join(words, " ") + " "
	return slices.ContainsFunc(rejections, func(p string) bool { return strings.HasPrefix(opening, p+" ") })
}
