package level

import (
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// A block with more lines than this is a paste: of its lines only failures, commands and
// definitions are anchors.
const shortBlock = 12

// Limits on the anchors of one paste, so that a log of a million failures is still shortened.
const (
	blockProblems    = 20
	blockCommands    = 40
	blockDefinitions = 60
	longestAnchor    = 400 // bytes; a longer line is data
)

// Anchors returns the parts of a text that must survive every shortening verbatim, in order and
// without duplicates: paths, commands, identifiers, URLs, figures with units, versions, sentences
// that settle something, and error lines. White space inside an anchor is reduced to single spaces.
// Of a paste, a block of more than 12 lines, only error lines (those that differ only in digits
// count once), commands and the lines of definitions are anchors, and at most a page of them.
func Anchors(text string, role utterance.Role) []string {
	c := anchors{seen: map[string]bool{}}
	for _, p := range pieces(text, role) {
		c.piece(p)
	}
	return c.list
}

// Missing returns the anchors that are not in text, ignoring white space.
func Missing(anchors []string, text string) []string {
	var missing []string
	in := newFinder(anchors, oneSpaced(text))
	for i, a := range anchors {
		if !in[i] {
			missing = append(missing, a)
		}
	}
	return missing
}

// settles reports whether a sentence with these scores settles something: a decision, a rule, or a
// change of one.
func settles(s utterance.Scores) bool {
	return max(s[utterance.Decision], s[utterance.Directive], s[utterance.Change]) >= settledAt
}

type anchors struct {
	list []string
	seen map[string]bool
}

func (c *anchors) add(s string) {
	s = oneSpaced(s)
	if s == "" || len(s) > longestAnchor || c.seen[s] {
		return
	}
	c.seen[s] = true
	c.list = append(c.list, s)
}

// piece adds the anchors of a piece.
func (c *anchors) piece(p piece) {
	if p.source != utterance.Own && p.source != utterance.Document {
		c.block(strings.Split(p.text, "\n"), p.fenced)
		return
	}
	for _, s := range p.spans {
		if settles(p.scores) && !p.pasted || Failure(s) {
			c.add(s)
		}
	}
	names(p.text, c.add)
}

// block adds the anchors of the lines of a block. fenced reports that the first line is a fence.
func (c *anchors) block(lines []string, fenced bool) {
	shell := fenced && shellFence(lines[0])
	if len(lines) <= shortBlock {
		for i, l := range lines {
			if fenced && (i == 0 || strings.Trim(strings.TrimSpace(l), "`~") == "") {
				continue
			}
			if isCommandLine(l, shell) || Failure(l) {
				c.add(strings.TrimPrefix(strings.TrimSpace(l), "$ "))
			}
			names(l, c.add)
		}
		return
	}
	keep := keepOfPaste(lines, fenced)
	for i := range lines {
		if keep[i] {
			c.add(strings.TrimPrefix(strings.TrimSpace(lines[i]), "$ "))
		}
	}
}

// keepOfPaste returns the indices of the lines of a paste that are anchors.
func keepOfPaste(lines []string, fenced bool) map[int]bool {
	keep := map[int]bool{}
	shell := fenced && shellFence(lines[0])
	seen := map[uint64]bool{}
	problems, commands, definitions := 0, 0, 0
	for i, l := range lines {
		if len(l) > longestAnchor {
			continue
		}
		switch {
		case problems < blockProblems && problemAt(lines, i):
			if h := shape(l); !seen[h] {
				seen[h], keep[i] = true, true
				problems++
			}
		case commands < blockCommands && isCommandLine(l, shell && i > 0):
			keep[i] = true
			commands++
		case definitions < blockDefinitions && fenced && isDefinition(l):
			keep[i] = true
			definitions++
		}
	}
	return keep
}

// problemAt reports whether the i-th line tells of a failure.
func problemAt(lines []string, i int) bool {
	return Failure(lines[i]) || i > 0 && endsTrace(lines[i-1], lines[i])
}

// endsTrace reports whether a line names an error after the indented frames of a trace:
// "decimal.InvalidOperation: …".
func endsTrace(last, line string) bool {
	name, _, found := strings.Cut(line, ": ")
	return found && strings.HasPrefix(last, "  ") && isIdentifiers(name)
}

// isIdentifiers reports whether a text is one identifier, or several joined by dots.
func isIdentifiers(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return false
		}
	}
	return true
}

