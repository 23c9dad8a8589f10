package retrieve

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// nameUsed is a name that the prompt uses.
type nameUsed struct {
	name string
	sure float64 // how surely the prompt means it
}

// mentioned records that the prompt uses a name. When the prompt asks for uses, each place that
// mentions the name becomes a candidate.
func (r *search) mentioned(ctx context.Context, name string, sure float64) {
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
func (r *search) noteMentions() {
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
func (r *search) asksUses() bool {
	return len(r.terms) <= shortPrompt && slices.ContainsFunc(r.terms, func(t lexical.QueryTerm) bool { return useWords[t.Text] })
}
