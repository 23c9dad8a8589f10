package indexer

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// FormatVersion is the version of the stores that this build writes. Builds with different versions
// do not share a process.
const FormatVersion = formatVersion

// formatVersion identifies the layout of everything below; a store of another version is rebuilt.
const formatVersion = 12

var errDamaged = errors.New("the data are damaged")

type encoder struct{ b []byte }

func (e *encoder) uint(v uint64) { e.b = binary.AppendUvarint(e.b, v) }

func (e *encoder) bytes(b []byte) {
	e.uint(uint64(len(b)))
	e.b = append(e.b, b...)
}

func (e *encoder) hash(h hash) {
	e.b = binary.LittleEndian.AppendUint64(e.b, h.Hi)
	e.b = binary.LittleEndian.AppendUint64(e.b, h.Lo)
}

func (e *encoder) table(t *table) {
	e.uint(uint64(t.len()))
	for i := range t.len() {
		e.uint(uint64(len(t.at(i))))
	}
	e.bytes(t.blob)
}

// decoder decodes what encoder wrote; after the first fault everything is zero and bad is set.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) uint32() uint32 {
	v := d.uint()
	if v > 1<<32-1 {
		d.bad = true
		return 0
	}
	return uint32(v)
}

// count decodes the number of elements that take at least a byte each.
func (d *decoder) count() int {
	v := d.uint()
	if v > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return 0
	}
	return int(v)
}

func (d *decoder) bytes() []byte {
	n := d.count()
	out := d.b[:n:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) hash() hash {
	if len(d.b) < 16 {
		d.bad, d.b = true, nil
		return hash{}
	}
	h := hash{Hi: binary.LittleEndian.Uint64(d.b), Lo: binary.LittleEndian.Uint64(d.b[8:])}
	d.b = d.b[16:]
	return h
}

func (d *decoder) table() table {
	t := table{off: make([]uint32, 1, 64)}
	n, at := d.count(), uint64(0)
	for range n {
		at += uint64(d.uint32())
		if at > 1<<32-1 {
			d.bad = true
			return table{}
		}
		t.off = append(t.off, uint32(at))
	}
	t.blob = d.bytes()
	if at != uint64(len(t.blob)) {
		d.bad = true
		return table{}
	}
	return t
}

func (e *encoder) files(files []fileRec) {
	e.uint(uint64(len(files)))
	for _, f := range files {
		e.bytes([]byte(f.Language))
		e.hash(f.Hash)
		e.uint(uint64(f.Size))
		e.uint(uint64(f.First))
		e.uint(uint64(f.DocStart))
		e.uint(uint64(f.DocEnd))
		e.bytes([]byte(f.Problem))
	}
}

func (d *decoder) files() []fileRec {
	languages := map[string]string{}
	out := make([]fileRec, d.count())
	for i := range out {
		f := &out[i]
		lang := d.bytes()
		if _, ok := languages[string(lang)]; !ok {
			languages[string(lang)] = string(lang)
		}
		f.Language = languages[string(lang)]
		f.Hash = d.hash()
		f.Size = int64(d.uint())
		f.First, f.DocStart, f.DocEnd = d.uint32(), d.uint32(), d.uint32()
		f.Problem = string(d.bytes())
	}
	return out
}

func (s *segment) marshal() []byte {
	e := &encoder{b: make([]byte, 0, s.bytes())}
	e.bytes(s.body.Marshal())
	e.files(s.files)
	e.uint(uint64(len(s.chunks)))
	prev := chunkRec{}
	for _, c := range s.chunks {
		e.hash(c.Hash)
		e.uint(uint64(c.File - prev.File))
		if c.File != prev.File {
			prev = chunkRec{}
		}
		e.uint(uint64(c.Start - prev.End))
		e.uint(uint64(c.End - c.Start))
		e.uint(uint64(c.Line - prev.Line))
		e.uint(uint64(c.EndLine - c.Line))
		e.uint(uint64(c.Tokens))
		e.uint(uint64(c.Kind))
		prev = c
	}
	e.table(&s.info)
	e.table(&s.names)
	e.uint(uint64(len(s.symbols)))
	for _, y := range s.symbols {
		for _, v := range [...]uint32{y.Name, y.Container, y.File, y.Line, y.EndLine - y.Line, y.Start, y.End - y.Start, uint32(y.Kind)} {
			e.uint(uint64(v))
		}
	}
	e.table(&s.refs)
	e.table(&s.signs)
	return e.b
}

// unmarshalSegment decodes what marshal wrote; damaged data results in an error, never in a segment
// that panics later.
func unmarshalSegment(id uint64, b []byte) (*segment, error) {
	d := &decoder{b: b}
	s := &segment{id: id}
	body, err := lexical.Unmarshal(d.bytes())
	if err != nil {
		return nil, err
	}
	s.body = body
	s.files = d.files()
	s.chunks = make([]chunkRec, d.count())
	prev := chunkRec{}
	for i := range s.chunks {
		c := &s.chunks[i]
		c.Hash = d.hash()
		c.File = prev.File + d.uint32()
		if c.File != prev.File {
			prev = chunkRec{}
		}
		c.Start = prev.End + d.uint32()
		c.End = c.Start + d.uint32()
		c.Line = prev.Line + d.uint32()
		c.EndLine = c.Line + d.uint32()
		c.Tokens = d.uint32()
		c.Kind = uint8(d.uint())
		prev = *c
	}
	s.info, s.names = d.table(), d.table()
	symbols := make([]symbolRec, d.count())
	for i := range symbols {
		y := &symbols[i]
		y.Name, y.Container, y.File, y.Line = d.uint32(), d.uint32(), d.uint32(), d.uint32()
		y.EndLine = y.Line + d.uint32()
		y.Start = d.uint32()
		y.End = y.Start + d.uint32()
		y.Kind = uint8(d.uint())
	}
	s.refs, s.signs = d.table(), d.table()
	if d.bad || !s.sound(symbols) {
		return nil, fmt.Errorf("segment %d: %w", id, errDamaged)
	}
	s.setSymbols(symbols)
	return s, nil
}

// sound reports whether every index in the records is within its table.
func (s *segment) sound(symbols []symbolRec) bool {
	if s.body.Docs() != len(s.chunks) || s.body.Groups() != len(s.files) || s.info.len() != len(s.chunks) || s.refs.len() != len(s.files) ||
		s.signs.len() != len(s.files) {
		return false
	}
	for i, f := range s.files {
		if int(f.First) > len(s.chunks) || i > 0 && f.First < s.files[i-1].First || f.DocStart > f.DocEnd {
			return false
		}
	}
	for i, c := range s.chunks {
		if int(c.File) >= len(s.files) || c.End < c.Start || i > 0 && c.File < s.chunks[i-1].File {
			return false
		}
	}
	for _, y := range symbols {
		if int(y.Name) >= s.names.len() || int(y.Container) >= s.names.len() || int(y.File) >= len(s.files) || y.End < y.Start {
			return false
		}
	}
	return true
}
