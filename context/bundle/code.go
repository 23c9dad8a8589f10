package bundle

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/zeebo/xxh3"
)

func sortBySpan(items []item.Item) {
	slices.SortStableFunc(items, func(a, b item.Item) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// worth returns the value of a place in the packing.
func (b *finding) worth(path string, score float64) float64 {
	return math.Pow(score, ownPower) * math.Pow(max(score, b.fileTop[path]), filePower)
}

// CodeID names a chunk permanently: it stays the same as long as the chunk's path and text do.
func CodeID(c indexer.Chunk) string {
	h := xxh3.Hash([]byte(c.Path + "\x00" + strconv.Itoa(c.StartLine)))
	return fmt.Sprintf("c-%08x%08x", uint32(h), uint32(c.Hash.Lo))
}

// finding holds what is known of the places of the workspace that were found.
type finding struct {
	*answer
	places   []*place
	pointers []*item.Item             // to other places
	factors  map[string]float64       // the feedback's, by id
	fileTop  map[string]float64       // the best score among each file's places
	asked    map[string]bool          // terms of the question; nil until first used
	said     []string                 // in the last turns, the latest first
	defined  map[int][]cut.Definition // see definitionsOf
}

// find searches for places concurrently with what the caller does next. The caller must call wait
// once. A panic in the search is raised again there, so that the request's own guard handles it.
func (b *finding) find(ctx context.Context) (wait func() retrieve.Result) {
	type outcome struct {
		retrieve.Result
		panicked any
	}
	found := make(chan outcome, 1)
	req := retrieve.Request{
		Query: b.req.Query, Builtin: b.req.Builtin, Intent: b.out.Signals, Limit: relevantCandidates, Deadline: b.req.Deadline, Keep: b.req.Keep, Near: b.req.Open, At: b.req.At,
	}
	if b.req.Fill == retrieve.Full {
		req.Limit = fullCandidates
	}
	req.Recent, req.Said = b.recent()
	if b.said = req.Said; b.src.Past != nil {
		req.Messages = b.src.Past.Conversation().Messages
	}
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			found <- o
		}()
		o.Result = retrieve.Run(ctx, b.src.Snapshot, req, b.src.Now)
	}()
	return func() retrieve.Result {
		o := <-found
		if o.panicked != nil {
			panic(o.panicked)
		}
		return o.Result
	}
}

// retrieve makes candidates of the places found.
func (b *build) retrieve(ctx context.Context, res retrieve.Result) {
	for _, s := range res.Stages { // the search ran beside memory; what it took is in their order
		b.stages[s.Name] = s
		b.timed = b.timed.Add(s.Took)
	}
	b.out.Degraded = append(b.out.Degraded, res.Degraded...)
	b.out.Focus, b.out.Pays = res.Focus, res.Pays
	b.openReader()
	res.Candidates = b.wantedPlaces(b.boost(res.Candidates))
	kept := b.filter(ctx, res)
	places, gated := b.read(ctx, kept)
	places = b.unique(places)
	b.lap(item.Dedup, item.OK, len(places))
	b.memories, b.places, b.pointers = b.judgeLines(ctx, places, res)
	if gated > 0 {
		b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Assemble, Reason: item.Stale, Detail: plural(gated, "place") + " changed since the index was made"})
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// read returns the texts of the places worth reading, and drops those that do not pass its checks.
func (b *finding) read(ctx context.Context, list []*item.Item) (out []*place, stale int) {
	for _, c := range b.worthReading(list) {
		if ctx.Err() != nil {
			b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Assemble, Reason: item.Timeout, Detail: "not all locations were read"})
			break
		}
		chunk, text, gate := b.reader.Chunk(c.Chunk)
		if gate != "" {
			b.dropChunk(chunk, item.DropReason(gate), 0)
			if gate == indexer.Stale {
				stale++
			}
			continue
		}
		if b.out.Signals.Question && len(out) < literalLooks && kindOf(chunk) == "code" && b.mentions(text) {
			c.Score = retrieve.Raise(c.Score, literalFactor)
		}
		out = append(out, newPlace(c, chunk, string(text)))
	}
	slices.SortStableFunc(out, func(x, y *place) int { return cmp.Compare(y.Score, x.Score) })
	return out, stale
}

// worthReading returns the candidates that may be chosen. To fill a budget these are those of most
// worth, with a decay for each further piece of a file, until their stored sizes exceed the budget
// by some margin.
func (b *finding) worthReading(list []*item.Item) []*item.Item {
	b.fileTop = map[string]float64{}
	chunks := make([]indexer.Chunk, len(list))
	for i, c := range list {
		chunks[i] = b.src.Snapshot.Place(c.Chunk)
		b.fileTop[chunks[i].Path] = max(b.fileTop[chunks[i].Path], c.Score)
	}
	if b.req.Fill != retrieve.Full { // what is shown of a place is less than its text
		return list
	}
	order := make([]int, len(list))
	value := make([]float64, len(list))
	pieces := map[string]int{}
	for i, c := range list { // list is sorted by score: a file's better pieces come first
		order[i] = i
		path := chunks[i].Path
		value[i] = b.worth(path, c.Score) * math.Pow(fileDecay, float64(pieces[path]))
		pieces[path]++
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(value[y], value[x]) })
	room := int(float64(b.req.Budget) * oversupply)
	var picked []int
	for _, i := range order {
		size := chunks[i].Tokens + wrapping
		if size > room && !(list[i].Near && len(picked) == 0) { // a smaller one further down may still fit
			b.dropChunk(chunks[i], item.OverBudget, list[i].Score)
			continue
		}
		room -= size
		picked = append(picked, i)
	}
	slices.Sort(picked)
	out := make([]*item.Item, len(picked))
	for k, i := range picked {
		out[k] = list[i]
	}
	return out
}

