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
	named   bool    // the query names somebody who speaks
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
	return logistic(silence().Weights, e.Features())
}

// Said returns the probability that something about the query was said, 1 if it names a speaker.
func (e Evidence) Said() float64 {
	if e.named {
		return 1
	}
	return e.Chance()
}

// Need is the model of whether a prompt needs what was said, and the turn that a reminder points
// at, as fitted by go run ./cmd/train needed.
type Need struct {
	About    string
	Weights  []float64 // of NeedFeatures
	Reminder []float64 // of ReminderFeatures
}

//go:embed needed.json
var neededJSON []byte

var needed = sync.OnceValue(func() (n Need) {
	if err := json.Unmarshal(neededJSON, &n); err != nil {
		panic(fmt.Sprintf("needed.json: %v", err)) // a test reads the file
	}
	return n
})

// NeedFeatures returns the input of the model: the constant, the log odds of anything having been
// said, and the probability that the best place of the workspace helps.
func NeedFeatures(said, best float64) []float64 {
	return []float64{1, logOdds(said), best}
}

// ReminderFeatures returns those and the log odds of the reminder's own probability.
func ReminderFeatures(chance, said, best float64) []float64 {
	return append(NeedFeatures(said, best), logOdds(chance))
}

func logOdds(p float64) float64 {
	p = min(surest, max(1-surest, p))
	return math.Log(p / (1 - p))
}

// Needed returns the probability that a prompt needs what was said, rather than the workspace,
// whose best place helps with a probability of best.
func (e Evidence) Needed(best float64) float64 {
	return logistic(needed().Weights, NeedFeatures(e.Said(), best))
}

// Reminds returns the probability that a prompt needs the turn that a reminder points at, from the
// probability by the turn alone.
func (e Evidence) Reminds(chance, best float64) float64 {
	return logistic(needed().Reminder, ReminderFeatures(chance, e.Said(), best))
}

func logistic(weights, features []float64) float64 {
	z := 0.0
	for i, f := range features {
		z += weights[i] * f
	}
	return 1 / (1 + math.Exp(-z))
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
