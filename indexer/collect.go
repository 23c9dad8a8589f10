package indexer

import (
	"encoding/binary"
	"slices"
)

// The store keeps the vectors of texts that went from the workspace, so that a branch that is left
// and taken up again costs nothing, and the commits of branches that are gone. What is kept is
// bounded by what is used.

const (
	keptVectors = 2    // vectors stored for each that is used, before the others are removed
	keptAnyway  = 4096 // vectors of small workspaces
	keptCommits = 3 * historyCommits
)

// tooMany reports whether so many vectors are stored for so many texts that the others are to be
// removed.
func tooMany(stored, used int) bool { return stored > keptVectors*used+keptAnyway }

// used returns the texts of all segments whose vectors the store keeps, those of gone files among
// them: a segment has all its vectors or none.
func used(parts []*part) map[hash]struct{} {
	out := map[hash]struct{}{}
	for _, p := range parts {
		if p.vec != nil && p.vec.file != nil {
			continue
		}
		for _, c := range p.seg.chunks {
			out[c.Hash] = struct{}{}
		}
	}
	return out
}

// collect removes from the store what nothing uses, where that is most of it.
func (w *writer) collect() error {
	texts := used(w.parts)
	var unused [][]byte
	stored := 0
	err := w.db.Scan(keyVector, func(k, _ []byte) error {
		stored++
		if len(k) < 16 {
			return nil
		}
		h := k[len(k)-16:]
		if _, ok := texts[hash{Hi: binary.BigEndian.Uint64(h), Lo: binary.BigEndian.Uint64(h[8:])}]; !ok {
			unused = append(unused, append(slices.Clone(keyVector), k...))
		}
		return nil
	})
	if err != nil {
		w.unread("collect vectors", err)
		return err
	}
	commits := 0
	if err := w.db.Scan(keyCommit, func(_, _ []byte) error { commits++; return nil }); err != nil {
		w.unread("collect commits", err)
		return err
	}
	batch := w.db.NewBatch()
	if tooMany(stored, len(texts)) {
		for _, k := range unused {
			if err := batch.Delete(k); err != nil {
				return err
			}
		}
	}
	if commits > keptCommits {
		if err := batch.DeletePrefix(keyCommit); err != nil { // those of now are read again when HEAD moves
			return err
		}
	}
	return batch.Commit()
}
