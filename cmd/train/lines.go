package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/embed"
)

// lineSettings are the settings of the model of lines: small steps, and leaves of many lines, since
// few questions stand for all. With repositories left out, 38.6 % of the lines that settle a
// question are the best ones up to 500 tokens, 36.7 % by 40 trees of 5 leaves at a rate of .15.
var lineSettings = boosting{trees: 120, leaves: 8, rate: .05, ridge: 8, least: 40}

// passages are the lines of the best places for a question.
type passages struct {
	repo    string
	places  []cut.Place
	lines   []answering
	settled bool // the set tells which lines of the answer settle the question
	gold    int  // lines that settle it, found or not; of the answer where the set does not tell them
}

// answering is a line that may be in an answer.
type answering struct {
	features cut.Features
	place    int
	number   int  // in its file
	size     int  // bytes
	answer   bool // it is in the answer
	gold     bool // it settles the question
}

// trainLines fits the model by which the lines of places are chosen.
func trainLines(args []string) error {
	fs := flag.NewFlagSet("train lines", flag.ContinueOnError)
	sets := fs.String("sets", "", "the `files` with questions and the lines that answer them, separated by commas")
	mirrors := fs.String("mirrors", "", "the `folder` with the questions' repositories, bare: owner+name/repo")
	work := fs.String("work", "", "a `folder` for checkouts and indexes")
	test := fs.String("test", "", "a `file` with questions and the pieces of text that settle them, for the report only")
	out := fs.String("out", "context/cut/fitted.bin", "the `file` to write")
	dry := fs.Bool("dry-run", false, "report only, write nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *sets == "" || *work == "" {
		return errors.New("lines needs -sets and -work")
	}
	c := &collection{mirrors: *mirrors, work: *work}
	var all []passages
	for file := range strings.SplitSeq(*sets, ",") {
		list, err := c.passages(file)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	m := fitLines(slices.DeleteFunc(slices.Clone(all), func(p passages) bool { return !p.answered() }))
	without := map[string]*rank.Model{}
	reportLines("repositories left out", all, func(repo string) *rank.Model {
		if without[repo] == nil {
			without[repo] = fitLines(slices.DeleteFunc(slices.Clone(all), func(p passages) bool { return p.repo == repo || !p.answered() }))
		}
		return without[repo]
	})
	if *test != "" {
		list, err := c.passages(*test)
		if err != nil {
			return err
		}
		reportLines(*test, list, func(string) *rank.Model { return m })
	}
	if *dry {
		return nil
	}
	b := m.Encode()
	if err := os.WriteFile(*out, b, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes\n", *out, len(b))
	return nil
}

// passages returns the lines of the best places for the questions of a set that have an answer.
func (c *collection) passages(file string) (out []passages, err error) {
	list, err := readSet(file)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(path.Base(file), ".")
	err = c.each(context.Background(), name, list, func(s *indexer.Snapshot, q question) {
		if p := passagesOf(s, q); p.gold > 0 {
			out = append(out, p)
		}
	})
	return out, err
}

// answered reports whether any of the lines is in the answer.
func (p passages) answered() bool {
	return slices.ContainsFunc(p.lines, func(l answering) bool { return l.answer })
}

// passagesOf returns the lines of a question's best places.
func passagesOf(s *indexer.Snapshot, q question) passages {
	res := retrieve.Run(context.Background(), s, retrieve.Request{
		Query: q.Query, Intent: intent.Classify(q.Query, intent.Context{}), Limit: 300, Deadline: time.Minute,
	}, time.Now)
	words := &cut.Question{}
	words.Add(res.Words, 1)
	words.Means(embed.Shipped().Likeness(res.Words))
	reader := s.NewReader()
	files, top, pieces := map[int][][]byte{}, map[int]float64{}, map[int]int{}
	var places []cut.Place
	var paths []string
	for rank, k := range res.Candidates[:min(retrieve.ReadPlaces, len(res.Candidates))] {
		chunk := s.Chunk(k.Chunk)
		text, gate := reader.File(chunk.File)
		if gate != "" {
			continue
		}
		if files[chunk.File] == nil {
			files[chunk.File], top[chunk.File] = bytes.Split(text, []byte("\n")), k.Score
		}
		lines, in := files[chunk.File], cut.Range{First: chunk.StartLine, Last: chunk.EndLine}
		places = append(places, cut.Place{
			Question: words, Lines: lines, In: in, Definitions: retrieve.DefinitionLines(s, chunk.File, lines),
			Comments: retrieve.CommentLines(lines, chunk.Language, in), Rarity: res.InFile[chunk.File],
			Committed: retrieve.CommittedLines(lines, in, res.Committed[chunk.File]),
			Chance:    k.Score, FileChance: top[chunk.File], Rank: rank, Piece: pieces[chunk.File], Test: retrieve.IsTest(chunk.Path),
		})
		pieces[chunk.File]++
		paths = append(paths, path.Join(q.Root, chunk.Path))
	}
	p := passages{repo: q.Repo, places: places, settled: len(q.Decisive) > 0, gold: len(q.Decisive)}
	for i, list := range cut.Examine(places) {
		for k, x := range list {
			n := places[i].In.First + k
			l := answering{features: x, place: i, number: n, size: len(places[i].Lines[n]) + 1}
			l.gold, l.answer = q.judge(paths[i], n+1, places[i].Lines[n])
			p.lines = append(p.lines, l)
		}
	}
	if !p.settled {
		for _, r := range q.Ranges {
			p.gold += r.last - r.first + 1
		}
	}
	return p
}

// judge reports whether a line, counted from 1, settles the question, and whether it is in the
// answer. Where the set does not tell what settles it, all of the answer does.
func (q question) judge(file string, line int, text []byte) (settles, answers bool) {
	settles = slices.Contains(q.Files, file) && slices.ContainsFunc(q.Decisive, func(piece string) bool { return bytes.Contains(text, []byte(piece)) })
	answers = settles || slices.ContainsFunc(q.Ranges, func(r fileRange) bool {
		return r.path == file && r.first <= line && line <= r.last
	})
	return settles || answers && len(q.Decisive) == 0, answers
}

// fitLines fits the model: to all lines of the places that have some of the answer, and to one line
// in eight of the others, which counts eight times. A question counts the less a line the more of
// them settle it. A line that does counts ten times as much as another; three times where the set
// tells only the answer, since not all of that settles. With repositories left out, 51 % of the
// pieces that settle 352 questions are then shown in 1,000 tokens, 48 % if all of an answer counts
// the same.
func fitLines(all []passages) *rank.Model {
	const oneIn, settles, answers = 8, 10, 3
	var rows []row
	for i, p := range all {
		answer := map[int]bool{}
		for _, l := range p.lines {
			answer[l.place] = answer[l.place] || l.answer
		}
		for k, l := range p.lines {
			r := row{features: l.features[:], weight: 1 / float64(1+p.gold), group: i}
			if l.answer {
				r.gold = 1
			}
			switch {
			case l.gold && p.settled:
				r.weight *= settles
			case l.gold:
				r.weight *= answers
			}
			if !answer[l.place] {
				if k%oneIn != 0 {
					continue
				}
				r.weight *= oneIn
			}
			rows = append(rows, r)
		}
	}
	return boost(rows, cut.NumFeatures, lineSettings)
}

// reportLines prints which share of the answers' lines is among the most probable ones up to some
// sizes, and for how many questions any is. modelFor returns the model for a repository.
func reportLines(title string, all []passages, modelFor func(repo string) *rank.Model) {
	const bytesPerToken, rangeTokens = 4, 6 // what a line costs that stands alone
	sizes := []float64{250, 500, 1000}
	found, any := make([]float64, len(sizes)), make([]float64, len(sizes))
	for _, p := range all {
		m := modelFor(p.repo)
		order, chance := make([]int, len(p.lines)), make([]float64, len(p.lines))
		for i := range p.lines {
			order[i], chance[i] = i, m.Probability(p.lines[i].features[:])
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(chance[b], chance[a]) })
		for s, size := range sizes {
			used, hits := 0., 0.
			for _, i := range order {
				if used += float64(p.lines[i].size)/bytesPerToken + rangeTokens; used > size {
					break
				}
				if p.lines[i].gold {
					hits++
				}
			}
			found[s] += min(1, hits/float64(p.gold))
			if hits > 0 {
				any[s]++
			}
		}
	}
	n := float64(len(all))
	fmt.Printf("%s: %d questions\n", title, len(all))
	for s, size := range sizes {
		fmt.Printf("the best lines of %4.0f tokens: %.1f %% of the answers' lines, some of them in %.1f %%\n", size, 100*found[s]/n, 100*any[s]/n)
	}
	reportShown(all, modelFor)
}

// reportShown prints how much is shown of the places of a question, the share of it that is in the
// answer, which is what a reader would keep, and the share of the lines that settle it that it has.
func reportShown(all []passages, modelFor func(repo string) *rank.Model) {
	shown, kept, settling := 0, 0, 0.
	for _, p := range all {
		of := map[[2]int]answering{}
		for _, l := range p.lines {
			of[[2]int{l.place, l.number}] = l
		}
		hits := 0
		for i, passage := range cut.Cut(cut.JudgeBy(modelFor(p.repo), p.places), cut.TokenPrice, cut.MostBytes) {
			for _, r := range passage.Shown {
				for n := r.First; n <= r.Last; n++ {
					size := len(p.places[i].Lines[n]) + 1
					l := of[[2]int{i, n}]
					if shown += size; l.answer {
						kept += size
					}
					if l.gold {
						hits++
					}
				}
			}
		}
		settling += min(1, float64(hits)/float64(p.gold))
	}
	n := max(1, len(all))
	fmt.Printf("shown are %d bytes a question, %.1f %% of them in the answer, and %.1f %% of the lines that settle it\n",
		shown/n, 100*float64(kept)/float64(max(1, shown)), 100*settling/float64(n))
}
