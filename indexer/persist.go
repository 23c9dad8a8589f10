package indexer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
//	m/rules             what the index was built with (see catalogue); another value re-reads every file
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
func stateOf(r parsedFile) fileState {
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

// manifest lists the segments of the index and what is known of the files in them. Only the
// writer's goroutine uses it, except for removed.
type manifest struct {
	disk    *segmentStore
	version uint64
	stored  uint64 // the version in the last list of segments
	nextID  uint64
	parts   []*part
	known   catalogue
	removed removedContents // contents that were removed from the index and are still in segments
}

// newManifest returns an empty manifest; rules are as in catalogue.
func newManifest(disk *segmentStore, rules string) *manifest {
	return &manifest{disk: disk, nextID: 1, known: newCatalogue(rules)}
}

// part returns a segment's index in the list; it must be there.
func (m *manifest) part(id uint64) int {
	return slices.IndexFunc(m.parts, func(p *part) bool { return p.seg.id == id })
}

// load reads the whole state from the store. Inconsistent data results in *store.CorruptError, and
// a store of another format or of other rules in an empty state, so that the caller rebuilds.
func (m *manifest) load() error {
	format, _, err := m.disk.db.Get(keyFormat)
	if err != nil {
		return err
	}
	state, ok, err := m.disk.db.Get(keyState)
	if err != nil {
		return err
	}
	if !ok {
		return m.reset()
	}
	if !bytes.Equal(format, m.disk.format()) {
		m.disk.log.Info("index has another format and is rebuilt")
		return m.reset()
	}
	d := &decoder{b: state}
	m.version, m.nextID = d.uint(), d.uint()
	m.stored = m.version
	closed, _, err := m.disk.db.Get(keyVersion)
	if err != nil {
		return err
	}
	if last := (&decoder{b: closed}); len(closed) > 0 {
		m.version = max(m.version, last.uint())
	}
	ids := make([]uint64, d.count())
	for i := range ids {
		ids[i] = d.uint()
	}
	if d.bad {
		return m.disk.corrupt("its list of segments")
	}
	for _, id := range ids {
		if err := m.loadSegment(id); err != nil {
			return err
		}
	}
	if err := m.loadFiles(); err != nil {
		return err
	}
	for _, p := range m.parts {
		p.name()
		if p.seg.named == nil { // it is no file yet, and may become one
			p.seg.named = p.named
		}
	}
	rules, _, err := m.disk.db.Get(keyRules)
	if err != nil {
		return err
	}
	m.known.restore(string(rules))
	return m.loadVectors(m.parts)
}

func (m *manifest) loadSegment(id uint64) error {
	data, ok, err := m.disk.db.Blob(segmentKey(id))
	if err != nil {
		return err
	}
	var seg *segment
	if ok {
		if seg, err = unmarshalSegment(id, data); err != nil {
			return &store.CorruptError{Dir: m.disk.dir, Err: err}
		}
	} else if seg, err = m.disk.loadMapped(id); err != nil {
		return m.disk.damagedFile(err)
	}
	m.parts = append(m.parts, &part{seg: seg, paths: make([]string, len(seg.files)), dead: len(seg.files)})
	return nil
}

func (m *manifest) loadFiles() error {
	byID := map[uint64]*part{}
	for _, p := range m.parts {
		byID[p.seg.id] = p
	}
	return m.disk.db.Scan(keyFile, func(k, v []byte) error {
		f, ok := unmarshalFileState(v)
		if !ok {
			return m.disk.corrupt("a file's record")
		}
		path := string(k)
		if f.segment > 0 {
			p := byID[f.segment]
			if p == nil || f.index >= len(p.paths) || p.paths[f.index] != "" {
				return m.disk.corrupt("a file's place")
			}
			p.paths[f.index] = path
			p.dead--
		}
		m.known.files[path] = f
		return nil
	})
}

// loadVectors attaches to each part the stored vectors of its chunks; a part with a missing one
// gets none, and the embedder makes them. Those by another table, of another version of the
// program, are removed.
func (m *manifest) loadVectors(parts []*part) error {
	table := embed.Shipped()
	if by, _, err := m.disk.db.Get(keyTable); err != nil {
		return err
	} else if string(by) != table.Digest() {
		b := m.disk.db.NewBatch()
		if err := errors.Join(b.DeletePrefix(keyVector), b.Set(keyTable, []byte(table.Digest()))); err != nil {
			return errors.Join(err, b.Drop())
		}
		return b.Commit()
	}
	dims := table.Dimensions()
	have := map[hash][]int8{}
	prefix := append(append(append([]byte(nil), keyVector...), table.Digest()...), '/')
	err := m.disk.db.Scan(prefix, func(k, v []byte) error {
		if len(k) == 16 && len(v) == dims {
			have[hash{Hi: binary.BigEndian.Uint64(k), Lo: binary.BigEndian.Uint64(k[8:])}] = toInt8(v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(have) > keptAnyway && tooMany(len(have), len(used(parts))) {
		m.disk.wear.written = rewritten + 1 // so that the next settle collects
	}
	for _, p := range parts {
		if p.vec, err = m.disk.storedVectors(p.seg); err != nil {
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

func toInt8(b []byte) []int8 {
	out := make([]int8, len(b))
	for i, v := range b {
		out[i] = int8(v)
	}
	return out
}

// reset empties state and store.
func (m *manifest) reset() error {
	m.parts, m.nextID = nil, 1
	m.known.empty()
	m.removed.forgetAll()
	b := m.disk.db.NewBatch()
	if err := errors.Join(m.disk.clear(b), b.DeletePrefix(keyCommit), b.Set(keyRules, []byte(m.known.applied))); err != nil {
		return errors.Join(err, b.Drop())
	}
	return b.Commit()
}

// putVersion stores the version of a change that no other batch has stored, so that the next
// process counts on from there.
func (m *manifest) putVersion() error {
	if m.version <= m.stored || m.disk.db.Fault() != nil {
		return nil
	}
	e := &encoder{}
	e.uint(m.version)
	b := m.disk.db.NewBatch()
	if err := b.Set(keyVersion, e.b); err != nil {
		return errors.Join(err, b.Drop())
	}
	return b.Commit()
}

// putState adds the list of segments to a batch; every batch that changes it must have it.
func (m *manifest) putState(b *store.Batch) error {
	e := &encoder{}
	e.uint(m.version)
	m.stored = m.version
	e.uint(m.nextID)
	e.uint(uint64(len(m.parts)))
	for _, p := range m.parts {
		e.uint(p.seg.id)
	}
	if err := b.Set(keyRules, []byte(m.known.applied)); err != nil {
		return err
	}
	return b.Set(keyState, e.b)
}

// dropEmpty removes the parts without any file left.
func (m *manifest) dropEmpty(b *store.Batch) {
	m.parts = slices.DeleteFunc(m.parts, func(p *part) bool {
		if p.dead < len(p.paths) {
			return false
		}
		if err := b.DeletePrefix(segmentKey(p.seg.id)); err != nil {
			m.disk.log.Warn("remove a segment", "err", err)
		}
		m.removed.forget(p.seg.id)
		return true
	})
}

// bytes returns approximately the size of what saveAll writes.
func (m *manifest) bytes() (n int64) {
	for _, p := range m.parts {
		n += int64(p.seg.bytes())
		if p.vec != nil {
			n += int64(len(p.vec.rows))
		}
	}
	return n
}

// saveAll replaces the content of the store with the whole state: in one batch, so that the store
// has the old state or the new one.
func (m *manifest) saveAll(s suspects) error {
	batch := m.disk.db.NewBatch()
	if err := m.putAll(batch, s); err != nil {
		return errors.Join(err, batch.Drop())
	}
	if err := batch.Commit(); err != nil {
		return err
	}
	return m.disk.db.Flush()
}

func (m *manifest) putAll(batch *store.Batch, s suspects) error {
	if anyDamaged(m.parts) {
		return errCut
	}
	if err := m.disk.clear(batch); err != nil {
		return err
	}
	for i, p := range m.parts {
		q := *p
		var err error
		if q.seg, err = m.disk.putSegment(batch, p.seg); err != nil {
			return err
		}
		if q.vec, err = m.disk.putVectors(batch, q.seg, p.vec); err != nil {
			return err
		}
		if q.seg != p.seg { // it is in a new file
			q.named, q.searched = nil, nil
			q.name()
			m.parts[i] = &q
		}
	}
	for path, f := range m.known.files {
		if err := batch.Set(fileKey(path), f.marshal()); err != nil {
			return err
		}
	}
	if err := batch.Set(keyTable, []byte(embed.Shipped().Digest())); err != nil {
		return err
	}
	if err := s.put(batch); err != nil {
		return err
	}
	return m.putState(batch)
}

// sweep removes the files that the store no longer names. The state must be on disk.
func (m *manifest) sweep() {
	entries, err := os.ReadDir(m.disk.dir)
	if err != nil {
		m.disk.log.Debug("list the index's files", "err", err)
		return
	}
	used := map[string]bool{}
	for _, p := range m.parts {
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
		if err := os.Remove(filepath.Join(m.disk.dir, name)); err != nil {
			m.disk.log.Debug("remove a file of the index", "err", err)
		}
	}
}

// mappedSize returns the size of the parts' files.
func (m *manifest) mappedSize() (n int64) {
	for _, p := range m.parts {
		for _, f := range p.mappedFiles() {
			n += f.Size()
		}
	}
	return n
}
