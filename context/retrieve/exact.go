package retrieve

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"golang.org/x/text/unicode/norm"
)

// What an exact match adds to the fused score, whose maximum is about the sum of the weights. A
// prompt that is little more than a name asks for that name's definition first; in a long text the
// names are hints among others.
const (
	exactBoost    = 3.0
	exactInText   = .5
	fileNameBoost = .5
	errorBoost    = 3.0

	shortQuery   = 6  // terms
	manyMeanings = 6  // definitions from which on a name is no strong evidence
	errorPool    = 60 // candidates whose text is searched for a message
	shortPrompt  = 12 // words up to which a prompt may itself be a message
)

// exact raises what the prompt names: definitions of its identifiers, its files, the places that
// raise its error messages and those on its stack traces.
func (r *run) exact(ctx context.Context) {
	boost := exactInText
	if len(r.terms) <= shortQuery {
		boost = exactBoost
	}
	for _, name := range r.req.Intent.Identifiers {
		r.definition(name, boost)
		r.mentioned(ctx, name[strings.LastIndexAny(name, ".:#")+1:], 1)
	}
	pointed := map[int]int{} // a chunk that the prompt points at, by file
	for _, f := range r.req.Intent.Frames {
		r.frame(f.File, f.Line, pointed)
	}
	for _, name := range r.req.Intent.Files {
		r.namedFile(name, pointed)
	}
	r.calledSo()
	if list := r.messagesAsked(); len(list) > 0 && ctx.Err() == nil {
		r.messages(list)
	}
	r.data(boost)
	if ctx.Err() == nil {
		r.quotations(ctx)
	}
}

// data raises the places of the long numbers and digests in the prompt, which are rarely there by
// accident.
func (r *run) data(boost float64) {
	for _, t := range r.terms {
		if !lexical.IsData(t.Text) {
			continue
		}
		places := r.s.Having([]string{t.Text})
		share := boost
		if len(places) > manyMeanings {
			share = boost * manyMeanings / float64(len(places))
		}
		for _, c := range places[:min(len(places), poolMost)] {
			p := r.s.Chunk(c)
			r.raise(c, share*r.req.factor(p.Path, p.Language), r.hasData())
			r.evident(c).message = share / boost
		}
	}
}

// The boosts for a place that holds the only word of a query, and for a file of that name: more
// than all rankers together can add, and half of that.
const (
	wordBoost     = 3.0
	fileWordBoost = wordBoost / 2
)

// onlyWord puts what holds the only word of the query before everything else, and the files of that
// name right behind it.
func (r *run) onlyWord() {
	terms := make([]string, r.own)
	for i, t := range r.terms[:r.own] {
		terms[i] = t.Text
	}
	r.held = map[int]float64{}
	r.holding(terms)
	for _, other := range r.recased {
		r.holding([]string{other})
	}
}

// holding raises what holds all terms, and the files with all of them in their names.
func (r *run) holding(terms []string) {
	keeps := func(file int) bool { return r.req.Keep == nil || r.req.Keep(r.s.Path(file), r.s.Language(file)) }
	for _, f := range r.s.PathHaving(terms) {
		if first, end := r.s.FileChunks(f); first < end && keeps(f) {
			top := first
			for c := first; c < end; c++ {
				if r.sums.at(c) > r.sums.at(top) {
					top = c
				}
			}
			if r.held[top] == 0 {
				r.sums.add(top, fileWordBoost)
				r.held[top] = fileWordBoost / wordBoost
			}
		}
	}
	for _, c := range r.s.Having(terms) {
		if r.held[c] < 1 && keeps(r.s.FileOf(c)) {
			r.sums.add(c, wordBoost)
			r.held[c] = 1
		}
	}
}

// raise adds to a chunk's score and records the reason.
func (r *run) raise(chunk int, by float64, why string) {
	for i := range r.out.Candidates {
		if c := &r.out.Candidates[i]; c.Chunk == chunk {
			if len(c.Reasons) == 0 || c.Reasons[0] != why {
				c.Score += by
				c.Reasons = append([]string{why}, c.Reasons...)
			}
			c.Exact = true
			return
		}
	}
	p := r.s.Chunk(chunk)
	if r.req.Keep != nil && !r.req.Keep(p.Path, p.Language) {
		return
	}
	r.out.Candidates = append(r.out.Candidates, Candidate{Chunk: chunk, Score: by, Reasons: []string{why}, Exact: true})
}

