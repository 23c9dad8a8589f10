package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// settings are the settings of the model in use.
var settings = boosting{trees: 150, leaves: 8, rate: .1, ridge: 1, least: 2, pairwise: 1}

// trainRank fits the model with which search ranks its candidates.
func trainRank(args []string) error {
	fs := flag.NewFlagSet("train rank", flag.ContinueOnError)
	sets := fs.String("sets", "", "the `files` with questions and their answers, separated by commas: JSON lines, maybe compressed")
	mirrors := fs.String("mirrors", "", "the `folder` with the questions' repositories, bare: owner+name/repo")
	work := fs.String("work", "", "a `folder` for checkouts, indexes and observations")
	off := fs.String("off-topic", "testdata/prompts/offtopic.txt", "the `file` with prompts that have nothing to do with any workspace")
	out := fs.String("out", "context/retrieve", "the `folder` to write fitted.bin and topic.bin to")
	again := fs.Bool("again", false, "make the observations again")
	topicOnly := fs.Bool("topic", false, "fit only the model of a prompt's topic, with the ranker in fitted.bin")
	dry := fs.Bool("dry-run", false, "report only, write nothing")
	folds := fs.Int("folds", 5, "into how many parts the repositories are split for the report")
	fs.StringVar(&worst, "worst", "", "also print the questions of this `set` that are answered worst")
	without := fs.String("without", "", "`features` that are not to be read, separated by commas")
	fs.IntVar(&settings.trees, "trees", settings.trees, "trees")
	fs.IntVar(&settings.leaves, "leaves", settings.leaves, "leaves of a tree")
	fs.Float64Var(&settings.rate, "rate", settings.rate, "what a tree's word counts")
	fs.Float64Var(&settings.pairwise, "pairwise", settings.pairwise, "weight of the order within a question")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *sets == "" || *work == "" {
		return errors.New("rank needs -sets and -work")
	}
	var all []asked
	for i, file := range strings.Split(*sets, ",") {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		stored := filepath.Join(*work, name+".gob")
		list, err := load(stored)
		if err != nil || *again {
			if list, err = observeSet(file, name, *mirrors, *work, *off, i == 0 || strings.HasPrefix(name, "S")); err != nil {
				return err
			}
			if err := save(stored, list); err != nil {
				return err
			}
		}
		all = append(all, list...)
	}
	for name := range strings.SplitSeq(*without, ",") {
		if f := slices.Index(retrieve.FeatureNames[:], name); f >= 0 {
			for q := range all {
				for i := range all[q].Seen {
					all[q].Seen[i].Features[f] = 0
				}
			}
		}
	}
	models := map[string]*rank.Model{}
	if *topicOnly {
		p, err := rankedBy(filepath.Join(*out, "fitted.bin"), all)
		if err != nil {
			return err
		}
		models["topic.bin"] = fitTopic(all, p, *folds)
	} else {
		models["fitted.bin"], models["topic.bin"] = fitRank(all, *folds)
	}
	if *dry {
		return nil
	}
	for name, model := range models {
		b := model.Encode()
		fmt.Printf("%s: %d bytes, %d trees\n", name, len(b), len(model.Trees))
		if err := os.WriteFile(filepath.Join(*out, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// rankedBy returns the probabilities of all candidates by the ranker in a file. Prompts that it was
// not fitted to, as those that were added since, have the probabilities that a prompt of today has.
func rankedBy(file string, all []asked) ([][]float64, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := rank.Load(b, retrieve.NumFeatures)
	if err != nil {
		return nil, err
	}
	p := make([][]float64, len(all))
	for i, a := range all {
		p[i] = make([]float64, len(a.Seen))
		for k := range a.Seen {
			p[i][k] = m.Probability(a.Seen[k].Features[:])
		}
	}
	return p, nil
}

func observeSet(file, name, mirrors, work, off string, extra bool) ([]asked, error) {
	questions, err := readSet(file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(off)
	if err != nil {
		return nil, err
	}
	c := &collection{mirrors: mirrors, work: work, offTopic: strings.Split(strings.TrimSpace(string(text)), "\n"), onTopic: map[string][]string{}}
	if text, err = os.ReadFile(filepath.Join(filepath.Dir(off), "ontopic.txt")); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if repo, prompt, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
			c.onTopic[repo] = append(c.onTopic[repo], prompt)
		}
	}
	return c.collect(context.Background(), name, questions, extra)
}

// thinned returns the weight of a candidate, by its rank in the order of sums: 0 for one that is
// left out, and more than 1 for one that also represents similar ones. Candidates that answer, or
// that the question names, are kept at any rank.
func thinned(a *asked, i int) float64 {
	all, every := 60, 5
	switch a.Set {
	case "definition", "use":
		all, every = 20, 10
	case "off":
		all, every = 8, 20
	}
	x := &a.Seen[i].Features
	switch {
	case i < all || a.Gold[i] > 0 || x[retrieve.FeatureDefinesWord] > 0 || x[retrieve.FeatureMentions] > 0:
		return 1
	case int(hash(a.ID))%every == i%every:
		return float64(every)
	}
	return 0
}

// rowsOf returns the rows of some questions.
func rowsOf(list []asked) (rows []row) {
	for q := range list {
		a := &list[q]
		for i := range a.Seen {
			teaches := thinned(a, i)
			if a.Gold[i] < 0 || teaches == 0 || a.Set == "on" {
				continue
			}
			gold := a.Gold[i]
			if gold > 0 {
				gold = max(gold, .8)
			}
			rows = append(rows, row{features: a.Seen[i].Features[:], gold: gold, group: q, weight: teaches * weightOf(a.Set)})
		}
	}
	return rows
}

// weightOf returns the weight of a question by its kind.
func weightOf(set string) float64 {
	switch {
	case set == "definition" || set == "use":
		return .4
	case strings.HasPrefix(set, "A"):
		return .8
	}
	return 1
}

// fitRank fits a model without each part of the repositories in turn and prints how it ranks the
// candidates of that part; it returns the model fitted to all repositories.
func fitRank(all []asked, folds int) (m, topic *rank.Model) {
	repos := map[string]int{}
	for _, a := range all {
		repos[a.Repo] = 0
	}
	var names []string
	for r := range repos {
		names = append(names, r)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), strings.Compare(a, b)) })
	for i, r := range names {
		repos[r] = i % folds
	}
	before, after := map[string]*tally{}, map[string]*tally{}
	margins := make([][]float64, len(all))
	for fold := range folds {
		var train []asked
		for _, a := range all {
			if repos[a.Repo] != fold {
				train = append(train, a)
			}
		}
		rows := rowsOf(train)
		m := boost(rows, retrieve.NumFeatures, settings)
		for i, a := range all {
			if repos[a.Repo] != fold {
				continue
			}
			margins[i] = make([]float64, len(a.Seen))
			each(len(a.Seen), func(k int) { margins[i][k] = m.Margin(a.Seen[k].Features[:]) })
		}
	}
	slope, offset := platt(all, margins)
	for i, a := range all {
		sum := make([]float64, len(a.Seen))
		for k := range sum {
			sum[k] = float64(len(sum) - k)
		}
		count(before, a, sum)
		was := 0.0
		if t := after[a.Set]; t != nil {
			was = t.mrr
		}
		score := answered(a, margins[i], slope, offset)
		count(after, a, score)
		if t := after[a.Set]; a.Set == worst && t.mrr-was < .5 {
			printWorst(a, score, t.mrr-was)
		}
	}
	fmt.Printf("repositories left out in turn, %d parts; before (weighted sum) and after\n", folds)
	for _, set := range sortedKeys(after) {
		fmt.Printf("  %-12s n=%-5d before %v   after %v\n", set, after[set].n, before[set], after[set])
	}
	reportTopic(all, margins, slope, offset)
	p := make([][]float64, len(all))
	for i := range all {
		p[i] = make([]float64, len(margins[i]))
		for k, v := range margins[i] {
			p[i][k] = logistic(slope*v + offset)
		}
	}
	topic = fitTopic(all, p, folds)
	rows := rowsOf(all)
	m = boost(rows, retrieve.NumFeatures, settings)
	m.Slope, m.Offset = float32(slope), float32(offset)
	importance(m)
	return m, topic
}

