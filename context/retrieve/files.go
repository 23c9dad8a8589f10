package retrieve

import (
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"golang.org/x/text/unicode/norm"
)

// namedFiles finds the files that the prompt names and the lines at which it points.
type namedFiles struct {
	*search
	pointed map[int]int // a chunk that the prompt points at, by file
}

func (r *namedFiles) candidates(context.Context) {
	r.pointed = map[int]int{}
	for _, f := range r.req.Intent.Frames {
		r.frame(f.File, f.Line)
	}
	for _, name := range r.req.Intent.Files {
		r.namedFile(name)
	}
}

// namedFile raises the best chunks of a file that the prompt names by its path or the end of it, or
// only the one that the prompt points at.
func (r *namedFiles) namedFile(name string) {
	line := -1
	if i := strings.IndexByte(name, ':'); i > 0 {
		line = leadingNumber(name[i+1:]) - 1
		name = name[:i]
	}
	name = norm.NFC.String(strings.TrimPrefix(strings.TrimPrefix(name, "./"), "/"))
	var found []int
	r.s.Paths(func(f int, p string) {
		p = norm.NFC.String(p)
		if p == name || strings.HasSuffix(p, "/"+name) {
			found = append(found, f)
		}
	})
	if len(found) == 0 || len(found) > manyMeanings {
		return
	}
	for _, f := range found {
		if line >= 0 {
			r.frame(r.s.Path(f), line+1)
			continue
		}
		if c, known := r.pointed[f]; known {
			at := slices.IndexFunc(r.out.Candidates, func(o *item.Item) bool { return o.Chunk == c })
			if at >= 0 { // else it may not appear
				r.out.Candidates[at].Score += fileNameBoost / float64(len(found))
				r.evident(c).named = 1
			}
			continue
		}
		r.raiseBest(f, fileNameBoost/float64(len(found)), r.inFile(name))
		r.named = 1
	}
}

// raiseBest raises the best chunk of a file by the whole boost and its others by half of it.
func (r *namedFiles) raiseBest(file int, boost float64, why string) {
	first, end := r.s.FileChunks(file)
	top, score := first, -1.0
	in := map[int]bool{}
	for _, c := range r.out.Candidates {
		if c.Chunk >= first && c.Chunk < end {
			in[c.Chunk] = true
			if c.Score > score {
				top, score = c.Chunk, c.Score
			}
		}
	}
	if first == end {
		return
	}
	r.raise(top, boost, why)
	r.evident(top).named = 1
	for c := range in {
		if c != top {
			r.evident(c).named = .5
			r.raise(c, boost/2, why)
		}
	}
}

// frame raises the place that a stack trace or a compiler's message names, and records its file as
// pointed at.
func (r *namedFiles) frame(file string, line int) {
	const matches = 3
	found := r.filesEndingIn(file)
	if len(found) > matches {
		return
	}
	for _, f := range found {
		if c, ok := r.s.ChunkAt(f, line-1); ok {
			r.raise(c, fileNameBoost, r.pointedAt(r.s.Path(f)))
			e := r.evident(c)
			e.pointed, e.lines = 1, append(e.lines, line-1)
			r.named = 1
			r.pointed[f] = c
		}
	}
}

// filesEndingIn returns the files whose paths have the longest end in common with a path of another
// machine or of an installed package, such as /opt/lib/python3/site-packages/click/core.py for
// src/click/core.py. A name alone is too little where both paths have folders.
func (r *namedFiles) filesEndingIn(file string) (found []int) {
	const enough = 2 // parts
	parts := strings.Split(norm.NFC.String(strings.Trim(strings.TrimPrefix(file, "./"), "/")), "/")
	most := 0
	r.s.Paths(func(f int, p string) {
		if !strings.HasSuffix(p, parts[len(parts)-1]) {
			return
		}
		own := strings.Split(norm.NFC.String(p), "/")
		n := 0
		for n < min(len(own), len(parts)) && own[len(own)-1-n] == parts[len(parts)-1-n] {
			n++
		}
		switch {
		case n < min(enough, len(own), len(parts)) || n < most:
			return
		case n > most:
			found, most = found[:0], n
		}
		found = append(found, f)
	})
	return found
}

func leadingNumber(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func (r *namedFiles) inFile(name string) string {
	return "is in " + name + ", which " + r.asker() + " names"
}

func (r *namedFiles) pointedAt(path string) string {
	return r.asker() + " points at this place in " + path
}
