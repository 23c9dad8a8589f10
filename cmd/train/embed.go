package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/contexture-dev/contexture/indexer/embed"
)

// everyLeft is the share of the repositories, one in so many, that the report is about.
const everyLeft = 11

// trainEmbed fits the table of vectors with which texts are compared by their meaning.
func trainEmbed(args []string) error {
	fs := flag.NewFlagSet("train embed", flag.ContinueOnError)
	mirrors := fs.String("mirrors", "", "the `folder` with the repositories to learn from, bare: owner+name/repo")
	work := fs.String("work", "", "a `folder` for the pairs that were read of them")
	out := fs.String("out", "indexer/embed/words.bin", "the `file` to write")
	dry := fs.Bool("dry-run", false, "report only, write nothing")
	c := contrast{rate: .1, heat: .07, drop: .3, calm: 1e-4}
	fs.IntVar(&c.dims, "dims", 192, "components of a vector")
	fs.IntVar(&c.terms, "terms", 32768, "terms")
	fs.IntVar(&c.batch, "batch", 512, "pairs that are told from each other")
	fs.IntVar(&c.epochs, "epochs", 3, "times that every pair is read")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *mirrors == "" || *work == "" {
		return errors.New("embed needs -mirrors and -work")
	}
	all, err := allMatches(*mirrors, *work)
	if err != nil {
		return err
	}
	t := newTable(all, c)
	var fit, left []corpus
	for _, m := range all {
		p := t.read(m)
		if hash(m.Repo)%everyLeft == 3 {
			left = append(left, p)
			fmt.Printf("%s is left out: %d pairs\n", m.Repo, len(p.pairs))
		} else {
			fit = append(fit, p)
		}
	}
	fmt.Println("mean reciprocal rank, by the vectors, by words, and with the vectors at", shares[2:], "beside them, for d comments, n names, c commits:")
	t.report("at the beginning", left)
	r := rand.New(rand.NewPCG(1, 2))
	for e := range c.epochs {
		start := time.Now()
		loss := t.epoch(fit, r, c, float64(e)/float64(c.epochs))
		t.report(fmt.Sprintf("epoch %d, loss %.4f, %s", e+1, loss, time.Since(start).Round(time.Second)), left)
	}
	if *dry {
		return nil
	}
	shipped, err := embed.New(t.terms, t.rows, t.dims)
	if err != nil {
		return err
	}
	b := shipped.Encode()
	fmt.Printf("%s: %d bytes, %d terms\n", *out, len(b), len(t.terms))
	return os.WriteFile(*out, b, 0o644)
}

// termWeight is a term of the table in a text.
type termWeight struct {
	term  uint32
	value float32
}

type textPair struct {
	kind         byte
	asked, found []termWeight
}

// corpus are the pairs of a repository in the table's terms.
type corpus struct {
	repo  string
	pairs []textPair
}

type table struct {
	terms   []string
	ids     map[string]uint32
	dims    int
	rows    []float32 // a vector by term, with the term's weight as its length
	squares []float32 // by term: the sum of its gradients' mean squares
	grads   []float32
	touched []bool
}

// newTable begins with random directions, as long as terms are rare.
func newTable(all []*repositoryPairs, c contrast) *table {
	repos, texts := map[string]int{}, map[string]int{}
	n := 0
	for _, m := range all {
		count := make([]int, len(m.Terms))
		for _, x := range m.Matches {
			n++
			for _, w := range x.Found {
				count[w.Term]++
			}
		}
		for i, t := range m.Terms {
			repos[t]++
			texts[t] += count[i]
		}
	}
	t := &table{dims: c.dims, ids: map[string]uint32{}}
	for term, k := range repos {
		if k >= 2 && strings.ContainsFunc(term, unicode.IsLetter) { // a number is about nothing
			t.terms = append(t.terms, term)
		}
	}
	slices.SortFunc(t.terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(repos[b], repos[a]), cmp.Compare(texts[b], texts[a]), strings.Compare(a, b))
	})
	if len(t.terms) > c.terms {
		t.terms = t.terms[:c.terms]
	}
	slices.Sort(t.terms)
	t.rows, t.squares = make([]float32, len(t.terms)*c.dims), make([]float32, len(t.terms))
	t.grads, t.touched = make([]float32, len(t.rows)), make([]bool, len(t.terms))
	for i := range t.squares {
		t.squares[i] = float32(c.calm)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i, term := range t.terms {
		t.ids[term] = uint32(i)
		long := math.Log(float64(n)/float64(1+texts[term])) / 10 / math.Sqrt(float64(c.dims))
		for j := range c.dims {
			t.rows[i*c.dims+j] = float32(r.NormFloat64() * long)
		}
	}
	return t
}

