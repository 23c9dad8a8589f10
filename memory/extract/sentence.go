package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a piece of text is, as far as its form tells.
type kind byte

const (
	prose kind = iota
	item       // a list item, a table row
	heading
	block  // a fenced block, fences included
	output // a line of a log, a trace, a diff, a listing
)

// piece is a sentence, a line or a block of a text. Its text is a run of the input, but that line breaks inside a
// sentence are spaces.
type piece struct {
	text  string
	kind  kind
	start bool // it begins a line
	para  bool // a blank line stood before it
}

// longestPiece is where text without any end of a sentence is cut.
const longestPiece = 1500

// Sentences splits a text into sentences, list items, lines of logs and code, and fenced blocks, each fence whole.
// Abbreviations, numbers, paths, names in code and what stands in backticks do not end a sentence. Only white space is
// lost, but where over 1,500 bytes come without an end: they are cut at a space when there is one.
func Sentences(text string) []string {
	ps := pieces(text)
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = p.text
	}
	return out
}

// pieces is Sentences with the form of each.
func pieces(text string) []piece {
	var out []piece
	var para []string // lines of one run of prose, joined when it ends
	blank := false
	flush := func() {
		if len(para) > 0 {
			out = appendProse(out, strings.Join(para, " "), prose, blank)
			para, blank = para[:0], false
		}
	}
	for len(text) > 0 {
		line, rest := cutLine(text)
		trimmed := strings.TrimSpace(line)
		if fence := fenceOf(trimmed); fence != "" {
			flush()
			end := fenceEnd(text, fence)
			out = append(out, piece{strings.TrimRight(text[:end], " \t\r\n"), block, true, blank})
			text, blank = text[end:], false
			continue
		}
		text = rest
		if trimmed == "" {
			flush()
			blank = true
			continue
		}
		switch k := formOf(line, trimmed); {
		case k == prose && len(para) > 0 && !wraps(para[len(para)-1], trimmed):
			flush()
			para = append(para, trimmed)
		case k == prose:
			para = append(para, trimmed)
		case k == output:
			flush()
			out = appendOutput(out, strings.TrimRight(line, " \t\r"), blank)
			blank = false
		default:
			flush()
			out = appendProse(out, trimmed, k, blank)
			blank = false
		}
	}
	flush()
	return out
}

func cutLine(text string) (line, rest string) {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// fenceOf gives the fence that a line opens a block with, "" when it is none.
func fenceOf(trimmed string) string {
	for _, f := range [...]string{"```", "~~~"} {
		if strings.HasPrefix(trimmed, f) {
			n := len(f)
			for n < len(trimmed) && trimmed[n] == f[0] {
				n++
			}
			if strings.Contains(trimmed[n:], f) { // ```code``` on one line is no block
				return ""
			}
			return trimmed[:n]
		}
	}
	return ""
}

// fenceEnd is where the block that text begins with ends: after the line with its closing fence, or with the text.
func fenceEnd(text, fence string) int {
	_, rest := cutLine(text)
	for at := len(text) - len(rest); at < len(text); {
		line, rest := cutLine(text[at:])
		at = len(text) - len(rest)
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
			return at
		}
	}
	return len(text)
}

// wraps reports whether next goes on with a paragraph's line prev: prev is long enough to have been broken and no
// sentence ends there, or next begins small.
func wraps(prev, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(prev)
	if strings.ContainsRune(".!?:;。！？…", last) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	return len(prev) > 45 && (unicode.IsLower(first) || len(prev) > 60)
}

// appendOutput appends a line of output, cut where it is too long.
func appendOutput(out []piece, line string, para bool) []piece {
	for start := true; line != ""; start = false {
		n := cutAt(line)
		out = append(out, piece{line[:n], output, start, para && start})
		line = line[n:]
	}
	return out
}

// appendProse appends the sentences of a line or a paragraph.
func appendProse(out []piece, text string, k kind, para bool) []piece {
	for start := true; text != ""; start = false {
		n := sentenceEnd(text)
		if s := strings.TrimSpace(text[:n]); s != "" {
			out = append(out, piece{s, k, start, para && start})
		}
		text = strings.TrimLeft(text[n:], " \t")
	}
	return out
}

// cutAt is how much of s to take: all, or up to a good place near longestPiece.
func cutAt(s string) int {
	if len(s) <= longestPiece {
		return len(s)
	}
	if i := strings.LastIndexAny(s[longestPiece/2:longestPiece], " ,;"); i >= 0 {
		return longestPiece/2 + i + 1
	}
	return runeStart(s, longestPiece)
}

// runeStart is the last start of a character at or before i, 0 < i < len(s).
func runeStart(s string, i int) int {
	for j := i; j > max(i-utf8.UTFMax, 0); j-- {
		if utf8.RuneStart(s[j]) {
			return j
		}
	}
	return i
}

// sentenceEnd is the end of the first sentence of s.
func sentenceEnd(s string) int {
	code := false
	limit := cutAt(s)
	for i := 0; i < limit; {
		b := s[i]
		switch {
		case b == '`':
			code = !code && strings.IndexByte(s[i+1:limit], '`') >= 0
			i++
		case code || b < utf8.RuneSelf && b != '.' && b != '!' && b != '?':
			i++
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			if r == '。' || r == '！' || r == '？' {
				return closers(s, i)
			}
			if r == '…' && endsAt(s, i, i) {
				return closers(s, i)
			}
		default:
			start := i
			for i < len(s) && (s[i] == '.' || s[i] == '!' || s[i] == '?') {
				i++
			}
			if endsAt(s, start, i) {
				return closers(s, i)
			}
		}
	}
	return limit
}

// closers is i behind the quotes and brackets that close what ended there.
func closers(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(`"')]*_”’»」』`, r) {
			break
		}
		i += n
	}
	return i
}

// endsAt reports whether the marks s[start:end] end a sentence: space follows, and a capital or what begins a sentence
// stands behind it; and what is before a lone dot is no abbreviation, initial or list number.
func endsAt(s string, start, end int) bool {
	i := closers(s, end)
	if i == len(s) {
		return true
	}
	if s[i] != ' ' && s[i] != '\t' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[i:], " \t"))
	if start == end || s[start] != '.' || end-start > 1 {
		return !unicode.IsLower(next) || s[start] == '?' || s[start] == '!'
	}
	word := s[strings.LastIndexAny(s[:start], " \t(\"'")+1 : start]
	if unicode.IsLower(next) && !chatty(word) {
		return false
	}
	if word == "" {
		return false
	}
	initial := len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z' && word != "I"
	if initial || isNumber(word) && len(word) < 3 && start == len(word) {
		return false
	}
	return !abbreviations[strings.ToLower(word)]
}

// chatty tells a word that may end a sentence whose next one begins small, as people type them: a plain one of some
// length that is no abbreviation.
func chatty(word string) bool {
	for i := range len(word) {
		if (word[i] < 'a' || word[i] > 'z') && !(i == 0 && len(word) > 4 && word[0] >= 'A' && word[0] <= 'Z') {
			return false
		}
	}
	return len(word) > 3 && !abbreviations[strings.ToLower(word)]
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

var abbreviations = wordSet(`e.g i.e eg ie etc vs cf al mr mrs ms dr prof sr jr st no nos fig figs eq sec ch vol pp p approx dept est inc
	ltd co corp jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri u.s u.k a.m p.m resp incl max min misc ref tel ca z.b bzw usw`)
