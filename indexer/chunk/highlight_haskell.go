package chunk

import (
	"bytes"
	"strings"
)

// haskellWords are the keywords of Haskell.
var haskellWords = func() map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields("as case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance " +
		"let mdo module newtype of pattern qualified rec then type where") {
		out[word] = true
	}
	return out
}()

// haskellSpans classifies the tokens of Haskell, which has no compiled grammar.
func haskellSpans(src []byte) []HighlightSpan {
	b := spanBuilder{src: src}
	for _, t := range hsTokens(src) {
		kind := SpanKind("")
		switch text := src[t.start:t.end]; t.kind {
		case hsNote:
			kind = SpanComment
		case hsDirective:
			kind = SpanAttribute
		case hsUpper:
			kind = SpanType
		case hsLiteral:
			if kind = SpanString; '0' <= text[0] && text[0] <= '9' {
				kind = SpanNumber
			}
		case hsOperator:
			if len(bytes.Trim(text, "`,;")) > 0 {
				kind = SpanOperator
			}
		case hsLower:
			switch {
			case haskellWords[string(text)]:
				kind = SpanKeyword
			case t.column == 0:
				kind = SpanFunction // its signature or an equation of it
			}
		}
		b.emit(t.start, "")
		b.emit(t.end, kind)
	}
	return b.out
}