// answered returns the scores by which a search orders candidates: the model's, preceded by
// candidates that answer a question from the index's data.
func answered(a asked, margins []float64, slope, offset float64) []float64 {
	best := 0.0
	for _, o := range a.Seen {
		best = max(best, o.Answers)
	}
	if best == 0 {
		return margins
	}
	out := make([]float64, len(margins))
	for i, o := range a.Seen {
		out[i] = retrieve.Answered(logistic(slope*margins[i]+offset), o.Answers, best)
	}
	return out
}

var worst string

// printWorst prints a question with the files that are ranked first and those that answer.
func printWorst(a asked, score []float64, mrr float64) {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(score[y], score[x]) })
	fmt.Printf("%.2f %s %q\n", mrr, a.Repo, a.Query)
	var seen []string
	for _, i := range order {
		if p := a.Place[i]; !slices.Contains(seen, p.Path) && len(seen) < 5 {
			seen = append(seen, p.Path)
			fmt.Printf("      %s:%d-%d %v\n", p.Path, p.First, p.Last, a.Gold[i])
		}
	}
	seen = nil
	for at, i := range order {
		if p := a.Place[i]; a.Gold[i] > 0 && !slices.Contains(seen, p.Path) {
			seen = append(seen, p.Path)
			fmt.Printf("      wanted, at %d: %s:%d-%d\n", at+1, p.Path, p.First, p.Last)
		}
	}
}

