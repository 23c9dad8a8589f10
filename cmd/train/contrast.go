package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// contrast are the settings of the table's training: stochastic descent with a step of its own for
// each term (Duchi, Hazan and Singer 2011) on the loss of telling a pair's code from that of the
// others in its batch, and the reverse (van den Oord, Li and Vinyals 2018). On repositories left
// out, twice the rate, half or twice the temperature, half the batch and 64 dimensions more or less
// all differ by less than .01.
type contrast struct {
	dims, terms   int
	batch, epochs int     // pairs that are told from each other; times that every pair is read
	rate, heat    float64 // of a step; the temperature of the choice
	drop          float64 // share of a text's terms that are left out each time
	calm          float64 // mean square of the gradients that a term begins with, so that rare ones do not jump
}

// epoch reads every pair once, in batches of one repository, and returns the mean loss.
func (t *table) epoch(fit []corpus, r *rand.Rand, c contrast, done float64) float64 {
	var batches [][]textPair
	for _, p := range fit {
		r.Shuffle(len(p.pairs), func(i, j int) { p.pairs[i], p.pairs[j] = p.pairs[j], p.pairs[i] })
		for at := 0; at+c.batch/2 <= len(p.pairs); at += c.batch {
			batches = append(batches, slices.Clone(p.pairs[at:min(len(p.pairs), at+c.batch)]))
		}
	}
	r.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	loss := 0.0
	s := newStep(c)
	for i, b := range batches {
		for k := range b {
			b[k].asked, b[k].found = thinner(b[k].asked, c.drop, r), thinner(b[k].found, c.drop, r)
		}
		progress := done + float64(i)/float64(len(batches))/float64(c.epochs)
		loss += s.take(t, b, c.rate*(1-.95*progress))
	}
	return loss / float64(len(batches))
}

// thinner returns a text without a share of its terms.
func thinner(text []termWeight, drop float64, r *rand.Rand) []termWeight {
	out := make([]termWeight, 0, len(text))
	for _, v := range text {
		if r.Float64() >= drop {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return text
	}
	return out
}

// step holds the buffers of a batch.
type step struct {
	c                    contrast
	asked, found         []float32 // unit vectors
	askedLong, foundLong []float32
	odds                 []float32 // asked × found
	dAsked, dFound       []float32
}

func newStep(c contrast) *step {
	n := c.batch * c.dims
	return &step{c: c, asked: make([]float32, n), found: make([]float32, n), dAsked: make([]float32, n), dFound: make([]float32, n),
		askedLong: make([]float32, c.batch), foundLong: make([]float32, c.batch), odds: make([]float32, c.batch*c.batch)}
}

// take makes one step and returns the batch's mean loss: of choosing the found among all for what
// was asked; its gradient is the mean of that and of the reverse.
func (s *step) take(t *table, batch []textPair, rate float64) float64 {
	n, d := len(batch), t.dims
	halves(n, func(from, to int) {
		for i := from; i < to; i++ {
			s.askedLong[i] = t.embed(s.asked[i*d:][:d], batch[i].asked)
			s.foundLong[i] = t.embed(s.found[i*d:][:d], batch[i].found)
		}
	})
	loss := s.choose(n)
	halves(n, func(from, to int) {
		for i := from; i < to; i++ {
			row := s.dAsked[i*d:][:d]
			clear(row)
			for j := range n {
				axpy(s.odds[i*n+j], s.found[j*d:][:d], row)
			}
			unlength(row, s.asked[i*d:][:d], s.askedLong[i])
			row = s.dFound[i*d:][:d]
			clear(row)
			for j := range n {
				axpy(s.odds[j*n+i], s.asked[j*d:][:d], row)
			}
			unlength(row, s.found[i*d:][:d], s.foundLong[i])
		}
	})
	s.descend(t, batch, rate)
	return loss
}

// choose computes the loss of n pairs, and leaves its derivatives by the cosines in odds.
func (s *step) choose(n int) float64 {
	d, heat := s.c.dims, float32(1/s.c.heat)
	halves(n, func(from, to int) {
		for i := from; i < to; i++ {
			for j := range n {
				s.odds[i*n+j] = heat * dot(s.asked[i*d:][:d], s.found[j*d:][:d])
			}
		}
	})
	columns, tops := make([]float64, n), make([]float32, n)
	for i := range n {
		for j := range n {
			tops[j] = max(tops[j], s.odds[i*n+j])
		}
	}
	for i := range n {
		for j := range n {
			columns[j] += math.Exp(float64(s.odds[i*n+j] - tops[j]))
		}
	}
	losses := make([]float64, n)
	halves(n, func(from, to int) {
		for i := from; i < to; i++ {
			row := s.odds[i*n : (i+1)*n]
			top := slices.Max(row)
			sum := 0.0
			for _, o := range row {
				sum += math.Exp(float64(o - top))
			}
			losses[i] = math.Log(sum) - float64(row[i]-top)
			for j, o := range row {
				p := math.Exp(float64(o-top))/sum + math.Exp(float64(o-tops[j]))/columns[j]
				if i == j {
					p -= 2
				}
				row[j] = float32(p/2) * heat / float32(n)
			}
		}
	})
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	return sum / float64(n)
}

// descend moves the vectors of a batch's terms against the gradient.
func (s *step) descend(t *table, batch []textPair, rate float64) {
	d := t.dims
	halves(d/4, func(from, to int) {
		from, to = 4*from, 4*to
		for i := range batch {
			for _, v := range batch[i].asked {
				axpy(v.value, s.dAsked[i*d+from:i*d+to], t.grads[int(v.term)*d+from:int(v.term)*d+to])
			}
			for _, v := range batch[i].found {
				axpy(v.value, s.dFound[i*d+from:i*d+to], t.grads[int(v.term)*d+from:int(v.term)*d+to])
			}
		}
	})
	var terms []uint32
	for i := range batch {
		for _, list := range [][]termWeight{batch[i].asked, batch[i].found} {
			for _, v := range list {
				if !t.touched[v.term] {
					t.touched[v.term] = true
					terms = append(terms, v.term)
				}
			}
		}
	}
	halves(len(terms), func(from, to int) {
		for _, term := range terms[from:to] {
			t.touched[term] = false
			g := t.grads[int(term)*d:][:d]
			t.squares[term] += dot(g, g) / float32(d)
			axpy(-float32(rate/(math.Sqrt(float64(t.squares[term]))+1e-8)), g, t.rows[int(term)*d:][:d])
			clear(g)
		}
	})
}

// unlength turns the gradient of a unit vector into that of the vector before it was scaled.
func unlength(g, unit []float32, long float32) {
	along := dot(g, unit)
	for i := range g {
		g[i] = (g[i] - along*unit[i]) / long
	}
}

// halves runs do for the parts of 0…n on all processors.
func halves(n int, do func(from, to int)) {
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { do(n*i/workers, n*(i+1)/workers) })
	}
	group.Wait()
}
