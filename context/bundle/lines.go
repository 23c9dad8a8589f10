package bundle

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
)

// The numbers that decide between lines, a pointer and nothing.
const (
	// linePrice is the probability of settling the question that a token of lines must bring.
	linePrice = .0015
	// mostLineBytes bounds the lines beside those of the best place.
	mostLineBytes = 4000
	// firstOfFew is the least probability of the best place of a workspace of few pieces.
	firstOfFew = .5
	// pointerLeast is the probability from which a place is pointed at, and mostPointers how many
	// are.
	pointerLeast, mostPointers = .02, 10
	// saidShare is what a word of the last turns is worth as evidence, relative to one of the
	// prompt.
	saidShare = .3
	// leastWeight stands for the weight of a question without words that mean something.
	leastWeight = .01
	// whyWords is the largest number of words in a pointer's reason.
	whyWords = 8
)

// question returns the words that the lines of files are searched for.
func (b *build) question(found retrieve.Result) *cut.Question {
	q := &cut.Question{}
	q.Add(found.Words, 1)
	if len(found.Focus) > 0 {
		for _, text := range b.said {
			q.Add(retrieve.Words(b.src.Snapshot, text), saidShare)
		}
	}
	return q
}

// judged is a place whose lines were judged.
type judged struct {
	*foundPlace
	cut.Passage
}

// judgeLines makes the drafts of memories and of what is shown of places: the lines that settle the
// question, and pointers to the others. A judge may take places out, or have them pointed at only.
// list is sorted by score.
func (b *build) judgeLines(ctx context.Context, list []foundPlace, q *cut.Question) (memories, places, pointers []*draft) {
	start := b.src.Now()
	memos, verdicts, outcome := b.askJudge(ctx, list)
	memories = b.memoryDrafts(ctx, list, memos)
	var others []foundPlace
	var shown []*judged // one a file
	bytes := 0
	for i := range list {
		p := &judged{foundPlace: &list[i]}
		isWanted := true
		if verdicts != nil {
			if verdicts[i].Format == "" {
				b.dropChunk(p.chunk, item.Filtered, p.Score)
				continue
			}
			isWanted = verdicts[i].Format == swarm.Full
		}
		if isWanted && bytes < mostLineBytes {
			chance := p.Score
			if i == 0 && retrieve.IsSmall(b.src.Snapshot) {
				chance = max(chance, firstOfFew)
			}
			p.Passage = b.linesIn(p.foundPlace, q).Cut(chance, linePrice)
		}
		if bytes > 0 && bytes+p.Bytes > mostLineBytes {
			bytes = mostLineBytes // nothing less probable goes in instead
			p.Shown = nil
		}
		if len(p.Shown) == 0 {
			others = append(others, list[i])
			continue
		}
		bytes += p.Bytes
		if k := slices.IndexFunc(shown, func(o *judged) bool { return o.chunk.File == p.chunk.File }); k >= 0 {
			shown[k].join(p)
		} else {
			shown = append(shown, p)
		}
	}
	for _, p := range shown {
		d := b.linesDraft(p, q)
		places = append(places, &d)
	}
	b.timed(item.Judge, start, outcome, len(places))
	return memories, places, b.pointersTo(others, shown, q)
}

// join adds the lines of another place of the file, which is less probable.
func (p *judged) join(q *judged) {
	p.Passage = p.Passage.Join(q.Passage)
	joined := *p.foundPlace
	joined.chunk.Symbols = slices.Clone(joined.chunk.Symbols)
	for _, s := range q.chunk.Symbols {
		if !slices.Contains(joined.chunk.Symbols, s) {
			joined.chunk.Symbols = append(joined.chunk.Symbols, s)
		}
	}
	p.foundPlace = &joined
}

// linesIn judges the lines of a place.
func (b *build) linesIn(f *foundPlace, q *cut.Question) *cut.Part {
	file := f.chunk.File
	lines := b.linesOf(file)
	source := cut.File{Lines: lines, All: max(q.All, leastWeight), Definitions: retrieve.DefinitionLines(b.src.Snapshot, file)}
	source.Terms = func(n int) []cut.Term {
		out := q.In(lines[n])
		if slices.Contains(f.Lines, n) || f.Near && b.isAt(f.chunk.Path, n) {
			out = append(out, cut.Term{ID: -1 - n, Weight: source.All})
		}
		return out
	}
	return source.Judge(cut.Range{First: f.chunk.StartLine, Last: f.chunk.EndLine})
}

