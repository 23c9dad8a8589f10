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

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/zeebo/xxh3"
)

const (
	// candidates is the number of places requested from the retrieval; oversupply is how much more
	// text than the budget is read, so that the packing has a choice.
	candidates = 300
	oversupply = 1.3
	// wrapping is roughly the number of tokens that the delimiters of one place take; it only
	// affects the choice of what to read.
	wrapping = 32
	// ownPower and filePower are the exponents of a place's score and of its file's best score
	// before packing, so that a clearly better place is not given up for several small worse ones,
	// and the files that matter are shown in depth. fileDecay is the factor for each further piece
	// of a file: about .95 of its score (bench/README.md), raised by the exponents.
	ownPower  = 1.4
	filePower = .4
	fileDecay = .7
	// nearShort is the worth of the short form of a piece near the person's location, relative to
	// its full form.
	nearShort = .4
	// entityShare is the share of the budget that definitions of what the prompt names may take in
	// the layer of entities.
	entityShare = .12
)

func sortBySpan(items []item.Item) {
	slices.SortStableFunc(items, func(a, b item.Item) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// worth returns the value of a place in the packing.
func (b *build) worth(path string, score float64) float64 {
	return math.Pow(score, ownPower) * math.Pow(max(score, b.fileTop[path]), filePower)
}

// CodeID names a chunk permanently: it stays the same as long as the chunk's path and text do.
func CodeID(c indexer.Chunk) string {
	h := xxh3.Hash([]byte(c.Path + "\x00" + strconv.Itoa(c.StartLine)))
	return fmt.Sprintf("c-%08x%08x", uint32(h), uint32(c.Hash.Lo))
}

// foundPlace is a candidate with its text.
type foundPlace struct {
	retrieve.Candidate
	chunk indexer.Chunk
	text  string
	id    string // of a definition that joins several chunks; "" = the chunk's own id
}

func (f foundPlace) codeID() string {
	if f.id != "" {
		return f.id
	}
	return CodeID(f.chunk)
}

// find searches for places concurrently with what the caller does next. The caller must call wait
// once. A panic in the search is raised again there, so that the request's own guard handles it.
func (b *build) find(ctx context.Context) (wait func() retrieve.Result) {
	type outcome struct {
		retrieve.Result
		panicked any
	}
	found := make(chan outcome, 1)
	req := retrieve.Request{
		Query: b.req.Query, Builtin: b.req.Builtin, Intent: b.out.Signals, Limit: candidates, Deadline: b.req.Deadline, Keep: b.req.Keep, Near: b.req.Open, At: b.req.At,
	}
	req.Recent, req.Said = b.recent()
	b.said = req.Said
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

// retrieve turns the places found into drafts.
func (b *build) retrieve(ctx context.Context, res retrieve.Result) {
	for _, s := range res.Stages {
		b.stages[s.Name] = s
	}
	b.out.Degraded = append(b.out.Degraded, res.Degraded...)
	b.out.Focus = res.Focus
	if b.reader == nil {
		b.reader = b.src.Snapshot.NewReader()
	}
	res.Candidates = b.wantedPlaces(b.boost(res.Candidates))
	kept := b.filter(ctx, res)
	start := b.src.Now()
	places, gated := b.read(ctx, kept)
	places = b.unique(places)
	whole := b.req.Fill == retrieve.Full
	if whole && !res.Located { // else the pieces that it points at are wanted, not their definitions
		places = b.wholes(places)
	}
	b.timed(item.Dedup, start, item.OK, len(places))
	if whole {
		b.memories, b.places = b.judge(ctx, places)
	} else {
		b.memories, b.places, b.pointers = b.judgeLines(ctx, places, b.question(res))
	}
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
func (b *build) read(ctx context.Context, list []retrieve.Candidate) (out []foundPlace, stale int) {
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
		out = append(out, foundPlace{Candidate: c, chunk: chunk, text: string(text)})
	}
	slices.SortStableFunc(out, func(x, y foundPlace) int { return cmp.Compare(y.Score, x.Score) })
	return out, stale
}

// worthReading returns the candidates that may be chosen, by their worth with a decay for each
// further piece of a file, until their stored sizes exceed the budget by some margin.
func (b *build) worthReading(list []retrieve.Candidate) []retrieve.Candidate {
	b.fileTop = map[string]float64{}
	chunks := make([]indexer.Chunk, len(list))
	for i, c := range list {
		chunks[i] = b.src.Snapshot.Place(c.Chunk)
		b.fileTop[chunks[i].Path] = max(b.fileTop[chunks[i].Path], c.Score)
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
	out := make([]retrieve.Candidate, len(picked))
	for k, i := range picked {
		out[k] = list[i]
	}
	return out
}

// unique removes duplicates: the same text in two files, ranges inside others, and what the
// conversation quotes.
func (b *build) unique(list []foundPlace) []foundPlace {
	texts := map[string]bool{}
	byFile := map[string][]foundPlace{}
	for i := range b.taken {
		if f := b.taken[i].place; f != nil {
			texts[strings.TrimSpace(f.text)] = true
			byFile[f.chunk.Path] = append(byFile[f.chunk.Path], *f)
		}
	}
	out := list[:0]
	for _, f := range list {
		key := strings.TrimSpace(f.text)
		if texts[key] || covered(byFile[f.chunk.Path], f) || b.quoted.covers(f.text) {
			b.dropChunk(f.chunk, item.Duplicate, f.Score)
			continue
		}
		texts[key] = true
		byFile[f.chunk.Path] = append(byFile[f.chunk.Path], f)
		out = append(out, f)
	}
	return out
}

// covered reports whether f's range overlaps one that is already in. Chunks of one version of a
// file are disjoint; those of a file that has changed in between need not be.
func covered(in []foundPlace, f foundPlace) bool {
	for _, g := range in {
		if f.chunk.Start < g.chunk.End && g.chunk.Start < f.chunk.End {
			return true
		}
	}
	return false
}

// judge decides the layer and the format of each memory and each place. Without a judge, or when it
// fails, all stay, in full, and the packing chooses by score. It returns the drafts of both.
func (b *build) judge(ctx context.Context, list []foundPlace) (memories, places []*draft) {
	start := b.src.Now()
	memos, verdicts, outcome := b.askJudge(ctx, list)
	memories = b.memoryDrafts(ctx, list, memos)
	room := int(float64(b.req.Budget) * entityShare)
	drafts := b.draftAll(list)
	for i, f := range list {
		d := drafts[i]
		switch {
		case verdicts != nil && verdicts[i].Format == "":
			b.dropDraft(&d, item.Filtered)
			continue
		case verdicts != nil && verdicts[i].Format != swarm.Full:
			d.forms = []form{b.shortForm(d.forms[0], string(verdicts[i].Format))}
		case f.Exact && d.forms[0].tokens <= room && namesSymbol(f, b.out.Signals.Identifiers):
			room -= d.forms[0].tokens
			b.asEntity(&d)
		}
		if full := d.forms[0]; f.Near && len(d.forms) == 1 && full.format == "full" && full.end-full.start >= summaryLines {
			short := b.shortForm(full, "summary")
			short.worth = nearShort
			d.forms = append(d.forms, short)
		}
		b.attend(&d, f)
		places = append(places, &d)
	}
	b.timed(item.Judge, start, outcome, len(places))
	return memories, places
}

// draftAll makes the drafts on all processors, because counting their tokens is most of the work of
// a bundle.
func (b *build) draftAll(list []foundPlace) []draft {
	out := make([]draft, len(list))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				out[i] = b.codeDraft(list[i], i)
			}
		})
	}
	group.Wait()
	return out
}

