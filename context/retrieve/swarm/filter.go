package swarm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

const (
	// Most is how many items the filter examines: eight agents with a dozen each. Those after them
	// stay as they are.
	Most = 96
	// filterTokens bounds the text of each item that an agent sees.
	filterTokens = 96
)

var filterRole = role{"filter", filterSystem, filterSchema}

// FilterResult is the filter's result.
type FilterResult struct {
	Keep     []bool       // by item
	Outcome  item.Outcome // of the stage: OK, Partial, TimedOut or Fallback
	Degraded []item.Degradation
}

// agents returns how many agents share n candidates.
func agents(n int) int {
	switch {
	case n < 2:
		return n
	case n < 15:
		return 2
	case n < 30:
		return 3
	case n <= 60:
		return 5
	}
	return 8
}

// Filter asks the agents which of the items are relevant to the prompt. Items must be sorted, best
// first. It returns when ctx ends at the latest: the shares of agents that have not answered by
// then, that failed, or whose answer is invalid, stay as they are.
func (s *Swarm) Filter(ctx context.Context, prompt string, items []item.Item) FilterResult {
	out := FilterResult{Keep: make([]bool, len(items)), Outcome: item.OK}
	for i := range out.Keep {
		out.Keep[i] = true
	}
	shares := deal(items)
	if s.chat.Identity() == "" || len(shares) == 0 {
		return out
	}
	g := s.begin(ctx, &s.filtered)
	defer g.end(ctx)
	errs := make([]error, len(shares))
	doubted := make([]error, len(shares))
	var group sync.WaitGroup
	for k, share := range shares {
		group.Go(func() {
			keep, err := g.agent(ctx, prompt, items, share)
			switch {
			case errors.Is(err, errNothing):
				doubted[k] = err
			case err != nil:
				errs[k] = err
				s.filtered.unchecked.Add(uint64(len(share)))
				return
			}
			for j, i := range share { // no other share contains i
				out.Keep[i] = keep[j]
				s.filtered.verdict(keep[j])
			}
		})
	}
	group.Wait()
	out.Degraded = append(lacks(item.Filter, len(shares), errs, "the share stays unfiltered"),
		lacks(item.Filter, len(shares), doubted, "the better half of the share stays")...)
	out.Outcome = outcome(errs, out.Degraded)
	return out
}

// deal returns each agent's share of the first items, as indices. They are dealt like cards, so
// that each agent sees some of the best and some of the last.
func deal(items []item.Item) [][]int {
	var open []int
	for i, it := range items[:min(Most, len(items))] {
		if !it.Named {
			open = append(open, i)
		}
	}
	shares := make([][]int, agents(len(open)))
	for k, i := range open {
		a := k % len(shares)
		shares[a] = append(shares[a], i)
	}
	return shares
}

// errNothing rejects an answer that keeps nothing.
var errNothing error = &ollama.Error{Kind: ollama.BadAnswer, Op: "chat", Detail: "the answer leaves out everything, which is not accepted"}

// agent asks which items of a share to keep. With errNothing, keep is the better half.
func (g *stage) agent(ctx context.Context, prompt string, items []item.Item, share []int) (keep []bool, err error) {
	keep = make([]bool, len(share))
	unknown, chosen := 0, 0
	build := func(z size) question { return g.filterQuestion(prompt, items, share, z) }
	err = g.resized(ctx, build, func(text string) error {
		var answer struct{ Keep []int }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Keep == nil {
			return errors.New("the answer is not a list of numbers")
		}
		chosen, unknown = mark(keep, answer.Keep)
		if chosen == 0 && unknown > 0 {
			return errors.New("the answer names nothing that was shown")
		}
		return nil
	})
	g.tally.unknown.Add(uint64(unknown))
	if err == nil && chosen == 0 {
		g.tally.doubted.Add(1)
		for j := range keep[:(len(keep)+1)/2] {
			keep[j] = true
		}
		return keep, errNothing
	}
	return keep, err
}

// mark marks the numbers, which count from 1, and returns how many are valid and how many are not.
func mark(keep []bool, numbers []int) (chosen, unknown int) {
	for _, n := range numbers {
		switch {
		case n < 1 || n > len(keep):
			unknown++
		case !keep[n-1]:
			keep[n-1] = true
			chosen++
		}
	}
	return chosen, unknown
}

func (s *Swarm) filterQuestion(prompt string, items []item.Item, share []int, z size) question {
	var b bytes.Buffer
	s.wish(&b, prompt)
	b.WriteString("\nThe pieces:\n")
	for j, i := range share {
		s.line(&b, j+1, items[i], z.tokens(filterTokens), false)
	}
	b.WriteString("\nWhich numbers are to be kept?")
	return question{filterRole, z, b.String(), 32 + 6*len(share)}
}

// outcome returns how a stage ended: timeout when nothing came in time, fallback when nothing came
// for other reasons.
func outcome(errs []error, said []item.Degradation) item.Outcome {
	failed := 0
	for _, err := range errs {
		if err != nil {
			failed++
		}
	}
	switch {
	case len(said) == 0:
		return item.OK
	case failed < len(errs):
		return item.Partial
	case len(said) == 1 && said[0].Reason == item.Timeout:
		return item.TimedOut
	}
	return item.Fallback
}

// verdict counts the decision on an item.
func (t *tally) verdict(kept bool) {
	if kept {
		t.kept.Add(1)
	} else {
		t.dropped.Add(1)
	}
}
