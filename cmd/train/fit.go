package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// Settings of the fit. The values were chosen on held-out speakers.
const (
	frequentWords = 400 // words that are kept in skeletons
	leastSeen     = 2   // minimum number of sentences in which a feature occurs
	mostFeatures  = 74_000
	epochs        = 30
	cost          = 0.5
)

// blockScale is the weight of each group of features: words, characters, skeletons, the sentence
// before, form.
var blockScale = [utterance.NumBlocks]float64{1, 1, .8, .35, .7}

// vector is an example in the form used by the fit: indexes into the table of features, with their
// values.
type vector struct {
	at    []int32
	value []float32
}

// space is the table of features of one fit.
type space struct {
	features []uint32
	idf      []float64
	place    map[uint32]int32
}

func frequentOf(lines []line) (map[uint32]bool, []uint32) {
	voices := map[uint32]map[string]bool{}
	count := map[uint32]int{}
	for _, l := range lines {
		for _, h := range utterance.WordHashes(l.text) {
			if voices[h] == nil {
				voices[h] = map[string]bool{}
			}
			voices[h][l.persona] = true
			count[h]++
		}
	}
	var list []uint32
	for h, v := range voices {
		if len(v) >= 3 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	list = list[:min(len(list), 3*frequentWords)]
	slices.Sort(list)
	out := map[uint32]bool{}
	for _, h := range list {
		out[h] = true
	}
	return out, list
}

// extract returns the examples of the lines.
func extract(lines []line, frequent map[uint32]bool) []utterance.Example {
	out := make([]utterance.Example, len(lines))
	for i, l := range lines {
		out[i] = utterance.Extract(l.text, utterance.Surroundings{Before: l.before, Role: l.role, Place: l.place, Of: l.of, Listed: l.listed}, frequent)
	}
	return out
}

// newSpace returns the table of the features that occur in enough of the examples.
func newSpace(examples []utterance.Example, keep map[uint32]bool) *space {
	seen := map[uint32]int{}
	for _, x := range examples {
		own := map[uint32]bool{}
		for b := range x {
			for _, h := range x[b] {
				if h != 0 && !own[h] {
					own[h] = true
					seen[h]++
				}
			}
		}
	}
	s := &space{place: map[uint32]int32{}}
	for h, n := range seen {
		if n >= leastSeen && (keep == nil || keep[h]) {
			s.features = append(s.features, h)
		}
	}
	slices.Sort(s.features)
	for i, h := range s.features {
		s.place[h] = int32(i)
		s.idf = append(s.idf, math.Log(float64(1+len(examples))/float64(seen[h])))
	}
	return s
}

// vector returns an example as the model weights it: each group is scaled to the same length.
func (s *space) vector(x utterance.Example) vector {
	var v vector
	sums := map[int32]float64{}
	for b := range x {
		square := 0.0
		clear(sums)
		for _, h := range x[b] {
			if i, ok := s.place[h]; ok {
				sums[i] += s.idf[i]
				square += s.idf[i] * s.idf[i]
			}
		}
		if square == 0 {
			continue
		}
		scale := blockScale[b] / math.Sqrt(square)
		first := len(v.at)
		for i := range sums {
			v.at = append(v.at, i)
		}
		slices.Sort(v.at[first:])
		for _, i := range v.at[first:] {
			v.value = append(v.value, float32(sums[i]*scale))
		}
	}
	return v
}

// plane is a label's weights by feature, and its bias.
type plane struct {
	weights []float64
	bias    float64
}

func (p *plane) margin(v vector) float64 {
	sum := p.bias
	for k, i := range v.at {
		sum += p.weights[i] * float64(v.value[k])
	}
	return sum
}

// fitPlane fits an L2-regularised squared-hinge classifier by dual coordinate descent (Hsieh et
// al., 2008), with the same total weight for both classes.
func fitPlane(vectors []vector, is []bool, features int) *plane {
	positive := 0
	for _, b := range is {
		if b {
			positive++
		}
	}
	p := &plane{weights: make([]float64, features)}
	if positive == 0 || positive == len(is) {
		return p
	}
	n := len(vectors)
	up := cost * math.Sqrt(float64(n)/float64(2*positive))
	down := cost * math.Sqrt(float64(n)/float64(2*(n-positive)))
	alpha, diagonal, square := make([]float64, n), make([]float64, n), make([]float64, n)
	order := make([]int, n)
	for i, v := range vectors {
		order[i] = i
		c := down
		if is[i] {
			c = up
		}
		diagonal[i] = 1 / (2 * c)
		square[i] = diagonal[i] + 1 // 1 is the bias's own feature
		for _, x := range v.value {
			square[i] += float64(x) * float64(x)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range epochs {
		random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			y := -1.0
			if is[i] {
				y = 1
			}
			gradient := y*p.margin(vectors[i]) - 1 + alpha[i]*diagonal[i]
			old := alpha[i]
			alpha[i] = max(old-gradient/square[i], 0)
			step := (alpha[i] - old) * y
			if step == 0 {
				continue
			}
			p.bias += step
			for k, at := range vectors[i].at {
				p.weights[at] += step * float64(vectors[i].value[k])
			}
		}
	}
	return p
}

// fit fits all labels, on two goroutines.
func fit(lines []line, vectors []vector, features int) [utterance.NumLabels]*plane {
	var out [utterance.NumLabels]*plane
	var wait sync.WaitGroup
	room := make(chan bool, 2)
	for l := range utterance.NumLabels {
		wait.Go(func() {
			room <- true
			defer func() { <-room }()
			is := make([]bool, len(lines))
			for i := range lines {
				is[i] = lines[i].labels[l]
			}
			out[l] = fitPlane(vectors, is, features)
		})
	}
	wait.Wait()
	return out
}

// crossValidate returns the model of all lines and, for each line, the margins of a model that was
// fitted without its speaker. The calibration uses those margins.
func crossValidate(lines []line, folds int) (utterance.Parameters, [][utterance.NumLabels]float64) {
	margins := make([][utterance.NumLabels]float64, len(lines))
	fold := foldsOf(lines, folds)
	frequent, words := frequentOf(lines)
	examples := extract(lines, frequent)
	for f := range folds {
		var in []line
		var inExamples []utterance.Example
		for i := range lines {
			if fold[i] != f {
				in, inExamples = append(in, lines[i]), append(inExamples, examples[i])
			}
		}
		s := newSpace(inExamples, nil)
		planes := fit(in, vectorsOf(s, inExamples), len(s.features))
		for i := range lines {
			if fold[i] != f {
				continue
			}
			v := s.vector(examples[i])
			for l := range planes {
				margins[i][l] = planes[l].margin(v)
			}
		}
	}
	s := newSpace(examples, nil)
	planes := fit(lines, vectorsOf(s, examples), len(s.features))
	if len(s.features) > mostFeatures { // fit again without the least informative features
		s = newSpace(examples, heaviest(s, planes))
		planes = fit(lines, vectorsOf(s, examples), len(s.features))
	}
	p := utterance.Parameters{Features: s.features, IDF: s.idf, Frequent: words, Blocks: blockScale, Weights: make([][utterance.NumLabels]float64, len(s.features))}
	for l, plane := range planes {
		p.Bias[l] = plane.bias
		for i, w := range plane.weights {
			p.Weights[i][l] = w
		}
		p.Slope[l], p.Offset[l] = calibrate(lines, margins, utterance.Label(l))
	}
	return p, margins
}

func vectorsOf(s *space, examples []utterance.Example) []vector {
	out := make([]vector, len(examples))
	for i, x := range examples {
		out[i] = s.vector(x)
	}
	return out
}

// heaviest returns the features whose weights affect a score most.
func heaviest(s *space, planes [utterance.NumLabels]*plane) map[uint32]bool {
	weight := make([]float64, len(s.features))
	order := make([]int, len(s.features))
	for i := range s.features {
		order[i] = i
		for _, p := range planes {
			weight[i] = max(weight[i], math.Abs(p.weights[i])*s.idf[i])
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	out := map[uint32]bool{}
	for _, i := range order[:mostFeatures] {
		out[s.features[i]] = true
	}
	return out
}

// foldsOf returns for each line the number of its speaker's fold; folds have about the same number
// of speakers.
func foldsOf(lines []line, folds int) []int {
	var personas []string
	for _, l := range lines {
		if !slices.Contains(personas, l.persona) {
			personas = append(personas, l.persona)
		}
	}
	out := make([]int, len(lines))
	for i, l := range lines {
		out[i] = slices.Index(personas, l.persona) % folds
	}
	return out
}

// calibrate fits a logistic curve to margins of held-out speakers (Platt, 1999), by Newton's
// method.
func calibrate(lines []line, margins [][utterance.NumLabels]float64, l utterance.Label) (slope, offset float64) {
	slope = 2
	for range 50 {
		var ga, gb, haa, hab, hbb float64
		for i := range lines {
			if lines[i].role == utterance.Tool {
				continue
			}
			x := margins[i][l]
			p := 1 / (1 + math.Exp(-(slope*x + offset)))
			y := 0.0
			if lines[i].labels[l] {
				y = 1
			}
			d, w := p-y, p*(1-p)
			ga, gb = ga+d*x, gb+d
			haa, hab, hbb = haa+w*x*x, hab+w*x, hbb+w
		}
		haa, hbb = haa+1e-6, hbb+1e-6
		det := haa*hbb - hab*hab
		slope -= (hbb*ga - hab*gb) / det
		offset -= (haa*gb - hab*ga) / det
	}
	return slope, offset
}
