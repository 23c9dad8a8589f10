package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory"
)

// askedOnce is a question with the evidence that memory has for it.
type askedOnce struct {
	shownItem        // helps: something about it was said
	set       string // of dialogues
	own       bool   // asked about this dialogue, rather than another of the set
}

// silenceBudget is the size of the answers in tokens. A question that they do not answer though it
// was said is left out: silence would cost nothing there.
const silenceBudget = 1000

// answerWorth is what an answer is worth to a question that has one, relative to silence where
// there is none: what was kept back is lost, what was said needlessly is only read.
const answerWorth = 2

// foreignOneIn is the share of the questions of other dialogues that are asked as well, one in so
// many: nothing answers them.
const foreignOneIn = 40

// trainSilence fits the probability that something about a question was said, and the floor below
// which recall stays silent, and writes context/recall/silence.json.
func trainSilence(args []string) error {
	flags := flag.NewFlagSet("train silence", flag.ContinueOnError)
	sets := flags.String("sets", "", "gzipped JSON Lines `files` of dialogues with questions, separated by commas")
	out := flags.String("out", "context/recall/silence.json", "the `file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sets == "" {
		return errors.New("silence: -sets is required")
	}
	var all []askedOnce
	for _, file := range strings.Split(*sets, ",") {
		list, err := evidenceOf(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, list...)
	}
	weigh(all)
	chances := leftOut(all)
	model := recall.Silence{
		About:   fmt.Sprintf("go run ./cmd/train silence; %d questions about %d dialogues", len(all), len(dialoguesOf(all))),
		Weights: rounded(fitChances(itemsOf(all, ""))), Curve: silenceCurve(all, chances),
	}
	worth := func(p recall.SilencePoint) float64 { return p.Silent + answerWorth*p.Answered }
	best := slices.MaxFunc(model.Curve, func(a, b recall.SilencePoint) int { return cmp.Compare(worth(a), worth(b)) })
	model.Floor = best.Floor
	for _, p := range model.Curve {
		fmt.Printf("floor %.2f: silent %.2f of what was never said, answers %.2f of the rest\n", p.Floor, p.Silent, p.Answered)
	}
	b, err := json.MarshalIndent(model, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(b, '\n'), 0o644)
}

// evidenceOf asks the questions of a set, and some of each about another dialogue.
func evidenceOf(file string) ([]askedOnce, error) {
	texts := map[string][]string{} // of the questions, by dialogue
	err := eachQuestioned(file, func(d *questioned) error {
		for _, q := range d.Queries {
			texts[d.ID] = append(texts[d.ID], q.Text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []askedOnce
	err = eachDialogue(file, func(ctx context.Context, d *questioned, w *memory.Workspace, count func(string) int) error {
		ask := func(text string, wanted []int, own bool) error {
			r, err := d.ask(ctx, w, text, silenceBudget, count)
			if err != nil || len(wanted) > 0 && !d.finds(r, wanted) {
				return err
			}
			a := askedOnce{shownItem: shownItem{features: r.Evidence.Features(), dialogue: d.ID}, set: file, own: own}
			if len(wanted) > 0 {
				a.helps = 1
			}
			out = append(out, a)
			return nil
		}
		for _, q := range d.Queries {
			if err := ask(q.Text, q.Ev, true); err != nil {
				return err
			}
		}
		n := 0
		for _, other := range slices.Sorted(maps.Keys(texts)) {
			for _, text := range texts[other] {
				if n++; other != d.ID && n%foreignOneIn == 0 {
					if err := ask(text, nil, false); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	return out, err
}

// finds reports whether an answer has one of the wanted messages.
func (d *questioned) finds(r *recall.Result, wanted []int) bool {
	for _, it := range r.Items {
		for _, e := range wanted {
			if slices.Contains(it.MessageIDs, d.message(e)) {
				return true
			}
		}
	}
	return false
}

// weigh sets the weights so that what was said and what was not count the same in each set.
func weigh(all []askedOnce) {
	type kind struct {
		set  string
		said bool
	}
	n := map[kind]float64{}
	for _, a := range all {
		n[kind{a.set, a.helps > 0}]++
	}
	for i := range all {
		all[i].weight = 1 / n[kind{all[i].set, all[i].helps > 0}]
	}
}

func dialoguesOf(all []askedOnce) []string {
	var out []string
	for _, a := range all {
		out = append(out, a.dialogue)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// itemsOf returns the questions of all dialogues except one.
func itemsOf(all []askedOnce, except string) (out []shownItem) {
	for _, a := range all {
		if a.dialogue != except {
			out = append(out, a.shownItem)
		}
	}
	return out
}

// leftOut returns the probability of each question by a fit without its dialogue.
func leftOut(all []askedOnce) []float64 {
	out := make([]float64, len(all))
	for _, d := range dialoguesOf(all) {
		w := fitChances(itemsOf(all, d))
		for i, a := range all {
			if a.dialogue == d {
				out[i] = chanceOf(w, a.features)
			}
		}
	}
	return out
}

// silenceCurve returns what each floor does to the questions about their own dialogues, in the sets
// that have some about what was never said.
func silenceCurve(all []askedOnce, chances []float64) (out []recall.SilencePoint) {
	const step = .05
	has := map[string]bool{}
	for _, a := range all {
		has[a.set] = has[a.set] || a.own && a.helps == 0
	}
	for floor := step; floor < 1; floor += step {
		var silent, never, answered, said float64
		for i, a := range all {
			switch {
			case !a.own || !has[a.set]:
			case a.helps > 0:
				said++
				if chances[i] >= floor {
					answered++
				}
			default:
				never++
				if chances[i] < floor {
					silent++
				}
			}
		}
		out = append(out, recall.SilencePoint{
			Floor: hundredths(floor), Silent: hundredths(silent / max(1, never)), Answered: hundredths(answered / max(1, said)),
		})
	}
	return out
}

func hundredths(x float64) float64 { return math.Round(100*x) / 100 }

func rounded(list []float64) (out []float64) {
	for _, x := range list {
		out = append(out, hundredths(x))
	}
	return out
}
