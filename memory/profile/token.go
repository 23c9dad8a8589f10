package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// shape is how a token is spelled.
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
	opens      bool // nothing but marks stands before it in the sentence
	breaks     bool // a mark that ends a phrase stands between it and the one before
	quoted     bool // it stands in backticks
}

// mostToken bounds a token, in bytes: what is longer is no word.
const mostToken = 80

// tokens cuts a sentence into words. Marks between words are passed over.
func tokens(text string) []token {
	var out []token
	breaks, opens, ticks := false, true, false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		start := i
		switch {
		case r == '`':
			ticks = !ticks
			i += n
			continue
		case isUnbroken(r):
			for i < len(text) {
				next, n := utf8.DecodeRuneInString(text[i:])
				if !isUnbroken(next) || isHiragana(next) != isHiragana(r) {
					break
				}
				i += n
			}
			if !isHiragana(r) {
				out = append(out, token{start: start, end: i, key: text[start:i], shape: unbroken, opens: opens, breaks: breaks})
			} else {
				out = append(out, token{start: start, end: i, key: text[start:i], shape: number, breaks: breaks})
			}
			opens, breaks = false, false
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '@' || r == '-' && strings.HasPrefix(text[i:], "--"):
			for i < len(text) {
				next, n := utf8.DecodeRuneInString(text[i:])
				if isUnbroken(next) || !(unicode.IsLetter(next) || unicode.IsDigit(next) || unicode.IsMark(next) || strings.ContainsRune("_-./@'’+", next)) {
					break
				}
				i += n
			}
			if t, ok := spelled(text, start, i, ticks); ok {
				t.opens, t.breaks, t.quoted = opens, breaks, ticks
				out = append(out, t)
				last := text[t.end:i]
				opens, breaks = false, strings.ContainsAny(last, ".-/")
				continue
			}
			opens, breaks = false, true
		default:
			if r != ' ' && r != '\'' && r != '’' && r != '*' {
				breaks = true
			}
			i += n
		}
	}
	return out
}

func isHiragana(r rune) bool { return unicode.In(r, unicode.Hiragana) }

// isUnbroken reports whether a rune is of a script that is written without spaces.
func isUnbroken(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー') || r >= 0x0E00 && r <= 0x0EFF
}

// spelled reads the token text[start:end] without the marks at its end.
func spelled(text string, start, end int, quoted bool) (token, bool) {
	run := strings.TrimRight(text[start:end], "-./'’@+")
	if len(run) == 0 || len(run) > mostToken {
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

// possessor is a word without the mark of possession.
func possessor(run string) string {
	for _, end := range [...]string{"'s", "’s", "'", "’"} {
		if short, ok := strings.CutSuffix(run, end); ok {
			return short
		}
	}
	return run
}

func shapeOf(run string, called bool) shape {
	letters, digits, hyphens, unders, dots, others := 0, 0, 0, 0, 0, 0
	upper, inner := 0, 0 // capitals, and those behind a small letter
	before := rune(0)
	for _, r := range run {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
			if unicode.IsUpper(r) {
				upper++
				if unicode.IsLower(before) {
					inner++
				}
			}
		case unicode.IsDigit(r):
			digits++
		case r == '-':
			hyphens++
		case r == '_':
			unders++
		case r == '.':
			dots++
		case r == '\'' || r == '’':
		default:
			others++
		}
		before = r
	}
	at := strings.IndexByte(run, '@')
	switch {
	case letters == 0:
		return number
	case at > 0 && strings.LastIndexByte(run, '.') > at+1 && strings.Count(run, "@") == 1 && !strings.Contains(run, "/"):
		return email
	case at == 0 && !called && others == 1 && letters > 2 && upper == 0 && unders == 0:
		return handle
	case strings.HasPrefix(run, "--") && letters > 2 && others == 0:
		return option
	case others > 0 || called || inner > 0 && hyphens == 0:
		return code
	case hyphens == 1 && isTicket(run):
		return ticket
	case dots > 0:
		if isHost(run) {
			return host
		}
		return code
	case unders > 0:
		return snake
	case hyphens > 0:
		return joined
	case digits > 0:
		return code
	}
	return word
}

// isTicket reports whether a word is spelled like a tracker's number: capitals, a hyphen, two digits or more.
func isTicket(run string) bool {
	at := strings.IndexByte(run, '-')
	head, tail := run[:at], run[at+1:]
	if len(head) < 2 || len(head) > 10 || len(tail) < 2 || len(tail) > 7 || standards[head] {
		return false
	}
	return strings.Trim(head, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" && head[0] >= 'A' && strings.Trim(tail, "0123456789") == ""
}

// isHost reports whether a word is spelled like a host's name: labels between dots, of which the last is one that
// networks end in and an earlier one has a hyphen or a digit, or there are three.
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

// rarities keeps how rare words are: what [utterance.Rarity] says, or less where familiar knows the word.
type rarities struct {
	known    map[string]float64
	familiar func(word string) float64 // nil = it knows none
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

// endings are those of inflected and derived forms, of the languages that most talk is in.
var endings = strings.Fields(`s es ed ing ings er ers or ors ion ions ly ies en em ern es ung ungen ent és ée ées ado ada ando ción ções mente are ere
	ire ato ть ет ит ют ый ая ое ые ого а у ы и ов`)

// inflected is how familiar the word is that a form belongs to, or nearly so: forms of common words are no names.
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
