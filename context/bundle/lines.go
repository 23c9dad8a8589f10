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
	"github.com/contexture-dev/contexture/indexer"
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

// judgeLines makes the drafts of memories and of what is shown of places, and the pointers to the
// others. list is sorted by score.
func (b *build) judgeLines(ctx context.Context, list []foundPlace, q *cut.Question) (memories, places, pointers []*draft) {
	start := b.src.Now()
	memos, verdicts, outcome := b.askJudge(ctx, list)
	memories = b.memoryDrafts(ctx, list, memos)
	var others []foundPlace
	s := showing{build: b, q: q, entities: b.shareOf(entityShare)}
	if b.req.Fill == retrieve.Full {
		s.whole = b.wholeForms(list)
	}
	for i := range list {
		f := &list[i]
		wanted := swarm.Full
		if verdicts != nil {
			wanted = verdicts[i].Format
		}
		if wanted == "" {
			b.dropChunk(f.chunk, item.Filtered, f.Score)
			continue
		}
		d := b.placeDraft(f)
		if d.forms = s.forms(i, f, wanted); len(d.forms) == 0 {
			others = append(others, *f)
			continue
		}
		_, d.item.Anchor = b.nameOf(*f, q)
		s.place(d)
		places = append(places, d)
	}
	b.timed(item.Judge, start, outcome, len(places))
	return memories, places, b.pointersTo(others, places, q)
}

// showing decides in which forms places are shown, the most probable place first.
type showing struct {
	*build
	q        *cut.Question
	whole    []form // of each place, its whole text; nil unless the budget is to be filled
	bytes    int    // of the lines so far
	entities int    // tokens left for definitions of what the prompt names
}

// forms returns the forms in which a place may be shown; none when it is pointed at at most. wanted
// is the judge's verdict.
func (s *showing) forms(i int, f *foundPlace, wanted swarm.Format) []form {
	switch {
	case s.whole == nil && wanted == swarm.Full:
		return s.settling(i, f)
	case s.whole != nil && wanted == swarm.Full:
		return s.filling(i, f)
	case s.whole != nil && wanted == swarm.Summary:
		return s.briefly(f, 1)
	}
	return nil
}

// settling returns the lines of a place that probably settle the question, as long as there is room
// for lines.
func (s *showing) settling(i int, f *foundPlace) []form {
	if s.bytes >= mostLineBytes {
		return nil
	}
	chance := f.Score
	if i == 0 && retrieve.IsSmall(s.src.Snapshot) {
		chance = max(chance, firstOfFew)
	}
	p := s.linesIn(f, s.q).Cut(chance, linePrice)
	if s.bytes > 0 && s.bytes+p.Bytes > mostLineBytes {
		s.bytes = mostLineBytes // nothing less probable goes in instead
		return nil
	}
	if len(p.Shown) == 0 {
		return nil
	}
	s.bytes += p.Bytes
	return []form{s.linesForm(f, p, 1)}
}

// filling returns a place as a whole, and where it may have to give way, its best lines too: the
// place of the person must be seen, however long it is, and what was ignored before is shortened
// first.
func (s *showing) filling(i int, f *foundPlace) []form {
	all := []form{s.whole[i]}
	var worth float64
	switch {
	case f.Near:
		worth = nearShort
	case ignored(s.factors[CodeID(f.chunk)]) && !f.Exact:
		worth = ignoredShort
	default:
		return all
	}
	for _, short := range s.briefly(f, worth) {
		if short.tokens < all[0].tokens {
			all = append(all, short)
		}
	}
	return all
}

// briefly returns the lines of a place that settle the question if the place has anything to do
// with it.
func (s *showing) briefly(f *foundPlace, worth float64) []form {
	p := s.linesIn(f, s.q).Cut(1, linePrice)
	if len(p.Shown) == 0 {
		return nil
	}
	return []form{s.linesForm(f, p, worth)}
}

// place moves a whole definition of what the prompt names to the layer of entities, while there is
// room.
func (s *showing) place(d *draft) {
	f := &d.forms[0]
	if f.format != "full" || !d.place.Exact || f.tokens > s.entities || !namesSymbol(d.place, s.out.Signals.Identifiers) {
		return
	}
	s.entities -= f.tokens
	d.layer, d.item.Kind = item.L3Entity, item.Entity
	for i := range d.forms {
		f := &d.forms[i]
		f.render.Layer, f.render.Kind = d.layer, d.item.Kind
		f.tokens = s.src.Count(render.Block(f.render))
	}
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

// linesForm makes the form of a place that shows a part of its file.
func (b *build) linesForm(f *foundPlace, p cut.Passage, worth float64) form {
	return b.placeForm(f.chunk, "lines", p, p.Text(b.linesOf(f.chunk.File)), worth)
}

// placeForm makes the form of a place in a format. text is that of the passage.
func (b *build) placeForm(c indexer.Chunk, format string, p cut.Passage, text string, worth float64) form {
	shown := make([]string, len(p.Shown))
	for i, x := range p.Shown {
		shown[i] = x.String()
	}
	r := render.Item{Kind: kindOf(c), Layer: item.L5JIT, Body: text, Attrs: []render.Attr{{Name: "path", Value: c.Path}, {Name: "lines", Value: strings.Join(shown, ",")}}}
	if within := scope(c); within != "" && format == "full" {
		r.Attrs = append(r.Attrs, render.Attr{Name: "in", Value: within})
	}
	f := b.form(r, format, worth)
	f.passage = p
	return f
}

// knownOf returns the lines of a draft that the conversation shows, and the share of the bytes of
// its lines that the others have.
func (b *build) knownOf(d *draft) (known map[int]bool, left float64) {
	lines := b.linesOf(d.place.chunk.File)
	known = map[int]bool{}
	all, gone := 0, 0
	for _, r := range d.forms[0].passage.Shown {
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
	return known, 1 - float64(gone)/float64(max(all, 1))
}

// isCovered reports whether the conversation shows all that a draft would.
func (b *build) isCovered(d *draft) bool {
	lines := b.linesOf(d.place.chunk.File)
	var shown [][]byte // without the marks of what is folded, which the conversation cannot show
	for _, r := range d.forms[0].passage.Shown {
		shown = append(shown, lines[r.First:r.Last+1]...)
	}
	known, _ := b.knownOf(d)
	rest := d.forms[0].passage.Without(func(n int) bool { return known[n] })
	return len(rest.Shown) == 0 || b.quoted.covers(string(bytes.Join(shown, []byte("\n"))))
}

// elide reduces a place to the lines that the conversation does not show, if that shortens it.
func (b *build) elide(d *draft) {
	known, left := b.knownOf(d)
	if left == 1 || b.staysWhole(d, left) {
		return
	}
	short := b.linesForm(d.place, d.forms[0].passage.Without(func(n int) bool { return known[n] }), left)
	if short.tokens >= d.forms[0].tokens {
		return
	}
	short.render.Layer, short.render.Kind = d.forms[0].render.Layer, d.forms[0].render.Kind
	d.forms, d.known = []form{short}, known
	d.item.Reason += "; partly in context already"
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
func (b *build) pointersTo(list []foundPlace, shown []*draft, q *cut.Question) []*draft {
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
		isShown := slices.ContainsFunc(shown, func(d *draft) bool { return d.place.chunk.File == f.chunk.File && d.forms[0].passage.Holds(line) })
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
		it := describe(f)
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