// isAt reports whether the person is at a line of a file.
func (b *build) isAt(path string, n int) bool {
	at := b.req.At
	return at.Known && at.Path == path && at.First <= n && n <= at.Last
}

// linesDraft makes the draft of the lines of a place.
func (b *build) linesDraft(p *judged, q *cut.Question) draft {
	d := draft{layer: item.L5JIT, group: p.chunk.Path, score: p.Score, place: p.foundPlace, item: describe(*p.foundPlace, 0), lines: p}
	_, d.item.Anchor = b.nameOf(*p.foundPlace, q)
	b.showLines(&d)
	return d
}

// showLines makes the form of a draft that shows lines.
func (b *build) showLines(d *draft) {
	p := d.lines
	lines := b.linesOf(p.chunk.File)
	r := render.Item{Kind: d.item.Kind, Layer: item.L5JIT, Body: p.Text(lines)}
	shown := make([]string, len(p.Shown))
	d.item.Passages = nil
	for i, x := range p.Shown {
		shown[i] = x.String()
		d.item.Passages = append(d.item.Passages, passageItem(x, p.Matched))
	}
	r.Attrs = []render.Attr{{Name: "path", Value: p.chunk.Path}, {Name: "lines", Value: strings.Join(shown, ",")}}
	f := b.form(r, "lines", 1)
	f.start, f.end = p.Shown[0].First, p.Shown[len(p.Shown)-1].Last
	d.forms = []form{f}
	d.item.StartLine, d.item.EndLine, d.item.LastLine = f.start, f.end, string(lines[f.end])
	d.place.text = r.Body
}

// restOf returns what the conversation does not show of a draft's lines, and the share of their
// bytes that this is.
func (b *build) restOf(d *draft) (rest cut.Passage, left float64) {
	lines := b.linesOf(d.lines.chunk.File)
	known := map[int]bool{}
	all, gone := 0, 0
	for _, r := range d.lines.Shown {
		text := bytes.Join(lines[r.First:r.Last+1], []byte("\n"))
		all += len(text)
		runs, _ := b.quoted.runs(string(text)) // the share is wanted of all ranges together
		for _, run := range runs {
			for n := run.from; n <= run.to; n++ {
				known[r.First+n] = true
				gone += len(lines[r.First+n])
			}
		}
	}
	return d.lines.Without(func(n int) bool { return known[n] }), 1 - float64(gone)/float64(max(all, 1))
}

// isCovered reports whether the conversation shows all that a draft would.
func (b *build) isCovered(d *draft) bool {
	if d.lines == nil {
		return b.quoted.covers(d.place.text)
	}
	lines := b.linesOf(d.lines.chunk.File)
	var shown [][]byte // without the marks of what is folded, which the conversation cannot show
	for _, r := range d.lines.Shown {
		shown = append(shown, lines[r.First:r.Last+1]...)
	}
	rest, _ := b.restOf(d)
	return len(rest.Shown) == 0 || b.quoted.covers(string(bytes.Join(shown, []byte("\n"))))
}

// elideLines takes out of a draft the lines that the conversation shows, and reports whether it
// did.
func (b *build) elideLines(d *draft) bool {
	rest, left := b.restOf(d)
	if left == 1 || b.staysWhole(d, left) {
		return false
	}
	d.lines.Passage = rest
	b.showLines(d)
	d.item.Reason += "; partly in context already"
	return true
}

// passageItem returns a range of lines with those of some lines that are in it.
func passageItem(r cut.Range, lines []int) item.Passage {
	out := item.Passage{StartLine: r.First, EndLine: r.Last}
	for _, n := range lines {
		if r.First <= n && n <= r.Last {
			out.Matched = append(out.Matched, n)
		}
	}
	return out
}

