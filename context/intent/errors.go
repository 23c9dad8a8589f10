package intent

import (
	"regexp"
	"slices"
	"strings"
)

// lineMarkers begin a line that is an error message, wherever in the prompt.
var lineMarkers = []string{
	"panic: ", "fatal error: ", "fatal: ", "error: ", "Error: ", "ERROR: ", "ERROR ", "[ERROR] ", "FATAL: ", "FATAL ", "error[", "error TS",
	"undefined: ", "undefined reference to ", "runtime error: ", "npm ERR! ", "npm error ", "make: *** ", "Exception in thread ",
	"Caused by: ", "Unhandled ", "Uncaught ", "Segmentation fault", "segmentation fault", "exit status ", "exited with code ",
	"Process finished with exit code ", "signal: ", "E   ", "thread '", "AssertionError", "assertion failed", "Assertion failed", "ld: ",
	"Traceback: ", "PANIC: ", "Fatal error: ", "PHP Fatal error:", "Error in ", "error - ", "✘ [ERROR] ", "FAILED ", "--- FAIL: ",
}

// inlineMarkers begin a message inside a sentence; the sentence's end ends it.
var inlineMarkers = []string{
	"panic: ", "fatal error: ", "runtime error: ", "undefined: ", "undefined reference to ", "error: ", "Error: ", "ERROR: ",
	"exit status ", "exit code ", "exited with code ", "Exception: ", "error TS", "assertion failed: ",
}

// compilerWords begin a compiler's message after a position.
var compilerWords = []string{
	"error", "fatal", "undefined", "cannot", "panic", "invalid", "expected", "unexpected", "missing", "undeclared", "unused",
	"declared and not used", "syntax error", "warning", "imported and not used", "not enough", "too many", "unknown", "no ",
}

// messagePhrases are complete messages wherever they occur; matchPhrases finds them.
var messagePhrases = []string{
	"segmentation fault", "no such file or directory", "command not found", "permission denied", "connection refused", "connection reset by peer",
	"stack overflow", "out of memory", "nil pointer dereference", "null pointer dereference", "index out of range", "broken pipe",
	"deadline exceeded", "too many open files", "address already in use", "no space left on device", "use after free",
	"maximum call stack size exceeded", "heap buffer overflow", "division by zero", "divide by zero", "invalid memory address",
	"all goroutines are asleep", "concurrent map writes", "import cycle not allowed", "unexpected end of json input",
}

// messageWords make a quoted string look like an error message.
var messageWords = set(`cannot can't couldn't could unable failed fail fails failure invalid unexpected undefined unknown missing expected
	denied refused timeout timed exceeded unsupported mismatch illegal nil null already must not no found exist exists exhausted
	closed overflow error exception refusing aborted bad wrong empty required unresolved unreachable unauthorized forbidden panic
	duplicate conflict corrupt corrupted out deprecated abort rejected broken`)

// messageCues near a quoted string indicate that it is a message.
var messageCues = set(`error errors message messages exception panic panics says saying prints printed printing logs log logged warning throws raises raised
	throw raise fails failing failed output shows complains reports stderr returns`)

// typedMessage matches "TypeError: x is not a function", "java.io.IOException: closed" and bare
// "AssertionError" at a line's end.
var typedMessage = regexp.MustCompile(`(?:[\w$]+[.:]{1,2})*[A-Z][\w$]*(?:Error|Exception|Fault)(?:::\w+)*(?: \[\w+\])?(: \S.*|$)`)

// logPrefix matches what a logger or a test runner writes before a message.
var logPrefix = regexp.MustCompile(`^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?\s+|\$ |E   +|> )+`)

