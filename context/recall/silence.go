package recall

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"github.com/contexture-dev/contexture/memory/recall"
)

// Evidence are the features that decide whether anything about a query was said at all.
type Evidence struct {
	Share   float64 // of the query's weight, in the turn that contains most of it
	Nats    float64 // the same weight, in nats: how unlikely it is that a turn contains it by chance
	Unnamed float64 // how far the best turns lack one of the names in the query, 0 to 1
	silent  bool    // it is too weak, so that nothing derived is shown either
	assumed bool    // the model cannot tell: few messages, or the query names a speaker
}

// natsScale brings Nats to about the range of the other features.
const natsScale = 10

// Features returns the evidence as the model's input; the first is the constant.
func (e Evidence) Features() []float64 {
	return []float64{1, e.Share, e.Nats / natsScale, e.Unnamed}
}

// Silence is the model of when memory has nothing on a query, as fitted by go run ./cmd/train
// silence.
type Silence struct {
	About   string
	Weights []float64 // of Evidence.Features
	// Floor is the probability that something was said below which a recall stays silent.
	Floor float64
	Curve []SilencePoint
}

// SilencePoint is what a floor costs and saves, on repositories and dialogues that the fit did not
// use.
type SilencePoint struct {
	Floor float64
	// Silent is the share of the questions about what was never said without an answer, Answered
	// the share of the others with one.
	Silent, Answered float64
}

//go:embed silence.json
var silenceJSON []byte

var silence = sync.OnceValue(func() (s Silence) {
	if err := json.Unmarshal(silenceJSON, &s); err != nil {
		panic(fmt.Sprintf("silence.json: %v", err)) // a test reads the file
	}
	return s
})

// Chance returns the probability that something about the query was said.
func (e Evidence) Chance() float64 {
	z, model := 0.0, silence()
	for i, f := range e.Features() {
		z += model.Weights[i] * f
	}
	return 1 / (1 + math.Exp(-z))
}

// Said returns the probability that something about the query was said, 1 where that is assumed.
func (e Evidence) Said() float64 {
	if e.assumed {
		return 1
	}
	return e.Chance()
}

const (
	// coveredTurns is how many of the best messages' turns are examined for the query's words, and
	// namedTurns for its names.
	coveredTurns, namedTurns = 30, 10
)

// strays reports whether the query names a subject and no found message has any word of it: then
// memory has nothing on the query, however many of its common words occur.
func (t *talk) strays() bool {
	subjects := false
	for i, term := range t.q.terms {
		if !term.isSubject {
			continue
		}
		subjects = true
		for _, held := range t.turns {
			if held.times[i] > 0 {
				return false
			}
		}
	}
	return subjects
}

// evidence returns what the best hits show.
func (t *talk) evidence(hits []recall.Hit) (e Evidence) {
	lacking := make([]float64, len(t.q.terms))
	for i, term := range t.q.terms {
		if term.isName {
			lacking[i] = 1
		}
	}
	for n, h := range hits[:min(coveredTurns, len(hits))] {
		s := t.at[location{h.Conversation, h.Message}]
		held := t.turns[turnKey{h.Conversation, s.said.Turn}].times
		e.Nats = max(e.Nats, t.q.covered(held))
		for i := range lacking {
			if n < namedTurns {
				lacking[i] = min(lacking[i], 1-min(1, held[i]))
			}
		}
	}
	for _, l := range lacking {
		e.Unnamed = max(e.Unnamed, l)
	}
	e.Share = e.Nats / max(faintest, t.q.total)
	return e
}
