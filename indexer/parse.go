package indexer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/zeebo/xxh3"
)

// parsedFile is one file that was read and, unless its content is known already, cut.
type parsedFile struct {
	path    string
	entry   source.Entry
	reason  source.Reason // why it is not indexed, or ""
	checked time.Time
	src     []byte
	hash    hash
	cut     bool
	file    chunk.File
	tokens  []int // by chunk
}

const (
	windowFiles = 256     // largest number parsed at once
	windowBytes = 8 << 20 // of their sizes together
	awaited     = 64      // files up to which a pass is interactive and does not yield
)

// fileParser reads and cuts files. Its functions must be safe for concurrent use.
type fileParser struct {
	x      *Index
	blamed func(path string) bool               // see suspects
	known  func(path string, content hash) bool // reports whether a content needs no cutting
}

// all reads and cuts the files on several workers and passes them to take in order. One window is
// cut while the previous one is taken.
func (f fileParser) all(ctx context.Context, files []source.Entry, take func(parsedFile) error) error {
	windows := make(chan []parsedFile, 1)
	ctx, cancel := context.WithCancel(ctx)
	var producer sync.WaitGroup
	defer producer.Wait()
	defer cancel()
	producer.Go(func() {
		defer close(windows)
		workers := min(f.x.opts.Workers, len(files))
		begin := func() {}
		if len(files) > awaited {
			begin = background
		}
		team := make([]worker, workers)
		for i := range team {
			team[i] = f.x.newWorker(i)
			defer team[i].close()
		}
		for len(files) > 0 {
			n, size := 0, int64(0)
			for n < len(files) && n < windowFiles && size < windowBytes {
				size += files[n].Size
				n++
			}
			select {
			case windows <- f.window(ctx, team, files[:n], begin):
			case <-ctx.Done():
				return
			}
			files = files[n:]
		}
	})
	for window := range windows {
		for i := range window {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := take(window[i]); err != nil {
				return err
			}
			window[i] = parsedFile{}
		}
	}
	return ctx.Err()
}

// window reads and cuts some files; each worker calls begin first.
func (f fileParser) window(ctx context.Context, team []worker, files []source.Entry, begin func()) []parsedFile {
	out := make([]parsedFile, len(files))
	var next atomic.Int64
	var group sync.WaitGroup
	for _, p := range team {
		group.Go(func() {
			begin()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				out[i] = f.one(p, files[i])
			}
		})
	}
	group.Wait()
	return out
}

func (f fileParser) one(p worker, e source.Entry) parsedFile {
	r := parsedFile{path: e.Path, entry: e, checked: f.x.opts.Now()}
	src, entry, reason, err := f.x.tree.Read(e.Path)
	if err != nil && reason == "" {
		reason = source.Unreadable
	}
	switch reason {
	case source.Indexed:
	case source.Link, source.OutsideRoot, source.Special, source.Directory:
		// The file that was opened is not the one that was listed: the listing's stat proves
		// nothing.
		r.checked = time.Unix(0, never)
		fallthrough
	default:
		r.reason = reason
		return r
	}
	r.src, r.entry, r.hash = src, entry, xxh3.Hash128(src)
	if !sameContent(f.x.current.Load(), e.Path, r.hash) && !f.known(e.Path, r.hash) {
		p.note.begin(e.Path)
		r.cutBy(p.parser, f.blamed(e.Path))
		p.note.end()
	}
	return r
}

// worker is the state of one cutting goroutine.
type worker struct {
	parser *chunk.Parser
	note   *journal // nil when it cannot be written
}

func (x *Index) newWorker(i int) worker {
	note, err := openJournal(x.opts.Dir, i)
	if err != nil {
		x.opts.Logger.Debug("open journal", "err", err)
	}
	return worker{x.newParser(), note}
}

func (k worker) close() {
	k.parser.Close()
	k.note.close()
}

// sameContent reports whether the path is already in the index with this content. It reads only
// what a pass changes for the path itself, after this file was taken.
func sameContent(s *Snapshot, path string, h hash) bool {
	f, ok := s.File(path)
	if !ok {
		return false
	}
	p, i := s.layout.filePart(f)
	return p.seg.files[i].Hash == h
}

// cutBy cuts the file, as plain text if its syntax is blamed for having ended the process.
func (r *parsedFile) cutBy(p *chunk.Parser, blamed bool) {
	if blamed {
		r.file = p.Parse(r.path+".txt", r.src)
		r.file.Problem = "parsing it ended the program several times"
	} else {
		r.file = p.Parse(r.path, r.src)
	}
	r.tokens = make([]int, len(r.file.Chunks))
	for i, c := range r.file.Chunks {
		r.tokens[i] = c.Tokens
	}
	r.cut = true
}

// cutWith cuts a file outside the workers, which is rare: two files got the content of a removed
// one.
func (r *parsedFile) cutWith(x *Index) {
	p := x.newParser()
	defer p.Close()
	r.cutBy(p, false)
}

func (x *Index) newParser() *chunk.Parser {
	return chunk.NewParser(chunk.Options{TargetTokens: chunkTokens, Count: x.opts.Count})
}

// chunkTokens is the target size of chunks.
const chunkTokens = 500

// cut makes a part of one text, for overlays and for files that changed after they were indexed.
func (x *Index) cut(path string, src []byte) (*part, bool) {
	r := parsedFile{path: path, src: src, hash: xxh3.Hash128(src)}
	r.cutWith(x)
	b := newSegBuilder()
	b.add(src, r.hash, r.file, r.tokens)
	p := &part{seg: b.seal(0), paths: []string{path}, texts: [][]byte{src}}
	p.name()
	return p, len(r.file.Chunks) > 0
}
