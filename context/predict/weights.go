package predict

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// Weights hold what was learned from people's requests. The zero value is untrained. It contains
// counts and hashes, no text. Not safe for concurrent use.
type Weights struct {
	// Signals counts how often each signal's predictions came true.
	Signals [NumSignals]Count `json:"signals"`
	// Hours counts, for a topic by the hash of its name, the hours of the day of requests about it.
	Hours map[uint64]*Day `json:"hours,omitempty"`
}

// Count is how often something was predicted and how often it came true; both decay.
type Count struct {
	Tries float64 `json:"tries"`
	Hits  float64 `json:"hits"`
}

// Day counts uses by the hour.
type Day [24]float64

const (
	// believed is the number of tries that the initial probabilities are equivalent to.
	believed = 20
	// maxHours bounds the topics with hours; the least requested are removed first.
	maxHours = 256
	// chanceUses is how many uses, spread over the day, are added to a topic's own, so that a few
	// uses have little effect.
	chanceUses = 6
)

// probability returns that of a prediction; strength, from 0 to 1, is its position in the signal's
// range.
func (w *Weights) probability(s Signal, strength float64) float64 {
	strength = min(max(strength, 0), 1)
	p := spans[s].least + float64((spans[s].most-spans[s].least)*strength)
	if w == nil {
		return p
	}
	c, mean := w.Signals[s], (spans[s].least+spans[s].most)/2
	learned := (believed*mean + c.Hits) / (believed + c.Tries)
	return math.Round(min(p*learned/mean, 1)*1e4) / 1e4
}

// Learn counts the results of predictions: for each signal among them, whether one came true.
func (w *Weights) Learn(list []Prediction, cameTrue func(p *Prediction) bool) {
	var tried, hit [NumSignals]bool
	for i := range list {
		p := &list[i]
		tried[p.Signal] = true
		hit[p.Signal] = hit[p.Signal] || cameTrue(p)
	}
	for s := range NumSignals {
		if !tried[s] {
			continue
		}
		c := &w.Signals[s]
		c.Tries, c.Hits = c.Tries*fading+1, c.Hits*fading
		if hit[s] {
			c.Hits++
		}
	}
}

// Asked counts a request about a topic at an hour.
func (w *Weights) Asked(topic string, hour int) {
	if hour < 0 || hour > 23 {
		return
	}
	if w.Hours == nil {
		w.Hours = map[uint64]*Day{}
	}
	key := topicKey(topic)
	d := w.Hours[key]
	if d == nil {
		if len(w.Hours) >= maxHours {
			w.dropRarest()
		}
		d = &Day{}
		w.Hours[key] = d
	}
	for h := range d {
		d[h] *= fading
	}
	d[hour]++
}

func (w *Weights) dropRarest() {
	var rarest uint64
	least := math.Inf(1)
	for key, d := range w.Hours {
		if n := d.sum(); n < least || n == least && key < rarest {
			rarest, least = key, n
		}
	}
	delete(w.Hours, rarest)
}

func (d *Day) sum() (n float64) {
	for _, uses := range d {
		n += uses
	}
	return n
}

// Usual returns how often a topic is requested around an hour, as a multiple of chance; 0 when
// unknown.
func (w *Weights) Usual(topic string, hour int) float64 {
	if w == nil || hour < 0 || hour > 23 || w.Hours[topicKey(topic)] == nil {
		return 0
	}
	d := w.Hours[topicKey(topic)]
	near := d[(hour+23)%24] + d[hour] + d[(hour+1)%24]
	return (near + chanceUses*beside) / (d.sum() + chanceUses) / beside
}

func topicKey(topic string) uint64 { return xxh3.HashString(strings.ToLower(topic)) }

// Encode returns what Decode reads.
func (w *Weights) Encode() []byte {
	data, err := json.Marshal(w)
	if err != nil {
		panic(fmt.Sprintf("predict: weights not encoded: %v", err)) // cannot fail for numbers
	}
	return data
}

// Decode decodes stored weights. Damaged ones, or those of another format version, count as
// untrained.
func Decode(data []byte) *Weights {
	w := &Weights{}
	if json.Unmarshal(data, w) != nil || !w.valid() {
		return &Weights{}
	}
	return w
}

func (w *Weights) valid() bool {
	for _, c := range w.Signals {
		if !(c.Hits >= 0 && c.Hits <= c.Tries && c.Tries < 1e9) {
			return false
		}
	}
	for _, d := range w.Hours {
		if d == nil || slices.ContainsFunc(d[:], func(n float64) bool { return !(n >= 0 && n < 1e9) }) {
			return false
		}
	}
	return len(w.Hours) <= maxHours
}
