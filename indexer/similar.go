package indexer

import (
	"context"
	"runtime"
	"sync"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/vector"
)

// VectorSearch finds the chunks of a snapshot that are similar to a text, by the built-in embedder
// or by a model outside the program. Safe for concurrent use.
type VectorSearch struct {
	layout  *layout
	tree    *source.Tree // redacts what leaves the process
	scratch *lexical.Scratch
	encoded *encoded // nil: searches use the built-in embedder
	asked   *queryCache
}

// Embedded reports whether chunks can be searched semantically, and how many wait for their vector.
func (v *VectorSearch) Embedded() (ready bool, pending int) {
	if v.encoded != nil {
		return true, v.encoded.bare
	}
	return v.builtin()
}

// HasModel reports whether searches use a model outside the program.
func (v *VectorSearch) HasModel() bool { return v.encoded != nil }

// builtin is Embedded for the built-in embedder.
func (v *VectorSearch) builtin() (ready bool, pending int) {
	for _, p := range v.layout.parts {
		if p.vec == nil {
			pending += len(p.seg.chunks)
		} else {
			ready = true
		}
	}
	return ready, pending
}

// Cosines are the chunks' cosines with a query, −1 to 1.
type Cosines struct {
	Chunk []float32 // 0 for removed ones and without a vector
	Top   float32   // the largest, 0 when none is above
	Count int       // those above 0
}

// CosinesOf returns the Cosines with the cosines of every chunk.
func CosinesOf(chunk []float32) Cosines {
	c := Cosines{Chunk: chunk}
	for _, v := range chunk {
		if v > 0 {
			c.Top = max(c.Top, v)
			c.Count++
		}
	}
	return c
}

// Similar returns every chunk's cosine with the text's terms; a nil Chunk when the embedder knows
// none of the terms.
func (v *VectorSearch) Similar(ctx context.Context, terms []lexical.QueryTerm) (Cosines, error) {
	known := embed.Shipped().Embed(terms)
	if known == nil {
		return Cosines{}, nil
	}
	q := encode.Quantized(known)
	out := v.scratch.Floats(v.layout.chunks())
	blocks := v.blocks()
	workers := max(1, min(runtime.GOMAXPROCS(0), len(blocks)/blocksAtOnce))
	tallies := make([]tally, workers)
	var group sync.WaitGroup
	for i := range workers - 1 {
		group.Go(func() {
			tallies[i] = v.cosines(ctx, q, blocks[len(blocks)*i/workers:len(blocks)*(i+1)/workers], out)
		})
	}
	tallies[workers-1] = v.cosines(ctx, q, blocks[len(blocks)*(workers-1)/workers:], out)
	group.Wait()
	found := Cosines{Chunk: out}
	for _, t := range tallies {
		found.Top = max(found.Top, cosine(t.top))
		found.Count += int(t.count)
	}
	return found, ctx.Err()
}

// tally is the largest of some dot products and the number of those above 0.
type tally struct{ top, count int32 }

func (t *tally) add(dots []int32) {
	top, count := t.top, uint32(0)
	for _, d := range dots {
		if d > top {
			top = d
		}
		count += uint32(-d) >> 31 // without a branch: half of them are below 0
	}
	t.top = top
	t.count += int32(count)
}

// cosine returns a dot product of two rows as a cosine.
func cosine(dot int32) float32 { return float32(dot) / (127 * 127) }

// block is a range of the chunks of a part with vectors.
type block struct{ part, from, to int }

// blocksAtOnce is the number of blocks from which another goroutine pays.
const blocksAtOnce = 8

// blocks returns the chunks that have a vector.
func (v *VectorSearch) blocks() (out []block) {
	for k, p := range v.layout.parts {
		if p.vec == nil {
			continue
		}
		for at, n := 0, len(p.seg.chunks); at < n; at += dotBlock {
			out = append(out, block{k, at, min(n, at+dotBlock)})
		}
	}
	return out
}

// cosines computes those of the live chunks of some blocks, until ctx is done.
func (v *VectorSearch) cosines(ctx context.Context, q []int8, blocks []block, out []float32) (all tally) {
	var dots [dotBlock]int32 // they stay in the cache until they are used
	for _, b := range blocks {
		if ctx.Err() != nil {
			return all
		}
		p := v.layout.parts[b.part]
		dims, cosines := p.vec.dims, out[v.layout.chunkBase[b.part]:][b.from:b.to]
		own := dots[:len(cosines)]
		vector.Dot(p.vec.rows[b.from*dims:b.to*dims], dims, q, own)
		if p.dead > 0 {
			for i := range own {
				if !p.Doc(b.from + i) {
					own[i] = 0
				}
			}
		}
		all.add(own)
		for i, d := range own {
			cosines[i] = cosine(d)
		}
	}
	return all
}

// ByModel returns, for every chunk, how far its similarity stands out by the model outside
// the program, 0 to 1; 0 for removed ones and without a vector. ok is false when the snapshot is
// searched by the built-in embedder; the error is the model's or ctx'v.
func (v *VectorSearch) ByModel(ctx context.Context, query string) (scores []float32, ok bool, err error) {
	if v.encoded == nil {
		return nil, false, nil
	}
	query = string(v.tree.Redact("", []byte(query))) // it leaves the process
	q, err := v.asked.vector(ctx, v.encoded.model, query)
	if err == nil {
		scores, err = v.encoded.similar(ctx, v.layout, v.scratch, q)
	}
	return scores, true, err
}
