package main

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// boosting holds the settings of a fit.
type boosting struct {
	trees, leaves int
	rate          float64 // of the contribution of a tree
	ridge         float64 // added to a leaf's weight
	least         float64 // minimum weight of a leaf
	pairwise      float64 // weight of the order within a question, relative to each candidate's own truth
}

// row is one candidate of one question.
type row struct {
	features []float32
	gold     float32
	weight   float64
	group    int // its question; the rows of a question are adjacent
}

const bins = 48

// binned holds rows by feature, each value replaced by the number of its bin.
type binned struct {
	bins  [][]uint8   // by feature, by row
	edges [][]float32 // by feature: the lower bounds of the bins, from the second on
}

// bin divides the values of each feature at its quantiles.
func bin(rows []row, features int) *binned {
	b := &binned{bins: make([][]uint8, features), edges: make([][]float32, features)}
	each(features, func(f int) {
		values := make([]float32, len(rows))
		for i, r := range rows {
			values[i] = r.features[f]
		}
		slices.Sort(values)
		distinct := slices.Compact(slices.Clone(values))
		var edges []float32
		if len(distinct) <= bins {
			edges = distinct[min(1, len(distinct)):]
		} else {
			// Most rows may have nothing: the quantiles are of those that have something.
			above, _ := slices.BinarySearch(values, distinct[1])
			if rest := values[above:]; above > len(values)/bins {
				values, edges = rest, append(edges, rest[0])
			}
			for k := 1 + len(edges); k < bins; k++ {
				e := values[k*len(values)/bins]
				if e > distinct[0] && (len(edges) == 0 || e > edges[len(edges)-1]) {
					edges = append(edges, e)
				}
			}
		}
		b.edges[f] = edges
		b.bins[f] = make([]uint8, len(rows))
		for i, r := range rows {
			n, found := slices.BinarySearch(edges, r.features[f])
			if found {
				n++
			}
			b.bins[f][i] = uint8(n)
		}
	})
	return b
}

// each calls f for 0 to n-1 on all processors.
func each(n int, f func(i int)) {
	var group sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	group.Wait()
}

// boost fits trees to rows by gradient boosting: each tree is a Newton step on the sum of the
// logistic loss of every candidate and, weighted, LambdaRank's pairs within each question (Burges,
// "From RankNet to LambdaRank to LambdaMART", 2010). The same rows return the same model.
func boost(rows []row, features int, set boosting) *rank.Model {
	b := bin(rows, features)
	m := &rank.Model{Features: features, Slope: 1}
	positive, all := 0.0, 0.0
	for _, r := range rows {
		all += r.weight
		positive += r.weight * float64(r.gold)
	}
	m.Bias = float32(math.Log(positive / (all - positive)))
	margin := make([]float64, len(rows))
	for i := range margin {
		margin[i] = float64(m.Bias)
	}
	g, h := make([]float64, len(rows)), make([]float64, len(rows))
	groups := groupsOf(rows)
	for range set.trees {
		gradients(rows, groups, margin, g, h, set.pairwise)
		t, leafOf := grow(b, g, h, set)
		m.Trees = append(m.Trees, t)
		for i, leaf := range leafOf {
			margin[i] += float64(t[leaf].Value)
		}
	}
	return m
}

func groupsOf(rows []row) (out [][2]int) {
	for i := 0; i < len(rows); {
		j := i
		for j < len(rows) && rows[j].group == rows[i].group {
			j++
		}
		out = append(out, [2]int{i, j})
		i = j
	}
	return out
}

// gradients computes the first and second derivatives of the loss, which is minimised.
func gradients(rows []row, groups [][2]int, margin, g, h []float64, pairwise float64) {
	each(len(groups), func(n int) {
		from, to := groups[n][0], groups[n][1]
		for i := from; i < to; i++ {
			p := 1 / (1 + math.Exp(-margin[i]))
			g[i] = rows[i].weight * (p - float64(rows[i].gold))
			h[i] = rows[i].weight * max(p*(1-p), 1e-6)
		}
		if pairwise == 0 {
			return
		}
		order := make([]int, to-from)
		for i := range order {
			order[i] = from + i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(margin[y], margin[x]) })
		discount := make([]float64, to-from)
		ideal, k := 0.0, 0
		for at, i := range order {
			discount[i-from] = 1 / math.Log2(float64(at+2))
			if rows[i].gold > 0 {
				ideal += 1 / math.Log2(float64(k+2))
				k++
			}
		}
		if k == 0 {
			return
		}
		scale := pairwise / ideal
		for i := from; i < to; i++ {
			if rows[i].gold == 0 {
				continue
			}
			for j := from; j < to; j++ {
				if rows[j].gold >= rows[i].gold {
					continue
				}
				swap := rows[i].weight * rows[j].weight * math.Abs(discount[i-from]-discount[j-from])
				p := 1 / (1 + math.Exp(margin[i]-margin[j]))
				g[i] -= scale * swap * p
				g[j] += scale * swap * p
				w := scale * swap * p * (1 - p)
				h[i] += w
				h[j] += w
			}
		}
	})
}