// pointersTo makes the draft that points at places, one line each, if there are any worth it.
func (b *build) pointersTo(list []foundPlace, shown []*judged, q *cut.Question) []*draft {
	d := &draft{layer: item.L5JIT, item: item.Item{Kind: item.Code}}
	var lines []string
	seen := map[string]bool{}
	for _, f := range list {
		if f.Score < pointerLeast || len(lines) == mostPointers {
			b.dropChunk(f.chunk, item.BelowThreshold, f.Score)
			continue
		}
		name, line := b.nameOf(f, q)
		at := f.chunk.Path + ":" + strconv.Itoa(line+1)
		isShown := slices.ContainsFunc(shown, func(p *judged) bool { return p.chunk.File == f.chunk.File && p.Holds(line) })
		if seen[at] || isShown {
			b.dropChunk(f.chunk, item.BelowThreshold, f.Score)
			continue
		}
		seen[at] = true
		text := at + "  " + name
		if why := whyAt(f); why != "" {
			text += " — " + why
		}
		lines = append(lines, text)
		it := describe(f, 0)
		it.Anchor, it.StartLine, it.EndLine, it.LastLine, it.Format, it.Layer = line, line, line, "", "pointer", item.L5JIT
		it.Passages = []item.Passage{{StartLine: line, EndLine: line}}
		it.Tokens = b.src.Count(text + "\n")
		d.pointers = append(d.pointers, it)
	}
	if len(lines) == 0 {
		return nil
	}
	f := b.form(render.Item{Kind: item.Code, Layer: item.L5JIT, Attrs: []render.Attr{{Name: "in", Value: "places only"}}, Body: strings.Join(lines, "\n")}, "pointer", 1)
	rest := f.tokens
	for i := range d.pointers[1:] {
		rest -= d.pointers[i+1].Tokens
	}
	d.pointers[0].Tokens = rest // with the delimiters
	d.item.ID, d.score, d.item.Score, d.forms = d.pointers[0].ID, d.pointers[0].Score, d.pointers[0].Score, []form{f}
	return []*draft{d}
}

// whyAt returns the reason why a place is pointed at, "" for one that a reader can do nothing with.
func whyAt(f foundPlace) string {
	if len(f.Reasons) == 0 || !f.Exact && !f.Near && !strings.Contains(f.Reasons[0], ":") {
		return ""
	}
	words := strings.Fields(f.Reasons[0])
	return strings.Join(words[:min(whyWords, len(words))], " ")
}

// pointerSpans divides the block of pointers, whose range in the text is given, into theirs: each
// its line, the first and the last one with the delimiter next to it.
func pointerSpans(text string, whole item.Span, n int) []item.Span {
	out := make([]item.Span, n)
	at := whole.Start
	for i := range out {
		end := at
		for lines := 1 + btoi(i == 0); lines > 0; lines-- {
			end += strings.IndexByte(text[end:], '\n') + 1
		}
		if i == n-1 {
			end = whole.End
		}
		out[i], at = item.Span{Start: at, End: end}, end
	}
	return out
}

// nameOf returns the line to point at in a place, and its text: the first that the prompt asks for,
// else the signature with most of its words of what begins there, else that of what the place is a
// piece of.
func (b *build) nameOf(f foundPlace, q *cut.Question) (text string, line int) {
	if len(f.Lines) > 0 {
		return b.signature(f.chunk.File, f.Lines[0]), f.Lines[0]
	}
	line, most := -1, -1.0
	for _, d := range retrieve.DefinitionLines(b.src.Snapshot, f.chunk.File) {
		switch begins := f.chunk.StartLine <= d.First && d.First <= f.chunk.EndLine; {
		case begins:
			weight := 0.0
			for _, t := range q.In(b.linesOf(f.chunk.File)[d.First]) {
				weight += t.Weight
			}
			if weight > most {
				line, most = d.First, weight
			}
		case most < 0 && d.First < f.chunk.StartLine && f.chunk.StartLine <= d.Last:
			line = d.First
		}
	}
	if line < 0 {
		return short(f.chunk.Title), f.chunk.StartLine
	}
	return b.signature(f.chunk.File, line), line
}