// meantBy returns the definitions that a name may mean, with its last part and the one before it:
// those within what the one before it names, if there are any.
func (r *run) meantBy(name string) (defs []indexer.Symbol, last, container string) {
	last = strings.TrimSuffix(name, "()")
	isNested := false
	if i := strings.LastIndexAny(last, ".:#/"); i >= 0 {
		container, last = strings.TrimRight(last[:i], ".:#/"), last[i+1:]
		if j := strings.LastIndexAny(container, ".:#/"); j >= 0 {
			container, isNested = container[j+1:], true
		}
	}
	if len(last) < 2 {
		return nil, last, container
	}
	defs = r.s.Definitions(last, 64)
	if container == "" {
		return defs, last, container
	}
	var within []indexer.Symbol
	for _, d := range defs {
		if strings.EqualFold(strings.TrimLeft(d.Container, "*"), container) || inPackage(d.Path, container) {
			within = append(within, d)
		}
	}
	switch {
	case len(within) > 0:
		defs = within
	case isNested: // import.meta.glob is a member of a value, and no function glob
		defs = slices.DeleteFunc(defs, func(d indexer.Symbol) bool { return d.Container == "" && IsCallable(d) })
	}
	return defs, last, container
}

func (r *run) definition(name string, boost float64) {
	defs, last, container := r.meantBy(name)
	if len(defs) == 0 {
		return
	}
	share := 1.0
	if len(defs) > manyMeanings {
		share = manyMeanings / float64(len(defs))
	}
	meant := r.meantHere(last, container)
	for _, d := range defs {
		sure := share
		if slices.Contains(meant, d) {
			sure = 1
		}
		if c, ok := r.s.ChunkAt(d.File, d.Line); ok {
			r.raise(c, boost*sure*r.req.factor(d.Path, r.s.Language(d.File)), r.defines(name))
			r.evident(c).defines = max(r.evident(c).defines, sure)
			r.named = max(r.named, sure)
		}
	}
}

// meantHere returns the definitions that a name means in the person's document; none without a
// document.
func (r *run) meantHere(name, container string) []indexer.Symbol {
	file, ok := r.s.File(r.req.At.Path)
	if !ok {
		return nil
	}
	return r.resolve(name, container, file)
}

// inPackage reports whether a path is in a folder of the given name or is a file of it, as net/http
// is in http.
func inPackage(p, name string) bool {
	dir, base := path.Split(p)
	return path.Base(dir) == name || strings.TrimSuffix(base, path.Ext(base)) == name
}

// namedFile raises the best chunks of a file that the prompt names by its path or the end of it, or
// only the one that the prompt points at.
func (r *run) namedFile(name string, pointed map[int]int) {
	line := -1
	if i := strings.IndexByte(name, ':'); i > 0 {
		line = leadingNumber(name[i+1:]) - 1
		name = name[:i]
	}
	name = norm.NFC.String(strings.TrimPrefix(strings.TrimPrefix(name, "./"), "/"))
	var found []int
	r.s.Paths(func(f int, p string) {
		p = norm.NFC.String(p)
		if p == name || strings.HasSuffix(p, "/"+name) {
			found = append(found, f)
		}
	})
	if len(found) == 0 || len(found) > manyMeanings {
		return
	}
	for _, f := range found {
		if line >= 0 {
			r.frame(r.s.Path(f), line+1, pointed)
			continue
		}
		if c, known := pointed[f]; known {
			at := slices.IndexFunc(r.out.Candidates, func(o Candidate) bool { return o.Chunk == c })
			if at >= 0 { // else it may not appear
				r.out.Candidates[at].Score += fileNameBoost / float64(len(found))
				r.evident(c).named = 1
			}
			continue
		}
		r.raiseBest(f, fileNameBoost/float64(len(found)), r.inFile(name))
		r.named = 1
	}
}