// summaryLines is the number of lines in the summary of a piece: its signature and first lines.
const summaryLines = 8

// shortForm returns a piece's beginning (summary) or its first line (tickler).
func (b *build) shortForm(full form, format string) form {
	n := summaryLines
	if format == "tickler" {
		n = 1
	}
	r := full.render
	all := strings.Split(r.Body, "\n")
	if len(all) > n {
		r.Body = strings.Join(all[:n], "\n")
	}
	end := min(full.end, full.start+n-1)
	r.Attrs = slices.Clone(r.Attrs)
	for i := range r.Attrs {
		if r.Attrs[i].Name == "lines" {
			r.Attrs[i].Value = lines(full.start, end)
		}
	}
	short := b.form(r, format, 1)
	short.start, short.end = full.start, end
	return short
}

// asEntity moves a draft to the layer of what the prompt names.
func (b *build) asEntity(d *draft) {
	d.layer, d.item.Kind = item.L3Entity, "entity"
	f := &d.forms[0]
	f.render.Layer, f.render.Kind = item.L3Entity, "entity"
	f.tokens = b.src.Count(render.Block(f.render))
}

// namesSymbol reports whether one of the prompt's identifiers is defined here.
func namesSymbol(f foundPlace, identifiers []string) bool {
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

// codeDraft makes the draft of one place.
func (b *build) codeDraft(f foundPlace, rank int) draft {
	c := f.chunk
	r := render.Item{Kind: kindOf(c), Layer: item.L5JIT, Body: strings.TrimRight(f.text, "\n"), Attrs: []render.Attr{
		{Name: "path", Value: c.Path}, {Name: "lines", Value: lines(c.StartLine, c.EndLine)},
	}}
	if within := scope(c); within != "" {
		r.Attrs = append(r.Attrs, render.Attr{Name: "in", Value: within})
	}
	full := b.form(r, "full", 1)
	full.start, full.end = c.StartLine, c.EndLine
	return draft{layer: item.L5JIT, group: c.Path, score: f.Score, forms: []form{full}, place: &f, item: describe(f, rank)}
}

// describe returns the item of a place, without the text that is shown of it. rank is its number
// among the places.
func describe(f foundPlace, rank int) item.Item {
	c := f.chunk
	reason := strings.Join(f.Reasons[:min(3, len(f.Reasons))], "; ")
	if reason == "" {
		reason = "match number " + strconv.Itoa(rank+1)
	}
	title := c.Title
	if title == "" {
		title = c.Path + ":" + strconv.Itoa(c.StartLine+1)
	}
	return item.Item{
		ID: f.codeID(), Kind: kindOf(c), Title: title, Score: f.Score, Reason: reason, Path: c.Path,
		StartLine: c.StartLine, EndLine: c.EndLine, Symbols: c.Symbols, LastLine: lastLine(f.text),
	}
}

func lines(start, end int) string { return strconv.Itoa(start+1) + "-" + strconv.Itoa(end+1) }

// scope returns what a piece is inside of, unless its own text shows that.
func scope(c indexer.Chunk) string {
	if c.Header != "" {
		return strings.TrimSpace(c.Header)
	}
	return strings.Join(c.Enclosing, " › ")
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
