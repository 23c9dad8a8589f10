package recall

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

const (
	// toEffect is what a decision lends to what came of it, toCause what that lends to the
	// decision: whoever asks about a decision wants to know how it went more often than the other
	// way round.
	toEffect, toCause = .7, .35
	// outcomesMost bounds the messages that links of decisions bring or raise.
	outcomesMost = 12
)

// Outcome is a message that has to do with a turn: it came of what was decided there, or decided
// what came there.
type Outcome struct {
	Turn    string // of the message: "<conversation>/T-7"
	Message string // its id; "" is the first of the turn
	// Effect says that the message came of the turn that was asked about; otherwise that came of
	// the message.
	Effect bool
	// Weight is how surely, 0 to 1. Loose says that only a common matter tells so.
	Weight float64
	Loose  bool
}

// Decider is an option of [Sources]: what an offline run has found that came of decisions.
type Decider interface {
	// Outcomes returns what tells the outcomes of a turn, "<conversation>/T-7"; nil where no run
	// has found any.
	Outcomes(ctx context.Context) (func(turn string) []Outcome, error)
	// Place finds where a message is stored; ok is false where it is no more or out of reach.
	Place(ctx context.Context, turn, message string) (conv uint32, index int, ok bool, err error)
}

// reached is a turn to which something was lent.
type reached struct {
	Outcome
	score  float64
	from   string // the turn that lent it
	placed spot
}

// followOutcomes lets the best hits lend to what came of what was decided there, and to the
// decisions that they came of, in two steps. What no word of the query found is added. The reasons
// tell how messages came; the order is that of scores.
func followOutcomes(ctx context.Context, hits []recall.Hit, src Sources) ([]recall.Hit, map[spot]string, error) {
	d, ok := src.(Decider)
	if !ok {
		return hits, nil, nil
	}
	outcomes, err := d.Outcomes(ctx)
	if err != nil || outcomes == nil {
		return hits, nil, err
	}
	start, err := turnsOf(ctx, hits[:min(seeds, len(hits))], src)
	if err != nil {
		return nil, nil, err
	}
	found, err := placed(ctx, lendOutcomes(start, outcomes), d)
	if err != nil || len(found) == 0 {
		return hits, nil, err
	}
	at := make(map[spot]int, len(hits))
	for i, h := range hits {
		at[spot{h.Conversation, h.Message}] = i
	}
	reasons := map[spot]string{}
	for _, r := range found {
		i, known := at[r.placed]
		if !known {
			i = len(hits)
			at[r.placed] = i
			hits = append(hits, recall.Hit{Conversation: r.placed.conv, Message: r.placed.index})
		}
		if h := &hits[i]; r.score > h.Score {
			h.Lent += r.score - h.Score
			h.Score = r.score
			reasons[r.placed] = r.reason()
		}
	}
	slices.SortStableFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits, reasons, nil
}

// turnsOf are the turns of hits with the best score of each, in their order.
func turnsOf(ctx context.Context, hits []recall.Hit, src Sources) ([]reached, error) {
	var out []reached
	for _, h := range hits {
		if h.Score <= h.Lent { // only what has words of the query lends
			continue
		}
		said, err := src.Messages(ctx, h.Conversation, h.Message, h.Message+1)
		if err != nil {
			return nil, fmt.Errorf("follow decisions: %w", err)
		}
		id, err := src.Conversation(ctx, h.Conversation)
		if err != nil {
			return nil, fmt.Errorf("follow decisions: %w", err)
		}
		for _, s := range said {
			turn := id + "/" + dialogue.TurnID(s.Turn)
			if !slices.ContainsFunc(out, func(r reached) bool { return r.Turn == turn }) {
				out = append(out, reached{Outcome: Outcome{Turn: turn}, score: h.Score - h.Lent})
			}
		}
	}
	return out, nil
}

// lendOutcomes is what turns get, the most each, the best first.
func lendOutcomes(start []reached, outcomes func(string) []Outcome) []reached {
	got := map[string]reached{}
	active, decay := start, 1.0
	for range linkSteps {
		next := map[string]reached{}
		for _, a := range active {
			for _, o := range outcomes(a.Turn) {
				score := decay * a.score * o.Weight * toCause
				if o.Effect {
					score *= toEffect / toCause
				}
				if score > got[o.Turn].score {
					got[o.Turn] = reached{Outcome: o, score: score, from: a.Turn}
					next[o.Turn] = got[o.Turn]
				}
			}
		}
		active, decay = slices.SortedFunc(maps.Values(next), better), stepDecay
	}
	out := slices.SortedFunc(maps.Values(got), better)
	return out[:min(outcomesMost, len(out))]
}

func better(a, b reached) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Turn, b.Turn))
}

// placed leaves those that are stored and within reach.
func placed(ctx context.Context, list []reached, d Decider) (out []reached, err error) {
	for _, r := range list {
		conv, index, ok, err := d.Place(ctx, r.Turn, r.Message)
		if err != nil {
			return nil, fmt.Errorf("follow decisions: %w", err)
		}
		if ok {
			r.placed = spot{conv, index}
			out = append(out, r)
		}
	}
	return out, nil
}

// reason returns how a message came. A turn of another conversation is named with it.
func (r *reached) reason() string {
	from := r.from
	if at := strings.LastIndexByte(from, '/') + 1; strings.HasPrefix(r.Turn, from[:at]+"T-") {
		from = from[at:]
	}
	switch {
	case !r.Effect:
		return fmt.Sprintf("linked with %s, which followed from it", from)
	case r.Loose:
		return fmt.Sprintf("linked with %s, which decided it", from)
	}
	return "followed from " + from
}
