package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// ranged is a place that has lines which answer a question.
type ranged struct {
	Repo  string
	Lines []cut.Features
	Gold  []bool
	Size  []int // bytes
}

// lookedAt is how many of a question's candidates are looked at.
const lookedAt = 40

// trainLines fits the model by which the lines of a place are chosen.
func trainLines(args []string) error {
	fs := flag.NewFlagSet("train lines", flag.ContinueOnError)
	sets := fs.String("sets", "", "the `files` with questions and the lines that answer them, separated by commas")
	mirrors := fs.String("mirrors", "", "the `folder` with the questions' repositories, bare: owner+name/repo")
	work := fs.String("work", "", "a `folder` for checkouts and indexes")
	out := fs.String("out", "context/cut/fitted.json", "the `file` to write")
	dry := fs.Bool("dry-run", false, "report only, write nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *sets == "" || *work == "" {
		return errors.New("lines needs -sets and -work")
	}
	c := &collection{mirrors: *mirrors, work: *work}
	var all []ranged
	var names []string
	for file := range strings.SplitSeq(*sets, ",") {
		list, err := readSet(file)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		names = append(names, name)
		err = c.each(context.Background(), name, list, func(s *indexer.Snapshot, q question) { all = append(all, linesOf(s, q)...) })
		if err != nil {
			return err
		}
	}
	reportLines(all)
	m := fitLines(all)
	m.About = fmt.Sprintf("go run ./cmd/train lines; %d places of %s", len(all), strings.Join(names, ", "))
	for i, w := range m.Weights {
		fmt.Printf("%-10s %7.3f\n", cut.FeatureNames[i], w)
	}
	if *dry {
		return nil
	}
	b, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(b, '\n'), 0o644)
}

// linesOf returns the places among a question's best candidates that have lines of its answer.
func linesOf(s *indexer.Snapshot, q question) (out []ranged) {
	res := retrieve.Run(context.Background(), s, retrieve.Request{
		Query: q.Query, Intent: intent.Classify(q.Query, intent.Context{}), Limit: lookedAt, Deadline: time.Minute,
	}, time.Now)
	var words cut.Question
	words.Add(res.Words, 1)
	if words.All == 0 {
		return nil
	}
	reader := s.NewReader()
	for _, k := range res.Candidates[:min(lookedAt, len(res.Candidates))] {
		chunk := s.Chunk(k.Chunk)
		text, gate := reader.File(chunk.File)
		if gate != "" {
			continue
		}
		f := cut.File{Lines: bytes.Split(text, []byte("\n")), Definitions: retrieve.DefinitionLines(s, chunk.File), All: words.All}
		f.Terms = func(n int) []cut.Term { return words.In(f.Lines[n]) }
		in := cut.Range{First: chunk.StartLine, Last: min(chunk.EndLine, len(f.Lines)-1)}
		r := ranged{Repo: q.Repo}
		has := false
		for n := in.First; n <= in.Last; n++ {
			gold := q.answers(path.Join(q.Root, chunk.Path), n+1)
			has = has || gold
			r.Gold, r.Size = append(r.Gold, gold), append(r.Size, len(f.Lines[n])+1)
		}
		if has {
			r.Lines = f.Examine(in)
			out = append(out, r)
		}
	}
	return out
}

// answers reports whether a line, from 1, is in the answer.
func (q question) answers(file string, line int) bool {
	return slices.ContainsFunc(q.Ranges, func(r [3]any) bool {
		name, _ := r[0].(string)
		first, _ := r[1].(float64)
		last, _ := r[2].(float64)
		return name == file && float64(line) >= first && float64(line) <= last
	})
}

// fitLines fits a logistic regression by Newton's method; each place counts the same.
func fitLines(all []ranged) *cut.Model {
	const n, rounds, ridge = cut.NumFeatures + 1, 12, 1.
	var w [n]float64
	for range rounds {
		var g [n]float64
		var h [n][n]float64
		for i := range w[:n-1] {
			g[i], h[i][i] = -ridge*w[i], ridge
		}
		for _, r := range all {
			weight := 1 / math.Sqrt(float64(len(r.Lines)))
			for k, x := range r.Lines {
				sum := w[n-1]
				for i, v := range x {
					sum += w[i] * v
				}
				p := 1 / (1 + math.Exp(-sum))
				y := 0.
				if r.Gold[k] {
					y = 1
				}
				in := append(slices.Clone(x[:]), 1)
				for i, a := range in {
					g[i] += weight * (y - p) * a
					for j := range i + 1 {
						h[i][j] += weight * p * (1 - p) * a * in[j]
					}
				}
			}
		}
		step := solve(h[:], g[:])
		for i := range w {
			w[i] += step[i]
		}
	}
	m := &cut.Model{Bias: math.Round(w[n-1]*1000) / 1000}
	for i := range m.Weights {
		m.Weights[i] = math.Round(w[i]*1000) / 1000
	}
	return m
}

// solve solves h·x = g for a symmetric positive matrix of which the lower half is given.
func solve(h [][cut.NumFeatures + 1]float64, g []float64) []float64 {
	n := len(g)
	l := make([][]float64, n) // Cholesky's factor
	for i := range n {
		l[i] = make([]float64, n)
		for j := range i + 1 {
			sum := h[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	x := slices.Clone(g)
	for i := range n {
		for k := range i {
			x[i] -= l[i][k] * x[k]
		}
		x[i] /= l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x
}

// reportLines prints, for models fitted without a repository, which share of the answers' lines is
// among the best lines of that repository's places, and how many places show any of them.
func reportLines(all []ranged) {
	repos := map[string]bool{}
	for _, r := range all {
		repos[r.Repo] = true
	}
	shares := []float64{.1, .2, .3, .5}
	var found, any [4]float64
	places, lines := 0., 0.
	for repo := range repos {
		var train, test []ranged
		for _, r := range all {
			if r.Repo == repo {
				test = append(test, r)
			} else {
				train = append(train, r)
			}
		}
		m := fitLines(train)
		for _, r := range test {
			order := make([]int, len(r.Lines))
			p := make([]float64, len(r.Lines))
			for i := range order {
				order[i], p[i] = i, m.Probability(r.Lines[i])
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
			places++
			gold := 0.
			for _, g := range r.Gold {
				if g {
					gold++
				}
			}
			lines += gold
			for s, share := range shares {
				hit := 0.
				for _, i := range order[:int(math.Ceil(share*float64(len(order))))] {
					if r.Gold[i] {
						hit++
					}
				}
				found[s] += hit / gold
				if hit > 0 {
					any[s]++
				}
			}
		}
	}
	fmt.Printf("%.0f places of %d repositories, %.1f lines of answers each; repositories left out:\n", places, len(repos), lines/places)
	for s, share := range shares {
		fmt.Printf("best %2.0f %% of the lines: %.1f %% of the answers' lines, some of them in %.1f %%\n", 100*share, 100*found[s]/places, 100*any[s]/places)
	}
}
