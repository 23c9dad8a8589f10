// Package lexical ranks documents by their words: it turns code and prose into terms, keeps the
// postings of an immutable set of documents in a Segment, and scores queries by BM25F on two levels
// at once, the document (a chunk of a file) and the group it belongs to (the file).
//
// Use Terms for a query or a small text, Builder to make a Segment, Merge to join segments, and
// Scorer to search a list of them as one.
package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"
)

const (
	minTermBytes   = 2
	maxTermBytes   = 40               // longer words are data (digests, base64), not language
	maxDigits      = 5                // longer numbers are data
	maxHashyDigits = 6                // letters mixed with more digits than this are digests
	maxSplitBytes  = 4 * maxTermBytes // longer words are not split at changes of case
)

// stopWords carry no topic in English questions about code. They are left out of both postings and
// queries.
var stopWords = map[string]bool{}

func init() {
	for _, w := range []string{
		"the", "of", "to", "and", "in", "is", "it", "that", "this", "for", "be", "are", "was", "were", "as", "with",
		"by", "an", "at", "or", "on", "from", "we", "you", "they", "their", "there", "which", "its", "has", "have", "had",
		"will", "would", "should", "could", "can", "may", "might", "shall", "also", "than", "then", "so", "such", "these",
		"those", "been", "being", "because", "about", "into", "our", "your", "he", "she", "his", "her", "them", "us", "my",
		"me", "am", "does", "did", "what", "where", "when", "why", "how", "who", "whose", "please", "but", "just", "very",
		"any", "some", "all", "each", "both", "here", "now", "only", "do", "don", "doesn", "isn", "ll", "ve", "re",
	} {
		stopWords[w] = true
	}
}

// Terms calls yield for every term of text in order of appearance: each part of an identifier,
// lower-cased and stemmed, and, for an identifier of several parts, also all of them joined, so
// that retryCount, retry_count and RetryCount match. Every word of two bytes or more except stop
// words has a term. Data rather than language (a long number, a digest, a word of more than 40
// bytes) has a term of fixed size, see [IsData]. Spellings that differ only in Unicode
// normalization have the same terms. Names of one letter and short names with signs (R, C, C++, C#,
// .NET) are words too, see [Words].
func Terms(text []byte, yield func(term string)) {
	cache := map[string][]string{}
	Words(text, func(word []byte) {
		terms, ok := cache[string(word)]
		if !ok {
			terms = expand(word)
			cache[string(word)] = terms
		}
		for _, t := range terms {
			yield(t)
		}
	})
}

// Words calls yield for every word of a text: a run of letters, digits, underscores and combining
// marks of letters, which ends where a script without spaces begins or ends. A short name keeps the
// signs that distinguish it (C++, C#, .NET). A letter alone is a word only if it may be a name: a
// capital, but not the "I" and "A" of English sentences, nor what an apostrophe cut off. The terms
// of a word do not depend on the text around it. The slice is part of text.
func Words(text []byte, yield func(word []byte)) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !wordByte[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			if !wordRune(r) || unicode.IsMark(r) { // the mark belongs to a symbol: = with a stroke through it
				i += n
				continue
			}
		}
		start := i
		i = runEnd(text, i)
		switch from, to := signs(text, start, i); {
		case from < start || to > i:
			yield(text[from:to])
			i = to
		case i-start > 1 || namesAlone(text, i):
			yield(text[start:i])
		}
	}
}

// runEnd returns the end of the run of word characters at i.
func runEnd(text []byte, i int) int {
	start, pairs := i, false // pairs: the run is of a script without spaces
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if !wordByte[c] || pairs {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if !wordRune(r) {
			break
		}
		if is := r >= firstUnspaced && unspaced(r); i == start {
			pairs = is
		} else if is != pairs && !unicode.IsMark(r) {
			break
		}
		i += n
	}
	return i
}

const (
	// maxSigned is the length of the longest name whose signs belong to it: in code, a longer one
	// before ++ is a variable.
	maxSigned = 2
	// maxDotted is the length of the longest name to which a full stop before it belongs.
	maxDotted = 3
)

// signs returns the range of the run text[start:end] with the signs that belong to it, as in C++,
// C# and .NET.
func signs(text []byte, start, end int) (from, to int) {
	from, to = start, end
	n := end - start
	if n > maxDotted || !ascii(text[start:end]) || !isLetter(text[start]) {
		return from, to
	}
	if rest := text[end:]; n <= maxSigned {
		for _, sign := range [...]string{"++", "#"} {
			if len(rest) >= len(sign) && string(rest[:len(sign)]) == sign && (len(rest) == len(sign) || !wordByte[rest[len(sign)]&^0x80] || rest[len(sign)] >= utf8.RuneSelf) {
				return from, end + len(sign)
			}
		}
	}
	if n > 1 && start > 0 && text[start-1] == '.' && (end == len(text) || text[end] != '(') && (start == 1 || opensName(text[start-2])) {
		from--
	}
	return from, to
}

