package indexer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/store"
)

// The store's keys:
//
//	m/format            formatVersion and, behind it, Options.RedactID
//	m/state             version, next segment id, ids of the live segments
//	m/version           the version when the index was closed, if it is above that of m/state
//	m/rules             what the index was built with (see writer.rules); another value re-reads every file
//	s/<id>              a segment, as a blob, or the name of the file in which it lies, and that of its vectors' file
//	f/<path>            where a file's content stands and what its stat was
//	v/<table>/<hash>    one chunk's vector by a table
//	e/table             the digest of the embedder's table that the vectors are by
//	c/<commit>          one commit's message and files
var (
	keyFormat  = []byte("m/format")
	keyState   = []byte("m/state")
	keyVersion = []byte("m/version")
	keyRules   = []byte("m/rules")
	keySegment = []byte("s/")
	keyFile    = []byte("f/")
	keyVector  = []byte("v/")
	keyTable   = []byte("e/table")
	keyModel   = []byte("e/model") // of format 7, which had one of each workspace
)

// fileState is the index's record of one path. Segment 0 means that it is not indexed, because of
// Reason.
type fileState struct {
	segment uint64
	index   int
	size    int64
	mtime   int64 // Unix nanoseconds
	inode   uint64
	changed int64 // the file's change time, which cannot be set; Unix nanoseconds
	checked int64 // when the content was read, Unix nanoseconds
	reason  source.Reason
}

// never is a time at which no file was read: then the stat proves nothing.
const never = 0

// unchanged reports whether the stat proves that the content is still what was read.
func (f fileState) unchanged(e source.Entry) bool {
	return f.checked != never && source.Settled(time.Unix(0, f.changed), time.Unix(0, f.checked)) &&
		f.size == e.Size && f.mtime == e.ModTime.UnixNano() && f.inode == e.Inode && f.changed == e.Changed.UnixNano()
}

// stateOf returns the record of a file that was read, without its place.
func stateOf(r parsed) fileState {
	return fileState{
		size: r.entry.Size, mtime: r.entry.ModTime.UnixNano(), inode: r.entry.Inode, changed: r.entry.Changed.UnixNano(),
		checked: r.checked.UnixNano(), reason: r.reason,
	}
}

func (f fileState) marshal() []byte {
	e := &encoder{}
	e.uint(f.segment)
	e.uint(uint64(f.index))
	e.uint(uint64(f.size))
	e.uint(uint64(f.mtime))
	e.uint(f.inode)
	e.uint(uint64(f.changed))
	e.uint(uint64(f.checked))
	e.bytes([]byte(f.reason))
	return e.b
}

func unmarshalFileState(b []byte) (fileState, bool) {
	d := &decoder{b: b}
	f := fileState{segment: d.uint(), index: int(d.uint()), size: int64(d.uint()), mtime: int64(d.uint()), inode: d.uint()}
	f.changed, f.checked = int64(d.uint()), int64(d.uint())
	f.reason = source.Reason(d.bytes())
	return f, !d.bad
}

func segmentKey(id uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), keySegment...), id)
}

func vectorKey(digest string, h hash) []byte {
	k := append(append([]byte(nil), keyVector...), digest...)
	k = append(k, '/')
	k = binary.BigEndian.AppendUint64(k, h.Hi)
	return binary.BigEndian.AppendUint64(k, h.Lo)
}

// load reads the whole state from the store. Inconsistent data results in *store.CorruptError, and
// a store of another format or of other rules in an empty state, so that the caller rebuilds.
func (w *writer) load() error {
	format, _, err := w.db.Get(keyFormat)
	if err != nil {
		return err
	}
	state, ok, err := w.db.Get(keyState)
	if err != nil {
		return err
	}
	if !ok {
		return w.reset()
	}
	if !bytes.Equal(format, w.format()) {
		w.log.Info("index has another format and is rebuilt")
		return w.reset()
	}
	d := &decoder{b: state}
	w.version, w.nextID = d.uint(), d.uint()
	w.stored = w.version
	closed, _, err := w.db.Get(keyVersion)
	if err != nil {
		return err
	}
	if last := (&decoder{b: closed}); len(closed) > 0 {
		w.version = max(w.version, last.uint())
	}
	ids := make([]uint64, d.count())
	for i := range ids {
		ids[i] = d.uint()
	}
	if d.bad {
		return w.corrupt("its list of segments")
	}
	for _, id := range ids {
		if err := w.loadSegment(id); err != nil {
			return err
		}
	}
	if err := w.loadFiles(); err != nil {
		return err
	}
	for _, p := range w.parts {
		p.name()
		if p.seg.named == nil { // it is no file yet, and may become one
			p.seg.named = p.named
		}
	}
	rules, _, err := w.db.Get(keyRules)
	if err != nil {
		return err
	}
	w.known.restore(string(rules))
	return w.loadVectors(w.parts)
}

func (w *writer) corrupt(what string) error {
	return &store.CorruptError{Dir: w.dir, Err: fmt.Errorf("%s: %w", what, errDamaged)}
}

func (w *writer) loadSegment(id uint64) error {
	data, ok, err := w.db.Blob(segmentKey(id))
	if err != nil {
		return err
	}
	var seg *segment
	if ok {
		if seg, err = unmarshalSegment(id, data); err != nil {
			return &store.CorruptError{Dir: w.dir, Err: err}
		}
	} else if seg, err = w.loadMapped(id); err != nil {
		return w.damagedFile(err)
	}
	w.parts = append(w.parts, &part{seg: seg, paths: make([]string, len(seg.files)), dead: len(seg.files)})
	return nil
}

