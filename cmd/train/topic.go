package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// topicSettings are the settings of the model that distinguishes prompts about the workspace from
// others.
var topicSettings = boosting{trees: 60, leaves: 6, rate: .1, ridge: 4, least: 4}

// fitTopic fits that model. helps holds the probabilities of each prompt's candidates.
func fitTopic(all []asked, helps [][]float64, folds int) *rank.Model {
	rows := make([]row, len(all))
	for i, a := range all {
		f := retrieve.TopicFeatures(a.Read, intent.Classify(a.Query, intent.Context{}), a.Seen, helps[i])
		gold, weight := float32(1), 1.0
		switch a.Set {
		case "off":
			gold = 0
		case "definition", "use":
			weight = .3
		case "on":
			weight = 2
		}
		rows[i] = row{features: f, gold: gold, weight: weight, group: i}
	}
	// Prompts are split as well as repositories, since the same prompt is asked in many
	// repositories.
	part := func(i int) int {
		if all[i].Set == "off" {
			return int(hash(all[i].Query)) % folds
		}
		return int(hash(all[i].Repo)) % folds
	}
	p := make([]float64, len(all))
	for fold := range folds {
		var train []row
		for i := range all {
			if part(i) != fold {
				train = append(train, rows[i])
			}
		}
		m := boost(train, retrieve.NumTopicFeatures, topicSettings)
		for i := range all {
			if part(i) == fold {
				p[i] = m.Probability(rows[i].features)
			}
		}
	}
	sets := map[string][]float64{}
	for i, a := range all {
		sets[a.Set] = append(sets[a.Set], p[i])
	}
	printShares("probability that a prompt is about the workspace", sets, .05, .1, .15, .2, .3, .4, .5)
	wrong := map[string]int{}
	for i, a := range all {
		if a.Set == "off" && p[i] > .5 {
			wrong[a.Query]++
		}
		if strings.HasPrefix(a.Set, worst) && worst != "" && p[i] < .5 {
			fmt.Printf("  %.2f %s %.100q\n", p[i], a.Repo, a.Query)
		}
	}
	keys := sortedKeys(wrong)
	slices.SortStableFunc(keys, func(a, b string) int { return wrong[b] - wrong[a] })
	for _, q := range keys[:min(30, len(keys))] {
		fmt.Printf("  off topic, taken for the workspace's %d times: %q\n", wrong[q], q)
	}
	return boost(rows, retrieve.NumTopicFeatures, topicSettings)
}

// printShares prints for each list the share of its values below each level.
func printShares(what string, lists map[string][]float64, levels ...float64) {
	fmt.Println(what+": share of prompts below", levels)
	for _, name := range sortedKeys(lists) {
		fmt.Printf("  %-12s n=%-5d", name, len(lists[name]))
		for _, at := range levels {
			n := 0
			for _, v := range lists[name] {
				if v < at {
					n++
				}
			}
			fmt.Printf(" %.3f", float64(n)/float64(len(lists[name])))
		}
		fmt.Println()
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