// unique removes duplicates: the same text in two files, ranges inside others, what is mostly in a
// better place, and what the conversation quotes.
func (b *build) unique(list []*place) []*place {
	texts, byFile, shown := map[string]bool{}, map[string][]*place{}, map[uint64]bool{}
	add := func(f *place) {
		texts[strings.TrimSpace(f.Body)] = true
		byFile[f.chunk.Path] = append(byFile[f.chunk.Path], f)
		for hash := range linesOf(f.Body) {
			shown[hash] = true
		}
	}
	for _, it := range b.taken {
		if f, ok := b.resolved[it.ID]; ok {
			add(f)
		}
	}
	out := list[:0]
	for _, f := range list {
		switch {
		case texts[strings.TrimSpace(f.Body)] || covered(byFile[f.chunk.Path], f) || b.quoted.covers(f.Body):
			b.dropChunk(f.chunk, item.Duplicate, f.Score)
		case repeated(f.Body, shown):
			b.dropChunk(f.chunk, item.Redundant, f.Score)
		default:
			add(f)
			out = append(out, f)
		}
	}
	return out
}

// repeated reports whether a text is a near-duplicate of others, whose lines are given by their
// hashes.
func repeated(text string, shown map[uint64]bool) bool {
	all, known := 0, 0
	for hash, size := range linesOf(text) {
		all += size
		if shown[hash] {
			known += size
		}
	}
	return known > 0 && float64(known) >= duplicateShare*float64(all)
}

// linesOf returns the hashes of a text's distinctive lines with their sizes.
func linesOf(text string) map[uint64]int {
	out := map[uint64]int{}
	for line := range strings.Lines(text) {
		if line = bare(line); len(line) >= distinctiveBytes {
			out[xxh3.HashString(line)] = len(line)
		}
	}
	return out
}

// covered reports whether f's range overlaps one that is already in. Chunks of one version of a
// file are disjoint; those of a file that has changed in between need not be.
func covered(in []*place, f *place) bool {
	for _, g := range in {
		if f.chunk.Start < g.chunk.End && g.chunk.Start < f.chunk.End {
			return true
		}
	}
	return false
}

// wholeForms makes the forms that show places as they are, on all processors, because counting
// their tokens is most of the work of a bundle.
func (b *finding) wholeForms(list []*place) []item.Form {
	out := make([]item.Form, len(list))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				out[i] = b.wholeForm(list[i])
			}
		})
	}
	group.Wait()
	return out
}

func (b *answer) wholeForm(f *place) item.Form {
	return b.placeForm(f.Item, f.chunk, "full", f.whole(), strings.TrimRight(f.Body, "\n"), 1)
}

// whole returns the passage that shows all of a place.
func (f *place) whole() cut.Passage {
	return cut.Passage{Shown: []cut.Range{{First: f.chunk.StartLine, Last: f.chunk.EndLine}}}
}

// namesSymbol reports whether one of the prompt's identifiers is defined here.
func namesSymbol(f *place, identifiers []string) bool {
	for _, name := range identifiers {
		last := name[strings.LastIndexAny(name, ".:#/")+1:]
		if slices.Contains(f.chunk.Symbols, last) {
			return true
		}
	}
	return false
}

// KindOf returns whether a file of a language is a document or code.
func KindOf(language string) item.Kind {
	switch language {
	case "markdown", "rst", "text", "":
		return item.Doc
	}
	return item.Code
}

func kindOf(c indexer.Chunk) item.Kind { return KindOf(c.Language) }

// mostReasons is how many reasons an item has.
const mostReasons = 3

// newPlace returns a place that was found, with its text.
func newPlace(found *item.Item, c indexer.Chunk, text string) *place {
	p := &place{Item: *found, chunk: c}
	p.ID, p.Layer, p.Kind, p.Title, p.Body = CodeID(c), item.L5JIT, kindOf(c), c.Title, text
	p.Path, p.StartLine, p.EndLine, p.Symbols = c.Path, c.StartLine, c.EndLine, c.Symbols
	if p.Title == "" {
		p.Title = c.Path + ":" + strconv.Itoa(c.StartLine+1)
	}
	p.Reason = cmp.Or(strings.Join(p.Reasons[:min(mostReasons, len(p.Reasons))], "; "), "near the prompt in meaning")
	return p
}

// scope returns what a piece is inside of, unless its own text shows that.
func scope(c indexer.Chunk) string {
	if c.Header != "" {
		return strings.TrimSpace(c.Header)
	}
	return strings.Join(c.Enclosing, " › ")
}
