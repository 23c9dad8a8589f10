package tokens

import "math"

// Familiarity is how common a word is in the texts of the world's languages, from 0 for one that is
// no token, such as a name that one team gave, towards 1: by its rank among the tokens, behind a
// space and in small letters as it mostly stands. It is the same for all that an encoding was made
// of, whatever language the word is of.
func (c *Counter) Familiarity(word string) float64 {
	rank := c.vocab.rank(" " + word)
	if rank == noRank || word == "" {
		return 0
	}
	return familiar * (1 - math.Sqrt(float64(rank)/float64(len(c.vocab.start))))
}

// familiar is the familiarity of the commonest word.
const familiar = .6