// tally sums the quality of a ranking over questions.
type tally struct {
	n                int
	first, mrr, ndcg float64
}

func (t *tally) String() string {
	n := float64(max(1, t.n))
	return fmt.Sprintf("first %.3f mrr %.3f ndcg@10 %.3f", t.first/n, t.mrr/n, t.ndcg/n)
}

// count evaluates a ranking of a question's candidates, with each file represented by its best
// candidate.
func count(in map[string]*tally, a asked, score []float64) {
	if a.Set == "off" || a.Set == "on" {
		return
	}
	t := in[a.Set]
	if t == nil {
		t = &tally{}
		in[a.Set] = t
	}
	t.n++
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(score[y], score[x]) })
	byChunk := a.Set == "definition" || a.Set == "use"
	seen := map[string]bool{}
	at, found, dcg := 0, 0, 0.0
	total := map[string]bool{}
	for i, g := range a.Gold {
		if g > 0 {
			total[key(a, i, byChunk)] = true
		}
	}
	for _, i := range order {
		k := key(a, i, byChunk)
		if seen[k] {
			continue
		}
		seen[k] = true
		if a.Gold[i] > 0 || !byChunk && total[k] {
			if found == 0 {
				t.mrr += 1 / float64(at+1)
				if at == 0 {
					t.first++
				}
			}
			found++
			if at < 10 {
				dcg += 1 / math.Log2(float64(at+2))
			}
		}
		at++
	}
	ideal := 0.0
	for i := range min(10, max(len(total), 1)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	t.ndcg += dcg / ideal
}

func key(a asked, i int, byChunk bool) string {
	if byChunk {
		return fmt.Sprint(a.Place[i])
	}
	return a.Place[i].Path
}

// calibrated is how many of the best candidates of a question are used for calibration.
const calibrated = 30

// platt fits the logistic curve from margins to truth.
func platt(all []asked, margins [][]float64) (slope, offset float64) {
	type point struct{ x, y, w float64 }
	var points []point
	for i, a := range all {
		order := make([]int, len(margins[i]))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(margins[i][y], margins[i][x]) })
		for _, k := range order[:min(calibrated, len(order))] {
			if a.Gold[k] >= 0 && a.Set != "on" {
				y := 0.0
				if a.Gold[k] > 0 {
					y = 1
				}
				points = append(points, point{margins[i][k], y, weightOf(a.Set)})
			}
		}
	}
	slope = 1
	for range 50 { // Newton's method
		var ga, gb, haa, hab, hbb float64
		for _, p := range points {
			q := logistic(slope*p.x + offset)
			d, w := p.w*(q-p.y), p.w*q*(1-q)
			ga += d * p.x
			gb += d
			haa += w * p.x * p.x
			hab += w * p.x
			hbb += w
		}
		det := haa*hbb - hab*hab
		if det == 0 {
			break
		}
		slope -= (hbb*ga - hab*gb) / det
		offset -= (haa*gb - hab*ga) / det
	}
	return slope, offset
}

// reportTopic prints how well the best candidate's probability separates prompts with an answer
// from those without.
func reportTopic(all []asked, margins [][]float64, slope, offset float64) {
	p := map[string][]float64{}
	for i, a := range all {
		best := math.Inf(-1)
		for _, v := range margins[i] {
			best = max(best, v)
		}
		p[a.Set] = append(p[a.Set], logistic(slope*best+offset))
	}
	printShares("probability of a prompt's best candidate", p, .02, .05, .1, .15, .2, .3, .5)
	// calibration of the probabilities
	var n, hits [10]float64
	for i, a := range all {
		for k, v := range margins[i] {
			if a.Gold[k] >= 0 && a.Set != "definition" && a.Set != "use" && a.Set != "on" {
				q := logistic(slope*v + offset)
				b := min(9, int(q*10))
				n[b]++
				if a.Gold[k] > 0 {
					hits[b]++
				}
			}
		}
	}
	fmt.Print("said → true:")
	for b := range n {
		if n[b] > 0 {
			fmt.Printf(" .%d→%.2f", b, hits[b]/n[b])
		}
	}
	fmt.Println()
}

// importance prints how often the trees split on each feature.
func importance(m *rank.Model) {
	n := make([]int, retrieve.NumFeatures)
	for _, t := range m.Trees {
		for _, node := range t {
			if node.Feature >= 0 {
				n[node.Feature]++
			}
		}
	}
	order := make([]int, len(n))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(n[y], n[x]) })
	fmt.Print("features by use:")
	for _, f := range order {
		fmt.Printf(" %s %d", retrieve.FeatureNames[f], n[f])
	}
	fmt.Println()
}
