package utterance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a range of a text.
type span struct{ start, end int }

// closers are the closing marks of the quotation marks that differ from them. A mark may close in
// one language what it opens in another.
var closers = map[rune]string{'“': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』", '‘': "’", '‚': "‘’", '‹': "›", '《': "》"}

// quotedWords is the number of words from which what is in quotation marks may be somebody's
// statement; less is a name.
const quotedWords = 3

// longestQuotation is the number of bytes within which a quotation mark must be closed, so that one
// that never is costs little.
const longestQuotation = 2000

// quotations returns the parts of text[start:end] that are in quotation marks, without the marks,
// in order and without overlaps. A quotation ends with its paragraph.
func quotations(text string, start, end int) (out []span) {
	add := func(from, to int) {
		if CountWords(text[from:to]) >= quotedWords {
			out = append(out, span{from, to})
		}
	}
	for i := start; i < end; {
		r, n := utf8.DecodeRuneInString(text[i:end])
		stop := ""
		switch {
		case closers[r] != "":
			stop = closers[r]
		case (r == '"' || r == '\'') && opens(text[start:i], text[i+n:end]):
			stop = string(r)
		}
		if stop == "" {
			i += n
			continue
		}
		from := i + n
		limit := min(end, from+longestQuotation)
		if k := strings.Index(text[from:limit], "\n\n"); k >= 0 {
			limit = from + k
		}
		i = from
		for at := from; at < limit; at++ {
			k := strings.IndexAny(text[at:limit], stop)
			if k < 0 {
				break
			}
			if at += k; stop != "\"" && stop != "'" && stop != "’" || closes(text[at:end]) {
				add(from, at)
				i = at + 1
				for i < end && !utf8.RuneStart(text[i]) {
					i++
				}
				break
			}
		}
	}
	return out
}

// opens reports whether a straight mark between two parts of a text opens a quotation.
func opens(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return (before == "" || !unicode.IsLetter(last) && !unicode.IsDigit(last)) && after != "" && !unicode.IsSpace(first)
}

// closes reports whether the mark at the beginning of rest closes a quotation: no letter follows,
// as one does in "don't".
func closes(rest string) bool {
	_, n := utf8.DecodeRuneInString(rest)
	next, _ := utf8.DecodeRuneInString(rest[n:])
	return !unicode.IsLetter(next) && !unicode.IsDigit(next)
}

// markQuoted marks the sentences of text[start:end] of which most letters are in quotation marks.
// The sentences are in order.
func markQuoted(list []Sentence, text string, start, end int) {
	quoted := quotations(text, start, end)
	if len(quoted) == 0 {
		return
	}
	at := 0
	for i := range list {
		s := &list[i]
		in, all := 0, 0
		for k, r := range text[s.Start:s.End] {
			if !unicode.IsLetter(r) {
				continue
			}
			all++
			for at < len(quoted) && quoted[at].end <= s.Start+k {
				at++
			}
			if at < len(quoted) && quoted[at].start <= s.Start+k {
				in++
			}
		}
		s.Quoted = 2*in > all
	}
}