// readErrors collects the error messages of the prompt.
func readErrors(d *document, s *Signals) {
	for i, l := range d.lines {
		if len(s.Errors) >= maxErrors {
			return
		}
		if l.trace || l.text == "" {
			if _, m, ok := strings.Cut(l.text, "': "); ok && strings.Contains(l.text, ":in ") { // Ruby puts it after the position
				s.Errors = appendNew(s.Errors, tidyMessage(m), maxErrors)
			}
			continue
		}
		if m, ok := rustPanic(l.text, d, i); ok {
			s.Errors = appendNew(s.Errors, m, maxErrors)
			continue
		}
		if m := lineMessage(l); m != "" {
			s.Errors = appendNew(s.Errors, m, maxErrors)
			continue
		}
		if l.code {
			continue
		}
		before := len(s.Errors)
		for _, m := range quotedMessages(l.text) {
			s.Errors = appendNew(s.Errors, m, maxErrors)
		}
		if len(s.Errors) > before {
			continue
		}
		s.Errors = appendNew(s.Errors, inlineMessage(l.text), maxErrors)
	}
}

// rustPanic returns the message of a Rust panic: older versions quote it before the position, newer
// ones put it on the next line.
func rustPanic(text string, d *document, i int) (string, bool) {
	_, rest, ok := strings.Cut(text, "panicked at ")
	if !ok {
		return "", false
	}
	if msg, ok := strings.CutPrefix(rest, "'"); ok {
		msg, _, _ = strings.Cut(msg, "', ")
		return tidyMessage(msg), true
	}
	if strings.HasSuffix(rest, ":") && i+1 < len(d.lines) {
		return tidyMessage(d.lines[i+1].text), true
	}
	return "", false
}

// lineMessage returns the message of a line that is one, without position and log prefix.
func lineMessage(l line) string {
	text := strings.TrimSpace(l.text)
	if l.position != "" {
		return tidyMessage(afterPosition(text, l.position))
	}
	if text == "" {
		return ""
	}
	if c := text[0]; isDigit(c) || strings.IndexByte("[$E>", c) >= 0 {
		text = text[len(logPrefix.FindString(text)):]
	}
	for _, marker := range lineMarkers {
		if strings.HasPrefix(text, marker) {
			return tidyMessage(text)
		}
	}
	if strings.Contains(text, "level=error") {
		if _, msg, ok := strings.Cut(text, `msg="`); ok {
			msg, _, _ = strings.Cut(msg, `"`)
			return tidyMessage(msg)
		}
	}
	if strings.Contains(text, "Error") || strings.Contains(text, "Exception") {
		if loc := typedMessage.FindStringIndex(text); loc != nil && loc[0] == 0 {
			return tidyMessage(text)
		}
	}
	return ""
}

// afterPosition returns a compiler's message after "file.c:12:3: " or "a.ts(1,2): ". It must begin
// with a fault, since "main.go:12: why is this here" is a sentence.
func afterPosition(text, file string) string {
	_, rest, ok := strings.Cut(text, ": ")
	if !ok || !strings.HasPrefix(cleanPath(text), file) {
		return ""
	}
	for _, marker := range compilerWords {
		if strings.HasPrefix(rest, marker) {
			return rest
		}
	}
	if loc := typedMessage.FindStringIndex(rest); loc != nil && loc[0] == 0 {
		return rest
	}
	return ""
}

// inlineMessage returns the message that a sentence contains without quotes.
func inlineMessage(text string) string {
	if strings.Contains(text, "Error") || strings.Contains(text, "Exception") {
		if m := typedMessage.FindStringSubmatchIndex(text); m != nil && m[3] > m[2] {
			return tidyMessage(sentence(text[m[0]:]))
		}
	}
	for _, marker := range inlineMarkers {
		if i := strings.Index(text, marker); i >= 0 {
			return tidyMessage(sentence(text[i:]))
		}
	}
	return ""
}

// addPhrases adds the well-known messages in the prose that are not part of a longer message.
func (s *Signals) addPhrases(phrases []string) {
	for _, p := range phrases {
		held := slices.ContainsFunc(s.Errors, func(e string) bool { return strings.Contains(strings.ToLower(e), p) })
		if !held {
			s.Errors = appendNew(s.Errors, p, maxErrors)
		}
	}
}

