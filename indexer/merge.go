package indexer

import (
	"cmp"
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/store"
)

const (
	mergeAt    = 6 // parts from which the small ones are merged
	mergeRatio = 4 // a part this many times larger than all smaller ones together is not merged
	// maxMergeDocs bounds the chunks of one segment: merging and embedding need memory in
	// proportion to its size, while a search is about as fast with ten segments as with one.
	maxMergeDocs = 1 << 17
)

// mergeParts keeps the list of parts short: it merges all of them after a cold pass, otherwise the
// small ones, and parts with many removed files. It returns what is to be saved; nil if nothing is.
func (m *manifest) mergeParts(cold bool) (*store.Batch, error) {
	order := slices.DeleteFunc(slices.Clone(m.parts), func(p *part) bool { return !cold && !m.mergeable(p) })
	if len(order) == 0 {
		return nil, nil
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
		return nil, nil
	}
	// in the list's own order, so that the result does not depend on sizes
	chosen := slices.DeleteFunc(slices.Clone(m.parts), func(p *part) bool { return !slices.Contains(order[:n], p) })
	return m.merge(chosen)
}

// mergeable reports whether a part may be merged between cold passes. A full one may when many of
// its files were removed. If vectors are in files a part must have its own, otherwise all of them
// would have to be made again.
func (m *manifest) mergeable(p *part) bool {
	if len(p.seg.chunks) > maxMergeDocs/2 && p.dead*4 < len(p.paths) {
		return false
	}
	return p.vec != nil || !anyMapped(m.parts)
}

func (m *manifest) merge(chosen []*part) (save *store.Batch, err error) {
	defer guardParts(chosen, &err)
	segs := make([]*segment, len(chosen))
	live := make([]lexical.Live, len(chosen))
	for i, p := range chosen {
		segs[i], live[i] = p.seg, p.live()
	}
	batch := m.disk.db.NewBatch()
	built, place := mergeSegments(m.nextID, segs, live)
	merged := &part{paths: make([]string, len(built.files))}
	for k, p := range chosen {
		for i, name := range p.paths {
			if name != "" {
				merged.paths[place[k][i]] = name
			}
		}
	}
	built.named = newPathSet(merged.paths, nil)
	seg, err := m.disk.putSegment(batch, built)
	if err != nil {
		return nil, err
	}
	m.nextID++
	merged.seg = seg
	merged.name()
	if merged.vec = mergeVectors(chosen); seg.file != nil || anyMapped(chosen) {
		if merged.vec, err = m.disk.putVectors(batch, seg, merged.vec); err != nil {
			return nil, err
		}
	}
	for k, p := range chosen {
		for i, name := range p.paths {
			if name == "" {
				continue
			}
			f := m.known.files[name]
			f.segment, f.index = seg.id, place[k][i]
			m.known.files[name] = f
			if err = batch.Set(fileKey(name), f.marshal()); err != nil {
				return nil, err
			}
		}
		if err = batch.DeletePrefix(segmentKey(p.seg.id)); err != nil {
			return nil, err
		}
		m.removed.forget(p.seg.id)
	}
	if anyDamaged(chosen) {
		return nil, errors.Join(errCut, batch.Drop())
	}
	at := slices.Index(m.parts, chosen[0])
	m.parts[at] = merged
	m.parts = slices.DeleteFunc(m.parts, func(p *part) bool { return slices.Contains(chosen, p) })
	if err := m.putState(batch); err != nil {
		return nil, err
	}
	return batch, nil
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
