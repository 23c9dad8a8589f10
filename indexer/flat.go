package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/contexture-dev/contexture/indexer/embed"
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

// segmentStore is the store of an index and the files of its segments. Only the writer's goroutine
// uses it, except for the store itself, unread and putVectors.
type segmentStore struct {
	db          *store.Store
	dir         string // has the store and the files
	log         *slog.Logger
	redactID    string // see Options
	mappedBytes int    // the size from which a segment is a file
	wear        wear
}

// wear counts what the store went through.
type wear struct {
	written int // bytes committed since the store was compacted
	heals   int // how often it was recreated
	damages int // how many of these after damage
}

// format returns the value of keyFormat.
func (d *segmentStore) format() []byte { return append([]byte{formatVersion}, d.redactID...) }

// sameRedaction returns errOtherRedaction unless the store was redacted as it would be now.
func (d *segmentStore) sameRedaction() error {
	format, ok, err := d.db.Get(keyFormat)
	if err != nil || !ok {
		return err
	}
	if len(format) > 0 && string(format[1:]) != d.redactID {
		return errOtherRedaction
	}
	return nil
}

// clear stages the removal of the whole state except for the commits, and the start of a new one.
func (d *segmentStore) clear(b *store.Batch) error {
	for _, prefix := range [][]byte{keyState, keySegment, keyFile, keyVector, keyModel} {
		if err := b.DeletePrefix(prefix); err != nil {
			return err
		}
	}
	return errors.Join(b.Set(keyTable, []byte(embed.Shipped().Digest())), b.Set(keyFormat, d.format()))
}

func (d *segmentStore) corrupt(what string) error {
	return &store.CorruptError{Dir: d.dir, Err: fmt.Errorf("%s: %w", what, errDamaged)}
}

// unread handles damage found while the store is open: the store is recreated.
func (d *segmentStore) unread(doing string, err error) {
	d.log.Warn(doing, "err", err)
	var corrupt *store.CorruptError
	if errors.As(err, &corrupt) {
		d.db.Condemn(err)
	}
}

// putSegment stages a new segment in a batch. It returns the segment to use: for a large segment
// the same one in a file. If a file cannot be written, the segment goes to the store, which can
// continue without a disk.
func (d *segmentStore) putSegment(b *store.Batch, s *segment) (*segment, error) {
	if s.file == nil && s.bytes() < d.mappedBytes {
		return s, b.SetBlob(segmentKey(s.id), s.marshal())
	}
	m, err := d.mapSegment(s)
	if err != nil {
		d.log.Warn("write a segment's file", "segment", s.id, "err", err)
		return s, b.SetBlob(segmentKey(s.id), s.marshal())
	}
	return m, b.Set(segmentFileKey(s.id), []byte(m.file.Name()))
}

// mapSegment writes a segment's file and opens it.
func (d *segmentStore) mapSegment(s *segment) (*segment, error) {
	name, err := mapped.Write(d.dir, fmt.Sprintf("%d", s.id), segmentExt, s.sections())
	if err != nil {
		return nil, err
	}
	f, err := mapped.Open(d.dir, name)
	if err != nil {
		return nil, err
	}
	return openSegment(s.id, f)
}

// putVectors stages all vectors of a part in a batch, and returns those to use.
func (d *segmentStore) putVectors(b *store.Batch, s *segment, v *vectors) (*vectors, error) {
	if v == nil {
		return nil, nil
	}
	if s.file != nil {
		m, err := d.mapVectors(s, v)
		if err == nil {
			return m, b.Set(vectorFileKey(s.id), []byte(m.file.Name()))
		}
		d.log.Warn("write the file of a segment's vectors", "segment", s.id, "err", err)
	}
	for c, rec := range s.chunks {
		row := v.rows[c*v.dims : (c+1)*v.dims]
		if err := b.Set(vectorKey(v.digest, rec.Hash), mapped.Bytes(row)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (d *segmentStore) mapVectors(s *segment, v *vectors) (*vectors, error) {
	name, err := mapped.Write(d.dir, fmt.Sprintf("%d", s.id), vectorExt, [][]byte{[]byte(v.digest), []byte(s.file.Name()), mapped.Bytes(v.rows)})
	if err != nil {
		return nil, err
	}
	return d.openVectors(s, name, v.digest, v.dims)
}

// openVectors maps the vectors of a segment; nil when they are those of another model, or of a
// segment that a crash has undone and whose number another one has now.
func (d *segmentStore) openVectors(s *segment, name, digest string, dims int) (*vectors, error) {
	f, err := mapped.Open(d.dir, name)
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

// loadMapped opens a segment in a file.
func (d *segmentStore) loadMapped(id uint64) (*segment, error) {
	name, ok, err := d.storedName(segmentFileKey(id))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, d.corrupt(fmt.Sprintf("segment %d is missing", id))
	}
	f, err := mapped.Open(d.dir, name)
	if err != nil {
		return nil, err
	}
	return openSegment(id, f)
}

// storedVectors opens the file of a segment's vectors, if it has one. An error there costs only
// time.
func (d *segmentStore) storedVectors(s *segment) (*vectors, error) {
	if s.file == nil {
		return nil, nil
	}
	name, ok, err := d.storedName(vectorFileKey(s.id))
	if err != nil || !ok {
		return nil, err
	}
	v, err := d.openVectors(s, name, embed.Shipped().Digest(), embed.Shipped().Dimensions())
	if err != nil {
		d.log.Warn("the vectors of a segment cannot be read and are made again", "segment", s.id, "err", err)
		return nil, nil
	}
	return v, nil
}

// storedName returns the name of a file that the store has under key.
func (d *segmentStore) storedName(key []byte) (name string, ok bool, err error) {
	b, ok, err := d.db.Get(key)
	if err != nil || !ok {
		return "", false, err
	}
	if name = string(b); name != filepath.Base(name) {
		return "", false, d.corrupt("the name of a file")
	}
	return name, true, nil
}

// damagedFile turns an error of a file in the store into one that causes a rebuild of the index,
// unless the machine is at fault.
func (d *segmentStore) damagedFile(err error) error {
	if errors.Is(err, mapped.ErrDamaged) || errors.Is(err, errDamaged) || errors.Is(err, os.ErrNotExist) {
		return &store.CorruptError{Dir: d.dir, Err: err}
	}
	return err
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
	if !anyDamaged(w.manifest.parts) {
		return
	}
	w.log.Warn("index is rebuilt", "err", errCut)
	w.status.fault(fmt.Sprintf("the index was damaged (%v) and has been rebuilt", errCut))
	w.rebuild(ctx, false)
}

// diskBytes returns the index's size on disk.
func (w *writer) diskBytes() int64 { return w.disk.db.DiskBytes() + w.manifest.mappedSize() }
