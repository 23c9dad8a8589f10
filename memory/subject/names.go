package subject

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxNamesText bounds the bytes of a message in which names are found.
	maxNamesText = 24 << 10
	// shortestName and longestName bound the characters of a word that may be a name: longer ones
	// are made by machines.
	shortestName, longestName = 3, 30
)

var (
	// With one digit it is more often a standard, or the place in a list: UTF-8, #1.
	ticketName = regexp.MustCompile(`^(?:[A-Z][A-Z0-9]+-|#)[0-9]{2,6}$`)
	mailName   = regexp.MustCompile(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
)

// Names returns what a person's message calls by name, without duplicates and as it is written:
// hosts of links, mail addresses, tickets, identifiers, names of files, and words that are no
// ordinary words. A word is ordinary if the corpus of [utterance.Rarity] has it or familiar, which
// may be nil, returns more than 0 for it in lower case. There are none in what the person has only
// pasted, and none in scripts without spaces, where nothing shows where a name ends. Files with
// their folders are [Path] mentions.
func Names(m dialogue.Message, familiar func(word string) float64) []Mention {
	if !m.ByPerson() {
		return nil
	}
	text := m.Content
	if len(text) > maxNamesText {
		text = strings.ToValidUTF8(text[:maxNamesText], "")
	}
	f := nameFinder{familiar: familiar, seen: map[string]bool{}}
	for _, b := range utterance.Blocks(text) {
		if b.Source != utterance.Own {
			continue
		}
		for field := range strings.FieldsSeq(text[b.Start:b.End]) {
			f.field(field)
		}
	}
	return f.list
}

// nameFinder gathers names.
type nameFinder struct {
	familiar func(word string) float64
	seen     map[string]bool
	list     []Mention
}

func (f *nameFinder) add(name string) {
	name = norm.NFC.String(name)
	if f.seen[name] || len(name) > maxNameBytes || len(f.list) >= maxMentions || !utf8.ValidString(name) {
		return
	}
	f.seen[name] = true
	f.list = append(f.list, Mention{Name, name})
}

// field adds the names in a run of characters between spaces.
func (f *nameFinder) field(s string) {
	if at := strings.Index(s, "://"); at >= 0 {
		start := strings.LastIndexFunc(s[:at], func(r rune) bool { return !unicode.IsLetter(r) }) + 1
		if u, err := url.Parse(strings.TrimRight(s[start:], ".,;:!?)>]\"'`*")); err == nil && strings.Contains(u.Hostname(), ".") {
			f.add(hostMark + u.Hostname())
		}
		return
	}
	if start := strings.TrimLeft(s, "`\"'(["); strings.HasPrefix(start, "/") || strings.HasPrefix(start, "~/") || strings.HasPrefix(start, "./") || strings.HasPrefix(start, "../") {
		return // a path
	}
	s = strings.TrimFunc(s, func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) && !strings.ContainsRune("#_$", r)
	})
	if mailName.MatchString(s) || ticketName.MatchString(s) {
		f.add(s)
		return
	}
	for _, t := range utterance.Terms(s) {
		word := withoutPossessive(s[t.Start:t.End])
		switch {
		case strings.ContainsAny(word, `/\`):
			if !t.Code {
				for part := range strings.SplitSeq(word, "/") {
					f.word(part)
				}
			}
		case t.Code:
			if isNamelikeCode(word) {
				f.add(word)
			}
		default:
			f.word(word)
		}
	}
}

// word adds a word, or one that hyphens join, unless all its parts are ordinary.
func (f *nameFinder) word(s string) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '-' })
	for _, p := range parts {
		if n := utf8.RuneCountInString(p); n >= shortestName && n <= longestName && !strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) || isUnspaced(r) }) && !f.isOrdinary(p) {
			f.add(strings.Join(parts, "-"))
			return
		}
	}
}

// isOrdinary reports whether a word belongs to a language rather than to somebody's work.
func (f *nameFinder) isOrdinary(word string) bool {
	return utterance.Rarity(word) < 1 || f.familiar != nil && f.familiar(strings.ToLower(word)) > 0
}

func withoutPossessive(s string) string {
	for _, end := range [...]string{"'s", "’s", "'", "’"} {
		if rest, ok := strings.CutSuffix(s, end); ok {
			return rest
		}
	}
	return s
}

// isNamelikeCode reports whether an identifier can name a subject: it has two letters in a row, and
// is no hash.
func isNamelikeCode(s string) bool {
	letters, inRow, hex := 0, 0, true
	for _, r := range s {
		if unicode.IsLetter(r) {
			inRow++
			letters = max(letters, inRow)
		} else {
			inRow = 0
		}
		hex = hex && strings.ContainsRune("0123456789abcdef", r)
	}
	return letters >= 2 && !hex
}

// isUnspaced reports whether nothing in its script shows where a word ends. Katakana is written
// beside other scripts.
func isUnspaced(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hostMark precedes the host of a link in its stored spelling, which is then known to be one.
const hostMark = "//"

// Fold returns the form of a name in which its spellings are equal.
func Fold(name string) string {
	return strings.ToLower(norm.NFC.String(strings.TrimPrefix(strings.Join(strings.Fields(name), " "), hostMark)))
}

// Says reports whether a text has a name in one of its spellings; key is its [Fold].
func Says(text, key string) bool {
	text = strings.ToLower(norm.NFC.String(text))
	for at := 0; key != ""; {
		i := strings.Index(text[at:], key)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(key)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !joins(before)) && (end == len(text) || !joins(after)) {
			return true
		}
		at = end
	}
	return false
}

// joins reports whether a character continues a word.
func joins(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') && !isUnspaced(r)
}