// sums holds the sums of the derivatives by bin.
type sums struct{ g, h [bins + 1]float64 }

// leaf is a leaf of a growing tree.
type leaf struct {
	rows    []int32
	sums    []sums  // by feature
	gain    float64 // of the best split
	feature int
	at      int // bins below it are in the left child
	node    int // in the list of nodes
	value   float64
}

// part is a node of a growing tree: a leaf if left is 0.
type part struct {
	feature, at, left, right int
	value                    float64
}

// grow grows one tree, splitting the leaf with the highest gain at each step. leafOf holds the node
// of each row's leaf.
func grow(b *binned, g, h []float64, set boosting) (t rank.Tree, leafOf []int) {
	all := make([]int32, len(g))
	for i := range all {
		all[i] = int32(i)
	}
	parts := []part{{}}
	root := b.leafOf(all, b.sum(all, g, h), set)
	leaves := []*leaf{root}
	for len(leaves) < set.leaves {
		best := slices.MaxFunc(leaves, func(x, y *leaf) int { return cmp.Compare(x.gain, y.gain) })
		if best.gain <= 0 {
			break
		}
		var left, right []int32
		column := b.bins[best.feature]
		for _, i := range best.rows {
			if int(column[i]) < best.at {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
		fewer, rest := left, best.sums
		if len(right) < len(left) {
			fewer = right
		}
		few := b.sum(fewer, g, h)
		for f := range rest { // the other child has the rest
			for n := range rest[f].g {
				rest[f].g[n] -= few[f].g[n]
				rest[f].h[n] -= few[f].h[n]
			}
		}
		ofLeft, ofRight := few, rest
		if len(right) < len(left) {
			ofLeft, ofRight = rest, few
		}
		l, r := b.leafOf(left, ofLeft, set), b.leafOf(right, ofRight, set)
		l.node, r.node = len(parts), len(parts)+1
		parts[best.node] = part{feature: best.feature, at: best.at, left: l.node, right: r.node}
		parts = append(parts, part{}, part{})
		leaves[slices.Index(leaves, best)] = l
		leaves = append(leaves, r)
	}
	for _, l := range leaves {
		parts[l.node].value = l.value
	}
	t = rank.Tree{}
	number := make([]int, len(parts))
	var write func(n int)
	write = func(n int) {
		p := parts[n]
		number[n] = len(t)
		if p.left == 0 {
			t = append(t, rank.Node{Feature: -1, Value: float32(p.value)})
			return
		}
		at := len(t)
		t = append(t, rank.Node{Feature: int16(p.feature), Value: b.edges[p.feature][p.at-1]})
		write(p.left)
		t[at].Right = int16(len(t))
		write(p.right)
	}
	write(0)
	leafOf = make([]int, len(g))
	for _, l := range leaves {
		for _, i := range l.rows {
			leafOf[i] = number[l.node]
		}
	}
	return t, leafOf
}

// sum adds up the derivatives of some rows by feature and bin.
func (b *binned) sum(rows []int32, g, h []float64) []sums {
	out := make([]sums, len(b.bins))
	each(len(b.bins), func(f int) {
		at, column := &out[f], b.bins[f]
		for _, i := range rows {
			n := column[i]
			at.g[n] += g[i]
			at.h[n] += h[i]
		}
	})
	return out
}

// leafOf finds the best split of some rows.
func (b *binned) leafOf(rows []int32, sum []sums, set boosting) *leaf {
	l := &leaf{rows: rows, sums: sum}
	all := func(v [bins + 1]float64) (t float64) {
		for _, x := range v {
			t += x
		}
		return t
	}
	sumG, sumH := all(sum[0].g), all(sum[0].h)
	l.value = -set.rate * sumG / (sumH + set.ridge)
	for f := range b.bins {
		lg, lh := 0.0, 0.0
		for at := 1; at <= len(b.edges[f]); at++ {
			lg += sum[f].g[at-1]
			lh += sum[f].h[at-1]
			rg, rh := sumG-lg, sumH-lh
			if lh < set.least || rh < set.least {
				continue
			}
			gain := lg*lg/(lh+set.ridge) + rg*rg/(rh+set.ridge) - sumG*sumG/(sumH+set.ridge)
			if gain > l.gain+1e-9 {
				l.gain, l.feature, l.at = gain, f, at
			}
		}
	}
	return l
}