// shape hashes a line without its numbers, so that a repeated failure is recognised.
func shape(l string) uint64 {
	h := uint64(hashStart)
	for i := range len(l) {
		if b := l[i]; b < '0' || b > '9' {
			h = (h ^ uint64(b)) * hashBase
		}
	}
	return h
}

const hashStart = 14695981039346656037

var shells = []string{"sh", "bash", "shell", "zsh", "fish", "powershell", "ps1", "bat", "cmd"}

func shellFence(first string) bool {
	return slices.Contains(shells, strings.ToLower(strings.Trim(strings.TrimSpace(first), "`~ ")))
}

// isCommandLine reports whether a line was typed into a shell.
func isCommandLine(l string, shell bool) bool {
	t := strings.TrimSpace(l)
	return strings.HasPrefix(t, "$ ") && len(t) > 2 || shell && t != "" && t[0] != '#' && strings.Trim(t, "`~") != ""
}

var (
	modifiers = []string{"export ", "default ", "pub ", "public ", "private ", "protected ", "static ", "async ", "abstract ", "final "}
	declarers = []string{"func ", "def ", "class ", "type ", "interface ", "struct ", "enum ", "fn ", "impl ", "trait ", "function ", "package ", "module "}
)

// isDefinition reports whether a line defines something in the languages that people paste.
func isDefinition(l string) bool {
	t := strings.TrimSpace(l)
	for _, m := range modifiers {
		t = strings.TrimPrefix(t, m)
	}
	return slices.ContainsFunc(declarers, func(d string) bool { return strings.HasPrefix(t, d) && len(t) > len(d) })
}

// failureMarks are what compilers, test runners, runtimes and shells print when they fail, in lower
// case. Programs print them in English, whatever language people use.
var failureMarks = []string{
	"error:", "error[", "error ts", "err!", "errno", "panic:", "fatal:", "failed:", "failed to ", "--- fail", "failure:", "exception:", "exception in ",
	"traceback (most recent", "undefined:", "undefined reference", "connection refused", "permission denied", "access denied", "no such file",
	"caused by:", "assertion failed", "segmentation fault", "core dumped", "deadlock", "exit status ", "exit code ", "exited with ", "level=error",
	"\"error\":", "tests failed", "test failed", "command not found", "timed out",
}

// passMarks occur in lines that contain a failure mark but report no failure.
var passMarks = []string{"0 error", "no error", "0 failed", "0 failures", "exit status 0", "exit code 0", "exited with 0", "exited with code 0",
	"errors: 0", "failed: 0", "error: null", "\"error\":null", "\"error\": null", "error: none"}

// Failure reports whether a line or a sentence is an error message: what a program printed when it
// failed, as printed or quoted. Talk about errors and good results ("0 failed") do not count.
// Failure reads at most 2,000 bytes.
func Failure(line string) bool {
	if len(line) > 2000 {
		line = line[:2000]
	}
	found := false
	for i := 0; i < len(line) && !found; i++ {
		switch line[i] {
		case ':', '[', '"', ' ', '=', '-', '!', '(':
			found = true
		}
	}
	if !found && !strings.HasPrefix(line, "FAIL") {
		return false
	}
	if thrown(line) || strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "E   ") {
		return true
	}
	for _, w := range [...]string{"FAIL ", "FAIL:", "ERROR ", "ERROR]", "FATAL "} {
		if i := strings.Index(line, w); i >= 0 && i < 40 && !strings.Contains(line, "FAIL 0") {
			return true
		}
	}
	low := strings.ToLower(line)
	has := func(mark string) bool { return strings.Contains(low, mark) }
	return slices.ContainsFunc(failureMarks, has) && !slices.ContainsFunc(passMarks, has)
}

// thrown reports whether a line names a thrown exception: "TypeError: …",
// "java.lang.NullPointerException in …".
func thrown(line string) bool {
	for _, end := range [...]string{"Error:", "Exception:", "Exception in "} {
		if i := strings.Index(line, end); i > 0 && wordByte(line[i-1]) {
			return true
		}
	}
	return false
}