// read returns a repository's pairs in the table's terms.
func (t *table) read(m *repositoryPairs) corpus {
	ids := make([]int64, len(m.Terms))
	for i, term := range m.Terms {
		id, ok := t.ids[term]
		ids[i] = int64(id)
		if !ok {
			ids[i] = -1
		}
	}
	p := corpus{repo: m.Repo}
	known := func(list []termCount) (out []termWeight) {
		for _, w := range list {
			if ids[w.Term] >= 0 {
				out = append(out, termWeight{uint32(ids[w.Term]), float32(math.Log1p(float64(w.Weight)))})
			}
		}
		return out
	}
	for _, x := range m.Matches {
		if a, f := known(x.Asked), known(x.Found); len(a) >= 2 && len(f) >= 2 {
			p.pairs = append(p.pairs, textPair{x.Kind, a, f})
		}
	}
	return p
}

// embed writes the unit vector of a text and returns the length that it had.
func (t *table) embed(out []float32, text []termWeight) float32 {
	clear(out)
	for _, v := range text {
		axpy(v.value, t.rows[int(v.term)*t.dims:][:t.dims], out)
	}
	long := float32(math.Sqrt(float64(dot(out, out)))) + 1e-9
	for i := range out {
		out[i] /= long
	}
	return long
}

func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return s0 + s1 + s2 + s3
}

func axpy(c float32, x, y []float32) {
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		y[i] += c * x[i]
		y[i+1] += c * x[i+1]
		y[i+2] += c * x[i+2]
		y[i+3] += c * x[i+3]
	}
}

// report prints the mean reciprocal rank of what was found for what was asked, by kind of pair: by
// the vectors alone, by words alone (BM25), and by their sums.
func (t *table) report(head string, left []corpus) {
	sums, counts := map[byte][]float64{}, map[byte]int{}
	for _, p := range left {
		byKind := map[byte][]textPair{}
		for _, x := range p.pairs {
			if len(byKind[x.kind]) < 3000 {
				byKind[x.kind] = append(byKind[x.kind], x)
			}
		}
		for kind, list := range byKind {
			s := t.ranks(list)
			if sums[kind] == nil {
				sums[kind] = make([]float64, len(s))
			}
			for i, x := range s {
				sums[kind][i] += x
			}
			counts[kind]++
		}
	}
	fmt.Print(head)
	for _, k := range []byte("dnc") {
		if counts[k] > 0 {
			fmt.Printf("  %c", k)
			for _, x := range sums[k] {
				fmt.Printf(" %.4f", x/float64(counts[k]))
			}
		}
	}
	fmt.Println()
}

// shares are what the vectors' cosine counts beside the words' score, by its largest.
var shares = []float32{1e6, 0, .3, .6, 1}

func (t *table) ranks(list []textPair) []float64 {
	d := t.dims
	found := make([]float32, len(list)*d)
	halves(len(list), func(from, to int) {
		for i := from; i < to; i++ {
			t.embed(found[i*d:][:d], list[i].found)
		}
	})
	type holder struct {
		text int
		tf   float32
	}
	holders := map[uint32][]holder{}
	mean := float32(0)
	long := make([]float32, len(list))
	for i, x := range list {
		for _, v := range x.found {
			tf := float32(math.Expm1(float64(v.value))) / 2
			long[i] += tf
			holders[v.term] = append(holders[v.term], holder{i, tf})
		}
		mean += long[i] / float32(len(list))
	}
	const most = 500
	every := max(1, len(list)/most)
	reciprocal := make([][]float64, len(list))
	halves(len(list), func(from, to int) {
		asked := make([]float32, d)
		words, sum := make([]float32, len(list)), make([]float32, len(list))
		cosines := make([]float32, len(list))
		for i := from; i < to; i++ {
			if i%every != 0 {
				continue
			}
			t.embed(asked, list[i].asked)
			clear(words)
			for _, v := range list[i].asked {
				hs := holders[v.term]
				idf := float32(math.Log(1 + (float64(len(list)-len(hs))+.5)/(float64(len(hs))+.5)))
				for _, h := range hs {
					words[h.text] += idf * h.tf * 2.2 / (h.tf + 1.2*(.25+.75*long[h.text]/mean))
				}
			}
			topWords, topCosine := slices.Max(words)+1e-9, float32(0)
			for j := range list {
				cosines[j] = dot(asked, found[j*d:][:d])
				topCosine = max(topCosine, cosines[j])
			}
			for _, share := range shares {
				for j := range list {
					sum[j] = words[j]/topWords + share*cosines[j]/(topCosine+1e-9)
				}
				better := 0
				for j := range list {
					if sum[j] > sum[i] {
						better++
					}
				}
				reciprocal[i] = append(reciprocal[i], 1/float64(1+better))
			}
		}
	})
	out := make([]float64, len(shares))
	n := 0.0
	for _, r := range reciprocal {
		if r != nil {
			n++
		}
		for i, x := range r {
			out[i] += x
		}
	}
	for i := range out {
		out[i] /= n
	}
	return out
}
