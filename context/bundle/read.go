package bundle

import (
	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/indexer/embed"
)

// question returns the words that the lines of files are searched for: those of the prompt, and
// those of the last turns if it goes on from them. A prompt without a word of the workspace asks
// nothing of any line.
func (b *finding) question(found retrieve.Result) *cut.Question {
	q := &cut.Question{}
	q.Add(found.Words, 1)
	q.Means(embed.Shipped().Likeness(found.Words))
	if len(found.Words) > 0 && len(found.Focus) > 0 {
		for _, text := range b.said {
			q.Add(retrieve.Words(b.src.Snapshot, text), saidShare)
		}
	}
	return q
}

// reading judges the lines of places by the words of the question.
type reading struct {
	*finding
	q     *cut.Question
	found retrieve.Result
}

// settled returns the lines of the first places that settle the question, those of places that the
// judge wants in full.
func (r *reading) settled(list []*place, verdicts []swarm.Verdict) []cut.Passage {
	parts := r.judge(list[:min(retrieve.ReadPlaces, len(list))])
	var at []int
	var wanted []*cut.Part
	for i, p := range parts {
		if wantedForm(verdicts, i) == swarm.Full {
			at, wanted = append(at, i), append(wanted, p)
		}
	}
	out := make([]cut.Passage, len(parts))
	for k, p := range cut.Cut(wanted, cut.TokenPrice, cut.MostBytes) {
		out[at[k]] = p
	}
	return out
}

// judge judges the lines of places.
func (r *reading) judge(list []*place) []*cut.Part {
	places := make([]cut.Place, len(list))
	top, pieces := map[int]float64{}, map[int]int{}
	for i := range list {
		f := list[i]
		file, in := f.chunk.File, cut.Range{First: f.chunk.StartLine, Last: f.chunk.EndLine}
		chance := f.Score
		if i == 0 && retrieve.IsSmall(r.src.Snapshot) {
			chance = max(chance, firstOfFew)
		}
		top[file] = max(top[file], chance)
		places[i] = cut.Place{
			Question: r.q, Lines: r.linesOf(file), In: in, Definitions: r.definitionsOf(file),
			Comments: retrieve.CommentLines(r.linesOf(file), f.chunk.Language, in), Pointed: r.pointedIn(f), Rarity: r.found.InFile[file],
			Committed: retrieve.CommittedLines(r.linesOf(file), in, r.found.Committed[file]),
			Chance:    chance, FileChance: top[file], Rank: i, Piece: pieces[file], Test: retrieve.IsTest(f.chunk.Path),
		}
		pieces[file]++
	}
	return cut.Judge(places)
}

// pointedIn returns the lines of a place at which the prompt points, or the person is.
func (b *finding) pointedIn(f *place) map[int]bool {
	out := map[int]bool{}
	for _, n := range f.Pointed {
		out[n] = true
	}
	if at := b.req.At; f.Near && at.Known && at.Path == f.chunk.Path {
		for n := max(at.First, f.chunk.StartLine); n <= min(at.Last, f.chunk.EndLine); n++ {
			out[n] = true
		}
	}
	return out
}

// definitionsOf returns the lines of a file's functions and types.
func (b *finding) definitionsOf(file int) []cut.Definition {
	list, known := b.defined[file]
	if !known {
		if b.defined == nil {
			b.defined = map[int][]cut.Definition{}
		}
		list = retrieve.DefinitionLines(b.src.Snapshot, file, b.linesOf(file))
		b.defined[file] = list
	}
	return list
}
