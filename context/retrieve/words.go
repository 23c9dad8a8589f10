package retrieve

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Limits for words of a prompt that may name definitions though they are not written as in code.
const (
	wordMeanings = 8  // definitions up to which all are candidates
	wordsLooked  = 24 // words of a prompt
	surely       = 2  // definitions up to which a word certainly means each
)

// definedWords looks the prompt's words up among the definitions, in any spelling: a prompt about
// echo may mean the function of that name.
func (r *run) definedWords(ctx context.Context) {
	seen := map[string]bool{}
	for _, f := range r.req.Intent.Identifiers {
		seen[f] = true
	}
	looked := 0
	for word := range strings.FieldsFuncSeq(r.english, func(c rune) bool { return !isNameRune(c) }) {
		if seen[word] || askedVerbs[strings.ToLower(word)] || !lexical.IsWord(word) {
			continue
		}
		seen[word] = true
		if looked++; looked > wordsLooked || ctx.Err() != nil {
			return
		}
		var found []indexer.Symbol
		names := spellings(word)
		if r.recased[word] != "" {
			names = append(names, r.s.Spellings(word)...)
			slices.Sort(names)
			names = slices.Compact(names)
		}
		for _, name := range names {
			found = append(found, r.s.Definitions(name, 64)...)
		}
		if len(found) == 0 {
			continue
		}
		sure := min(1, surely/float64(len(found)))
		for _, d := range found {
			c, ok := r.s.ChunkAt(d.File, d.Line)
			if !ok || !r.keeps(d.File) {
				continue
			}
			e := r.evident(c)
			e.word = max(e.word, sure*outerShare(d))
			if len(found) <= wordMeanings {
				r.join(c)
			}
		}
		if len(found) <= wordMeanings {
			r.mentioned(ctx, found[0].Name, sure)
		}
	}
}

// outerShare returns the weight of a definition that belongs to another, relative to a top-level
// one.
func outerShare(d indexer.Symbol) float64 {
	if d.Container != "" {
		return .6
	}
	return 1
}

// nameUsed is a name that the prompt uses.
type nameUsed struct {
	name string
	sure float64 // how surely the prompt means it
}

// mentioned records that the prompt uses a name. When the prompt asks for uses, each place that
// mentions the name becomes a candidate.
func (r *run) mentioned(ctx context.Context, name string, sure float64) {
	r.used = append(r.used, nameUsed{name, sure})
	if !r.asksUses() {
		return
	}
	n := 0
	r.s.Mentions(name, func(c int) bool {
		if r.keeps(r.s.FileOf(c)) {
			r.join(c)
		}
		n++
		return n < maxUses && ctx.Err() == nil
	})
}

// noteMentions records which candidates mention the names that the prompt uses.
func (r *run) noteMentions() {
	chunks := make([]int, len(r.out.Candidates))
	for i, c := range r.out.Candidates {
		chunks[i] = c.Chunk
	}
	slices.Sort(chunks)
	for _, u := range r.used {
		for _, c := range r.s.Mentioning(u.name, chunks, maxMentioned) {
			e := r.evident(c)
			e.mentions = max(e.mentions, u.sure)
		}
	}
}

const (
	maxUses      = 200  // uses of a name that are candidates because it is used there
	maxMentioned = 2000 // uses that are examined
)

// useWords are the words with which a prompt asks for the uses of something, by their terms.
var useWords = termSet("call calls called caller callers use used using usage usages invoke invoked reference references referenced")

func termSet(words string) map[string]bool {
	out := map[string]bool{}
	lexical.Terms([]byte(words), func(t string) { out[t] = true })
	return out
}

// asksUses reports whether the prompt asks where something is used.
func (r *run) asksUses() bool {
	return len(r.terms) <= shortPrompt && slices.ContainsFunc(r.terms, func(t lexical.QueryTerm) bool { return useWords[t.Text] })
}

// join makes a chunk a candidate with its current score.
func (r *run) join(chunk int) {
	if !slices.ContainsFunc(r.out.Candidates, func(c Candidate) bool { return c.Chunk == chunk }) {
		r.out.Candidates = append(r.out.Candidates, Candidate{Chunk: chunk, Score: float64(r.sums.at(chunk))})
	}
}

// spellings returns a word as it is, capitalised and uncapitalised.
func spellings(word string) []string {
	first, size := utf8.DecodeRuneInString(word)
	out := []string{word}
	for _, r := range []rune{unicode.ToUpper(first), unicode.ToLower(first)} {
		if r != first {
			out = append(out, string(r)+word[size:])
		}
	}
	return out
}

// A quotation in the prompt is searched for literally if it has at least quotedWords words, and its
// terms occur in at most quotedPlaces chunks.
const (
	quotedWords  = 2
	quotedPlaces = 64
)

// quotations raises the places that contain what the prompt quotes.
func (r *run) quotations(ctx context.Context) {
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
		places := r.s.Having(terms)
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
