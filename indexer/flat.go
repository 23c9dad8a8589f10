package indexer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/contexture-dev/contexture/indexer/store"
)

// Large segments and their vectors are files of the index's folder, and are searched there; the
// store has the file's name. Small ones, as edits create, are blobs of the store and are held in
// memory.
//
// The store may lose its latest commits in a crash. So a file is written before the commit that
// names it, and removed only after the commit that no longer names it is on disk.

// mappedBytes is the size from which a segment is a file.
const mappedBytes = 4 << 20

const (
	segmentExt = ".segment"
	vectorExt  = ".vectors"
)

// segmentFileKey is the key of the name of a segment's file, vectorFileKey that of its vectors.
// Both are below segmentKey and are removed with it.
func segmentFileKey(id uint64) []byte { return append(segmentKey(id), 2) }
func vectorFileKey(id uint64) []byte  { return append(segmentKey(id), 3) }

// sections returns a segment as the sections of a file.
func (s *segment) sections() [][]byte {
	e := &encoder{}
	e.files(s.files)
	return slices.Concat(s.body.Sections(), s.named.sections(), [][]byte{
		e.b, mapped.Bytes(s.chunks), s.info.blob, mapped.Bytes(s.info.off), s.names.blob, mapped.Bytes(s.names.off),
		mapped.Bytes(s.symbols), mapped.Bytes(s.symStart), s.refs.blob, mapped.Bytes(s.refs.off),
		s.signs.blob, mapped.Bytes(s.signs.off),
	})
}

// openSegment returns the segment in a file.
func openSegment(id uint64, f *mapped.File) (*segment, error) {
	const own = 12
	b := f.Sections()
	if len(b) != lexical.SectionCount+pathSections+own {
		return nil, fmt.Errorf("segment %d: %w", id, errDamaged)
	}
	body, err := lexical.FromSections(b[:lexical.SectionCount])
	if err != nil {
		return nil, fmt.Errorf("segment %d: %w: %w", id, errDamaged, err)
	}
	named := b[lexical.SectionCount:][:pathSections]
	b = b[lexical.SectionCount+pathSections:]
	d := &decoder{b: b[0]}
	s := &segment{
		id: id, file: f, body: body, files: d.files(), chunks: mapped.View[chunkRec](b[1]), info: viewTable(b[2], b[3]),
		names: viewTable(b[4], b[5]), symbols: mapped.View[symbolRec](b[6]), symStart: mapped.View[uint32](b[7]), refs: viewTable(b[8], b[9]),
		signs: viewTable(b[10], b[11]),
	}
	fits := body.Docs() == len(s.chunks) && body.Groups() == len(s.files) && s.info.len() == len(s.chunks) && s.refs.len() == len(s.files) &&
		s.signs.len() == len(s.files) && len(s.symStart) == s.names.len()+1
	if fits {
		s.named, fits = openPathSet(f, named, len(s.files))
	}
	if d.bad || !fits {
		return nil, fmt.Errorf("segment %d: %w", id, errDamaged)
	}
	return s, nil
}

func viewTable(blob, off []byte) table { return table{blob: blob, off: mapped.View[uint32](off)} }

// putSegment stages a new segment in a batch. It returns the segment to use: for a large segment
// the same one in a file. If a file cannot be written, the segment goes to the store, which can
// continue without a disk.
func (w *writer) putSegment(b *store.Batch, s *segment) (*segment, error) {
	if s.file == nil && s.bytes() < w.x.mappedBytes() {
		return s, b.SetBlob(segmentKey(s.id), s.marshal())
	}
	m, err := w.mapSegment(s)
	if err != nil {
		w.log.Warn("write a segment's file", "segment", s.id, "err", err)
		return s, b.SetBlob(segmentKey(s.id), s.marshal())
	}
	return m, b.Set(segmentFileKey(s.id), []byte(m.file.Name()))
}

// mapSegment writes a segment's file and opens it.
func (w *writer) mapSegment(s *segment) (*segment, error) {
	name, err := mapped.Write(w.dir, fmt.Sprintf("%d", s.id), segmentExt, s.sections())
	if err != nil {
		return nil, err
	}
	f, err := mapped.Open(w.dir, name)
	if err != nil {
		return nil, err
	}
	return openSegment(s.id, f)
}

