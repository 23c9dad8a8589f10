package retrieve

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// A quotation in the prompt is searched for literally if it has at least quotedWords words, and its
// terms occur in at most quotedPlaces chunks.
const (
	quotedWords  = 2
	quotedPlaces = 64
)

// quotations finds what the prompt quotes.
type quotations struct{ *search }

// candidates raises the places that contain what the prompt quotes.
func (r *quotations) candidates(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	for _, text := range quotedIn(r.asked) {
		if !slices.Contains(r.req.Intent.Errors, text) && strings.Contains(r.asked, "`"+text+"`") && isCommand(text) {
			continue // it may be anywhere, in other messages too
		}
		var terms []string
		lexical.Terms([]byte(text), func(t string) {
			if !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		})
		places := r.s.Words().Having(terms)
		if len(terms) == 0 || len(places) > quotedPlaces {
			continue
		}
		needle := NewNeedle(text)
		for _, c := range places {
			if ctx.Err() != nil {
				return
			}
			k, body, gate := r.reader.Chunk(c)
			if gate == "" && needle.Weight(body) > 0 {
				r.raise(c, errorBoost*r.req.factor(k.Path, k.Language), r.hasMessage())
				r.evident(c).message = 1
				r.named = 1
			}
		}
	}
}

// isCommand reports whether a text in backticks reads like a command line or a list of names:
// words, options and paths only.
func isCommand(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(" -_./=:@~*", c)
	})
}

// quotedIn returns the quotations in a text that have enough words.
func quotedIn(text string) (out []string) {
	for _, pair := range [][2]string{{"\"", "\""}, {"“", "”"}, {"«", "»"}, {"„", "“"}, {"「", "」"}, {"`", "`"}, {"'", "'"}} {
		rest := text
		for {
			_, after, found := strings.Cut(rest, pair[0])
			inner, behind, closed := strings.Cut(after, pair[1])
			if !found || !closed {
				break
			}
			rest = behind
			if inner = strings.TrimSpace(inner); len(strings.Fields(inner)) >= quotedWords && !strings.Contains(inner, "\n") {
				out = append(out, inner)
			}
		}
	}
	return out
}
