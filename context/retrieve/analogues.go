package retrieve

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// analogues ties what is named like a symbol or a file of the discourse except for a word of the
// prompt: "kebab" after ToCamelCase means ToKebabCase.
func (t *discourse) analogues(subjects []discourseSymbol) {
	dirs := map[string]bool{}
	for _, f := range t.files {
		dirs[path.Dir(t.s.Path(f.file))] = true
	}
	near := map[int]bool{} // whether a file is in the folder of one of the discourse
	named := slices.Clone(t.files)
	words := make([][]string, len(subjects))
	for i, s := range subjects {
		words[i] = append(slices.Clone(t.parts(s.Name)), t.parts(s.Container)...)
	}
	for _, term := range t.terms {
		if t.s.Words().Count(term.text) > analogueChunks {
			continue
		}
		beside, end := false, 0 // of the previous chunk's file
		t.s.Words().Chunks(term.text, func(c int) bool {
			if c >= end {
				file := t.s.FileOf(c)
				_, end = t.s.FileChunks(file)
				var known bool
				if beside, known = near[file]; !known {
					beside = dirs[path.Dir(t.s.Path(file))] && t.keeps(file)
					near[file] = beside
					if beside {
						t.likeFile(file, term.text, named)
					}
				}
			}
			if beside {
				t.likeSymbol(c, term.text, subjects, words)
			}
			return true
		})
	}
}

// likeFile adds a file that is named like one of the discourse except for a word.
func (t *discourse) likeFile(file int, word string, named []discourseFile) {
	stem := func(file int) []string {
		base := path.Base(t.s.Path(file))
		return t.parts(strings.TrimSuffix(base, path.Ext(base)))
	}
	its := stem(file)
	if !slices.Contains(its, word) {
		return
	}
	for _, f := range named {
		of := stem(f.file)
		if f.file != file && !slices.Contains(of, word) && (len(its) == 1 || t.share(of, its) >= minAnalogueShare) {
			t.file(file, tiedAnalogue*f.weight, "is called like "+path.Base(t.s.Path(f.file))+", which the conversation is about")
			return
		}
	}
}

// likeSymbol ties a chunk that defines a name like that of one of the symbols, whose words are
// given, except for a word.
func (t *discourse) likeSymbol(chunk int, word string, subjects []discourseSymbol, words [][]string) {
	if len(subjects) == 0 {
		return
	}
	k := t.chunk(chunk)
	outer := slices.ContainsFunc(k.Enclosing, func(e string) bool { return t.hasWord(e, word) })
	for _, name := range k.Symbols {
		if !outer && !t.hasWord(name, word) {
			continue
		}
		its := slices.Clone(t.parts(name))
		for _, e := range k.Enclosing {
			its = append(its, t.parts(e)...)
		}
		for i, s := range subjects {
			if slices.Contains(words[i], word) {
				continue
			}
			if share := t.share(words[i], its); share >= minAnalogueShare {
				t.tie(chunk, tiedAnalogue*s.weight*math.Sqrt(share), "is called like "+s.Name+", which the conversation is about")
			}
		}
	}
}

// hasWord reports whether a word is among those of a name. The word's first letters rule most names
// out.
func (t *discourse) hasWord(name, word string) bool {
	return mayHave(name, word) && slices.Contains(t.parts(name), word)
}

// mayHave reports whether a name may contain a word, given as a term: whether it contains the
// prefix that every stem keeps.
func mayHave(name, word string) bool {
	if len(word) <= stemBytes || lexical.IsData(word) {
		return true
	}
	for i := 0; i+stemBytes <= len(name); i++ {
		if strings.EqualFold(name[i:i+stemBytes], word[:stemBytes]) {
			return true
		}
	}
	return strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII })
}

// share returns the share of a name's words that another has, by rarity.
func (t *discourse) share(of, its []string) float64 {
	has, all := 0.0, 0.0
	for _, w := range of {
		rarity, known := t.rare[w]
		if !known {
			rarity = lexical.Rarity(t.s.LiveChunks(), max(1, t.s.Words().Count(w)))
			t.rare[w] = rarity
		}
		if all += rarity; slices.Contains(its, w) {
			has += rarity
		}
	}
	return has / max(all, faint)
}

// stemBytes is the length of the prefix of a word that its stem always keeps.
const stemBytes = 3

// testsOf adds the test files named like a file or a symbol of the discourse.
func (t *discourse) testsOf(subjects []discourseSymbol) {
	var wanted [][]string
	var weights []float64
	for _, f := range t.files[:min(maxDiscourseFiles, len(t.files))] {
		base := path.Base(t.s.Path(f.file))
		wanted, weights = append(wanted, t.parts(strings.TrimSuffix(base, path.Ext(base)))), append(weights, f.weight)
	}
	for _, s := range subjects[:min(maxDiscourseSubjects, len(subjects))] {
		wanted, weights = append(wanted, t.parts(s.Name)), append(weights, s.weight)
	}
	t.s.Paths(func(file int, p string) {
		if !IsTest(p) || !t.keeps(file) {
			return
		}
		base := path.Base(p)
		lower := strings.ToLower(base)
		var its []string
		for i, of := range wanted {
			if len(of) == 0 || !strings.Contains(lower, of[0][:min(len(of[0]), stemBytes)]) {
				continue // the check that rules out most files, of which there may be many
			}
			if its == nil {
				its = t.parts(strings.TrimSuffix(base, path.Ext(base)))
			}
			if !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(its, w) }) {
				t.file(file, tiedAnalogue*weights[i], "tests what the conversation is about")
			}
		}
	})
}
