package utterance

// Example is an input for fitting a model: the features of one sentence in its context, by group.
// The hashes are those used when scoring; a feature is repeated as often as it occurs.
type Example [NumBlocks][]uint32

// Surroundings describes the context of a sentence: the sentence before it, its speaker, and its
// position among the sentences of its message, from 0.
type Surroundings struct {
	Before    string
	Role      Role
	Place, Of int
	Listed    bool // it is an item of a list
}

// Extract returns the features of a sentence in its surroundings. frequent contains the hashes of
// the words that skeletons keep; see WordHashes.
func Extract(sentence string, at Surroundings, frequent map[uint32]bool) Example {
	var f foldedSentence
	var x features
	f.fold(sentence)
	x.collect(&f, func(h uint32) bool { return frequent[h] })
	x.form(sentence, f.words, at.Role, at.Place, at.Of, at.Listed)
	x[blockBefore] = preceding(at.Before, x[blockBefore])
	return Example(x)
}

// WordHashes returns the hashes of a sentence's plain words, as used in Parameters.Frequent.
func WordHashes(sentence string) []uint32 {
	var f foldedSentence
	f.fold(sentence)
	var out []uint32
	for _, w := range f.words {
		if w.class == plainWord {
			out = append(out, mixed(hashBytes(startOf(blockWords), f.text[w.start:w.end])))
		}
	}
	return out
}
