package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// pair is two directives of one speaker, in order, and whether they are about the same thing.
type pair struct {
	signs utterance.Signs
	same  bool
	a, b  int
}

// pairsOf returns all pairs of a speaker's directives of which at least one names its subject.
// change returns the probability that a sentence changes something, by a model that was fitted
// without its speaker.
func pairsOf(m *utterance.Model, lines []line, change func(i int) float64) []pair {
	byPersona := map[string][]int{}
	var order []string
	for i, l := range lines {
		if l.labels[utterance.Directive] && l.subject != "" {
			if byPersona[l.persona] == nil {
				order = append(order, l.persona)
			}
			byPersona[l.persona] = append(byPersona[l.persona], i)
		}
	}
	var out []pair
	for _, p := range order {
		list := byPersona[p]
		for j := 1; j < len(list); j++ {
			for i := range j {
				a, b := list[i], list[j]
				out = append(out, pair{
					signs: utterance.Compare(m.Profile(lines[a].text), m.Profile(lines[b].text), change(b)),
					same:  lines[a].subject == lines[b].subject, a: a, b: b,
				})
			}
		}
	}
	return out
}

// fitPairs fits the weights of the signs by logistic regression, with the same total weight for
// both classes.
func fitPairs(pairs []pair) (weights [utterance.NumSigns]float64) {
	positive := 0
	for _, p := range pairs {
		if p.same {
			positive++
		}
	}
	up := float64(len(pairs)-positive) / float64(max(positive, 1)) / 4
	for step := range 4000 {
		var gradient [utterance.NumSigns]float64
		sum := 0.0
		for _, p := range pairs {
			y, c := 0.0, 1.0
			if p.same {
				y, c = 1, up
			}
			d := c * (p.signs.Probability(weights) - y)
			sum += c
			for k := range gradient {
				gradient[k] += d * p.signs[k]
			}
		}
		rate := 4 / (1 + float64(step)/2000)
		for k := range weights {
			weights[k] -= rate * (gradient[k]/sum + 1e-4*weights[k])
		}
	}
	return weights
}

// reportPairs prints how well the weights distinguish pairs about the same thing from others.
func reportPairs(lines []line, pairs []pair, weights [utterance.NumSigns]float64, show bool) {
	list := make([]scored, len(pairs))
	for i, p := range pairs {
		list[i] = scored{p.signs.Probability(weights), p.same, i}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
	fmt.Printf("  pairs of one speaker's directives: %d, AP %.3f; precision/recall", len(pairs), averagePrecision(list))
	for _, at := range []float64{.3, .5, .7, .8, .9} {
		precision, recall := at2(list, at)
		fmt.Printf("  %.1f: %.2f/%.2f", at, precision, recall)
	}
	fmt.Printf("\n  weights %.2f\n", weights)
	if !show {
		return
	}
	n := 0
	for _, s := range list {
		if p := pairs[s.at]; !p.same && n < 30 {
			n++
			fmt.Printf("    wrong %.2f %.2f %q / %q\n", s.p, p.signs, lines[p.a].text, lines[p.b].text)
		}
	}
	n = 0
	for i := len(list) - 1; i >= 0; i-- {
		if p := pairs[list[i].at]; p.same && n < 30 {
			n++
			fmt.Printf("    missed %.2f %.2f %q / %q\n", list[i].p, p.signs, lines[p.a].text, lines[p.b].text)
		}
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
