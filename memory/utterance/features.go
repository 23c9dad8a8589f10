package utterance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a group of features whose weights are jointly scaled to the same length, so that a long
// sentence does not outweigh a short one, nor many character n-grams a few words.
type block uint32

const (
	blockWords    block = iota // words and word pairs
	blockChars                 // 3 to 5 characters within words, fewer in scripts without spaces
	blockSkeleton              // pairs and triples of frequent words and the endings of other words
	blockBefore                // words of the sentence before
	blockForm                  // speaker, ending, length, quotation marks, position
	numBlocks
)

// word is a token of a sentence: text[start:end] of the reader's folded text.
type word struct {
	start, end int
	class      class
}

type class byte

const (
	plainWord class = iota
	codeWord        // an identifier, a path, anything in backticks
	numberWord
	hanWord // one character of a script without spaces
)

// features holds the features of one sentence as hashes, by block. A feature is repeated as often
// as it occurs.
type features [numBlocks][]uint32

func (x *features) reset() {
	for b := range x {
		x[b] = x[b][:0]
	}
}

const (
	hashStart = 2166136261
	hashPrime = 16777619
)

func hashBytes(h uint32, s []byte) uint32 {
	for _, c := range s {
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}

func hashText(h uint32, s string) uint32 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * hashPrime
	}
	return h
}

func startOf(b block) uint32 { return (hashStart ^ uint32(b+1)) * hashPrime }

// mixed spreads a hash over all its bits; the low bits of FNV are weak for short input.
func mixed(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x7feb352d
	h ^= h >> 15
	return h
}

// foldedSentence is a sentence in lower case, split into words.
type foldedSentence struct {
	text  []byte
	words []word
}

// fold splits a sentence into words. Identifiers, paths and numbers keep their position but lose
// their letters: the rules about them are the same for any name.
func (f *foldedSentence) fold(s string) {
	f.text, f.words = f.text[:0], f.words[:0]
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '`':
			end := strings.IndexByte(s[i+1:], '`')
			if end < 0 {
				i++
				continue
			}
			f.mark(codeWord)
			i += end + 2
		case unspaced(r):
			f.rune(r)
			i += n
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '/' || r == '.' || r == '~' || r == '@' || r == '$' || r == '-':
			i = f.chunk(s, i)
		default:
			i += n
		}
	}
}

// chunk reads the run without white space that begins at i and returns its end.
func (f *foldedSentence) chunk(s string, i int) int {
	end := i
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if unspaced(r) || !(unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_/.~@$-'’:\\#", r)) {
			break
		}
		end += n
	}
	if end == i {
		_, n := utf8.DecodeRuneInString(s[i:])
		return i + n
	}
	run := strings.Trim(s[i:end], ".:'’-/#")
	switch {
	case run == "":
	case isNumber(run):
		f.mark(numberWord)
	case isCodeWord(run):
		f.mark(codeWord)
	default:
		for _, part := range strings.FieldsFunc(run, func(r rune) bool { return r == '/' || r == '-' || r == ':' || r == '.' }) {
			f.letters(part)
		}
	}
	return end
}

func (f *foldedSentence) mark(c class) {
	f.words = append(f.words, word{len(f.text), len(f.text) + 1, c})
	f.text = append(f.text, byte(c))
}

func (f *foldedSentence) rune(r rune) {
	start := len(f.text)
	f.text = utf8.AppendRune(f.text, r)
	f.words = append(f.words, word{start, len(f.text), hanWord})
}

func (f *foldedSentence) letters(s string) {
	start := len(f.text)
	for _, r := range s {
		if r == '’' {
			r = '\''
		}
		f.text = utf8.AppendRune(f.text, unicode.ToLower(r))
	}
	f.words = append(f.words, word{start, len(f.text), plainWord})
}

func isNumber(s string) bool {
	digits := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' || c == ':' || c == '-' || c == '%':
		default:
			return digits > 0 && i >= len(s)-2 // 5s, 30ms
		}
	}
	return digits > 0
}

