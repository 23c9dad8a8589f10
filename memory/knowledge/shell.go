package knowledge

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// shellPart is one simple command of a shell's input.
type shellPart struct {
	start, end int      // in the input
	words      []string // without their quotes
	after      string   // what separates it from the next: "&&", "||", "|", ";", or "" at the end
}

// shellParts splits a shell's input into its simple commands. It reads quotes, comments and here
// documents, and no more of the language: what it does not know it takes for words.
func shellParts(input string) (out []shellPart) {
	s := shellReader{input: input}
	for s.at < len(s.input) {
		s.step()
	}
	s.part("", 0)
	return s.out
}

// Program is a program that a shell's input runs.
type Program struct {
	Words []string // its name and its arguments, without their quotes
	Fed   bool     // by a pipe
}

// Programs returns the programs that a shell's input runs, in order. Those of a script that a shell
// is given as an argument are among them.
func Programs(input string) (out []Program) {
	fed := false
	for _, p := range shellParts(input) {
		if text, ok := script(p.words); ok && len(text) < len(input) {
			out = append(out, Programs(text)...)
		} else if words := p.words[program(p.words):]; len(words) > 0 {
			out = append(out, Program{words, fed})
		}
		fed = p.after == "|"
	}
	return out
}

// shellReader is the state of shellParts.
type shellReader struct {
	input  string
	at     int // the next byte
	first  int // of the part, where it has words
	word   []byte
	inWord bool
	words  []string
	here   []string // the ends of the here documents that begin at the next line
	out    []shellPart
}

// heredoc matches the beginning of a here document, with the word that ends it.
var heredoc = regexp.MustCompile(`^<<-?\s*['"]?(\w+)['"]?`)

// step reads one byte, or all that belongs to it.
func (s *shellReader) step() {
	c := s.input[s.at]
	rest := s.input[s.at:]
	switch {
	case c == '\'' || c == '"':
		s.quoted(c)
	case c == '\\' && len(rest) > 1:
		if rest[1] != '\n' {
			s.letter(rest[1])
		}
		s.at += 2
	case c == '\n':
		s.part(";", 1)
		for _, end := range s.here {
			s.skip(end)
		}
		s.here = nil
	case c == '#' && !s.inWord:
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		s.close()
		s.at += end
	case strings.HasPrefix(rest, "<<") && heredoc.MatchString(rest):
		m := heredoc.FindStringSubmatch(rest)
		s.here = append(s.here, m[1])
		s.close()
		s.at += len(m[0])
	case s.separator() != "":
		sep := s.separator()
		after := sep
		if len(sep) == 1 && sep != "|" {
			after = ";"
		}
		s.part(after, len(sep))
	case c == ' ' || c == '\t' || c == '\r':
		s.close()
		s.at++
	default:
		s.letter(c)
		s.at++
	}
}

// separator returns what ends a simple command at the next byte, "" for none.
func (s *shellReader) separator() string {
	rest := s.input[s.at:]
	switch {
	case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
		return rest[:2]
	case strings.HasPrefix(rest, "&>"), rest[0] == '&' && strings.HasSuffix(s.input[:s.at], ">"):
		return "" // of a redirection
	case strings.ContainsRune("|;()&", rune(rest[0])):
		return rest[:1]
	}
	return ""
}

func (s *shellReader) letter(c byte) {
	if !s.inWord && len(s.words) == 0 {
		s.first = s.at
	}
	s.inWord, s.word = true, append(s.word, c)
}

// quoted reads up to the closing quote.
func (s *shellReader) quoted(quote byte) {
	if !s.inWord && len(s.words) == 0 {
		s.first = s.at
	}
	s.inWord = true
	for s.at++; s.at < len(s.input) && s.input[s.at] != quote; s.at++ {
		if c := s.input[s.at]; c == '\\' && quote == '"' && s.at+1 < len(s.input) {
			s.at++
		}
		s.word = append(s.word, s.input[s.at])
	}
	s.at++
}

// close ends a word.
func (s *shellReader) close() {
	if s.inWord {
		s.words = append(s.words, string(s.word))
	}
	s.inWord, s.word = false, s.word[:0]
}

// part ends a simple command before a separator of n bytes.
func (s *shellReader) part(after string, n int) {
	s.close()
	if len(s.words) > 0 {
		end := min(s.at, len(s.input))
		s.out = append(s.out, shellPart{s.first, s.first + len(strings.TrimRight(s.input[s.first:end], " \t\r")), s.words, after})
	}
	s.words = nil
	s.at += n
}

// skip passes the lines of a here document.
func (s *shellReader) skip(end string) {
	for s.at < len(s.input) {
		line, _, more := strings.Cut(s.input[s.at:], "\n")
		s.at += len(line)
		if more {
			s.at++
		}
		if strings.TrimSpace(line) == end {
			return
		}
	}
}

// program returns the index of the first word of a simple command that is neither the shell's own
// nor an assignment; len(words) when there is none.
func program(words []string) int {
	i := slices.IndexFunc(words, func(w string) bool { return !shellWords[w] && !assignment.MatchString(w) })
	if i < 0 {
		return len(words)
	}
	return i
}

var assignment = regexp.MustCompile(`^\w+=`)

// script returns what a shell is given to run as an argument, as in bash -c.
func script(words []string) (text string, ok bool) {
	i := program(words)
	if i >= len(words) || !shells[path.Base(words[i])] {
		return "", false
	}
	for ; i+1 < len(words); i++ {
		if w := words[i]; strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") {
			return words[i+1], true
		}
	}
	return "", false
}

var shells = map[string]bool{"bash": true, "sh": true, "zsh": true, "dash": true}

// uses returns the index of the word at which a simple command begins to be the wanted one: its
// program, or what its program runs, followed by the other wanted words in their order, of which a
// folder is also wanted by the files in it; -1 if it is another. What only reads a file, as grep
// does, runs nothing.
func uses(words, wanted []string) int {
	first := program(words)
	for i := first; i < len(words); i++ {
		if words[i] != wanted[0] && path.Base(words[i]) != wanted[0] {
			continue
		}
		if i > first && readers[strings.ToLower(path.Base(words[first]))] {
			return -1
		}
		rest := wanted[1:]
		for _, w := range words[i+1:] {
			if len(rest) > 0 && (w == rest[0] || strings.HasPrefix(w, strings.TrimSuffix(rest[0], "/")+"/")) {
				rest = rest[1:]
			}
		}
		if len(rest) == 0 {
			return i
		}
	}
	return -1
}
