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
		for _, c := range places[:min(len(places), poolSize)] {
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

// message is a text that some place of the code may raise.
type message struct {
	words []string
	text  string // of a prompt that may be a message itself: only the whole of it counts, where a string literal begins or ends with it
}

// messagesAsked returns the error messages in the prompt; a short prompt may be one as a whole.
func (r *run) messagesAsked() []message {
	var out []message
	for _, e := range r.req.Intent.Errors {
		if w := messageWords(e); len(w) > 0 {
			out = append(out, message{words: w})
		}
	}
	if w := messageWords(r.req.Query); len(w) >= 2 && len(w) <= shortPrompt && len(out) == 0 && !r.req.Intent.Question {
		out = append(out, message{words: w, text: strings.ToLower(strings.TrimSpace(r.req.Query))})
	}
	return out
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

// messages raises the candidates whose text contains a long run of a message's words, and so
// probably raise it. Values that a program fills in (names, numbers) break the run, so the longest
// part counts.
func (r *run) messages(list []message) {
	const enough = 3 // words in a row
	reader := r.s.NewReader()
	for i := range r.out.Candidates[:min(errorPool, len(r.out.Candidates))] {
		c := &r.out.Candidates[i]
		chunk, text, gate := reader.Chunk(c.Chunk)
		if gate != "" {
			continue
		}
		text = norm.NFC.Bytes(text)
		have := messageWords(string(text))
		best := 0.0
		for _, m := range list {
			need := min(enough, len(m.words))
			if m.text != "" {
				if quoted(strings.ToLower(string(text)), m.text) {
					best = 1
				}
				continue
			}
			if n := longestRun(m.words, have); n >= need {
				best = max(best, float64(n)/float64(len(m.words)))
			}
		}
		if best > 0 {
			c.Score += errorBoost * best * r.req.factor(chunk.Path, chunk.Language)
			c.Reasons = append([]string{r.hasMessage()}, c.Reasons...)
			c.Exact = true
			r.evident(c.Chunk).message = best
			r.named = max(r.named, best)
		}
	}
}

// quoted reports whether text holds a string literal that begins or ends with message.
func quoted(text, message string) bool {
	const quotes = "\"'`"
	for {
		i := strings.Index(text, message)
		if i < 0 {
			return false
		}
		end := i + len(message)
		if i > 0 && strings.IndexByte(quotes, text[i-1]) >= 0 || end < len(text) && strings.IndexByte(quotes, text[end]) >= 0 {
			return true
		}
		text = text[end:]
	}
}

func messageWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 0x80)
	})
}

// longestRun returns the length of the longest run of words that is in both lists.
func longestRun(a, b []string) int {
	if len(a) > 200 {
		a = a[:200]
	}
	best := 0
	prev := make([]int, len(a)+1)
	cur := make([]int, len(a)+1)
	for _, w := range b {
		for i, v := range a {
			cur[i+1] = 0
			if v == w {
				cur[i+1] = prev[i] + 1
				best = max(best, cur[i+1])
			}
		}
		prev, cur = cur, prev
	}
	return best
}