// loadMapped opens a segment in a file.
func (w *writer) loadMapped(id uint64) (*segment, error) {
	name, ok, err := w.storedName(segmentFileKey(id))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, w.corrupt(fmt.Sprintf("segment %d is missing", id))
	}
	f, err := mapped.Open(w.dir, name)
	if err != nil {
		return nil, err
	}
	return openSegment(id, f)
}

func (w *writer) loadFiles() error {
	byID := map[uint64]*part{}
	for _, p := range w.parts {
		byID[p.seg.id] = p
	}
	return w.db.Scan(keyFile, func(k, v []byte) error {
		f, ok := unmarshalFileState(v)
		if !ok {
			return w.corrupt("a file's record")
		}
		path := string(k)
		if f.segment > 0 {
			p := byID[f.segment]
			if p == nil || f.index >= len(p.paths) || p.paths[f.index] != "" {
				return w.corrupt("a file's place")
			}
			p.paths[f.index] = path
			p.dead--
		}
		w.known.files[path] = f
		return nil
	})
}

// loadVectors attaches to each part the stored vectors of its chunks; a part with a missing one
// gets none, and the embedder makes them. Those by another table, of another version of the
// program, are removed.
func (w *writer) loadVectors(parts []*part) error {
	table := embed.Shipped()
	if by, _, err := w.db.Get(keyTable); err != nil {
		return err
	} else if string(by) != table.Digest() {
		b := w.db.NewBatch()
		if err := errors.Join(b.DeletePrefix(keyVector), b.Set(keyTable, []byte(table.Digest()))); err != nil {
			return errors.Join(err, b.Drop())
		}
		return b.Commit()
	}
	dims := table.Dimensions()
	have := map[hash][]int8{}
	prefix := append(append(append([]byte(nil), keyVector...), table.Digest()...), '/')
	err := w.db.Scan(prefix, func(k, v []byte) error {
		if len(k) == 16 && len(v) == dims {
			have[hash{Hi: binary.BigEndian.Uint64(k), Lo: binary.BigEndian.Uint64(k[8:])}] = toInt8(v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(have) > keptAnyway && tooMany(len(have), len(used(parts))) {
		w.wear.written = rewritten + 1 // so that the next settle collects
	}
	for _, p := range parts {
		if p.vec, err = w.storedVectors(p.seg); err != nil {
			return err
		}
		if p.vec != nil {
			continue
		}
		rows := make([]int8, 0, dims*len(p.seg.chunks))
		for _, c := range p.seg.chunks {
			row, ok := have[c.Hash]
			if !ok {
				rows = nil
				break
			}
			rows = append(rows, row...)
		}
		if rows != nil {
			p.vec = &vectors{digest: table.Digest(), dims: dims, rows: rows}
		}
	}
	return nil
}

// storedVectors opens the file of a segment's vectors, if it has one. An error there costs only
// time.
func (w *writer) storedVectors(s *segment) (*vectors, error) {
	if s.file == nil {
		return nil, nil
	}
	name, ok, err := w.storedName(vectorFileKey(s.id))
	if err != nil || !ok {
		return nil, err
	}
	v, err := w.openVectors(s, name, embed.Shipped().Digest(), embed.Shipped().Dimensions())
	if err != nil {
		w.log.Warn("the vectors of a segment cannot be read and are made again", "segment", s.id, "err", err)
		return nil, nil
	}
	return v, nil
}

func toInt8(b []byte) []int8 {
	out := make([]int8, len(b))
	for i, v := range b {
		out[i] = int8(v)
	}
	return out
}

// reset empties state and store.
func (w *writer) reset() error {
	w.parts, w.nextID = nil, 1
	w.known.empty()
	w.removed.forgetAll()
	b := w.db.NewBatch()
	if err := errors.Join(w.clear(b), b.DeletePrefix(keyCommit), b.Set(keyRules, []byte(w.known.applied))); err != nil {
		return errors.Join(err, b.Drop())
	}
	return b.Commit()
}

// clear stages the removal of the whole state except for the commits, and the start of a new one.
func (w *writer) clear(b *store.Batch) error {
	for _, prefix := range [][]byte{keyState, keySegment, keyFile, keyVector, keyModel} {
		if err := b.DeletePrefix(prefix); err != nil {
			return err
		}
	}
	return errors.Join(b.Set(keyTable, []byte(embed.Shipped().Digest())), b.Set(keyFormat, w.format()))
}

// putVersion stores the version of a change that no other batch has stored, so that the next
// process counts on from there.
func (w *writer) putVersion() error {
	if w.version <= w.stored || w.db.Fault() != nil {
		return nil
	}
	e := &encoder{}
	e.uint(w.version)
	b := w.db.NewBatch()
	if err := b.Set(keyVersion, e.b); err != nil {
		return errors.Join(err, b.Drop())
	}
	return b.Commit()
}

// putState adds the list of segments to a batch; every batch that changes it must have it.
func (w *writer) putState(b *store.Batch) error {
	e := &encoder{}
	e.uint(w.version)
	w.stored = w.version
	e.uint(w.nextID)
	e.uint(uint64(len(w.parts)))
	for _, p := range w.parts {
		e.uint(p.seg.id)
	}
	if err := b.Set(keyRules, []byte(w.known.applied)); err != nil {
		return err
	}
	return b.Set(keyState, e.b)
}
