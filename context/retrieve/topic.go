package retrieve

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// NumTopicFeatures is the number of features that decide whether a prompt is about the workspace.
// from one that is not.
const NumTopicFeatures = 40

// topicFitted is the model that go run ./cmd/train rank wrote.
//
//go:embed topic.bin
var topicFitted []byte

var topicModel = sync.OnceValue(func() *rank.Model {
	m, err := rank.Load(topicFitted, NumTopicFeatures)
	if err != nil {
		panic(err) // a test checks the file
	}
	return m
})

// whereWords ask for a location.
var whereWords = map[string]bool{"where": true, "wo": true, "dónde": true, "donde": true, "où": true, "onde": true, "dove": true, "waar": true}

// TopicFeatures returns the features that decide whether a prompt is about the workspace: its
// wording, as Observe returns it, and what its best candidates, with the probabilities p, have in
// common with it.
func TopicFeatures(prompt Wording, signals intent.Signals, seen []Observation, p []float64) []float32 {
	f := make([]float32, NumTopicFeatures)
	f[0] = float32(math.Log2(1 + float64(len(strings.Fields(prompt.English)))))
	f[1], f[2] = float32(len(signals.Keywords)), flag(signals.Order != "")
	f[31], f[32], f[33] = float32(prompt.Strange), float32(prompt.Rarity), flag(prompt.Foreign)
	if len(seen) == 0 {
		return f
	}
	order := make([]int, len(seen))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	at := func(i int) float32 { return float32(p[order[min(i, len(order)-1)]]) }
	f[3], f[4], f[5] = at(0), at(1), at(4)
	for i := range min(10, len(order)) {
		f[6] += at(i)
	}
	words := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(prompt.English), func(r rune) bool { return !isNameRune(r) }) {
		words++
		switch {
		case whereWords[word]:
			f[24] = 1
		case askedVerbs[word]:
			f[25]++
		default:
			lexical.Parts([]byte(word), func(t string) {
				if kindWords[t] {
					f[26]++
				}
			})
		}
	}
	query := &seen[order[0]].Features
	f[27], f[28], f[29] = query[fRespelt], query[fStrange]/float32(max(1, words)), query[fForeign]/float32(max(1, words))
	f[30] = query[fStrange]
	f[34] = query[fRespelt] / float32(max(1, words))
	for i, k := range []int{fBestHeld, fBestIdeal, fBestCosine, fBestSymbol, fBestPathHeld, fKnown, fRarity, fTerms, fIdentifiers, fQuestion, fBestMeant, fStandsOut} {
		f[7+i] = query[k]
	}
	f[35] = float32(math.Inf(-1))
	for _, o := range seen {
		f[35], f[37] = max(f[35], float32(o.Together)), max(f[37], float32(o.Words))
	}
	f[36] = float32(seen[order[0]].Together)
	f[38] = f[37] / max(1, f[37], float32(prompt.Words))
	f[39] = float32(prompt.Words)
	for _, i := range order[:min(5, len(order))] {
		x := &seen[i].Features
		f[19] = max(f[19], float32(seen[i].Named))
		f[20] = max(f[20], x[fHeld])
		f[21] = max(f[21], x[fSymbolHeld])
		f[22] = max(f[22], x[fFileHeld])
		f[23] = max(f[23], x[fStemHeld])
	}
	return f
}
