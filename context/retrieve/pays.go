package retrieve

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer"
)

// PaysNames are the inputs of the model that tells whether the names of the places found pay for
// their tokens, in order.
var PaysNames = [NumPays]string{
	"topic",       // log odds that the prompt is about the workspace
	"known",       // share of its topic in what the conversation was about; 0 without a topic
	"open",        // 1 for a prompt without a topic of its own, in a conversation
	"topical",     // words of its topic, in a conversation
	"continues",   // 1 if it continues what the conversation was about
	"question",    // 1 for a question
	"words",       // logarithm of the number of its words
	"keywords",    // logarithm of the number of its keywords
	"fileHeld",    // share of its words in the file of one of the best places, by rarity
	"best",        // logarithm of the sum of the ten best probabilities
	"messages",    // logarithm of the number of messages before it: the more, the more the assistant has read
	"errors",      // 1 if it has an error message
	"files",       // 1 if it names a file
	"identifiers", // 1 if it has a name as code spells it
}

// NumPays is the number of inputs of that model.
const NumPays = 14

// PaysModel gives the probability that places spare the assistant a search of its own.
type PaysModel struct {
	// About says what it was fitted to, and by which command.
	About   string
	Weights [NumPays]float64
	Bias    float64
	// Curve is what each floor of the probability costs and spares, with models fitted without a
	// part of the sessions.
	Curve []PaysPoint
}

// PaysPoint is a point of that curve: means of a prompt, in tokens; a silent prompt gives and
// spares nothing.
type PaysPoint struct {
	Floor                 float64
	Given                 float64
	Searches              float64 // made needless
	Net, NetWithoutBest   float64 // tokens of those less the given ones; the second without the five best prompts
	NoLoss                float64 // share of prompts with a net of 0 or more
	ChatGiven, ChatSilent float64 // of prompts for which nothing was looked up or edited: tokens; share without any
}

// Probability returns the probability for a prompt.
func (m *PaysModel) Probability(x [NumPays]float64) float64 {
	sum := m.Bias
	for i, w := range m.Weights {
		sum += w * x[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// paysJSON is what go run ./cmd/train pays wrote.
//
//go:embed pays.json
var paysJSON []byte

var paysModel = sync.OnceValue(func() *PaysModel {
	m, err := loadPays(paysJSON)
	if err != nil {
		panic(err) // a test checks the file
	}
	return m
})

// loadPays reads a model. A file with other inputs is an error.
func loadPays(b []byte) (*PaysModel, error) {
	var m struct {
		About   string
		Weights map[string]float64
		Bias    float64
		Curve   []PaysPoint
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("the model of what pays: %w", err)
	}
	out := &PaysModel{About: m.About, Bias: m.Bias, Curve: m.Curve}
	for i, name := range PaysNames {
		w, ok := m.Weights[name]
		if !ok || len(m.Weights) != NumPays {
			return nil, fmt.Errorf("the model of what pays has %d weights, want %d with %q: fit it again", len(m.Weights), NumPays, name)
		}
		out.Weights[i] = w
	}
	return out, nil
}

// MarshalJSON writes the weights by their names.
func (m *PaysModel) MarshalJSON() ([]byte, error) {
	weights := map[string]float64{}
	for i, name := range PaysNames {
		weights[name] = m.Weights[i]
	}
	return json.Marshal(map[string]any{"About": m.About, "Bias": m.Bias, "Curve": m.Curve, "Weights": weights})
}

// heldFeature is the index of a topic feature, see TopicFeatures.
const heldFeature = 22

// pays returns the inputs of the model. The candidates are sorted, best first.
func (r *judgement) pays() (x [NumPays]float64) {
	i := r.req.Intent
	x[0] = rank.LogOdds(r.topic)
	if d := r.discourse; d != nil {
		x[1], x[2] = max(0, d.known), float64(flag(d.known < 0))
		x[3], x[4] = float64(d.topical), float64(flag(d.goesOn()))
	}
	x[5] = float64(flag(i.Question))
	x[6] = math.Log1p(float64(len(strings.Fields(r.req.Query))))
	x[7] = math.Log1p(float64(len(i.Keywords)))
	x[8] = r.fileHeld
	sum := faintSum
	for _, c := range r.out.Candidates[:min(10, len(r.out.Candidates))] {
		sum += c.Score
	}
	x[9] = math.Log(sum)
	x[10] = math.Log1p(float64(r.req.Messages))
	x[11], x[12], x[13] = float64(flag(len(i.Errors) > 0)), float64(flag(len(i.Files) > 0)), float64(flag(len(i.Identifiers) > 0))
	return x
}

// ObservePays searches, and returns the inputs of the model besides. cmd/train fits it to them.
func ObservePays(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) (Result, [NumPays]float64) {
	res := Run(ctx, s, req, now)
	return res, res.pays
}
