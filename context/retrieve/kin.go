package retrieve

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// What is called like something that the conversation named must share analogueLeast of its words, by their rarity. A word
// of the prompt that so many chunks have tells nothing.
const (
	analogueLeast  = .25
	analogueChunks = 3000
)

// analogues ties what is called like a symbol or a file of the talk but for a word that the prompt says: kebab after
// ToCamelCase is ToKebabCase.
func (t *talk) analogues(subjects []talkedSymbol) {
	dirs := map[string]bool{}
	for _, f := range t.files {
		dirs[path.Dir(t.s.Path(f.file))] = true
	}
	near := map[int]bool{} // whether a file is beside one of the talk
	named := slices.Clone(t.files)
	for _, term := range t.terms {
		if t.s.TermCount(term.text) > analogueChunks {
			continue
		}
		t.s.TermChunks(term.text, func(c int) bool {
			file := t.s.FileOf(c)
			beside, known := near[file]
			if !known {
				beside = dirs[path.Dir(t.s.Path(file))] && t.keeps(file)
				near[file] = beside
				if beside {
					t.likeFile(file, term.text, named)
				}
			}
			if beside {
				t.likeSymbol(c, term.text, subjects)
			}
			return true
		})
	}
}

// likeFile adds a file that is called like one of the talk but for a word.
func (t *talk) likeFile(file int, word string, named []talkedFile) {
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
		if f.file != file && !slices.Contains(of, word) && (len(its) == 1 || t.share(of, its) >= analogueLeast) {
			t.file(file, tiedAnalogue*f.weight, "is called like "+path.Base(t.s.Path(f.file))+", which the conversation is about")
			return
		}
	}
}

// likeSymbol ties a chunk that defines what is called like one of the symbols but for a word.
func (t *talk) likeSymbol(chunk int, word string, subjects []talkedSymbol) {
	k := t.chunk(chunk)
	var outer []string
	for _, e := range k.Enclosing {
		outer = append(outer, t.parts(e)...)
	}
	for _, name := range k.Symbols {
		its := append(t.parts(name), outer...)
		if !slices.Contains(its, word) {
			continue
		}
		for _, s := range subjects {
			of := append(slices.Clone(t.parts(s.Name)), t.parts(s.Container)...)
			if slices.Contains(of, word) {
				continue
			}
			if share := t.share(of, its); share >= analogueLeast {
				t.tie(chunk, tiedAnalogue*s.weight*math.Sqrt(share), "is called like "+s.Name+", which the conversation is about")
			}
		}
	}
}

// share is the part of a name's words that another has, by rarity.
func (t *talk) share(of, its []string) float64 {
	has, all := 0.0, 0.0
	for _, w := range of {
		rarity := lexical.Rarity(t.s.LiveChunks(), max(1, t.s.TermCount(w)))
		if all += rarity; slices.Contains(its, w) {
			has += rarity
		}
	}
	return has / max(all, faint)
}

func (t *talk) parts(name string) []string {
	terms, known := t.names[name]
	if !known {
		lexical.Parts([]byte(name), func(term string) { terms = append(terms, term) })
		t.names[name] = slices.Clip(terms)
	}
	return terms
}

// stemBytes is how much of a word its stem surely keeps.
const stemBytes = 3

// testsOf adds the files of tests that are called like a file or a symbol of the talk.
func (t *talk) testsOf(subjects []talkedSymbol) {
	var wanted [][]string
	var weights []float64
	for _, f := range t.files[:min(talkFiles, len(t.files))] {
		base := path.Base(t.s.Path(f.file))
		wanted, weights = append(wanted, t.parts(strings.TrimSuffix(base, path.Ext(base)))), append(weights, f.weight)
	}
	for _, s := range subjects[:min(talkSubjects, len(subjects))] {
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
				continue // most files, of which there may be many
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
