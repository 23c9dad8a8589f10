package indexer

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/zeebo/xxh3"
)

// Buffer is an editor's unsaved text, with or without a file.
type Buffer struct {
	Path string // relative to the root, slash; a name of its own for an untitled buffer
	Text []byte
}

// Overlay caches the buffers of one session redacted and cut, so that a request processes only
// those that changed since the last. Not safe for concurrent use.
type Overlay struct {
	buffers map[string]*bufferFile // by path
}

// bufferFile is a processed buffer.
type bufferFile struct {
	raw  hash   // of the original text
	text []byte // redacted
	hash hash   // of text
	part *part  // text cut; nil while it equals what is indexed
}

// NewOverlay returns an empty overlay.
func NewOverlay() *Overlay { return &Overlay{buffers: map[string]*bufferFile{}} }

// take returns a processed buffer, from the cache if its text has not changed.
func (o *Overlay) take(x *Index, b Buffer) *bufferFile {
	raw := xxh3.Hash128(b.Text)
	if known := o.buffers[b.Path]; known != nil && known.raw == raw {
		return known
	}
	text := x.tree.Redact(b.Path, source.Extract(b.Path, b.Text))
	return &bufferFile{raw: raw, text: text, hash: xxh3.Hash128(text)}
}

// With returns a snapshot in which the buffers' texts replace those of their files. The caller must
// have each buffer admitted (source.Tree.Admit). Buffers equal to what is indexed cost nothing.
func (x *Index) With(ctx context.Context, s *Snapshot, o *Overlay, buffers []Buffer) *Snapshot {
	keep := make(map[string]*part, len(buffers))
	taken := make(map[string]*bufferFile, len(buffers))
	for _, b := range buffers {
		k := o.take(x, b)
		taken[b.Path] = k
		if f, ok := s.File(b.Path); ok {
			if p, i := s.layout.filePart(f); p.seg.files[i].Hash == k.hash {
				continue
			}
		}
		if k.part == nil {
			k.part, _ = x.cut(b.Path, k.text)
		}
		keep[b.Path] = k.part
	}
	o.buffers = taken
	if len(keep) == 0 {
		return s
	}
	parts := slices.Grow(slices.Clone(s.layout.parts), len(keep))
	for name := range keep {
		if f, ok := s.File(name); ok {
			k := s.layout.partOf(f)
			parts[k] = parts[k].without(f - s.layout.fileBase[k])
		}
	}
	placed := map[string]bool{}
	for _, b := range buffers {
		if p := keep[b.Path]; p != nil && !placed[b.Path] {
			placed[b.Path] = true
			parts = append(parts, p.embedded(ctx))
		}
	}
	out := newSnapshot(s.version, parts, s.tree, s.history)
	out.reparse, out.vectors.encoded, out.vectors.asked = s.reparse, s.vectors.encoded, s.vectors.asked
	out.lend(s.scratch)
	return out
}

// without returns the part with a file removed.
func (p *part) without(file int) *part {
	q := *p
	q.paths, q.searched = slices.Clone(p.paths), nil
	q.paths[file] = ""
	q.dead++
	return &q
}

// embedded returns the part with vectors, or without vectors if that fails.
func (p *part) embedded(ctx context.Context) *part {
	src := newPartSource(p.seg)
	for c := range p.seg.chunks {
		src.want(c)
	}
	table := embed.Shipped()
	rows, err := table.EmbedAll(ctx, src, 1, nil)
	if err != nil {
		return p
	}
	q := *p
	q.vec = &vectors{digest: table.Digest(), dims: table.Dimensions(), rows: rows}
	return &q
}
