package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// questioned is a dialogue with questions whose answers are known: messages by their index. An
// empty list means that nothing answers the question. Recorded sessions are one of several
// conversations, with the roles of their messages.
type questioned struct {
	ID    string `json:"id"`
	Turns []struct {
		Conversation string              `json:"conversation"`
		Role         dialogue.Role       `json:"role"`
		Date         string              `json:"date"`
		Speaker      string              `json:"speaker"`
		Text         string              `json:"text"`
		ToolCalls    []dialogue.ToolCall `json:"toolCalls"`
	} `json:"turns"`
	Queries []struct {
		Text string `json:"text"`
		Ev   []int  `json:"ev"`
	} `json:"queries"`
}

// shownItem is an item of an answer, and whether it contained what was asked for.
type shownItem struct {
	features []float64
	helps    float64
	weight   float64 // each set has the same total weight
	dialogue string
}

// trainRecall fits the probability that an item of recall helps, and prints it with its accuracy on
// dialogues that were left out. It writes nothing: the constants are in context/recall.
func trainRecall(args []string) error {
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
	sets := flags.String("sets", "", "gzipped JSON Lines `files` of dialogues with questions, separated by commas")
	budget := flags.Int("budget", 2000, "the `tokens` of an answer")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sets == "" {
		return errors.New("recall: -sets is required")
	}
	var all []shownItem
	for _, file := range strings.Split(*sets, ",") {
		list, err := answersOf(file, *budget)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for i := range list {
			list[i].weight = 1 / float64(len(list))
		}
		all = append(all, list...)
	}
	reportChances(all)
	fmt.Printf("chances: %.3f\n", fitChances(all))
	return nil
}

func answersOf(file string, budget int) (out []shownItem, err error) {
	err = eachDialogue(file, func(ctx context.Context, d *questioned, w *memory.Workspace, count func(string) int) error {
		list, err := d.answers(ctx, w, budget, count)
		out = append(out, list...)
		return err
	})
	return out, err
}

// eachDialogue calls ask for every dialogue of a set, once the dialogue is stored in a memory.
func eachDialogue(file string, ask func(ctx context.Context, d *questioned, w *memory.Workspace, count func(string) int) error) error {
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		return err
	}
	ctx := context.Background()
	m, done, err := openMemory(ctx, counter.Count)
	if err != nil {
		return err
	}
	defer done()
	return eachQuestioned(file, func(d *questioned) error {
		w, err := m.Workspace(ctx, "/"+d.ID) // each by itself
		if err != nil {
			return err
		}
		for id, said := range d.conversations() {
			if _, err := w.Append(memory.Addition{Conversation: id, Messages: said, Learn: true}); err != nil {
				return err
			}
		}
		return ask(ctx, d, w, counter.Count)
	})
}

// openMemory opens an empty memory, which done closes and removes.
func openMemory(ctx context.Context, count func(string) int) (m *memory.Memory, done func(), err error) {
	dir, err := os.MkdirTemp("", "train-memory-")
	if err != nil {
		return nil, nil, err
	}
	m, err = memory.Open(ctx, memory.Options{
		Dir: dir, Count: count, Encoding: string(tokens.O200k), Terms: wordsOf,
		Block:    func(_, body string) string { return body },
		Relative: func(_, _ string) (string, bool) { return "", false },
	})
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	return m, func() {
		_ = m.Close()
		_ = os.RemoveAll(dir)
	}, nil
}

// eachQuestioned calls f for every dialogue of a set.
func eachQuestioned(file string, f func(*questioned) error) error {
	opened, err := os.Open(file)
	if err != nil {
		return err
	}
	defer opened.Close()
	z, err := gzip.NewReader(opened)
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(z); ; {
		var d questioned
		if err := dec.Decode(&d); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := f(&d); err != nil {
			return err
		}
	}
}

func wordsOf(text string, yield func(string)) { lexical.Terms([]byte(text), yield) }

// conversations returns the messages by conversation, in order.
func (d *questioned) conversations() iter.Seq2[string, []dialogue.Message] {
	return func(yield func(string, []dialogue.Message) bool) {
		for from := 0; from < len(d.Turns); {
			to := from + 1
			for to < len(d.Turns) && d.Turns[to].Conversation == d.Turns[from].Conversation {
				to++
			}
			if !yield(cmp.Or(d.Turns[from].Conversation, d.ID), d.messages(from, to)) {
				return
			}
			from = to
		}
	}
}

// several reports whether there are several conversations.
func (d *questioned) several() bool { return len(d.Turns) > 0 && d.Turns[0].Conversation != "" }

