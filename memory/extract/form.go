package extract

import (
	"strings"
)

// formOf tells what a line of text is. trimmed is the line without white space around it and not empty.
func formOf(line, trimmed string) kind {
	switch {
	case isHeading(trimmed):
		return heading
	case isItem(trimmed):
		return item
	case isOutput(line, trimmed):
		return output
	}
	return prose
}

func isHeading(s string) bool {
	n := 0
	for n < len(s) && s[n] == '#' {
		n++
	}
	return n > 0 && n < 7 && n < len(s) && s[n] == ' '
}

// isItem tells "- x", "* x", "• x", "3. x", "3) x", "| x", "> x".
func isItem(s string) bool {
	for _, mark := range [...]string{"- ", "* ", "+ ", "• ", "> ", "|"} {
		if strings.HasPrefix(s, mark) {
			return !strings.HasPrefix(s, "+ +") && !strings.HasPrefix(s, "- -")
		}
	}
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' '
}

// itemText is an item or a heading without its mark.
func itemText(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimLeft(s, "#>|-*+• \t")
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		s = s[n+2:]
	}
	return strings.TrimSpace(s)
}

// isOutput tells lines that programs write, or that programs are written in, from those that people write: indented
// by a tab or four spaces, times and levels in front, frames of stacks, diff marks, prompts, lines that end as code
// does, and long ones with few spaces.
func isOutput(line, t string) bool {
	if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") {
		return true
	}
	for _, p := range [...]string{"$ ", "at ", "File \"", "goroutine ", "Traceback ", "@@ ", "+++ ", "diff --", "--- ", "=== ", ">>> ", "npm ERR!",
		"panic: ", "[INFO]", "[ERROR]", "[WARN", "[DEBUG]", "INFO ", "ERROR ", "WARN ", "DEBUG ", "ok  \t", "FAIL\t", "PASS", "E   ", "#!/"} {
		if strings.HasPrefix(t, p) {
			return p != "at " || strings.ContainsAny(t, "(:/")
		}
	}
	if clockAt(t) {
		return true
	}
	switch t[len(t)-1] {
	case '{', '}', ';':
		return true
	}
	return len(t) > 200 && strings.Count(t, " ")*16 < len(t) && isASCII(t)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// clockAt reports whether a line begins with a date or a time, in brackets or not.
func clockAt(s string) bool {
	s = strings.TrimLeft(s, "[(")
	digits, marks := 0, 0
	for i := range min(len(s), 10) {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			digits++
		case s[i] == ':' || s[i] == '-' || s[i] == '/':
			marks++
		default:
			return digits >= 4 && marks >= 2
		}
	}
	return digits >= 4 && marks >= 2
}