// putVectors stages all vectors of a part in a batch, and returns those to use.
func (w *writer) putVectors(b *store.Batch, s *segment, v *vectors) (*vectors, error) {
	if v == nil {
		return nil, nil
	}
	if s.file != nil {
		m, err := w.mapVectors(s, v)
		if err == nil {
			return m, b.Set(vectorFileKey(s.id), []byte(m.file.Name()))
		}
		w.log.Warn("write the file of a segment's vectors", "segment", s.id, "err", err)
	}
	for c, rec := range s.chunks {
		row := v.rows[c*v.dims : (c+1)*v.dims]
		if err := b.Set(vectorKey(v.digest, rec.Hash), mapped.Bytes(row)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (w *writer) mapVectors(s *segment, v *vectors) (*vectors, error) {
	name, err := mapped.Write(w.dir, fmt.Sprintf("%d", s.id), vectorExt, [][]byte{[]byte(v.digest), []byte(s.file.Name()), mapped.Bytes(v.rows)})
	if err != nil {
		return nil, err
	}
	return w.openVectors(s, name, v.digest, v.dims)
}

// openVectors maps the vectors of a segment; nil when they are those of another model, or of a
// segment that a crash has undone and whose number another one has now.
func (w *writer) openVectors(s *segment, name, digest string, dims int) (*vectors, error) {
	f, err := mapped.Open(w.dir, name)
	if err != nil {
		return nil, err
	}
	b := f.Sections()
	switch {
	case len(b) != 3:
		return nil, fmt.Errorf("vectors of segment %d: %w", s.id, errDamaged)
	case string(b[0]) != digest || string(b[1]) != s.file.Name():
		return nil, nil
	case len(b[2]) != dims*len(s.chunks):
		return nil, fmt.Errorf("vectors of segment %d: %w", s.id, errDamaged)
	}
	return &vectors{digest: digest, dims: dims, rows: mapped.View[int8](b[2]), file: f}, nil
}

// storedName returns the name of a file that the store has under key.
func (w *writer) storedName(key []byte) (name string, ok bool, err error) {
	b, ok, err := w.db.Get(key)
	if err != nil || !ok {
		return "", false, err
	}
	if name = string(b); name != filepath.Base(name) {
		return "", false, w.corrupt("the name of a file")
	}
	return name, true, nil
}

// damagedFile turns an error of a file in the store into one that causes a rebuild of the index,
// unless the machine is at fault.
func (w *writer) damagedFile(err error) error {
	if errors.Is(err, mapped.ErrDamaged) || errors.Is(err, errDamaged) || errors.Is(err, os.ErrNotExist) {
		return &store.CorruptError{Dir: w.dir, Err: err}
	}
	return err
}

// sweep removes the files that the store no longer names. The state must be on disk.
func (w *writer) sweep() {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		w.log.Debug("list the index's files", "err", err)
		return
	}
	used := map[string]bool{}
	for _, p := range w.parts {
		for _, f := range p.mappedFiles() {
			used[f.Name()] = true
		}
	}
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasSuffix(name, segmentExt) || strings.HasSuffix(name, vectorExt) || strings.HasSuffix(name, mapped.TempExt)
		if !ours || used[name] {
			continue
		}
		if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
			w.log.Debug("remove a file of the index", "err", err)
		}
	}
}

// mappedFiles returns the files of a part.
func (p *part) mappedFiles() (out []*mapped.File) {
	if p.seg.file != nil {
		out = append(out, p.seg.file)
	}
	if p.vec != nil && p.vec.file != nil {
		out = append(out, p.vec.file)
	}
	return out
}

// anyDamaged reports whether a file of a part could not be read since it was opened.
func anyDamaged(parts []*part) bool {
	return slices.ContainsFunc(parts, func(p *part) bool {
		return slices.ContainsFunc(p.mappedFiles(), (*mapped.File).Damaged)
	})
}

// errCut means that a file's content is not what was written.
var errCut = errors.New("a file of the index was changed by another program, or cannot be read any more")

// guardParts ends a function that reads parts for more than an answer: if one is damaged it fails
// with errCut, whatever its result, even a panic. It must be deferred.
func guardParts(parts []*part, err *error) {
	if anyDamaged(parts) {
		_ = recover() // caused by the damage
		*err = errCut
	}
}

// renewDamaged rebuilds the index if a file of it was damaged while it was open.
func (w *writer) renewDamaged(ctx context.Context) {
	if !anyDamaged(w.parts) {
		return
	}
	w.log.Warn("index is rebuilt", "err", errCut)
	w.note(fmt.Sprintf("the index was damaged (%v) and has been rebuilt", errCut))
	w.rebuild(ctx, false)
}

// mappedSize returns the size of the parts' files.
func (w *writer) mappedSize() (n int64) {
	for _, p := range w.parts {
		for _, f := range p.mappedFiles() {
			n += f.Size()
		}
	}
	return n
}

// diskBytes returns the index's size on disk.
func (w *writer) diskBytes() int64 { return w.db.DiskBytes() + w.mappedSize() }
