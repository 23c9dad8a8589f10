package retrieve

import (
	"bytes"
	"context"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/item"
	"golang.org/x/text/unicode/norm"
)

// literal finds a query without terms (a single letter, a stop word, an operator) by scanning every
// text. It stops when its share of the deadline is over, or when it has more places than anybody
// reads.
func (r *search) literal(ctx context.Context) Result {
	const enough = 5000
	start := r.now()
	ctx, cancel := context.WithTimeout(ctx, share(r.req.Deadline, literalShare))
	defer cancel()
	found := make([]float32, r.s.Chunks())
	needle := NewNeedle(r.asked)
	n, partial := 0, false
	r.s.Paths(func(file int, path string) {
		if partial = partial || ctx.Err() != nil; partial || n >= enough {
			return
		}
		if language := r.s.Language(file); r.req.Keep == nil || r.req.Keep(path, language) {
			factor := float32(r.req.factor(path, language))
			first, end := r.s.FileChunks(file)
			for c := first; c < end; c++ {
				if _, text, gate := r.reader.Chunk(c); gate == "" {
					if found[c] = factor * needle.Weight(text); found[c] > 0 {
						n++
					}
				}
			}
		}
		r.reader.Drop(file)
	})
	for _, c := range best(found, r.req.Limit) {
		r.out.Candidates = append(r.out.Candidates, &item.Item{Chunk: c, Score: float64(found[c]), Named: true,
			Signals: map[string]item.Signal{"keyword": {Rank: len(r.out.Candidates) + 1, Score: float64(found[c])}}, Reasons: []string{"contains the text"}})
	}
	st := item.Stage{Name: item.Keyword, Took: r.now().Sub(start), Outcome: item.OK, Count: n}
	if partial {
		st.Outcome = item.Partial
		r.degrade(item.Keyword, item.Timeout, "not all files were searched")
	}
	r.stage(st)
	if r.keywordsOnly = r.req.Mode == Semantic; r.keywordsOnly {
		(&rankers{r}).takeVector(rankerResult{}, 0)
	} else {
		r.stage(item.Stage{Name: item.Vector, Outcome: item.Skipped})
	}
	return r.out
}

// Needle finds a text exactly as it is written, without normalisation.
type Needle struct {
	text       []byte
	begin, end bool // it begins and ends with a letter or a digit
}

// NewNeedle returns the needle of text, without the space around it.
func NewNeedle(text string) Needle {
	n := Needle{text: norm.NFC.Bytes([]byte(strings.TrimSpace(text)))}
	first, _ := utf8.DecodeRune(n.text)
	last, _ := utf8.DecodeLastRune(n.text)
	n.begin, n.end = inWord(first), inWord(last)
	return n
}

// Weight returns how strongly a text matches: 0 without an occurrence, more for more occurrences,
// and little where it is only a part of words.
func (n Needle) Weight(text []byte) float32 {
	if len(n.text) == 0 {
		return 0
	}
	if !norm.NFC.IsNormal(text) {
		text = norm.NFC.Bytes(text)
	}
	whole, inner := 0, 0
	for at := 0; ; {
		i := bytes.Index(text[at:], n.text)
		if i < 0 {
			break
		}
		i += at
		at = i + len(n.text)
		before, _ := utf8.DecodeLastRune(text[:i])
		after, _ := utf8.DecodeRune(text[at:])
		if n.begin && inWord(before) || n.end && inWord(after) {
			inner++
		} else {
			whole++
		}
	}
	switch {
	case whole > 0:
		return 1 + float32(math.Log(float64(whole)))
	case inner > 0:
		return insideWord
	}
	return 0
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
