package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// report prints the results of models on speakers to whom they were not fitted: average precision,
// and precision and recall at the probabilities that memory uses.
func report(lines []line, p utterance.Parameters, margins [][utterance.NumLabels]float64, show string) {
	fmt.Println("held-out speakers: average precision; precision/recall at .3, .5, .8 (a person's sentences; proposals: anybody's)")
	for l := range utterance.NumLabels {
		var list []scored
		for i := range lines {
			if lines[i].role == utterance.Person || l == utterance.Proposal && lines[i].role == utterance.Assistant {
				list = append(list, scored{1 / (1 + math.Exp(-(p.Slope[l]*margins[i][l] + p.Offset[l]))), lines[i].labels[l], i})
			}
		}
		slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
		fmt.Printf("  %-10s AP %.3f ", l, averagePrecision(list))
		for _, at := range []float64{.3, .5, .8} {
			precision, recall := at2(list, at)
			fmt.Printf("  %.2f/%.2f", precision, recall)
		}
		fmt.Println()
		if show == l.String() {
			printErrors(lines, list)
		}
	}
	byLanguage(lines, p, margins)
}

type scored struct {
	p  float64
	is bool
	at int
}

func averagePrecision(list []scored) float64 {
	hits, sum := 0, 0.0
	for i, s := range list {
		if s.is {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}
	return sum / float64(max(hits, 1))
}

func at2(list []scored, at float64) (precision, recall float64) {
	taken, hits, all := 0, 0, 0
	for _, s := range list {
		if s.p >= at {
			taken++
			if s.is {
				hits++
			}
		}
		if s.is {
			all++
		}
	}
	return float64(hits) / float64(max(taken, 1)), float64(hits) / float64(max(all, 1))
}

// byLanguage prints the recall and precision of directives for each language.
func byLanguage(lines []line, p utterance.Parameters, margins [][utterance.NumLabels]float64) {
	by := map[string][]scored{}
	for i, l := range lines {
		if l.role == utterance.Person {
			by[l.lang] = append(by[l.lang], scored{1 / (1 + math.Exp(-(p.Slope[0]*margins[i][0] + p.Offset[0]))), l.labels[utterance.Directive], i})
		}
	}
	var langs []string
	for lang := range by {
		langs = append(langs, lang)
	}
	slices.Sort(langs)
	for _, lang := range langs {
		precision, recall := at2(by[lang], .5)
		fmt.Printf("  directive %-6s %5d sentences, at .5: %.2f/%.2f\n", lang, len(by[lang]), precision, recall)
	}
}

// printErrors prints the false positives and the false negatives with the highest confidence.
func printErrors(lines []line, list []scored) {
	n := 0
	for _, s := range list {
		if !s.is && n < 40 {
			n++
			fmt.Printf("    wrong %.2f %s %s\n", s.p, lines[s.at].where, lines[s.at].text)
		}
	}
	n = 0
	for i := len(list) - 1; i >= 0; i-- {
		if s := list[i]; s.is && n < 40 {
			n++
			fmt.Printf("    missed %.2f %s %s\n", s.p, lines[s.at].where, lines[s.at].text)
		}
	}
}
