package indexer

import (
	"cmp"
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

const (
	mergeAt    = 6 // parts from which the small ones are merged
	mergeRatio = 4 // a part this many times larger than all smaller ones together is not merged
	// maxMergeDocs bounds the chunks of one segment: merging and embedding need memory in
	// proportion to its size, while a search is about as fast with ten segments as with one.
	maxMergeDocs = 1 << 17
)

// mergeParts keeps the list of parts short: it merges all of them after a cold pass, otherwise the
// small ones, and parts with many removed files.
func (w *writer) mergeParts(cold bool) error {
	order := slices.DeleteFunc(slices.Clone(w.parts), func(p *part) bool { return !cold && !w.mergeable(p) })
	if len(order) == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b *part) int { return cmp.Compare(len(a.seg.chunks), len(b.seg.chunks)) })
	n, sum := 0, 0
	for i, p := range order {
		size := len(p.seg.chunks)
		if sum+size > maxMergeDocs || !cold && i > 0 && size > mergeRatio*max(1, sum) && p.dead*4 < len(p.paths) {
			break
		}
		n, sum = i+1, sum+size
	}
	wasted := n == 1 && order[0].dead*2 > len(order[0].paths)
	if n < 2 && !wasted || !cold && len(order) < mergeAt && !wasted {
		return nil
	}
	// in the list's own order, so that the result does not depend on sizes
	chosen := slices.DeleteFunc(slices.Clone(w.parts), func(p *part) bool { return !slices.Contains(order[:n], p) })
	return w.merge(chosen)
}

// mergeable reports whether a part may be merged between cold passes. A full one may when many of
// its files were removed. If vectors are in files a part must have its own, otherwise all of them
// would have to be made again.
func (w *writer) mergeable(p *part) bool {
	if len(p.seg.chunks) > maxMergeDocs/2 && p.dead*4 < len(p.paths) {
		return false
	}
	return p.vec != nil || !anyMapped(w.parts)
}

func (w *writer) merge(chosen []*part) (err error) {
	defer guardParts(chosen, &err)
	segs := make([]*segment, len(chosen))
	live := make([]lexical.Live, len(chosen))
	for i, p := range chosen {
		segs[i], live[i] = p.seg, p.live()
	}
	batch := w.db.NewBatch()
	built, place := mergeSegments(w.nextID, segs, live)
	merged := &part{paths: make([]string, len(built.files))}
	for k, p := range chosen {
		for i, name := range p.paths {
			if name != "" {
				merged.paths[place[k][i]] = name
			}
		}
	}
	built.named = newPathSet(merged.paths, nil)
	seg, err := w.putSegment(batch, built)
	if err != nil {
		return err
	}
	w.nextID++
	merged.seg = seg
	merged.name()
	if merged.vec = mergeVectors(chosen); seg.file != nil || anyMapped(chosen) {
		if merged.vec, err = w.putVectors(batch, seg, merged.vec); err != nil {
			return err
		}
	}
	for k, p := range chosen {
		for i, name := range p.paths {
			if name == "" {
				continue
			}
			f := w.known.files[name]
			f.segment, f.index = seg.id, place[k][i]
			w.known.files[name] = f
			if err := batch.Set(fileKey(name), f.marshal()); err != nil {
				return err
			}
		}
		if err := batch.DeletePrefix(segmentKey(p.seg.id)); err != nil {
			return err
		}
		w.removed.forget(p.seg.id)
	}
	if anyDamaged(chosen) {
		return errors.Join(errCut, batch.Drop())
	}
	at := slices.Index(w.parts, chosen[0])
	w.parts[at] = merged
	w.parts = slices.DeleteFunc(w.parts, func(p *part) bool { return slices.Contains(chosen, p) })
	if err := w.putState(batch); err != nil {
		return err
	}
	w.publish()
	w.save(batch)
	return nil
}

// anyMapped reports whether a part has vectors in a file, and so perhaps not in the store.
func anyMapped(parts []*part) bool {
	return slices.ContainsFunc(parts, func(p *part) bool { return p.vec != nil && p.vec.file != nil })
}

// mergeVectors joins the rows of the live chunks; nil unless every part has rows of one model.
func mergeVectors(parts []*part) *vectors {
	first := parts[0].vec
	if first == nil {
		return nil
	}
	out := &vectors{digest: first.digest, dims: first.dims}
	for _, p := range parts {
		if p.vec == nil || p.vec.digest != first.digest {
			return nil
		}
		for c, rec := range p.seg.chunks {
			if p.paths[rec.File] != "" {
				out.rows = append(out.rows, p.vec.rows[c*p.vec.dims:(c+1)*p.vec.dims]...)
			}
		}
	}
	return out
}
