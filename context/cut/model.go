package cut

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"
)

// FeatureNames are the inputs of the model, in order. Those of words are shares of the weight of
// all words of the question, each counted once.
var FeatureNames = [NumFeatures]string{
	"own",       // words in the line
	"rarest",    // the weightiest of them
	"beside",    // words in it and the lines next to it
	"near",      // in it and nearLines around it
	"around",    // in it and aroundLines around it
	"signature", // in the signature of the innermost definition that it is in
	"within",    // in that definition, as far as the range has it
	"range",     // in the range
	"begins",    // 1 for the first line of a definition
	"opens",     // 1 for a line that the next one is indented under, as a condition
	"blank",     // 1 for a line without letters and digits
	"outside",   // 1 for a line in no definition
	"length",    // logarithm of the definition's number of lines
	"deep",      // how deep it is indented in the definition, in bytes, up to deepMost, as a share
	"new",       // words in the line that no line above it in the range has
}

// NumFeatures is the number of inputs of the model.
const NumFeatures = 15

const (
	featureAround          = 4 // of FeatureNames
	nearLines, aroundLines = 3, 8
	deepMost               = 16
)

// Features are the inputs of the model for one line.
type Features [NumFeatures]float64

// Model gives the probability that a line is one of those that settle a question, if the range that
// it is in has any.
type Model struct {
	// About says what it was fitted to, and by which command.
	About   string
	Weights [NumFeatures]float64
	Bias    float64
}

// Probability returns the probability for a line.
func (m *Model) Probability(x Features) float64 {
	sum := m.Bias
	for i, w := range m.Weights {
		sum += w * x[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// fittedJSON is what go run ./cmd/train lines wrote.
//
//go:embed fitted.json
var fittedJSON []byte

var fitted = sync.OnceValue(func() *Model {
	m, err := load(fittedJSON)
	if err != nil {
		panic(err) // a test checks the file
	}
	return m
})

// load reads a model. A file with other inputs is an error.
func load(b []byte) (*Model, error) {
	var m struct {
		About   string
		Weights []float64
		Bias    float64
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("the model of lines: %w", err)
	}
	if len(m.Weights) != NumFeatures {
		return nil, fmt.Errorf("the model of lines: %d weights, want %d: fit it again", len(m.Weights), NumFeatures)
	}
	return &Model{About: m.About, Weights: [NumFeatures]float64(m.Weights), Bias: m.Bias}, nil
}

// Examine returns the inputs of the model for each line of a range.
func (f File) Examine(in Range) []Features {
	c := f.examine(in)
	out := make([]Features, in.Lines())
	for i := range out {
		out[i] = c.features(i)
	}
	return out
}

// examined is a range whose lines are judged.
type examined struct {
	File
	in    Range
	terms [][]Term             // by line of in
	whole float64              // the share of the words in it
	fresh []float64            // by line of in
	by    map[Range][2]float64 // of a definition: the shares of the words in its signature and in it
}

func (f File) examine(in Range) *examined {
	c := &examined{File: f, in: in, by: map[Range][2]float64{}}
	seen := map[int]bool{}
	for n := in.First; n <= in.Last; n++ {
		terms, fresh := f.Terms(n), 0.0
		for _, t := range terms {
			if !seen[t.ID] {
				seen[t.ID] = true
				fresh += t.Weight
			}
		}
		c.terms, c.fresh = append(c.terms, terms), append(c.fresh, fresh/f.All)
		c.whole += fresh / f.All
	}
	return c
}

// weight returns the share of the words in some lines of the range.
func (c *examined) weight(r Range) (sum float64) {
	var seen []int
	for n := max(r.First, c.in.First); n <= min(r.Last, c.in.Last); n++ {
	next:
		for _, t := range c.terms[n-c.in.First] {
			for _, id := range seen {
				if id == t.ID {
					continue next
				}
			}
			seen = append(seen, t.ID)
			sum += t.Weight
		}
	}
	return sum / c.All
}

// features returns the inputs for the i-th line of the range.
func (c *examined) features(i int) (x Features) {
	n := c.in.First + i
	line := bytes.TrimSpace(c.Lines[n])
	for _, t := range c.terms[i] {
		x[0] += t.Weight / c.All
		x[1] = max(x[1], t.Weight/c.All)
	}
	x[2] = c.weight(Range{n - 1, n + 1})
	x[3] = c.weight(Range{n - nearLines, n + nearLines})
	x[featureAround] = c.weight(Range{n - aroundLines, n + aroundLines})
	if within := c.enclosing(n); len(within) > 0 {
		d := within[len(within)-1]
		both, known := c.by[d]
		if !known {
			both = [2]float64{c.signatureWeight(d), c.weight(d)}
			c.by[d] = both
		}
		x[5], x[6] = both[0], both[1]
		x[8] = is(d.First == n)
		x[12] = math.Log(float64(d.Lines()))
		x[13] = float64(min(max(indent(c.Lines[n])-indent(c.Lines[min(d.First, len(c.Lines)-1)]), 0), deepMost)) / deepMost
	} else {
		x[11] = 1
	}
	x[7] = c.whole
	x[9] = is(n+1 < len(c.Lines) && len(line) > 1 && len(bytes.TrimSpace(c.Lines[n+1])) > 0 && indent(c.Lines[n+1]) > indent(c.Lines[n]))
	x[10] = is(isBare(line))
	x[14] = c.fresh[i]
	return x
}

// signatureWeight returns the share of the words in a definition's signature, which may stand
// before the range.
func (c *examined) signatureWeight(d Range) (sum float64) {
	seen := map[int]bool{}
	s := c.signature(d)
	for n := s.First; n <= s.Last; n++ {
		for _, t := range c.Terms(n) {
			if !seen[t.ID] {
				seen[t.ID] = true
				sum += t.Weight
			}
		}
	}
	return sum / c.All
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