// opensName reports whether a byte before a full stop leaves the full stop to the name after it:
// elsewhere it ends a sentence or separates a member.
func opensName(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '"', '\'', '`', '(':
		return true
	}
	return c >= utf8.RuneSelf
}

// namesAlone reports whether the one byte before end, a word by itself, may be a name.
func namesAlone(text []byte, end int) bool {
	if !isLetterName(text[end-1]) {
		return false
	}
	before, _ := utf8.DecodeLastRune(text[:end-1])
	return before != '\'' && before != '’'
}

// isLetterName reports whether a letter is a name alone.
func isLetterName(c byte) bool { return isUpper(c) && c != 'A' && c != 'I' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var wordByte = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// IsWord reports whether a word has a term: it is neither a stop word nor a single letter.
func IsWord(word string) bool { return len(word) >= minTermBytes && len(expand([]byte(word))) > 0 }

// Parts is like Terms but yields only the terms of an identifier's parts, not those of whole
// identifiers.
func Parts(text []byte, yield func(term string)) {
	Words(text, func(word []byte) {
		if !ascii(word) || len(word) > maxSplitBytes {
			for _, t := range expand(word) {
				yield(t)
			}
			return
		}
		var buf [maxSplitBytes]byte
		for from, end := nextPart(word, 0); from < end; from, end = nextPart(word, end) {
			if t := term(appendLower(buf[:0], word[from:end])); t != "" {
				yield(t)
			}
		}
	})
}

// OtherCase calls yield for every word of a text that, written in another case, has another term
// for the whole of it: the joined parts of an identifier are not stemmed, a plain word is. So
// paymentclient has the term paymentcli, and PaymentClient has paymentclient.
func OtherCase(text []byte, yield func(word []byte, term, other string)) {
	Words(text, func(word []byte) {
		if !ascii(word) || len(word) > maxTermBytes {
			return
		}
		parts := split(word)
		whole := strings.Join(parts, "")
		if stem := term([]byte(whole)); stem != "" && stem != whole && !IsData(stem) {
			if len(parts) == 1 {
				yield(word, stem, whole)
			} else {
				yield(word, whole, stem)
			}
		}
	})
}

// expand returns the terms of one word.
func expand(word []byte) []string {
	if !ascii(word) {
		// The normal form of a word may be ASCII: the Kelvin sign is a K.
		if word = norm.NFC.Bytes(word); !ascii(word) {
			return expandUnicode(string(word))
		}
	}
	if len(word) == 0 {
		return nil
	}
	switch first, last := word[0], word[len(word)-1]; {
	case len(word) > maxSplitBytes:
		return expandLong(word)
	case len(word) < minTermBytes && isLetterName(first), last == '+', last == '#':
		return []string{lower(word)}
	case first == '.':
		return append(expand(word[1:]), lower(word))
	}
	parts := split(word)
	var terms []string
	joined := 0
	for _, p := range parts {
		joined += len(p)
		if t := term([]byte(p)); t != "" {
			terms = append(terms, t)
		}
	}
	if len(parts) > 1 {
		for piece := range bytes.SplitSeq(word, []byte{'_'}) {
			if len(piece) == 1 && isLetterName(piece[0]) {
				terms = append(terms, lower(piece)) // the E of E_FAIL
			}
		}
		whole := make([]byte, 0, joined)
		for _, p := range parts {
			whole = append(whole, p...)
		}
		if isData(whole) {
			terms = append(terms, dataTerm(whole))
		} else {
			terms = append(terms, string(whole))
		}
	}
	return terms
}

// expandLong returns the terms of a word that is split only at underscores: those of the pieces,
// and that of the whole.
func expandLong(word []byte) []string {
	var terms []string
	for piece := range bytes.SplitSeq(word, []byte{'_'}) {
		switch {
		case len(piece) == len(word): // there is no other piece
		case len(piece) > maxSplitBytes:
			terms = append(terms, dataTerm([]byte(lower(piece))))
		default:
			terms = append(terms, expand(piece)...)
		}
	}
	return append(terms, dataTerm([]byte(lower(word))))
}

// term returns the term under which a lower-case part is indexed, or "" for a stop word or a single
// letter.
func term(p []byte) string {
	switch {
	case len(p) < minTermBytes || stopWords[string(p)]:
		return ""
	case isData(p):
		return dataTerm(p)
	case len(p) < 4 || digits(p) > 0:
		return string(p)
	}
	return stems.stem(p)
}

// isData reports whether an ASCII word is data rather than language.
func isData(word []byte) bool {
	d := digits(word)
	return len(word) > maxTermBytes || d == len(word) && d > maxDigits || d > maxHashyDigits || isLongHex(word)
}

// isLongHex reports whether a lower-case word is a number in base 16 that is longer than one of
// maxDigits.
func isLongHex(word []byte) bool {
	digits, ok := bytes.CutPrefix(word, []byte("0x"))
	return ok && len(digits) > maxDigits && len(bytes.Trim(digits, "0123456789abcdef")) == 0
}

// dataMark begins the terms of data; no other term begins with it.
const dataMark = '#'

// IsData reports whether a term stands for data rather than language. Such a term matches only the
// word that it was made from: it does not lengthen a document, and embedders ignore it.
func IsData(term string) bool { return len(term) > 0 && term[0] == dataMark }

// dataTerm returns the term of a lower-case data word. Most such words occur once in a workspace,
// so the index stores 30 bits of their hash instead of the words: among a hundred thousand of them,
// one search in ten thousand matches another word too.
func dataTerm(word []byte) string {
	const digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	t := [6]byte{dataMark}
	h := xxh3.Hash(word)
	for i := 1; i < len(t); i++ {
		t[i] = digit[h&63]
		h >>= 6
	}
	return string(t[:])
}

// split splits an ASCII identifier at underscores and changes of case, and lower-cases the parts:
// HTTPServer_v2 becomes http, server, v2. A plural s after capitals stays with them (IDs becomes
// ids).
func split(word []byte) (parts []string) {
	for from, end := nextPart(word, 0); from < end; from, end = nextPart(word, end) {
		parts = append(parts, lower(word[from:end]))
	}
	return parts
}

// nextPart returns the range of the part of an identifier that begins at a byte or later, empty at
// the end; see split.
func nextPart(word []byte, from int) (start, end int) {
	for from < len(word) && word[from] == '_' {
		from++
	}
	for i := from + 1; i < len(word); i++ {
		switch c := word[i]; {
		case c == '_':
			return from, i
		case isUpper(c):
			nextLower := i+1 < len(word) && isLower(word[i+1])
			pluralOnly := nextLower && word[i+1] == 's' && (i+2 == len(word) || !isLower(word[i+2]))
			if !isUpper(word[i-1]) || nextLower && !pluralOnly {
				return from, i
			}
		}
	}
	return from, len(word)
}

// firstUnspaced is the first character of the scripts that [unspaced] knows.
const firstUnspaced = 0x1100

// unspaced reports whether a character belongs to a script of whose words the index keeps pairs of
// letters.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func lower(b []byte) string {
	var buf [maxSplitBytes]byte
	return string(appendLower(buf[:0], b))
}

