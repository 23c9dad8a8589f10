package bundle

import (
	"bytes"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// mentions reports whether a piece of code has words of the question in string literals and nowhere
// else.
func (b *finding) mentions(text []byte) bool {
	if b.asked == nil {
		b.asked = map[string]bool{}
		for _, t := range retrieve.QuestionTerms(b.req.Query) {
			b.asked[t.Text] = t.Weight >= 1
		}
	}
	code, literals := parted(text)
	return b.holdsAsked(literals) && !b.holdsAsked(code)
}

func (b *finding) holdsAsked(text []byte) (holds bool) {
	lexical.Terms(text, func(term string) { holds = holds || b.asked[term] })
	return holds
}

// parted splits a text into what is inside quotation marks and what is not, for any language. An
// apostrophe within a word is not a quotation mark, nor is one that its line does not close.
func parted(text []byte) (code, literals []byte) {
	for len(text) > 0 {
		i := bytes.IndexAny(text, "\"'`")
		if i < 0 {
			break
		}
		code = append(code, text[:i+1]...)
		quote := text[i]
		apostrophe := quote == '\'' && i > 0 && isLetter(text[i-1])
		text = text[i+1:]
		if apostrophe {
			continue
		}
		end := closing(text, quote)
		if end < 0 {
			continue
		}
		literals = append(append(literals, text[:end]...), ' ')
		code, text = append(code, ' '), text[end+1:]
	}
	return append(code, text...), literals
}

// closing returns the index at which a quotation that began before text ends; -1 when it does not
// end.
func closing(text []byte, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] == '\n' && quote != '`':
			return -1
		}
	}
	return -1
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
