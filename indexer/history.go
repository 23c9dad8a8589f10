package indexer

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/store"
)

// historyCommits is how many of the newest commits are read: enough for every commit that still
// refers to today's files in the repositories measured, and cheap to list at every change of HEAD.
const historyCommits = 8000

// historyIndex ranks the workspace's commits by their messages. Immutable.
type historyIndex struct {
	head   string
	corpus *lexical.Corpus // documents are commits
	files  [][]changedFile // by commit
	paths  []string
}

// changedFile is what a commit changed in a file.
type changedFile struct {
	path  uint32   // index of its path
	lines []uint32 // keys of the added lines, see history.LineKey
}

// HistoryMatch is what the commits tell whose messages match a query.
type HistoryMatch struct {
	// Files are scores of the files that these commits changed, by file; nil if there are none.
	Files []float32
	// Lines are scores of the lines that they added, by file and key (see history.LineKey),
	// relative to the highest one. A line need not be in the file any more.
	Lines map[int]map[uint32]float64
}

// History scores files and lines by the commits whose messages match the query: each of the best
// commits lends its score to the files that it touched and the lines that it added, less for each
// when there are more.
func (s *Snapshot) History(ctx context.Context, terms []lexical.QueryTerm) (HistoryMatch, error) {
	const (
		power  = 2   // near commits count more than in proportion to their score
		spread = .25 // exponent by which a commit of many files counts less for each
	)
	h := s.history
	if h == nil || h.corpus.LiveDocs == 0 {
		return HistoryMatch{}, nil
	}
	best, scores, err := h.nearest(ctx, terms)
	if err != nil {
		return HistoryMatch{}, err
	}
	out := HistoryMatch{Files: make([]float32, s.Files()), Lines: map[int]map[uint32]float64{}}
	top := 0.
	for _, d := range best {
		score := math.Pow(float64(scores[d]), power)
		lend := float32(score / math.Pow(float64(len(h.files[d])), spread))
		for _, f := range h.files[d] {
			file, ok := s.File(h.paths[f.path])
			if !ok {
				continue
			}
			out.Files[file] += lend
			if len(f.lines) > 0 && out.Lines[file] == nil {
				out.Lines[file] = map[uint32]float64{}
			}
			for _, key := range f.lines {
				out.Lines[file][key] += score / math.Sqrt(float64(len(f.lines)))
				top = max(top, out.Lines[file][key])
			}
		}
	}
	for _, lines := range out.Lines {
		for key := range lines {
			lines[key] /= top
		}
	}
	return out, nil
}

// nearest returns the commits whose messages match a query best, and the scores of all.
func (h *historyIndex) nearest(ctx context.Context, terms []lexical.QueryTerm) (best []int, scores []float32, err error) {
	const most = 30
	p := lexical.Params{K1: 1.2, B: .5}
	all, err := h.corpus.Score(ctx, terms, p, p)
	if err != nil {
		return nil, nil, err
	}
	scores = all.Doc
	for d, v := range scores {
		if v > 0 {
			best = append(best, d)
		}
	}
	slices.SortFunc(best, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) })
	return best[:min(len(best), most)], scores, nil
}

var keyCommit = []byte("c/")

// loadHistory updates the history to head: it reads stored commits from the store, others from Git,
// with their messages redacted. It calls lost for errors of the store, which cost only time.
func loadHistory(ctx context.Context, tree *source.Tree, head string, db *store.Store, lost func(doing string, err error)) (*historyIndex, error) {
	root := tree.Root()
	hashes, err := history.List(ctx, root, historyCommits)
	if err != nil {
		return nil, err
	}
	have := map[string][]byte{}
	err = db.Scan(keyCommit, func(k, v []byte) error {
		have[string(k)] = append([]byte(nil), v...)
		return nil
	})
	if err != nil {
		lost("read stored commits", err)
	}
	var missing []string
	for _, h := range hashes {
		if c, ok := decodeCommit(have[h]); !ok || c.lines == nil {
			missing = append(missing, h)
		}
	}
	if len(missing) == 0 {
		return buildHistory(head, hashes, have), nil
	}
	loaded, err := readCommits(ctx, tree, missing)
	if err != nil {
		return nil, fmt.Errorf("read git history: %w", err)
	}
	batch := db.NewBatch()
	for _, c := range loaded {
		v := encodeCommit(c)
		have[c.Hash] = v
		if len(c.Files) == 0 { // possibly for want of objects that come later
			continue
		}
		if err := batch.Set(append(append([]byte(nil), keyCommit...), c.Hash...), v); err != nil {
			return nil, errors.Join(err, batch.Drop())
		}
	}
	if err := batch.Commit(); err != nil {
		lost("store commits", err)
	}
	return buildHistory(head, hashes, have), nil
}