// withoutFolders returns the text with the paths of files that the workspace lacks reduced to their
// names: such a folder does not tell what the prompt is about, and its words match everything in
// it. A text that names many files is a log or a listing.
func (r *run) withoutFolders(text string) string {
	const most = 4
	if len(r.req.Intent.Files) > most {
		return text
	}
	for _, name := range r.req.Intent.Files {
		wanted, _, _ := strings.Cut(name, ":")
		wanted = strings.TrimPrefix(strings.TrimPrefix(wanted, "./"), "/")
		base := path.Base(wanted)
		if base == wanted {
			continue
		}
		found := false
		r.s.Paths(func(_ int, p string) { found = found || path.Base(p) == base })
		if !found {
			text = strings.ReplaceAll(text, wanted, strings.TrimSuffix(base, path.Ext(base)))
		}
	}
	return text
}

// calledSo raises the files that the prompt names without their extension, in capitals, such as
// README and LICENSE.
func (r *run) calledSo() {
	names := map[string]bool{}
	for word := range strings.FieldsFuncSeq(r.asked, func(c rune) bool { return !isNameRune(c) }) {
		if len(word) > 3 && strings.ToUpper(word) == word && strings.ToLower(word) != word && !slices.Contains(r.req.Intent.Identifiers, word) {
			names[word] = true
		}
	}
	if len(names) == 0 {
		return
	}
	var found []int
	r.s.Paths(func(f int, p string) {
		if base := path.Base(p); names[strings.TrimSuffix(base, path.Ext(base))] && len(found) <= manyMeanings {
			found = append(found, f)
		}
	})
	if len(found) > manyMeanings {
		return
	}
	for _, f := range found {
		if r.keeps(f) {
			r.raiseBest(f, fileNameBoost/float64(len(found)), r.inFile(path.Base(r.s.Path(f))))
		}
	}
}

// raiseBest raises the best chunk of a file by the whole boost and its others by half of it.
func (r *run) raiseBest(file int, boost float64, why string) {
	first, end := r.s.FileChunks(file)
	top, score := first, -1.0
	in := map[int]bool{}
	for _, c := range r.out.Candidates {
		if c.Chunk >= first && c.Chunk < end {
			in[c.Chunk] = true
			if c.Score > score {
				top, score = c.Chunk, c.Score
			}
		}
	}
	if first == end {
		return
	}
	r.raise(top, boost, why)
	r.evident(top).named = 1
	for c := range in {
		if c != top {
			r.evident(c).named = .5
			r.raise(c, boost/2, why)
		}
	}
}

// frame raises the place that a stack trace or a compiler's message names, and records its file as
// pointed at.
func (r *run) frame(file string, line int, pointed map[int]int) {
	const matches = 3
	found := r.filesEndingIn(file)
	if len(found) > matches {
		return
	}
	for _, f := range found {
		if c, ok := r.s.ChunkAt(f, line-1); ok {
			r.raise(c, fileNameBoost, r.pointedAt(r.s.Path(f)))
			e := r.evident(c)
			e.pointed, e.lines = 1, append(e.lines, line-1)
			r.named = 1
			pointed[f] = c
		}
	}
}

// filesEndingIn returns the files whose paths have the longest end in common with a path of another
// machine or of an installed package, such as /opt/lib/python3/site-packages/click/core.py for
// src/click/core.py. A name alone is too little where both paths have folders.
func (r *run) filesEndingIn(file string) (found []int) {
	const enough = 2 // parts
	parts := strings.Split(norm.NFC.String(strings.Trim(strings.TrimPrefix(file, "./"), "/")), "/")
	most := 0
	r.s.Paths(func(f int, p string) {
		if !strings.HasSuffix(p, parts[len(parts)-1]) {
			return
		}
		own := strings.Split(norm.NFC.String(p), "/")
		n := 0
		for n < min(len(own), len(parts)) && own[len(own)-1-n] == parts[len(parts)-1-n] {
			n++
		}
		switch {
		case n < min(enough, len(own), len(parts)) || n < most:
			return
		case n > most:
			found, most = found[:0], n
		}
		found = append(found, f)
	})
	return found
}

func leadingNumber(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}
