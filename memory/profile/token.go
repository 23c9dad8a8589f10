package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// shape is the kind of a token's spelling.
type shape byte

const (
	word     shape = iota // letters only, apostrophes within
	joined                // words joined by hyphens: checkout-gateway
	snake                 // words joined by underscores
	code                  // another identifier, or a path
	ticket                // TIDE-311
	host                  // db-2.example.lan
	email                 // a.b@example.org
	handle                // @somebody
	option                // --dry-run
	number                // digits and their marks
	unbroken              // a run of a script without spaces, see runs.go
)

// token is a word of a sentence, text[start:end].
type token struct {
	start, end int
	key        string // folded
	shape      shape
	capital    bool // it begins with a capital letter
	opens      bool // only punctuation precedes it in the sentence
	breaks     bool // a mark that ends a phrase separates it from the previous token
	quoted     bool // it is in backticks
}

// maxTokenBytes bounds a token in bytes: anything longer is not a word.
const maxTokenBytes = 80

// tokens splits a sentence into words, skipping the marks between them.
func tokens(text string) []token {
	var out []token
	breaks, opens, ticks := false, true, false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '`':
			ticks = !ticks
			i += n
		case isUnbroken(r):
			t := token{start: i, end: unbrokenEnd(text, i), breaks: breaks}
			i = t.end
			if t.key = text[t.start:t.end]; isHiragana(r) {
				t.shape = number
			} else {
				t.shape, t.opens = unbroken, opens
			}
			out = append(out, t)
			opens, breaks = false, false
		case startsWord(r, text[i:]):
			end := wordEnd(text, i)
			t, ok := spelled(text, i, end)
			if ok {
				t.opens, t.breaks, t.quoted = opens, breaks, ticks
				out = append(out, t)
			}
			opens, breaks = false, !ok || strings.ContainsAny(text[t.end:end], ".-/")
			i = end
		default:
			if r != ' ' && r != '\'' && r != '’' && r != '*' {
				breaks = true
			}
			i += n
		}
	}
	return out
}

// unbrokenEnd returns the end of the run of a script without spaces that begins at i. Hiragana,
// which is mostly grammatical, is a run of its own.
func unbrokenEnd(text string, i int) int {
	first, n := utf8.DecodeRuneInString(text[i:])
	kana := isHiragana(first)
	for i += n; i < len(text); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(text[i:]); !isUnbroken(r) || isHiragana(r) != kana {
			break
		}
	}
	return i
}

// startsWord reports whether a word of a script with spaces may begin with r, the first rune of
// text.
func startsWord(r rune, text string) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '@' || r == '-' && strings.HasPrefix(text, "--")
}

// wordEnd returns the end of the word at i, with the marks after it.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if isUnbroken(r) || !(unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-./@'’+", r)) {
			break
		}
		i += n
	}
	return i
}

func isHiragana(r rune) bool { return unicode.In(r, unicode.Hiragana) }

// isUnbroken reports whether a rune is of a script without spaces.
func isUnbroken(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー') || r >= 0x0E00 && r <= 0x0EFF
}

// spelled returns the token text[start:end] without the marks at its end.
func spelled(text string, start, end int) (token, bool) {
	run := strings.TrimRight(text[start:end], "-./'’@+")
	if len(run) == 0 || len(run) > maxTokenBytes {
		return token{}, false
	}
	t := token{start: start, end: start + len(run)}
	r, _ := utf8.DecodeRuneInString(run)
	t.capital = unicode.IsUpper(r)
	t.shape = shapeOf(run, strings.HasPrefix(text[t.end:], "("))
	if t.shape == word {
		run = possessor(run)
		t.end = start + len(run)
	}
	t.key = strings.ToLower(strings.ReplaceAll(run, "’", "'"))
	if t.shape == email || t.shape == handle {
		t.key = strings.Trim(t.key, "@.")
	}
	return t, t.key != ""
}

// possessor returns a word without a possessive ending.
func possessor(run string) string {
	for _, end := range [...]string{"'s", "’s", "'", "’"} {
		if short, ok := strings.CutSuffix(run, end); ok {
			return short
		}
	}
	return run
}

