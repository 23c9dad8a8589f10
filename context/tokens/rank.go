package tokens

import "math"

// Familiarity returns how common a word is in the texts of the world's languages, from 0 for a word
// that is no token, such as a name coined by one team, towards 1. It is computed from the rank of
// the token made of a space and the word in lower case, the usual form, and depends only on the
// encoding, not on the word's language.
func (c *Counter) Familiarity(word string) float64 {
	rank := c.vocab.rank(" " + word)
	if rank == noRank || word == "" {
		return 0
	}
	return familiar * (1 - math.Sqrt(float64(rank)/float64(len(c.vocab.start))))
}

// familiar is the familiarity of the most common word.
const familiar = .6
