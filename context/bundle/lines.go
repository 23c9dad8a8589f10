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
	// briefBytes is the size from which no further lines are shown of a place that is shown in
	// short.
	briefBytes = 400
	// mostPointers is how many places are pointed at.
	mostPointers = 10
	// whyWords is the largest number of words in a pointer's reason.
	whyWords = 8
)

// judgeLines makes the candidates of memories and of what is shown of places, and the pointers to
// the others. list is sorted by score.
func (b *build) judgeLines(ctx context.Context, list []*place, found retrieve.Result) (memories []*item.Item, places []*place, pointers []*item.Item) {
	q := b.question(found)
	memos, verdicts, outcome := b.askJudge(ctx, list)
	var others []*place
	s := showing{reading: reading{finding: b.finding, q: q, found: found}, entities: b.shareOf(entityShare)}
	if b.req.Fill == retrieve.Full {
		s.whole = b.wholeForms(list)
	} else {
		s.settling = s.settled(list, verdicts)
	}
	for i := range list {
		p, wanted := list[i], wantedForm(verdicts, i)
		if wanted == "" {
			b.dropChunk(p.chunk, item.Filtered, p.Score)
			continue
		}
		if s.show(p, i, wanted); len(p.Forms) == 0 {
			others = append(others, p)
			continue
		}
		p.Value = b.worth(p.Path, p.Score)
		_, p.Anchor = b.nameOf(p, q)
		p.Title = b.titleAt(p.Title, p.chunk.File, p.Anchor)
		s.name(p)
		places = append(places, p)
	}
	places = b.joinFiles(places)
	pointers = b.pointersTo(others, places, b.beside(ctx, places, q, found.Words), q)
	memories = b.found(ctx, places, memos)
	b.lap(item.Judge, outcome, len(places))
	return memories, places, pointers
}

// wantedForm returns the judge's verdict on a place, in full without a judge.
func wantedForm(verdicts []swarm.Verdict, i int) swarm.Format {
	if verdicts == nil {
		return swarm.Full
	}
	return verdicts[i].Format
}

// showing decides in which forms places are shown, the most probable place first.
type showing struct {
	reading
	whole    []item.Form   // of each place, its whole text; nil unless the budget is to be filled
	settling []cut.Passage // of the first places: the lines that settle the question; nil if the budget is to be filled
	entities int           // tokens left for definitions of what the prompt names
}

// show adds the forms in which a place, of an index, may be shown; none when it is pointed at at
// most. wanted is the judge's verdict.
func (s *showing) show(p *place, i int, wanted swarm.Format) {
	switch {
	case s.whole != nil && wanted == swarm.Full:
		s.filling(p, i)
	case s.whole != nil && wanted == swarm.Summary:
		s.briefly(p, 1)
	case i < len(s.settling) && len(s.settling[i].Shown) > 0:
		p.add(s.linesForm(p, s.settling[i], 1), s.settling[i])
	}
}

// filling shows a place as a whole, and where it may have to give way, its best lines too: the
// place of the person must be seen, however long it is, and what was ignored before is shortened
// first.
func (s *showing) filling(p *place, i int) {
	p.add(s.whole[i], p.whole())
	switch {
	case p.Near:
		s.briefly(p, nearShort)
	case ignored(s.factors[p.ID]) && !p.Named:
		s.briefly(p, ignoredShort)
	}
}

// briefly shows the lines of a place that most probably settle the question, unless that is longer
// than another form.
func (s *showing) briefly(p *place, worth float64) {
	lines := cut.Cut(s.judge([]*place{p}), 0, briefBytes)[0]
	if len(lines.Shown) == 0 {
		return
	}
	if f := s.linesForm(p, lines, worth); len(p.Forms) == 0 || f.Tokens < p.Forms[0].Tokens {
		p.add(f, lines)
	}
}

// add adds a form that shows a passage of the place itself.
func (p *place) add(f item.Form, shown cut.Passage) {
	p.Forms, p.shown = append(p.Forms, f), append(p.shown, view{shown, 0})
}

// name moves a whole definition of what the prompt names to the layer of entities, while there is
// room.
func (s *showing) name(p *place) {
	if f := p.Forms[0]; f.Format != "full" || !p.Named || f.Tokens > s.entities || !namesSymbol(p, s.out.Signals.Identifiers) {
		return
	}
	s.entities -= p.Forms[0].Tokens
	p.Layer, p.Kind = item.L3Entity, item.Entity
	for i, f := range p.Forms {
		p.Forms[i].Tokens = s.src.Count(render.Block(p.In(f)))
	}
}

