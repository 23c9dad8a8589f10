package retrieve

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// nameMention is a name that the prompt uses.
type nameMention struct {
	name string
	sure float64 // how surely the prompt means it
}

// mentioned records that the prompt uses a name.
func (r *search) mentioned(name string, sure float64) {
	r.used = append(r.used, nameMention{name, sure})
}

// noteMentions records which candidates mention the names that the prompt uses.
func (g *featureBuilder) noteMentions() {
	chunks := make([]int, len(g.out.Candidates))
	for i, c := range g.out.Candidates {
		chunks[i] = c.Chunk
	}
	slices.Sort(chunks)
	for _, u := range g.used {
		for _, c := range g.s.Symbols().Mentioning(u.name, chunks, maxMentioned) {
			e := g.evident(c)
			e.mentions = max(e.mentions, u.sure)
		}
	}
}

// maxMentioned bounds the uses of a name that are examined.
const maxMentioned = 2000

// useWords are the words with which a prompt asks for the uses of something, by their terms.
var useWords = termSet("call calls called caller callers use used using usage usages invoke invoked reference references referenced")

func termSet(words string) map[string]bool {
	out := map[string]bool{}
	lexical.Terms([]byte(words), func(t string) { out[t] = true })
	return out
}

// asksUses reports whether the prompt asks where something is used.
func (g *featureBuilder) asksUses() bool {
	return len(g.terms) <= shortPrompt && slices.ContainsFunc(g.terms, func(t lexical.QueryTerm) bool { return useWords[t.Text] })
}