// sentenceEnds end a message within a sentence.
var sentenceEnds = []string{". ", "? ", "! ", "\" ", "` ", " when ", " while ", " after ", " on every ", " every time", " whenever ", " in production", "; "}

func sentence(text string) string {
	end := len(text)
	for _, e := range sentenceEnds {
		if i := strings.Index(text[:end], e); i > 0 {
			end = i
		}
	}
	return text[:end]
}

// quotedMessages returns the quoted strings of a line that look like messages: of several words,
// with a typical word among them or a cue before or after them. What is in backticks is usually a
// command, which fails or prints something; only the word right before it makes it a message.
func quotedMessages(text string) []string {
	if !strings.ContainsAny(text, "\"`'“") {
		return nil
	}
	var found []string
	for _, q := range quotes(text) {
		content := text[q.start:q.end]
		words := strings.Fields(content)
		if len(words) < 2 || len(content) > maxMessage || !mostlyWords(words) {
			continue
		}
		before, after := text[max(0, q.start-48):q.start], text[q.end:min(len(text), q.end+24)]
		if text[q.start-1] == '`' {
			before, after = before[strings.LastIndexByte(strings.TrimRight(before, " `"), ' ')+1:], ""
		}
		if !looksLikeMessage(words) && !hasCue(before) && !hasCue(after) {
			continue
		}
		found = append(found, tidyMessage(content))
	}
	return found
}

// mostlyWords distinguishes a sentence from a command or an expression.
func mostlyWords(words []string) bool {
	plain := 0
	for _, w := range words {
		if w[0] == '-' {
			return false
		}
		w = strings.TrimRight(w, ".,:;!")
		if w != "" && strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz'-") == "" {
			plain++
		}
	}
	return 2*plain > len(words)
}

func looksLikeMessage(words []string) bool {
	for _, w := range words {
		if messageWords[strings.Trim(strings.ToLower(w), ".,:;!()'\"")] {
			return true
		}
	}
	return false
}

func hasCue(near string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(near), func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }) {
		if messageCues[w] {
			return true
		}
	}
	return false
}

// quotation is the inside of a quoted string.
type quotation struct{ start, end int }

// quotes returns the quoted strings of a line. A single quote opens only at a word's start and
// closes only at a word's end, so that apostrophes do not count.
func quotes(text string) []quotation {
	var found []quotation
	for i := 0; i < len(text); i++ {
		var closing string
		open := 1
		switch c := text[i]; {
		case c == '"' || c == '`':
			closing = string(c)
		case c == '\'' && (i == 0 || !isIdent(text[i-1])):
			closing = "'"
		case strings.HasPrefix(text[i:], "“"):
			closing, open = "”", len("“")
		default:
			continue
		}
		start := i + open
		n := closingQuote(text[start:], closing)
		if n < 0 {
			continue
		}
		if n > 0 {
			found = append(found, quotation{start: start, end: start + n})
		}
		i = start + n + len(closing) - 1
	}
	return found
}

func closingQuote(s, closing string) int {
	for from := 0; ; {
		n := strings.Index(s[from:], closing)
		if n < 0 {
			return -1
		}
		n += from
		if after := n + len(closing); closing != "'" || after >= len(s) || !isIdent(s[after]) {
			return n
		}
		from = n + len(closing)
	}
}

// tidyMessage puts a message on one line of bounded length, without the quotes and
// dots around it.
func tidyMessage(m string) string {
	m = strings.Join(strings.Fields(m), " ")
	m = clip(strings.TrimRight(m, " .,;?!*"), maxMessage)
	if n := len(m); n > 1 && m[0] == m[n-1] && strings.IndexByte("\"'`", m[0]) >= 0 && strings.Count(m, m[:1]) == 2 {
		m = m[1 : n-1]
	}
	return m
}