// linesForm makes the form of a place that shows a part of its file.
func (b *finding) linesForm(p *place, shown cut.Passage, worth float64) item.Form {
	return b.placeForm(p.Item, p.chunk, "lines", shown, shown.Text(b.linesOf(p.chunk.File)), worth)
}

// placeForm makes the form of a place in a format. text is that of the passage.
func (b *answer) placeForm(it item.Item, c indexer.Chunk, format string, shown cut.Passage, text string, worth float64) item.Form {
	var passages []item.Passage
	var all cut.Range // from the first line to the last; the text has the marks of what is folded
	for i, r := range shown.Shown {
		if i == 0 {
			all = r
		}
		all.Last = r.Last
		if format == "lines" {
			passages = append(passages, b.passageItem(c.File, r, shown))
		}
	}
	it.Body, it.Attrs = text, []item.Attr{{Name: "path", Value: c.Path}, {Name: "lines", Value: all.String()}}
	if within := scope(c); within != "" && format == "full" {
		it.Attrs = append(it.Attrs, item.Attr{Name: "in", Value: within})
	}
	f := b.form(it, format, worth)
	f.Passages = passages
	if len(shown.Shown) > 0 {
		f.StartLine, f.EndLine = all.First, all.Last
	}
	return f
}

// knownOf returns the lines of a place that the conversation shows, and the share of the bytes of
// its lines that the others have.
func (b *finding) knownOf(p *place) (known map[int]bool, left float64) {
	lines := b.linesOf(p.chunk.File)
	known = map[int]bool{}
	all, gone := 0, 0
	for _, r := range p.shown[0].Shown {
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

// isCovered reports whether the conversation shows all that a place would.
func (b *finding) isCovered(p *place) bool {
	lines := b.linesOf(p.chunk.File)
	var shown [][]byte // without the marks of what is folded, which the conversation cannot show
	for _, r := range p.shown[0].Shown {
		shown = append(shown, lines[r.First:r.Last+1]...)
	}
	known, _ := b.knownOf(p)
	rest := p.shown[0].Without(func(n int) bool { return known[n] })
	return len(rest.Shown) == 0 || b.quoted.covers(string(bytes.Join(shown, []byte("\n"))))
}

// elide reduces the forms of a place to the lines that the conversation does not show, those that
// this shortens.
func (b *finding) elide(p *place) {
	known, left := b.knownOf(p)
	if left == 1 || b.staysWhole(p, left) {
		return
	}
	short := false
	for i, shown := range p.shown {
		rest := shown.Without(func(n int) bool { return known[n] })
		if len(rest.Shown) == 0 { // so are the shorter ones
			p.Forms, p.shown = p.Forms[:i], p.shown[:i]
			break
		}
		if f := b.linesForm(p, rest, p.Forms[i].Worth*left); f.Tokens < p.Forms[i].Tokens {
			short = true
			p.Forms[i], p.shown[i].Passage = f, rest
		}
	}
	if short {
		p.Reason += "; partly in context already"
	}
}

// passageItem returns a range of the lines of a file that are shown.
func (b *answer) passageItem(file int, r cut.Range, shown cut.Passage) item.Passage {
	out := item.Passage{StartLine: r.First, EndLine: r.Last, Score: shown.Best(r)}
	if out.Score > 0 {
		out.Price = cut.Price(b.linesOf(file), r, cut.TokenPrice)
	}
	for _, n := range shown.Matched {
		if r.First <= n && n <= r.Last {
			out.Matched = append(out.Matched, n)
		}
	}
	return out
}

// pointer is a line that a bundle points at.
type pointer struct {
	item.Item
	file      int
	text, why string
}

// pointersTo makes the block that points at places, one line each, if there are any worth it: first
// at those beside what is shown, then at the most probable of a list.
func (b *finding) pointersTo(list, shown []*place, beside []pointer, q *cut.Question) []*item.Item {
	var points []pointer
	seen, least := map[string]bool{}, retrieve.Mentioned
	add := func(p pointer) bool {
		at := p.Path + ":" + strconv.Itoa(p.Anchor+1)
		isShown := slices.ContainsFunc(shown, func(s *place) bool { return s.chunk.File == p.file && s.shown[0].Holds(p.Anchor) })
		if seen[at] || isShown {
			return false
		}
		seen[at] = true
		p.text = at + "  " + p.text
		if p.why != "" {
			p.text += " — " + p.why
		}
		points = append(points, p)
		return true
	}
	for _, p := range beside {
		if !b.omitted[p.ID] && (b.req.Keep == nil || b.req.Keep(p.Path, b.src.Snapshot.Language(p.file))) {
			add(p)
		}
	}
	for _, f := range list {
		if f.Score < retrieve.Mentioned || len(points) == mostPointers {
			b.dropWeak(f.chunk, f.Score, least)
			continue
		}
		name, line := b.nameOf(f, q)
		p := pointer{Item: f.Item, file: f.chunk.File, text: name, why: whyAt(f)}
		p.Anchor = line
		p.Title = b.titleAt(p.Title, p.file, line)
		if add(p) {
			least = f.Score
		} else {
			b.dropChunk(f.chunk, item.Redundant, f.Score)
		}
	}
	return b.block(points)
}

// block joins pointers in one item.
func (b *finding) block(points []pointer) []*item.Item {
	if len(points) == 0 {
		return nil
	}
	d := item.Item{Kind: item.Code, Layer: item.L5JIT, Attrs: []item.Attr{{Name: "in", Value: "places only"}}}
	lines := make([]string, len(points))
	for i, p := range points {
		lines[i] = p.text
		it := p.Item
		it.Body, it.StartLine, it.EndLine, it.Format = "", it.Anchor, it.Anchor, "pointer"
		it.Passages = []item.Passage{{StartLine: it.Anchor, EndLine: it.Anchor, Score: it.Score, Price: retrieve.Mentioned}}
		it.Tokens = b.src.Count(p.text + "\n")
		d.Pointers = append(d.Pointers, it)
		d.Score = max(d.Score, it.Score)
	}
	d.Body = strings.Join(lines, "\n")
	first := &d.Pointers[0]
	d.ID, d.Value, d.Forms = first.ID, b.worth("", d.Score), []item.Form{b.form(d, "pointer", 1)}
	first.Tokens = d.Forms[0].Tokens // with the delimiters
	for _, it := range d.Pointers[1:] {
		first.Tokens -= it.Tokens
	}
	return []*item.Item{&d}
}

// whyAt returns the reason why a place is pointed at, "" for one that a reader can do nothing with:
// which words it has, its line shows.
func whyAt(f *place) string {
	if len(f.Reasons) == 0 || !f.Named && !f.Near {
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
func (b *finding) nameOf(f *place, q *cut.Question) (text string, line int) {
	if len(f.Pointed) > 0 {
		return b.signature(f.chunk.File, f.Pointed[0], ""), f.Pointed[0]
	}
	line, most := -1, -1.0
	for _, d := range b.definitionsOf(f.chunk.File) {
		switch begins := f.chunk.StartLine <= d.First && d.First <= f.chunk.EndLine; {
		case begins:
			if share := q.Share(b.linesOf(f.chunk.File)[d.Named]); share > most {
				line, most = d.First, share
			}
		case most < 0 && d.First < f.chunk.StartLine && f.chunk.StartLine <= d.Last:
			line = d.First
		}
	}
	if line < 0 {
		return short(f.chunk.Title), f.chunk.StartLine
	}
	return b.signature(f.chunk.File, line, b.definedAt(f.chunk.File, line)), line
}

// titleAt returns the title of a place of several definitions with the one first that begins at a
// line.
func (b *finding) titleAt(title string, file, line int) string {
	name, list := b.definedAt(file, line), strings.Split(title, ", ")
	i := slices.IndexFunc(list, func(part string) bool { return part == name || strings.HasSuffix(part, " "+name) })
	if name == "" || i <= 0 {
		return title
	}
	return strings.Join(slices.Concat(list[i:i+1], list[:i], list[i+1:]), ", ")
}

// definedAt returns the name of what a line of a file begins to define, "" for nothing.
func (b *finding) definedAt(file, line int) string {
	for _, d := range b.src.Snapshot.Symbols().InFile(file) {
		if d.Line == line {
			return d.Name
		}
	}
	return ""
}