// shapeOf returns a word's shape. called means that a bracket follows it, as after the name of a
// function.
func shapeOf(run string, called bool) shape {
	n := countRunes(run)
	switch {
	case n.letters == 0:
		return number
	case isEmail(run):
		return email
	case !called && n.isHandle(run):
		return handle
	case n.isOption(run):
		return option
	case n.others > 0 || called || n.humps > 0 && n.hyphens == 0:
		return code
	case n.hyphens == 1 && isTicket(run):
		return ticket
	case n.dots > 0 && isHost(run):
		return host
	case n.dots > 0:
		return code
	case n.underscores > 0:
		return snake
	case n.hyphens > 0:
		return joined
	case n.digits > 0:
		return code
	}
	return word
}

// runeCounts are how many characters of each class a word has.
type runeCounts struct {
	letters, digits, hyphens, underscores, dots int
	others                                      int // except apostrophes
	capitals, humps                             int // humps are capitals after a lower-case letter
}

func countRunes(run string) (n runeCounts) {
	before := rune(0)
	for _, r := range run {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			n.letters++
			if unicode.IsUpper(r) {
				n.capitals++
				if unicode.IsLower(before) {
					n.humps++
				}
			}
		case unicode.IsDigit(r):
			n.digits++
		case r == '-':
			n.hyphens++
		case r == '_':
			n.underscores++
		case r == '.':
			n.dots++
		case r == '\'' || r == '’':
		default:
			n.others++
		}
		before = r
	}
	return n
}

// isHandle reports whether a word begins with @ and has no other mark, and no capitals.
func (n *runeCounts) isHandle(run string) bool {
	return run[0] == '@' && n.others == 1 && n.letters > 2 && n.capitals == 0 && n.underscores == 0
}

// isOption reports whether a word is spelled like an option of a command: --dry-run.
func (n *runeCounts) isOption(run string) bool {
	return strings.HasPrefix(run, "--") && n.letters > 2 && n.others == 0
}

// isEmail reports whether a word is spelled like an address: one @, and a dot after at least one
// more character.
func isEmail(run string) bool {
	at := strings.IndexByte(run, '@')
	return at > 0 && strings.LastIndexByte(run, '.') > at+1 && strings.Count(run, "@") == 1 && !strings.Contains(run, "/")
}

// isTicket reports whether a word is spelled like a ticket number: capitals, a hyphen, at least two
// digits.
func isTicket(run string) bool {
	at := strings.IndexByte(run, '-')
	head, tail := run[:at], run[at+1:]
	if len(head) < 2 || len(head) > 10 || len(tail) < 2 || len(tail) > 7 || standards[head] {
		return false
	}
	return strings.Trim(head, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" && head[0] >= 'A' && strings.Trim(tail, "0123456789") == ""
}

// isHost reports whether a word is spelled like a host's name: labels separated by dots, the last
// one of networks; with only two labels, the first has a hyphen or a digit.
func isHost(run string) bool {
	labels := strings.Split(run, ".")
	last := labels[len(labels)-1]
	if len(labels) < 2 || !networks[last] {
		return false
	}
	for _, l := range labels {
		if l == "" || strings.ContainsAny(l, "_") || strings.ToLower(l) != l {
			return false
		}
	}
	return len(labels) > 2 || strings.ContainsAny(labels[0], "-0123456789")
}

// rarities caches how rare words are: the value of [utterance.Rarity], or less if familiar knows
// the word.
type rarities struct {
	known    map[string]float64
	familiar func(word string) float64 // nil = all words are unknown
}

func (r rarities) of(t *token) float64 {
	if t.shape != word && t.shape != joined {
		return 1
	}
	v, ok := r.known[t.key]
	if !ok {
		v = utterance.Rarity(t.key)
		if r.familiar != nil {
			v = min(v, 1-r.familiar(t.key), 1-r.inflected(t.key))
		}
		r.known[t.key] = v
	}
	return v
}

// endings are those of inflected and derived forms in the commonest languages.
var endings = strings.Fields(`s es ed ing ings er ers or ors ion ions ly ies en em ern es ung ungen ent és ée ées ado ada ando ción ções mente are ere
	ire ato ть ет ит ют ый ая ое ые ого а у ы и ов`)

// inflected returns how familiar the base word of an inflected form is: forms of common words are
// not names.
func (r rarities) inflected(key string) float64 {
	best := 0.0
	for _, end := range endings {
		stem, ok := strings.CutSuffix(key, end)
		if !ok || utf8.RuneCountInString(stem) < 4 {
			continue
		}
		best = max(best, r.familiar(stem), r.familiar(stem+"e"))
	}
	if best > 0 {
		best = max(.1, best-.1)
	}
	return best
}
