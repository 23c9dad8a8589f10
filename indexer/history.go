package indexer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
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
	files  [][]uint32      // by commit: indices of paths
	paths  []string
}

// HistoryScores scores files by the commits whose messages match the query: each of the best
// commits lends its score to the files that it touched, less for each when there are more.
func (s *Snapshot) HistoryScores(ctx context.Context, terms []lexical.QueryTerm) ([]float32, error) {
	const (
		nearest = 30
		power   = 2   // near commits count more than in proportion to their score
		spread  = .25 // exponent by which a commit of many files counts less for each
	)
	h := s.history
	if h == nil || h.corpus.LiveDocs == 0 {
		return nil, nil
	}
	p := lexical.Params{K1: 1.2, B: .5}
	scores, err := h.corpus.Score(ctx, terms, p, p)
	if err != nil {
		return nil, err
	}
	best := make([]int, 0, len(scores.Doc))
	for d, v := range scores.Doc {
		if v > 0 {
			best = append(best, d)
		}
	}
	sort.Slice(best, func(i, j int) bool {
		if scores.Doc[best[i]] != scores.Doc[best[j]] {
			return scores.Doc[best[i]] > scores.Doc[best[j]]
		}
		return best[i] < best[j]
	})
	if len(best) > nearest {
		best = best[:nearest]
	}
	s.prepare(nil)
	out := make([]float32, s.Files())
	for _, d := range best {
		lend := float32(math.Pow(float64(scores.Doc[d]), power) / math.Pow(float64(len(h.files[d])), spread))
		for _, f := range h.files[d] {
			if file, ok := s.byPath[h.paths[f]]; ok {
				out[file] += lend
			}
		}
	}
	return out, nil
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
		if _, ok := have[h]; !ok {
			missing = append(missing, h)
		}
	}
	if len(missing) > 0 {
		batch := db.NewBatch()
		err := history.Load(ctx, root, missing, func(c history.Commit) error {
			c.Message = string(tree.Redact("", []byte(c.Message)))
			v := encodeCommit(c)
			have[c.Hash] = v
			if len(c.Files) == 0 { // possibly for want of objects that come later
				return nil
			}
			return batch.Set(append(append([]byte(nil), keyCommit...), c.Hash...), v)
		})
		if err != nil && !errors.Is(err, history.ErrNoTrees) {
			return nil, fmt.Errorf("read git history: %w", errors.Join(err, batch.Drop()))
		}
		if err := batch.Commit(); err != nil {
			lost("store commits", err)
		}
	}
	return buildHistory(head, hashes, have), nil
}

func buildHistory(head string, hashes []string, have map[string][]byte) *historyIndex {
	h := &historyIndex{head: head}
	ids := map[string]uint32{}
	b := lexical.NewBuilder()
	for _, hash := range hashes {
		message, files, ok := decodeCommit(have[hash])
		if !ok || len(files) == 0 {
			continue
		}
		b.Group()
		subject, body, _ := strings.Cut(message, "\n")
		b.Add(lexical.Symbol, []byte(subject))
		b.Add(lexical.Body, []byte(body))
		b.Close()
		list := make([]uint32, len(files))
		for i, f := range files {
			id, ok := ids[f]
			if !ok {
				id = uint32(len(h.paths))
				ids[f] = id
				h.paths = append(h.paths, f)
			}
			list[i] = id
		}
		h.files = append(h.files, list)
	}
	h.corpus = lexical.Measure([]lexical.Part{{Segment: b.Seal()}})
	return h
}

func encodeCommit(c history.Commit) []byte {
	b := binary.AppendUvarint(nil, uint64(len(c.Message)))
	b = append(b, c.Message...)
	for _, f := range c.Files {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	return b
}

func decodeCommit(b []byte) (message string, files []string, ok bool) {
	d := &decoder{b: b}
	message = string(d.bytes())
	for len(d.b) > 0 && !d.bad {
		files = append(files, string(d.bytes()))
	}
	return message, files, !d.bad
}
