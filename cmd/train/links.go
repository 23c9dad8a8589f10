package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory"
)

// linkedQuery holds what was found for a question.
type linkedQuery struct {
	dialogue string
	set      int
	weight   float64 // each set has the same total weight
	rows     []linkedRow
	answers  int // messages that answer, found or not
}

type linkedRow struct {
	features []float64
	answers  bool
	tokens   int
	score    float64 // from the search
}

// trainLinks fits the weights with which the signs of a found message predict that it answers, and
// prints them with their effect on questions about dialogues that were left out. It writes nothing:
// the constants are in context/recall.
func trainLinks(args []string) error {
	flags := flag.NewFlagSet("links", flag.ContinueOnError)
	sets := flags.String("sets", "", "gzipped JSON Lines `files` of dialogues with questions, separated by commas")
	budget := flags.Int("budget", 2000, "the `tokens` of an answer")
	each := flags.Bool("folds", false, "print the weights of each fold, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sets == "" {
		return errors.New("links: -sets is required")
	}
	var all []linkedQuery
	for n, file := range strings.Split(*sets, ",") {
		var list []linkedQuery
		err := eachDialogue(file, func(ctx context.Context, d *questioned, w *memory.Workspace, count func(string) int) error {
			found, err := d.linked(ctx, w, *budget, count)
			list = append(list, found...)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for i := range list {
			list[i].set, list[i].weight = n, 1/float64(len(list))
		}
		all = append(all, list...)
	}
	reportLinks(all, *budget, *each)
	fmt.Printf("links: %.3f\n", fitLinks(all))
	return nil
}

// linked asks the questions and records what was found for each.
func (d *questioned) linked(ctx context.Context, w *memory.Workspace, budget int, count func(string) int) ([]linkedQuery, error) {
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find(d.ID)
	if err != nil {
		return nil, err
	}
	var out []linkedQuery
	for _, q := range d.Queries {
		if len(q.Ev) == 0 {
			continue
		}
		src := &remember.Found{View: v, Scope: &info, Counter: count, Words: wordsOf}
		req := recall.Request{Query: q.Text, Budget: budget, MemoryType: "any", Recency: intent.Classify(q.Text, intent.Context{}).Recency}
		if recall.Newness(req) > 0 {
			continue // recency decides these, not links
		}
		hits, err := recall.Find(ctx, req, src)
		if err != nil {
			return nil, err
		}
		list, err := recall.Links(ctx, hits, src)
		if err != nil {
			return nil, err
		}
		query := linkedQuery{dialogue: d.ID, answers: len(q.Ev)}
		for _, m := range list {
			query.rows = append(query.rows, linkedRow{
				features: m.Signs.Features(), answers: slices.Contains(q.Ev, m.Message), score: m.Score,
				tokens: min(count(d.Turns[m.Message].Text), budget/4) + lineOverhead,
			})
		}
		if slices.ContainsFunc(query.rows, func(r linkedRow) bool { return r.answers }) {
			out = append(out, query)
		}
	}
	return out, nil
}

// lineOverhead is the approximate number of tokens for an author and a part of an element's frame.
const lineOverhead = 6

const linkSteps, linkRate, linkShrink = 400, .2, 1e-4

// fitLinks fits a softmax over what was found for each question, by full-batch gradient descent
// with a step size for each weight. It is deterministic.
func fitLinks(list []linkedQuery) []float64 {
	w := make([]float64, len(list[0].rows[0].features))
	squares := make([]float64, len(w))
	total := 0.0
	for _, q := range list {
		total += q.weight
	}
	for range linkSteps {
		slope := make([]float64, len(w))
		for _, q := range list {
			share, right := chancesOf(w, q.rows), 0.0
			for _, r := range q.rows {
				if r.answers {
					right++
				}
			}
			for i, r := range q.rows {
				miss := share[i]
				if r.answers {
					miss -= 1 / right
				}
				for k, f := range r.features {
					slope[k] += q.weight * miss * f
				}
			}
		}
		for k := range w {
			g := slope[k]/total + linkShrink*w[k]
			squares[k] += g * g
			w[k] -= linkRate * g / math.Sqrt(squares[k]+1e-12)
		}
	}
	return w
}

// chancesOf returns the probabilities of a softmax.
func chancesOf(w []float64, rows []linkedRow) []float64 {
	out := make([]float64, len(rows))
	top, sum := math.Inf(-1), 0.0
	for i, r := range rows {
		for k, f := range r.features {
			out[i] += w[k] * f
		}
		top = max(top, out[i])
	}
	for i := range out {
		out[i] = math.Exp(out[i] - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// reportLinks prints for each set how many questions have their complete answer within the budget,
// in the order of the search and in the order of weights that were fitted to other dialogues.
func reportLinks(all []linkedQuery, budget int, each bool) {
	const folds = 5
	fold := map[string]int{}
	for _, q := range all {
		if _, ok := fold[q.dialogue]; !ok {
			fold[q.dialogue] = len(fold) % folds
		}
	}
	questions, before, after := map[int]int{}, map[int]int{}, map[int]int{}
	for f := range folds {
		var seen []linkedQuery
		for _, q := range all {
			if fold[q.dialogue] != f {
				seen = append(seen, q)
			}
		}
		w := fitLinks(seen)
		if each {
			fmt.Printf("  fold %d: %.2f\n", f, w)
		}
		for _, q := range all {
			if fold[q.dialogue] != f {
				continue
			}
			questions[q.set]++
			scores := make([]float64, len(q.rows))
			for i, r := range q.rows {
				scores[i] = r.score
			}
			if q.fits(scores, budget) {
				before[q.set]++
			}
			if q.fits(chancesOf(w, q.rows), budget) {
				after[q.set]++
			}
		}
	}
	for s := range len(questions) {
		n := float64(questions[s]) / 100
		fmt.Printf("set %d: %d questions, all that answers within the budget %.1f %%, with links %.1f %%\n", s, questions[s],
			float64(before[s])/n, float64(after[s])/n)
	}
}

// fits reports whether the best rows that fit into a budget contain the complete answer.
func (q *linkedQuery) fits(scores []float64, budget int) bool {
	order := make([]int, len(q.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if scores[a] != scores[b] {
			return int(math.Copysign(1, scores[b]-scores[a]))
		}
		return a - b
	})
	right := 0
	for _, i := range order {
		if q.rows[i].tokens > budget {
			continue
		}
		budget -= q.rows[i].tokens
		if q.rows[i].answers {
			right++
		}
	}
	return right == q.answers
}
