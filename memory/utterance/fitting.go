package utterance

// Example is what a model is fitted to: the features of one sentence in its context, by group. The hashes are those
// that a model is asked about; the same one comes as often as it occurs.
type Example [NumBlocks][]uint32

// Extract returns the features of a sentence, the place-th of so many of its message, with the sentence before it.
// frequent tells the hashes of the words that skeletons keep; see WordHashes.
func Extract(sentence, before string, role Role, place, of int, listed bool, frequent map[uint32]bool) Example {
	var f folded
	var x features
	f.fold(sentence)
	x.collect(&f, func(h uint32) bool { return frequent[h] })
	x.form(sentence, f.words, role, place, of, listed)
	x[blockBefore] = wordsOf(before, x[blockBefore])
	return Example(x)
}

// WordHashes returns the hashes of a sentence's plain words, as Parameters.Frequent names them.
func WordHashes(sentence string) []uint32 {
	var f folded
	f.fold(sentence)
	var out []uint32
	for _, w := range f.words {
		if w.class == plainWord {
			out = append(out, mixed(hashBytes(startOf(blockWords), f.text[w.start:w.end])))
		}
	}
	return out
}

// Margins returns the model's raw scores of an example, before calibration.
func (m *Model) Margins(x Example) [NumLabels]float64 {
	f := features(x)
	return m.margins(&f)
}
