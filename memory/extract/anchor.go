package extract

import (
	"strings"
	"unicode"
)

// A block longer than this many lines is a paste: of its lines only failures, commands and definitions are anchors.
const shortBlock = 12

// Limits to the anchors of one paste, so that a log of a million failures is still shortened.
const (
	blockProblems    = 20
	blockCommands    = 40
	blockDefinitions = 60
	longestAnchor    = 400 // bytes; a line longer than that is no message but data
)

// Anchors gives what of a text must survive every shortening verbatim, in order, each once: paths, commands,
// identifiers, URLs, numbers with units, versions, the sentences of decisions, error lines. White space inside an anchor
// is single spaces. Of a paste, a fenced block or a run of output of over 12 lines, only error lines (those that differ
// in digits alone count once), commands and the lines of definitions are anchors, and not more than a page of them.
func Anchors(text string) []string {
	c := anchors{seen: map[string]bool{}}
	ps := pieces(text)
	for i := 0; i < len(ps); i++ {
		switch p := ps[i]; p.kind {
		case block:
			c.block(strings.Split(p.text, "\n"), true)
		case output:
			end := i + 1
			for end < len(ps) && ps[end].kind == output {
				end++
			}
			lines := make([]string, 0, end-i)
			for _, q := range ps[i:end] {
				lines = append(lines, q.text)
			}
			c.block(lines, false)
			i = end - 1
		default:
			c.sentence(p.text)
		}
	}
	return c.list
}

// Missing gives those of the anchors that are not in text, white space aside.
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

// sentence adds the anchors of a sentence: the whole of it when it is a decision or an error, and what is in it.
func (c *anchors) sentence(s string) {
	if _, ok := Decide(s); ok {
		c.add(itemText(s))
	}
	if Problem(s) {
		c.add(itemText(s))
	}
	inline(s, c.add)
}

// block adds the anchors of the lines of a block. fenced says that the first line is a fence.
func (c *anchors) block(lines []string, fenced bool) {
	shell := fenced && shellFence(lines[0])
	if len(lines) <= shortBlock {
		for i, l := range lines {
			if fenced && (i == 0 || strings.Trim(strings.TrimSpace(l), "`~") == "") {
				continue
			}
			if isCommandLine(l, shell) || Problem(l) {
				c.add(strings.TrimPrefix(strings.TrimSpace(l), "$ "))
			}
			inline(l, c.add)
		}
		return
	}
	for i := range keepOfPaste(lines, fenced) {
		c.add(strings.TrimPrefix(strings.TrimSpace(lines[i]), "$ "))
	}
}

// keepOfPaste gives the lines of a paste that are anchors.
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
		case problems < blockProblems && Problem(l):
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

// shape hashes a line with its numbers left out, so that a failure that repeats is known again.
func shape(l string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(l) {
		if b := l[i]; b < '0' || b > '9' {
			h = (h ^ uint64(b)) * 1099511628211
		}
	}
	return h
}

func shellFence(first string) bool {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(first), "`~ ")) {
	case "sh", "bash", "shell", "console", "zsh", "fish", "powershell", "ps1", "bat", "cmd", "terminal":
		return true
	}
	return false
}

// isCommandLine tells a line that somebody typed into a shell.
func isCommandLine(l string, shell bool) bool {
	t := strings.TrimSpace(l)
	if strings.HasPrefix(t, "$ ") && len(t) > 2 {
		return true
	}
	return shell && t != "" && t[0] != '#' && commandEnd(t) > 0
}

// isDefinition tells the line that defines something in the languages that people paste.
func isDefinition(l string) bool {
	t := strings.TrimSpace(l)
	for _, mod := range [...]string{"export ", "default ", "pub ", "public ", "private ", "protected ", "static ", "async ", "abstract ", "final "} {
		t = strings.TrimPrefix(t, mod)
	}
	for _, p := range [...]string{"func ", "def ", "class ", "type ", "interface ", "struct ", "enum ", "fn ", "impl ", "trait ", "function ", "package ", "module "} {
		if strings.HasPrefix(t, p) && len(t) > len(p) {
			return true
		}
	}
	return false
}

// oneSpaced is s with every run of white space as one space and none around it. A string that is so already is
// returned as it is.
func oneSpaced(s string) string {
	s = strings.TrimSpace(s)
	clean, gap := true, false
	for _, r := range s {
		space := unicode.IsSpace(r)
		if space && (gap || r != ' ') {
			clean = false
			break
		}
		gap = space
	}
	if clean {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}
