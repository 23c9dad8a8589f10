package retrieve

import (
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"golang.org/x/text/unicode/norm"
)

// message is a text that some place of the code may raise.
type message struct {
	words []string
	text  string // of a prompt that may be a message itself: only the whole of it counts, where a string literal begins or ends with it
}

// errorMessages finds the places that raise the messages in the prompt.
type errorMessages struct{ *search }

func (r *errorMessages) candidates(ctx context.Context) {
	if list := r.messagesAsked(); len(list) > 0 && ctx.Err() == nil {
		r.raisers(list)
	}
}

// messagesAsked returns the error messages in the prompt; a short prompt may be one as a whole.
func (r *errorMessages) messagesAsked() []message {
	var out []message
	for _, e := range r.req.Intent.Errors {
		if w := messageWords(e); len(w) > 0 {
			out = append(out, message{words: w})
		}
	}
	if w := messageWords(r.req.Query); len(w) >= 2 && len(w) <= shortPrompt && len(out) == 0 && !r.req.Intent.Question {
		out = append(out, message{words: w, text: strings.ToLower(strings.TrimSpace(r.req.Query))})
	}
	return out
}

// enoughWords is how many words in a row of a message a place must have.
const enoughWords = 3

// raisers raises the candidates whose text contains a long run of a message's words, and so
// probably raise it. Values that a program fills in (names, numbers) break the run, so the longest
// part counts.
func (r *errorMessages) raisers(list []message) {
	pool := r.out.Candidates[:min(errorPool, len(r.out.Candidates))]
	mayHold := r.mayHold(list, pool)
	for _, c := range pool {
		if !mayHold[c.Chunk] {
			continue
		}
		chunk, text, gate := r.reader.Chunk(c.Chunk)
		if gate != "" {
			continue
		}
		best := 0.0
		low := strings.ToLower(string(norm.NFC.Bytes(text)))
		for _, m := range list {
			best = max(best, m.share(low))
		}
		if best > 0 {
			c.Score += errorBoost * best * r.req.factor(chunk.Path, chunk.Language)
			c.Reasons = append([]string{r.hasMessage()}, c.Reasons...)
			c.Named = true
			r.evident(c.Chunk).message = best
			r.named = max(r.named, best)
		}
	}
}

// share returns the share of the message in a lower-case text, 0 where it is too little.
func (m message) share(low string) float64 {
	if m.text != "" {
		if quoted(low, m.text) {
			return 1
		}
		return 0
	}
	if n := longestRun(m.words, messageWords(low)); n >= min(enoughWords, len(m.words)) {
		return float64(n) / float64(len(m.words))
	}
	return 0
}

// mayHold returns the candidates whose words in the index do not rule out that one of the messages
// is in their text, so that only those are read.
func (r *errorMessages) mayHold(list []message, pool []*item.Item) map[int]bool {
	holders := &wordHolders{search: r.search, known: map[string]map[int]bool{}}
	for _, c := range pool {
		holders.chunks = append(holders.chunks, c.Chunk)
	}
	slices.Sort(holders.chunks)
	out := map[int]bool{}
	for _, c := range holders.chunks {
		out[c] = slices.ContainsFunc(list, func(m message) bool { return m.mayBeIn(c, holders.holds) })
	}
	return out
}

// mayBeIn reports whether a chunk has the words that a text with the message has at least: of a
// message that must be there as a whole all, except that a literal which ends with it may continue
// the first one, or one that begins with it the last; else enough in a row.
func (m message) mayBeIn(chunk int, holds func(word string, chunk int) bool) bool {
	held := func(word string) bool { return holds(word, chunk) }
	lacks := func(word string) bool { return !held(word) }
	if last := len(m.words) - 1; m.text != "" {
		return !slices.ContainsFunc(m.words[1:last], lacks) && (held(m.words[0]) || held(m.words[last]))
	}
	run := 0
	for _, word := range m.words {
		if run++; lacks(word) {
			run = 0
		}
		if run >= min(enoughWords, len(m.words)) {
			return true
		}
	}
	return false
}

// wordHolders determines which of some chunks have a word, by the index.
type wordHolders struct {
	*search
	chunks []int                   // ascending
	known  map[string]map[int]bool // by word; nil for a word that tells nothing
}

// holds reports whether a chunk may have a word, in lower case, that stands alone in its text.
func (h *wordHolders) holds(word string, chunk int) bool {
	in, known := h.known[word]
	if !known {
		in = h.find(word)
		h.known[word] = in
	}
	return in == nil || in[chunk]
}

// find returns the chunks that have a word, nil if the index cannot tell. In another case, the word
// may be several, which are indexed joined and not stemmed.
func (h *wordHolders) find(word string) map[int]bool {
	if !isPlain(word) || !lexical.IsWord(word) {
		return nil
	}
	in := map[int]bool{}
	terms := []string{word}
	lexical.Terms([]byte(word), func(term string) {
		if term != word {
			terms = append(terms, term)
		}
	})
	for _, term := range terms {
		_, places, known := h.words.Held.Among([]string{term}, h.chunks)
		if !known {
			_, places = h.s.Words().Among([]string{term}, h.chunks)
		}
		for _, c := range places {
			in[c] = true
		}
	}
	return in
}

// isPlain reports whether a word has only small letters and is too long for signs that would belong
// to it, so that it has the same terms in any text.
func isPlain(word string) bool {
	const signed = 2 // letters of C# and Go#
	return len(word) > signed && !strings.ContainsFunc(word, func(c rune) bool { return c < 'a' || c > 'z' })
}

// quoted reports whether text holds a string literal that begins or ends with message.
func quoted(text, message string) bool {
	const quotes = "\"'`"
	for {
		i := strings.Index(text, message)
		if i < 0 {
			return false
		}
		end := i + len(message)
		if i > 0 && strings.IndexByte(quotes, text[i-1]) >= 0 || end < len(text) && strings.IndexByte(quotes, text[end]) >= 0 {
			return true
		}
		text = text[end:]
	}
}

func messageWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 0x80)
	})
}

// longestRun returns the length of the longest run of words that is in both lists.
func longestRun(a, b []string) int {
	if len(a) > 200 {
		a = a[:200]
	}
	best := 0
	prev := make([]int, len(a)+1)
	cur := make([]int, len(a)+1)
	for _, w := range b {
		for i, v := range a {
			cur[i+1] = 0
			if v == w {
				cur[i+1] = prev[i] + 1
				best = max(best, cur[i+1])
			}
		}
		prev, cur = cur, prev
	}
	return best
}
