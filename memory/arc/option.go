package arc

import (
	"strings"
	"unicode/utf8"
)

// Limits of the alternatives that are kept of a turn.
const (
	mostOptions   = 6
	longestOption = 120 // bytes
	longestPick   = 14  // words of a reply that may pick one
)

// options are the alternatives that a message offers: the last list with marks that count, "1. …", "B) …", "Option 2:
// …", or those that its last question or offer joins with "or". It is nil when it offers none.
func options(list []string) []string {
	var items, inline []string
	offers := false
	for _, s := range list {
		if n, text := counted(s); n > 0 {
			if n == 1 {
				items = items[:0]
			}
			if n == len(items)+1 && n <= mostOptions {
				items = append(items, trimmed(text))
			}
			continue
		}
		low := lowered(s)
		offers = offers || strings.Contains(low, "?") || strings.Contains(low, "option") || strings.Contains(low, "either") ||
			strings.Contains(low, "alternativ") || strings.Contains(low, "approach") || strings.Contains(low, "possib")
		if o := alternatives(s); o != nil {
			inline = o
		}
	}
	if len(items) > 1 && offers {
		return items
	}
	return inline
}

// counted reads the mark of an item of a list of options and gives its number, from 1, and its text.
func counted(s string) (int, string) {
	s = clean(s)
	low := lowered(s)
	labelled := false
	for _, p := range [...]string{"option ", "approach ", "variant ", "alternative ", "plan "} {
		if rest, ok := strings.CutPrefix(low, p); ok {
			s, low, labelled = s[len(s)-len(rest):], rest, true
			break
		}
	}
	low = strings.TrimPrefix(low, "(")
	if len(low) < 3 {
		return 0, ""
	}
	rest := s[len(s)-len(low)+1:]
	mark := rest[0]
	if mark != '.' && mark != ')' && !(labelled && (mark == ':' || mark == ' ')) {
		return 0, ""
	}
	text := strings.TrimLeft(rest[1:], " -–—:")
	switch c := low[0]; {
	case c >= '1' && c <= '9':
		return int(c - '0'), text
	case c >= 'a' && c <= 'f' && (mark != '.' || labelled):
		return int(c-'a') + 1, text
	}
	return 0, ""
}

// leads are what stands before the first of two alternatives in a sentence, the longest first.
var leads = []string{"would you rather ", "would you like me to ", "would you like to ", "would you like ", "do you want me to ", "do you want us to ", "do you want to ", "do you want ",
	"do you prefer to ", "do you prefer ", "would you prefer to ", "would you prefer ", "want me to ", "shall we ", "shall i ", "should we ", "should i ", "should it be ", "should it ", "should ",
	"we could either ", "we can either ", "i could either ", "i can either ", "you could either ", "you can either ", "we could ", "either ", "which do you prefer, ", "which one, ", "which is it, ", "is it ", "choose between ",
	"decided between ", "decide between ", "choice between ", "choice is between ", "deciding between ", "undecided between ", "torn between ", "we can ", "we could ", "you can ", "you could ", "i can ", "i could "}

// alternatives reads "either A or B", "should we A or B?", "between A and B".
func alternatives(s string) []string {
	asks := strings.HasSuffix(strings.TrimSpace(s), "?")
	s = strings.TrimRight(clean(s), "?!. ")
	low := lowered(s)
	from, joint := -1, " or "
	for _, lead := range leads {
		if i := strings.LastIndex(low, lead); i >= 0 && (i == 0 || low[i-1] == ' ' || low[i-1] == '(') {
			from = i + len(lead)
			if strings.HasSuffix(lead, "between ") {
				joint = " and "
			}
			break
		}
	}
	if from < 0 && asks && strings.Count(low, " ") < 7 && !strings.Contains(low, ", ") {
		from = 0 // "symlinks or copies?"
	}
	if from < 0 || !strings.Contains(low[from:], joint) {
		return nil
	}
	rest := s[from:]
	if i := strings.Index(rest, ". "); i >= 0 {
		rest = rest[:i]
	}
	first, last, _ := strings.Cut(rest, joint)
	last, _, _ = strings.Cut(last, ", ")
	parts := append(strings.Split(strings.TrimRight(first, ","), ", "), last)
	for i, p := range parts {
		p = trimmed(strings.TrimPrefix(strings.TrimPrefix(p, "either "), "or "))
		for _, verb := range [...]string{"use ", "take ", "go with ", "pick "} { // of the first alone, in most sentences
			p = strings.TrimPrefix(p, verb)
		}
		if parts[i] = p; strings.Count(p, " ") > 12 || p == "" || p == "not" || p == "no" || strings.HasPrefix(p, "something") {
			return nil
		}
	}
	if len(parts) > mostOptions {
		return nil
	}
	return parts
}

// trimmed is an option without what follows its first sentence.
func trimmed(s string) string {
	if i := strings.IndexAny(s, "\n"); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*`\""))
	s = strings.TrimRight(strings.ReplaceAll(s, "**", ""), " .:;,")
	if len(s) <= longestOption {
		return s
	}
	n := longestOption
	for !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexByte(s[:n], ' '); i > n/2 {
		n = i
	}
	return strings.TrimRight(s[:n], " ,;:") + "…"
}