// isCodeWord reports whether a run is an identifier or a path rather than a word: it contains an
// underscore, a slash, a dot, or a capital letter inside.
func isCodeWord(s string) bool {
	lower, letters, digits := false, 0, 0
	for i, r := range s {
		switch {
		case isCodeMark(r):
			return true
		case r == '/' || r == ':' && strings.HasPrefix(s[i:], "::"):
			if i == 0 || strings.Count(s, "/") > 1 || strings.ContainsAny(s, ".:") {
				return true
			}
		case r == '.':
			if i > 0 && i+1 < len(s) && len(s) > 4 {
				return true
			}
		case unicode.IsUpper(r):
			if lower {
				return true
			}
			letters++
		case unicode.IsLetter(r):
			lower = true
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return digits > 0 && letters > 0 && len(s) > 4
}

// isCodeMark reports whether a character occurs only in identifiers and paths.
func isCodeMark(r rune) bool {
	switch r {
	case '_', '@', '$', '\\', '~':
		return true
	}
	return false
}

// unspaced reports whether a character belongs to a script written without spaces.
func unspaced(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー') || r >= 0x0E00 && r <= 0x0EFF
}

// preceding appends the hashes of a sentence's words as features of the next sentence.
func preceding(sentence string, out []uint32) []uint32 {
	var f foldedSentence
	f.fold(sentence)
	return f.before(out)
}

func (f *foldedSentence) before(out []uint32) []uint32 {
	for i, w := range f.words {
		h := hashBytes(startOf(blockBefore), f.text[w.start:w.end])
		if w.class == hanWord {
			if i+1 == len(f.words) || f.words[i+1].class != hanWord {
				continue
			}
			h = hashBytes(h, f.text[f.words[i+1].start:f.words[i+1].end])
		}
		out = append(out, mixed(h))
	}
	return out
}

// collect adds the features of a folded sentence, except those of the sentence before it. frequent
// reports whether skeletons keep a word.
func (x *features) collect(f *foldedSentence, frequent func(uint32) bool) {
	hashes := make([]uint32, 0, 64)
	kept := make([]uint32, 0, 64)
	for _, w := range f.words {
		text := f.text[w.start:w.end]
		h := hashBytes(startOf(blockWords), text)
		hashes = append(hashes, h)
		if w.class == plainWord && !frequent(mixed(h)) {
			h = hashBytes(startOf(blockSkeleton), ending(text))
		}
		kept = append(kept, h)
	}
	for i, h := range hashes {
		x[blockWords] = append(x[blockWords], mixed(h))
		if i+1 < len(hashes) {
			x[blockWords] = append(x[blockWords], mixed(h*hashPrime^hashes[i+1]))
			pair := (startOf(blockSkeleton)^kept[i])*hashPrime ^ kept[i+1]
			x[blockSkeleton] = append(x[blockSkeleton], mixed(pair))
			if i+2 < len(hashes) {
				x[blockSkeleton] = append(x[blockSkeleton], mixed(pair*hashPrime^kept[i+2]))
			}
		}
	}
	if len(kept) > 0 { // the start and the end of a sentence are informative
		x[blockSkeleton] = append(x[blockSkeleton], mixed((startOf(blockSkeleton)^1)*hashPrime^kept[0]), mixed((startOf(blockSkeleton)^2)*hashPrime^kept[len(kept)-1]))
		if len(kept) > 1 {
			x[blockSkeleton] = append(x[blockSkeleton], mixed(((startOf(blockSkeleton)^3)*hashPrime^kept[0])*hashPrime^kept[1]))
		}
	}
	x.chars(f)
}

// ending returns the class of a word that is not frequent: its last two or three letters.
func ending(text []byte) []byte {
	n := 0
	i := len(text)
	for i > 0 && n < 3 {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
		n++
	}
	return text[i:]
}

// chars adds the character n-grams: 3 to 5 characters of a word with its borders, 1 to 3 in scripts
// without spaces.
func (x *features) chars(f *foldedSentence) {
	var at [64]int // where the characters of a word begin
	for i := 0; i < len(f.words); i++ {
		w := f.words[i]
		switch w.class {
		case hanWord:
			h := startOf(blockChars)
			for j := i; j < len(f.words) && j < i+3 && f.words[j].class == hanWord; j++ {
				h = hashBytes(h, f.text[f.words[j].start:f.words[j].end])
				x[blockChars] = append(x[blockChars], mixed(h))
			}
		case plainWord:
			text := f.text[w.start:w.end]
			n := 0
			for k := range string(text) {
				if n == len(at)-1 {
					break
				}
				at[n] = k
				n++
			}
			at[n] = len(text)
			// Position -1 and n are the borders.
			for a := -1; a < n; a++ {
				h := startOf(blockChars)
				for b := a; b <= n && b < a+5; b++ {
					if b < 0 || b >= n {
						h = (h ^ ' ') * hashPrime
					} else {
						h = hashBytes(h, text[at[b]:at[b+1]])
					}
					if b >= a+2 {
						x[blockChars] = append(x[blockChars], mixed(h))
					}
				}
			}
		}
	}
}

// form adds the form and the position of the sentence.
func (x *features) form(s string, words []word, role Role, place, of int, listed bool) {
	add := func(name string, value int) {
		h := hashText(startOf(blockForm), name)
		x[blockForm] = append(x[blockForm], mixed(h*hashPrime^uint32(value)))
	}
	add("role", int(role))
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"'”’)*_` "))
	switch {
	case strings.ContainsRune(".。", last):
		add("end", '.')
	case strings.ContainsRune("?？", last):
		add("end", '?')
	case strings.ContainsRune("!！", last):
		add("end", '!')
	case strings.ContainsRune(":：", last):
		add("end", ':')
	case strings.ContainsRune("…", last):
		add("end", '…')
	default:
		add("end", 0)
	}
	add("role and end", int(role)<<8|int(last&0xff))
	length := 0
	for _, limit := range [...]int{1, 2, 3, 5, 8, 12, 18, 26, 40} {
		if len(words) > limit {
			length++
		}
	}
	add("length", length)
	code := 0
	for _, w := range words {
		if w.class == codeWord {
			code++
		}
	}
	add("code", min(code, 3))
	if len(words) > 0 {
		add("code share", 4*code/len(words))
	}
	if strings.ContainsAny(s, "\"“”«»„「」『』") {
		add("quoted", 1)
	}
	if strings.Contains(s, "?") {
		add("asks", 1)
	}
	if listed {
		add("listed", 1)
	}
	add("first", min(place, 2))
	add("last", min(of-1-place, 2))
	add("alone", min(of, 4))
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsLower(first) {
		add("small", 1)
	}
}