// commit is a commit and the lines that it added.
type commit struct {
	history.Commit
	lines [][]uint32 // by file; nil if they are not known
}

// readCommits reads commits from Git, their messages redacted.
func readCommits(ctx context.Context, tree *source.Tree, hashes []string) (out []commit, err error) {
	at := map[string]int{}
	var small []string // those whose files are known
	err = history.Load(ctx, tree.Root(), hashes, func(c history.Commit) error {
		c.Message = string(tree.Redact("", []byte(c.Message)))
		if len(c.Files) > 0 {
			at[c.Hash], small = len(out), append(small, c.Hash)
		}
		out = append(out, commit{Commit: c})
		return nil
	})
	if err != nil && !errors.Is(err, history.ErrNoTrees) {
		return nil, err
	}
	for _, i := range at {
		out[i].lines = make([][]uint32, len(out[i].Files))
	}
	err = history.Additions(ctx, tree.Root(), small, func(a history.Addition) {
		k, known := at[a.Hash]
		if !known {
			return
		}
		if i, ok := slices.BinarySearch(out[k].Files, a.Path); ok {
			out[k].lines[i] = a.Keys
		}
	})
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil { // a ranking of files is better than none
		for _, i := range at {
			out[i].lines = nil
		}
	}
	return out, nil
}

func buildHistory(head string, hashes []string, have map[string][]byte) *historyIndex {
	h := &historyIndex{head: head}
	ids := map[string]uint32{}
	b := lexical.NewBuilder()
	for _, hash := range hashes {
		c, ok := decodeCommit(have[hash])
		if !ok || len(c.Files) == 0 {
			continue
		}
		b.Group()
		subject, body, _ := strings.Cut(c.Message, "\n")
		b.Add(lexical.Symbol, []byte(subject))
		b.Add(lexical.Body, []byte(body))
		b.Close()
		list := make([]changedFile, len(c.Files))
		for i, f := range c.Files {
			id, ok := ids[f]
			if !ok {
				id = uint32(len(h.paths))
				ids[f] = id
				h.paths = append(h.paths, f)
			}
			list[i].path = id
			if c.lines != nil {
				list[i].lines = c.lines[i]
			}
		}
		h.files = append(h.files, list)
	}
	h.corpus = lexical.Measure([]lexical.Part{{Segment: b.Seal()}})
	return h
}

// encodeCommit encodes a commit: its message, its files, an empty path, and for each file how many
// lines were added and their keys. Without the lines it ends after the files.
func encodeCommit(c commit) []byte {
	b := binary.AppendUvarint(nil, uint64(len(c.Message)))
	b = append(b, c.Message...)
	for _, f := range c.Files {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	if c.lines == nil {
		return b
	}
	b = append(b, 0)
	for _, keys := range c.lines {
		b = binary.AppendUvarint(b, uint64(len(keys)))
		for _, key := range keys {
			b = binary.LittleEndian.AppendUint32(b, key)
		}
	}
	return b
}

// decodeCommit decodes what encodeCommit returned.
func decodeCommit(b []byte) (c commit, ok bool) {
	d := &decoder{b: b}
	c.Message = string(d.bytes())
	for len(d.b) > 0 && !d.bad {
		path := d.bytes()
		if len(path) == 0 {
			c.lines = d.lines(len(c.Files))
			break
		}
		c.Files = append(c.Files, string(path))
	}
	return c, !d.bad && len(d.b) == 0
}

// lines decodes the keys of the lines that a commit added to its files.
func (d *decoder) lines(files int) [][]uint32 {
	out := make([][]uint32, files)
	for i := range out {
		n := d.uint()
		if n > uint64(len(d.b)/4) {
			d.bad = true
			return nil
		}
		for ; n > 0; n-- {
			out[i] = append(out[i], binary.LittleEndian.Uint32(d.b))
			d.b = d.b[4:]
		}
	}
	return out
}
