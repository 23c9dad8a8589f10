package indexer

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/zeebo/xxh3"
)

// Gate is why a hit must not be shown in its indexed form; "" means that it may.
type Gate string

// The checks of a hit before it is shown.
const (
	Stale       Gate = "stale"       // the file changed or was removed, and the chunk could not be found again
	OutsideRoot Gate = "outsideRoot" // a link now leads out of the root
	Binary      Gate = "binary"
	Excluded    Gate = "excluded" // the ignore rules now exclude it
)

// Reader reads the text of a snapshot's chunks, each file at most once. Not safe for concurrent
// use; made for one request.
type Reader struct {
	s     *Snapshot
	files map[int]*opened
	rules *source.Check // nil until the first file is read
}

type opened struct {
	text  []byte
	gate  Gate
	fresh *part // the file cut again, if it changed since it was indexed
}

// NewReader returns a reader.
func (s *Snapshot) NewReader() *Reader { return &Reader{s: s, files: map[int]*opened{}} }

// Chunk returns the present text of a chunk, with its position in the file. A file that changed
// since it was indexed is read and cut again, and the chunk that defines the same symbol, has the
// same title or is at the same position is returned. The text belongs to the reader.
func (r *Reader) Chunk(id int) (Chunk, []byte, Gate) {
	c := r.s.Chunk(id)
	f := r.open(c.File)
	if f.gate != "" {
		return c, nil, f.gate
	}
	if f.fresh != nil {
		again, ok := relocate(f.fresh, c)
		if !ok {
			return c, nil, Stale
		}
		again.ID, again.File, again.Path, again.Language = c.ID, c.File, c.Path, c.Language
		c = again
	}
	if c.End > len(f.text) {
		return c, nil, Stale
	}
	return c, f.text[c.Start:c.End], ""
}

// File returns a file's whole present text.
func (r *Reader) File(file int) ([]byte, Gate) {
	f := r.open(file)
	return f.text, f.gate
}

// Paths returns the files that were read from the disk, in order.
func (r *Reader) Paths() []string {
	out := make([]string, 0, len(r.files))
	for file := range r.files {
		if p, i := r.s.layout.filePart(file); p.texts == nil {
			out = append(out, p.paths[i])
		}
	}
	slices.Sort(out)
	return out
}

// Drop releases a file's text.
func (r *Reader) Drop(file int) { delete(r.files, file) }

func (r *Reader) open(file int) *opened {
	if f, ok := r.files[file]; ok {
		return f
	}
	f := r.read(file)
	r.files[file] = f
	return f
}

func (r *Reader) read(file int) *opened {
	p, i := r.s.layout.filePart(file)
	if p.texts != nil {
		return &opened{text: p.texts[i]}
	}
	name := p.paths[i]
	if r.rules == nil {
		r.rules = r.s.tree.NewCheck()
	}
	text, reason, err := r.rules.Read(name)
	switch {
	case err != nil || reason == source.NotFound || reason == source.Unreadable || reason == source.Directory:
		return &opened{gate: Stale}
	case reason == source.OutsideRoot || reason == source.Link:
		return &opened{gate: OutsideRoot}
	case reason == source.Binary:
		return &opened{gate: Binary}
	case reason != "":
		return &opened{gate: Excluded}
	}
	f := &opened{text: text}
	if xxh3.Hash128(text) != p.seg.files[i].Hash {
		fresh, ok := r.s.reparse(name, text)
		if !ok {
			return &opened{gate: Stale}
		}
		f.fresh = fresh
	}
	return f
}

// relocate returns the chunk of p, which has one file, that corresponds to c: the one with the same
// text, else the same symbols, else the same title, else the one at the same line.
func relocate(p *part, c Chunk) (Chunk, bool) {
	s := newSnapshot(0, []*part{p}, nil, nil)
	best, score := -1, 0
	for id := range s.Chunks() {
		d := s.Chunk(id)
		n := 0
		switch {
		case d.Hash == c.Hash:
			n = 8
		case len(c.Symbols) > 0 && len(d.Symbols) > 0 && d.Symbols[0] == c.Symbols[0]:
			n = 4
		case c.Title != "" && d.Title == c.Title:
			n = 2
		}
		if d.StartLine <= c.StartLine && c.StartLine <= d.EndLine {
			n++
		}
		if n > score {
			best, score = id, n
		}
	}
	if best < 0 {
		return Chunk{}, false
	}
	return s.Chunk(best), true
}
