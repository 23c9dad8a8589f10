package secrets

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// sampled returns a random text that matches an expression.
func sampled(source string, seed uint64) string {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	sample(&out, tree, rand.New(rand.NewPCG(seed, uint64(len(source)))))
	return out.String()
}

func sample(out *strings.Builder, re *syntax.Regexp, r *rand.Rand) {
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		out.WriteString(string(re.Rune))
		return
	case syntax.OpCharClass:
		out.WriteRune(member(re.Rune, r))
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte(letters[r.IntN(len(letters))])
		return
	case syntax.OpAlternate:
		sample(out, re.Sub[r.IntN(len(re.Sub))], r)
		return
	case syntax.OpStar:
		least, most = 0, 3
	case syntax.OpPlus:
		most = 3
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
		if most < 0 || most > least+5 {
			most = least + 5
		}
	}
	for range least + r.IntN(most-least+1) {
		for _, sub := range re.Sub {
			sample(out, sub, r)
		}
	}
}

// member returns a random printable character of a class, which is given as pairs of bounds.
func member(class []rune, r *rand.Rand) rune {
	var all []rune
	for i := 0; i < len(class); i += 2 {
		for c := max(class[i], ' '); c <= min(class[i+1], '~'); c++ {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return class[0]
	}
	return all[r.IntN(len(all))]
}
