package retrieve

import (
	"context"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// around lists what is related to the person's location, beginning with what is directly at it.
// Where the prompt is about something else, it lists only the latter.
func (r *location) around(ctx context.Context, sub subject) []nearChunk {
	a := &surroundings{search: r.search, seen: map[int]bool{}, alone: sub.elsewhere}
	file, ok := r.s.File(r.req.At.Path)
	switch {
	case !ok || !r.keeps(file):
		a.view()
	case !r.req.At.Known:
		a.document(file, maxDocumentPieces, 1, "the open document")
	default:
		a.file, a.symbols = file, r.s.Symbols().InFile(file)
		a.cursor()
		if !a.alone {
			a.neighbours(ctx)
		}
	}
	return a.list
}

// keeps reports whether a file may appear in the answer.
func (r *search) keeps(file int) bool {
	return r.req.Keep == nil || r.req.Keep(r.s.Path(file), r.s.Language(file))
}

// surroundings collects what is related to one place.
type surroundings struct {
	*search
	list     []nearChunk
	seen     map[int]bool
	alone    bool // only what the person is at is wanted
	file     int
	symbols  []indexer.Symbol // of the file
	subjects []indexer.Symbol // what the person is at, the innermost first
}

// add adds a chunk once; -1 is none.
func (a *surroundings) add(chunk int, weight float64, why string, at bool) {
	if chunk < 0 || a.seen[chunk] || a.alone && !at || !a.keeps(a.s.FileOf(chunk)) {
		return
	}
	a.seen[chunk] = true
	a.list = append(a.list, nearChunk{chunk, weight, why, at})
}

// view adds, for each document in view, its beginning and the pieces that match the prompt best.
func (a *surroundings) view() {
	n := 0
	for _, path := range a.req.Near {
		if file, ok := a.s.File(path); ok && a.keeps(file) && n < maxViewed {
			a.document(file, viewPieces, math.Pow(viewDecay, float64(n+1)), "a document in view")
			n++
		}
	}
}

// document adds, of a document without a known position, the piece that matches the prompt best and
// the beginning.
func (a *surroundings) document(file, most int, weight float64, why string) {
	first, end := a.s.FileChunks(file)
	best, score := -1, 0.0
	for _, c := range a.out.Candidates {
		if first <= c.Chunk && c.Chunk < end && c.Score > score {
			best, score = c.Chunk, c.Score
		}
	}
	if best >= 0 {
		a.add(best, weight, why, false)
		most--
	}
	for c := first; c < min(end, first+most); c++ {
		a.add(c, weight*math.Pow(pieceDecay, float64(c-first+1)), why, false)
	}
}

// cursor adds what the person is at: what the identifier at the cursor names and the definition
// around it, or the selection.
func (a *surroundings) cursor() {
	p := a.req.At
	if p.Selected {
		a.selection()
		return
	}
	weight := 1.0
	outer, found := a.definition(p.First)
	for _, d := range a.atCursor() {
		if found && d == outer {
			continue
		}
		a.subjects = append(a.subjects, d)
		a.pieces(d, d.Line, weight, "defines "+d.Name+", which is at the cursor")
		weight = besideName
	}
	if found {
		a.subjects = append(a.subjects, outer)
		a.pieces(outer, p.First, weight, "the "+kindName(outer)+" at the cursor")
	}
	a.add(a.chunkNear(p.First), weight, "the lines at the cursor", true)
}

// selection adds the selected lines and the definition around them.
func (a *surroundings) selection() {
	p := a.req.At
	first, last := a.chunkNear(p.First), a.chunkNear(p.Last)
	for c := first; c <= min(last, first+pieceMost-1); c++ {
		a.add(c, math.Pow(pieceDecay, float64(c-first)/2), "the selection", true)
	}
	if outer, ok := a.enclosing(p.First, p.Last); ok {
		a.subjects = append(a.subjects, outer)
		a.pieces(outer, p.First, besideName, "the "+kindName(outer)+" around the selection")
		return
	}
	for _, d := range a.symbols {
		if p.First <= d.Line && d.Line <= p.Last && IsCallable(d) {
			a.subjects = append(a.subjects, d)
		}
	}
}

// pieces adds the pieces of a definition; the one that holds the line is what the person is at.
func (a *surroundings) pieces(d indexer.Symbol, line int, weight float64, why string) {
	first, ok := a.s.ChunkAt(d.File, d.Line)
	if !ok {
		return
	}
	last, _ := a.s.ChunkAt(d.File, d.EndLine)
	at, _ := a.s.ChunkAt(d.File, min(max(line, d.Line), d.EndLine))
	for c := max(first, at-pieceMost/2); c <= min(last, at+pieceMost/2); c++ {
		a.add(c, weight*math.Pow(pieceDecay, math.Abs(float64(c-at))), why, c == at)
	}
}

// chunkNear returns the chunk of the file that holds a line, else the nearest one, on a tie the
// lower; -1 where there is none.
func (a *surroundings) chunkNear(line int) int {
	c, ok := a.s.ChunkAt(a.file, line)
	if !ok {
		return -1
	}
	if _, end := a.s.FileChunks(a.file); c+1 < end {
		if above := line - a.s.Chunk(c).EndLine; above > 0 && a.s.Chunk(c+1).StartLine-line <= above {
			return c + 1
		}
	}
	return c
}

// members are the kinds of symbols that usually take a single line of something larger.
var members = []string{"field", "key", "property", "const", "var", "enum"}

// enclosing returns the innermost definition around some lines, except a member of one line.
func (a *surroundings) enclosing(first, last int) (indexer.Symbol, bool) {
	for _, d := range slices.Backward(a.symbols) {
		if d.Line <= first && last <= d.EndLine && (d.EndLine > d.Line || !slices.Contains(members, d.Kind)) {
			return d, true
		}
	}
	return indexer.Symbol{}, false
}

// definition returns the definition around a line, else the nearest one of the piece that holds the
// line or is next to it, such as the one below its doc comment.
func (a *surroundings) definition(line int) (indexer.Symbol, bool) {
	if d, ok := a.enclosing(line, line); ok {
		return d, true
	}
	c := a.chunkNear(line)
	if c < 0 {
		return indexer.Symbol{}, false
	}
	k := a.s.Chunk(c)
	var best indexer.Symbol
	least := math.MaxInt
	for _, d := range a.symbols {
		if d.EndLine < k.StartLine || d.Line > k.EndLine {
			continue
		}
		distance := d.Line - line
		if d.EndLine < line {
			distance = line - d.EndLine
		}
		if distance < least || distance == least && d.Line > line && best.Line < line {
			best, least = d, distance
		}
	}
	return best, least < math.MaxInt
}

// atCursor returns the definitions of the identifier at the cursor; none for an ordinary word or a
// local name.
func (a *surroundings) atCursor() []indexer.Symbol {
	const most = 2
	p := a.req.At
	if p.Name == "" || !a.s.Symbols().Refers(a.file, p.Name) {
		return nil
	}
	for _, d := range a.symbols {
		if d.Name == p.Name && d.Line == p.First {
			return []indexer.Symbol{d}
		}
	}
	list := a.resolve(p.Name, p.Qualifier, a.file)
	return list[:min(most, len(list))]
}

// neighbours adds what the subjects call and what calls them, the types that they belong to and the
// methods of types.
func (a *surroundings) neighbours(ctx context.Context) {
	weight := 1.0
	if a.req.At.Selected {
		lines := indexer.Symbol{File: a.file, Path: a.req.At.Path, Line: a.req.At.First, EndLine: a.req.At.Last}
		a.calledBy(lines, weight)
		weight = outerSubject
	}
	for _, d := range a.subjects[:min(subjectMost, len(a.subjects))] {
		if ctx.Err() != nil {
			return
		}
		if d.Container != "" {
			for _, c := range a.resolve(containerName(d), "", d.File) {
				if !IsCallable(c) {
					a.add(a.chunkOf(c), containerOf*weight, "declares "+c.Name+", which "+d.Name+" belongs to", false)
				}
			}
		}
		a.calledBy(d, weight)
		a.callersOf(ctx, d, weight)
		a.methodsOf(d, weight)
		weight = outerSubject
	}
}

// methodsOf adds the methods of a type that its file defines outside of the type's lines.
func (a *surroundings) methodsOf(d indexer.Symbol, weight float64) {
	if IsCallable(d) {
		return
	}
	n := 0
	for _, m := range a.s.Symbols().InFile(d.File) {
		if n < methodMost && IsCallable(m) && containerName(m) == d.Name && (m.Line < d.Line || m.Line > d.EndLine) {
			a.add(a.chunkOf(m), methodWeight*weight*math.Pow(listDecay, float64(n)), "a method of "+d.Name, false)
			n++
		}
	}
}

// chunkOf returns the chunk in which a definition begins, -1 for none.
func (r *search) chunkOf(d indexer.Symbol) int {
	if c, ok := r.s.ChunkAt(d.File, d.Line); ok {
		return c
	}
	return -1
}
