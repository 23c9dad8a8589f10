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
	// toEffect is the share of its score that a decision lends to its outcome, and toCause what the
	// outcome lends to the decision: people ask how a decision turned out more often than the
	// reverse.
	toEffect, toCause = .7, .35
	// maxOutcomes bounds the messages that links of decisions add or raise.
	maxOutcomes = 12
)

// Outcome is a message that is related to a turn: an outcome of what was decided there, or the
// decision that led to what happened there.
type Outcome struct {
	Turn    string // of the message: "<conversation>/T-7"
	Message string // its id; "" is the first message of the turn
	// Effect means that the message is an outcome of the turn; otherwise the turn is an outcome of
	// the message.
	Effect bool
	// Weight is how certain the link is, 0 to 1. Loose means that it rests only on a common
	// subject.
	Weight float64
	Loose  bool
}

// Decider is an option of [Sources]: the outcomes of decisions that an offline run found.
type Decider interface {
	// Outcomes returns a function from a turn, "<conversation>/T-7", to its outcomes; nil when no
	// run has found any.
	Outcomes(ctx context.Context) (func(turn string) []Outcome, error)
	// Place returns where a message is stored; ok is false when it no longer exists or is out of
	// scope.
	Place(ctx context.Context, turn, message string) (conv uint32, index int, ok bool, err error)
}

// lentTurn is a turn that was lent score.
type lentTurn struct {
	Outcome
	score  float64
	from   string // the turn that lent it
	placed location
}

// followOutcomes lets the best hits lend score to the outcomes of what was decided there, and to
// the decisions that led to them, in two steps. It adds messages that no word of the query found.
// The reasons explain how messages came in; the order is that of scores.
func followOutcomes(ctx context.Context, hits []recall.Hit, src Sources) ([]recall.Hit, map[location]string, error) {
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
	at := make(map[location]int, len(hits))
	for i, h := range hits {
		at[location{h.Conversation, h.Message}] = i
	}
	reasons := map[location]string{}
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

// turnsOf returns the turns of hits with the best score of each, in their order.
func turnsOf(ctx context.Context, hits []recall.Hit, src Sources) ([]lentTurn, error) {
	var out []lentTurn
	for _, h := range hits {
		if h.Score <= h.Lent { // only a hit with words of the query lends
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
			if !slices.ContainsFunc(out, func(r lentTurn) bool { return r.Turn == turn }) {
				out = append(out, lentTurn{Outcome: Outcome{Turn: turn}, score: h.Score - h.Lent})
			}
		}
	}
	return out, nil
}

// lendOutcomes returns the turns that are lent score, each with its largest loan, the best first.
func lendOutcomes(start []lentTurn, outcomes func(string) []Outcome) []lentTurn {
	got := map[string]lentTurn{}
	active, decay := start, 1.0
	for range linkSteps {
		next := map[string]lentTurn{}
		for _, a := range active {
			for _, o := range outcomes(a.Turn) {
				score := decay * a.score * o.Weight * toCause
				if o.Effect {
					score *= toEffect / toCause
				}
				if score > got[o.Turn].score {
					got[o.Turn] = lentTurn{Outcome: o, score: score, from: a.Turn}
					next[o.Turn] = got[o.Turn]
				}
			}
		}
		active, decay = slices.SortedFunc(maps.Values(next), better), stepDecay
	}
	out := slices.SortedFunc(maps.Values(got), better)
	return out[:min(maxOutcomes, len(out))]
}

func better(a, b lentTurn) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Turn, b.Turn))
}

// placed returns the turns that are stored and in scope.
func placed(ctx context.Context, list []lentTurn, d Decider) (out []lentTurn, err error) {
	for _, r := range list {
		conv, index, ok, err := d.Place(ctx, r.Turn, r.Message)
		if err != nil {
			return nil, fmt.Errorf("follow decisions: %w", err)
		}
		if ok {
			r.placed = location{conv, index}
			out = append(out, r)
		}
	}
	return out, nil
}

// reason returns how a message came in. A turn of another conversation is named with it.
func (r *lentTurn) reason() string {
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
