package retrieve

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// companionChunks is the number of chunks with a name from which on the name tells nothing.
const companionChunks = 300

// companionNames is how many names documents are searched for; a pasted text may have many.
const companionNames = 8

// Companions are the chunks that have to change along with a definition, each -1 if there is none.
type Companions struct {
	Test int // of the test that is named like its file
	Page int // of a document that has its name, or one of the names given
	// PageOf is the name that the document has.
	PageOf string
}

// CompanionsOf returns the companions of a definition; of several, those with the most of some
// words. names are other names that a document may tell of.
func CompanionsOf(s *indexer.Snapshot, d indexer.Symbol, names []string, words []lexical.QueryTerm) Companions {
	c := companions{s: s, words: words}
	page, name := c.pageOf(append([]string{d.Name}, names[:min(companionNames, len(names))]...))
	return Companions{Test: c.best(c.testsOf(d)), Page: page, PageOf: name}
}

type companions struct {
	s     *indexer.Snapshot
	words []lexical.QueryTerm
}

// testsOf returns the chunks of the test that is named like the file of a definition, the nearest
// one of several.
func (c *companions) testsOf(d indexer.Symbol) (chunks []int) {
	if IsTest(d.Path) {
		return nil
	}
	stem, known := nameParts(stemOf(d.Path)), nameParts(d.Path)
	best, most, longest := -1, 0, 0
	for _, file := range c.s.Words().PathHaving(stem) {
		p := c.s.Path(file)
		its := nameParts(stemOf(p))
		lacks := slices.ContainsFunc(stem, func(t string) bool { return !slices.Contains(its, t) })
		// In a folder of tests another word in the name means another file.
		other := !IsTest(path.Base(p)) && slices.ContainsFunc(its, func(t string) bool { return !slices.Contains(known, t) })
		if !IsTest(p) || !codeLanguage(c.s.Language(file)) || lacks || other {
			continue
		}
		if shared := sharedFolders(p, d.Path); best < 0 || shared > most || shared == most && len(its) < longest {
			best, most, longest = file, shared, len(its)
		}
	}
	if best < 0 {
		return nil
	}
	first, end := c.s.FileChunks(best)
	for k := first; k < end; k++ {
		chunks = append(chunks, k)
	}
	return chunks
}

// pageOf returns the chunk of a document that has one of some names, and the name: of a document
// that is called so, if there is one.
func (c *companions) pageOf(names []string) (chunk int, name string) {
	var pages, called []int
	has := map[int]string{} // the first of the names in a chunk
	for _, name := range names {
		words := nameParts(name)
		if len(words) < 2 {
			continue // a word, which prose has in its own meaning
		}
		own := c.s.Words().PathHaving(words)
		var all []string
		lexical.Terms([]byte(name), func(term string) { all = append(all, term) })
		for _, k := range c.s.Words().Having(all) {
			file := c.s.FileOf(k)
			if classOf(c.s.Path(file), c.s.Language(file)) != prose {
				continue
			}
			pages, has[k] = append(pages, k), cmp.Or(has[k], name)
			if slices.Contains(own, file) {
				called = append(called, k)
			}
		}
	}
	if len(called) > 0 {
		pages = called
	}
	chunk = c.best(pages)
	return chunk, has[chunk]
}

func stemOf(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// nameParts returns the words of a name.
func nameParts(name string) (out []string) {
	lexical.Parts([]byte(name), func(term string) { out = append(out, term) })
	return out
}

// sharedFolders returns how many names of folders two paths have in common.
func sharedFolders(a, b string) (n int) {
	in := strings.Split(path.Dir(a), "/")
	for _, name := range strings.Split(path.Dir(b), "/") {
		if slices.Contains(in, name) {
			n++
		}
	}
	return n
}

// best returns the chunk with the most of the words, by weight, -1 for none.
func (c *companions) best(chunks []int) int {
	if len(chunks) == 0 || len(chunks) > companionChunks {
		return -1
	}
	slices.Sort(chunks)
	chunks = slices.Compact(chunks)
	weight := map[int]float64{}
	for _, w := range c.words {
		_, held := c.s.Words().Among([]string{w.Text}, chunks)
		for _, k := range held {
			weight[k] += w.Weight
		}
	}
	return slices.MaxFunc(chunks, func(a, b int) int { return cmp.Or(cmp.Compare(weight[a], weight[b]), b-a) })
}