// appendLower appends ASCII text in lower case.
func appendLower(to, b []byte) []byte {
	for _, c := range b {
		if isUpper(c) {
			c |= 0x20
		}
		to = append(to, c)
	}
	return to
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// expandUnicode returns the terms of a word with letters outside ASCII, in NFC: pairs of letters
// for scripts written without spaces, the lower-cased word for all others.
func expandUnicode(word string) []string {
	var terms []string
	var run []rune
	flush := func() {
		if len(run) == 0 {
			return
		}
		// Two runes may compose to one in lower case that do not in upper case.
		whole := norm.NFC.Bytes([]byte(string(run)))
		if len(run) > maxTermBytes {
			terms = append(terms, dataTerm(whole))
		} else {
			terms = append(terms, string(whole))
		}
		run = run[:0]
	}
	prev, alone := rune(-1), false // prev is of a script without spaces; alone reports that no pair contains it yet
	leave := func() {
		if alone {
			terms = append(terms, string(prev))
		}
		prev, alone = -1, false
	}
	for _, r := range word {
		switch {
		case unspaced(r):
			flush()
			if alone = prev < 0; !alone {
				terms = append(terms, string([]rune{prev, r}))
			}
			prev = r
		case unicode.IsMark(r) && len(run) == 0: // a variation of the letter before
		case r == '_':
			flush()
			leave()
		default:
			leave()
			run = append(run, unicode.ToLower(r))
		}
	}
	flush()
	leave()
	return terms
}