func (d *questioned) messages(from, to int) []dialogue.Message {
	var out []dialogue.Message
	for i := from; i < to; i++ {
		t := d.Turns[i]
		m := dialogue.Message{Role: t.Role, Author: t.Speaker, Content: t.Text, ID: d.message(i), ToolCalls: t.ToolCalls}
		switch {
		case t.Role != "":
		case t.Speaker == d.Turns[0].Speaker:
			m.Role = dialogue.User
		default:
			m.Role = dialogue.Assistant
		}
		if m.Content == "" && m.ToolCalls == nil {
			m.Content = "(no text)"
		}
		for _, form := range []string{time.RFC3339, time.DateOnly, "3:04 pm on 2 January, 2006"} {
			if at, err := time.Parse(form, t.Date); err == nil {
				m.At = at.Add(time.Duration(i) * time.Second)
			}
		}
		out = append(out, m)
	}
	return out
}

func (d *questioned) message(i int) string { return fmt.Sprintf("%s#%d", d.ID, i) }

// ask answers a question from the dialogue, or from all of its conversations.
func (d *questioned) ask(ctx context.Context, w *memory.Workspace, text string, budget int, count func(string) int) (*recall.Result, error) {
	v := w.View()
	defer v.Close()
	src := &remember.Found{View: v, Counter: count, Words: wordsOf}
	if !d.several() {
		info, err := v.Conversations.Find(d.ID)
		if err != nil {
			return nil, err
		}
		src.Scope = &info
	}
	recency := intent.Classify(text, intent.Context{}).Recency
	return recall.Build(ctx, recall.Request{Query: text, Budget: budget, MemoryType: "any", Recency: recency, Always: true}, src)
}

// answers asks the questions and returns for each item whether it contains an answer.
func (d *questioned) answers(ctx context.Context, w *memory.Workspace, budget int, count func(string) int) ([]shownItem, error) {
	var out []shownItem
	for _, q := range d.Queries {
		wanted := map[string]bool{}
		for _, e := range q.Ev {
			wanted[d.message(e)] = true
		}
		r, err := d.ask(ctx, w, q.Text, budget, count)
		if err != nil {
			return nil, err
		}
		for i, it := range r.Items {
			item := shownItem{features: r.Signs[i].Features(), dialogue: d.ID}
			for _, id := range it.MessageIDs {
				if wanted[id] {
					item.helps = 1
				}
			}
			out = append(out, item)
		}
	}
	return out, nil
}

// chanceSteps and chanceRate are the number of steps and the rate of the gradient descent;
// chanceShrink is the regularisation, which keeps weights small that are supported by few items.
const chanceSteps, chanceRate, chanceShrink = 3000, 2, 1e-4

// fitChances fits a logistic regression by gradient descent. It is deterministic.
func fitChances(items []shownItem) []float64 {
	w := make([]float64, len(items[0].features))
	total := 0.0
	for _, it := range items {
		total += it.weight
	}
	for range chanceSteps {
		slope := make([]float64, len(w))
		for _, it := range items {
			miss := it.weight * (chanceOf(w, it.features) - it.helps)
			for i, f := range it.features {
				slope[i] += miss * f
			}
		}
		for i := range w {
			w[i] -= chanceRate * (slope[i]/total + chanceShrink*w[i])
		}
	}
	return w
}

func chanceOf(w, features []float64) float64 {
	z := 0.0
	for i, f := range features {
		z += w[i] * f
	}
	return logistic(z)
}

// reportChances prints, for items of held-out dialogues, how many of each probability help.
func reportChances(items []shownItem) {
	const folds, bins = 5, 10
	fold := map[string]int{}
	for _, it := range items {
		if _, ok := fold[it.dialogue]; !ok {
			fold[it.dialogue] = len(fold) % folds
		}
	}
	var n, said, helped [bins]float64
	loss, total := 0.0, 0.0
	for f := range folds {
		var seen []shownItem
		for _, it := range items {
			if fold[it.dialogue] != f {
				seen = append(seen, it)
			}
		}
		w := fitChances(seen)
		for _, it := range items {
			if fold[it.dialogue] != f {
				continue
			}
			p := chanceOf(w, it.features)
			b := min(bins-1, int(p*bins))
			n[b] += it.weight
			said[b] += it.weight * p
			helped[b] += it.weight * it.helps
			loss -= it.weight * (it.helps*math.Log(p) + (1-it.helps)*math.Log(1-p))
			total += it.weight
		}
	}
	fmt.Printf("%d items, log loss %.3f left out\n", len(items), loss/total)
	for b := range bins {
		if n[b] > 0 {
			fmt.Printf("  said %.2f, helped %.2f, %4.1f %% of the items\n", said[b]/n[b], helped[b]/n[b], 100*n[b]/total)
		}
	}
}
