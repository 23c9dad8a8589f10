package indexer

import (
	"encoding/binary"
	"slices"
)

// The store keeps the vectors of texts that were removed from the workspace, so that switching to
// another branch and back costs nothing, and the commits of removed branches. Their number is
// bounded by what is in use.

const (
	keptVectors = 2    // vectors stored for each one in use, before unused ones are removed
	keptAnyway  = 4096 // vectors of small workspaces
	keptCommits = 3 * historyCommits
)

// tooMany reports whether the unused ones of stored vectors are to be removed, when used texts are
// in use.
func tooMany(stored, used int) bool { return stored > keptVectors*used+keptAnyway }

// used returns the texts of all segments whose vectors the store keeps, including those of removed
// files: a segment has all its vectors or none.
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

// collect removes unused data from the store when most of it is unused.
func (m *manifest) collect() error {
	texts := used(m.parts)
	var unused [][]byte
	stored := 0
	err := m.disk.db.Scan(keyVector, func(k, _ []byte) error {
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
		m.disk.unread("collect vectors", err)
		return err
	}
	commits := 0
	if err := m.disk.db.Scan(keyCommit, func(_, _ []byte) error { commits++; return nil }); err != nil {
		m.disk.unread("collect commits", err)
		return err
	}
	batch := m.disk.db.NewBatch()
	if tooMany(stored, len(texts)) {
		for _, k := range unused {
			if err := batch.Delete(k); err != nil {
				return err
			}
		}
	}
	if commits > keptCommits {
		if err := batch.DeletePrefix(keyCommit); err != nil { // the current ones are read again when HEAD moves
			return err
		}
	}
	return batch.Commit()
}
