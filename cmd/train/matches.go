package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// The parts that pairs are taken from. More of one repository adds little, and its words would
// count more than others'.
const (
	mostDocs    = 12_000 // definitions with a comment
	mostNames   = 6_000  // definitions by their name
	mostCommits = 2_500  // commits that are read
	mostFile    = 200 << 10
	fewestWords = 3 // of either side
)

// termCount is a term of a text with its frequency in the units of the index.
type termCount struct {
	Term   uint32 // of matched.Terms
	Weight uint8
}

// match is two texts that say the same: in words, and in code.
type match struct {
	Kind  byte // 'd' a comment and its definition, 'n' a name and its, 'c' a message and a hunk
	Asked []termCount
	Found []termCount
}

// repositoryPairs are the pairs of one repository.
type repositoryPairs struct {
	Repo    string
	Terms   []string
	Matches []match
}

// vocabulary numbers a repository's terms.
type vocabulary struct {
	ids   map[string]uint32
	terms []string
}

// bag counts terms by the weights of an index's fields.
type bag map[string]int

func (b bag) add(f lexical.Field, text []byte) {
	lexical.Terms(text, func(t string) {
		if !lexical.IsData(t) {
			b[t] += int(f)
		}
	})
}

func (v *vocabulary) weigh(b bag) []termCount {
	out := make([]termCount, 0, len(b))
	for t, n := range b {
		id, ok := v.ids[t]
		if !ok {
			id = uint32(len(v.terms))
			v.ids[t] = id
			v.terms = append(v.terms, t)
		}
		out = append(out, termCount{id, uint8(min(n, 255))})
	}
	return out
}

// matchesOf returns the pairs of a repository, made once and kept in work.
func matchesOf(mirror, repo, work string) (*repositoryPairs, error) {
	file := filepath.Join(work, strings.ReplaceAll(repo, "/", "+")+".pairs.gob")
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		var m repositoryPairs
		if err := gob.NewDecoder(bufio.NewReader(f)).Decode(&m); err == nil {
			return &m, nil
		}
	}
	m := &repositoryPairs{Repo: repo}
	v := &vocabulary{ids: map[string]uint32{}}
	if err := m.definitions(mirror, v); err != nil {
		return nil, fmt.Errorf("%s: %w", repo, err)
	}
	if err := m.commits(mirror, v); err != nil {
		return nil, fmt.Errorf("%s: %w", repo, err)
	}
	m.Terms = v.terms
	for i := range m.Matches { // a bag has no order
		for _, list := range [][]termCount{m.Matches[i].Asked, m.Matches[i].Found} {
			slices.SortFunc(list, func(a, b termCount) int { return strings.Compare(m.Terms[a.Term], m.Terms[b.Term]) })
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	if err := cmp.Or(gob.NewEncoder(w).Encode(m), w.Flush(), f.Close()); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *repositoryPairs) add(kind byte, v *vocabulary, asked, found bag) bool {
	if len(asked) < fewestWords || len(found) < fewestWords {
		return false
	}
	m.Matches = append(m.Matches, match{kind, v.weigh(asked), v.weigh(found)})
	return true
}

// definitions adds pairs of the newest commit's definitions.
func (m *repositoryPairs) definitions(mirror string, v *vocabulary) error {
	files, err := sources(mirror)
	if err != nil {
		return err
	}
	cat := exec.Command("git", "-C", mirror, "cat-file", "--batch")
	in, err := cat.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cat.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cat.Start(); err != nil {
		return err
	}
	defer func() { in.Close(); _ = cat.Wait() }()
	r := bufio.NewReader(out)
	p := chunk.NewParser(chunk.Options{})
	defer p.Close()
	left := map[byte]int{'d': mostDocs, 'n': mostNames}
	for _, entry := range files {
		id, name, _ := strings.Cut(entry, " ")
		fmt.Fprintln(in, id)
		var got, kind string
		var size int
		if n, _ := fmt.Fscanln(r, &got, &kind, &size); n != 3 {
			continue // absent in this mirror
		}
		src := make([]byte, size+1)
		if _, err := io.ReadFull(r, src); err != nil {
			return err
		}
		if src = src[:size]; bytes.IndexByte(src, 0) < 0 {
			m.file(v, name, src, p.Parse(name, src), left)
		}
	}
	return nil
}

// sources returns the ids and names of the newest commit's files of code, in an arbitrary order.
func sources(mirror string) (out []string, err error) {
	listing, err := exec.Command("git", "-C", mirror, "ls-tree", "-r", "-l", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-tree: %w", err)
	}
	for l := range strings.Lines(string(listing)) {
		head, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		var mode, kind, id string
		var size int
		if n, _ := fmt.Sscan(head, &mode, &kind, &id, &size); n == 4 && kind == "blob" && size < mostFile && chunk.HasSymbols(chunk.Language(name, nil)) && !vendored(name) {
			out = append(out, id+" "+name)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), strings.Compare(a, b)) })
	return out, nil
}

// file adds pairs of a file's definitions; left is how many more of each kind are wanted.
func (m *repositoryPairs) file(v *vocabulary, name string, src []byte, f chunk.File, left map[byte]int) {
	for _, c := range f.Chunks {
		if c.Kind != chunk.KindFunction && c.Kind != chunk.KindMethod && c.Kind != chunk.KindType || len(c.Symbols) == 0 {
			continue
		}
		if doc := longestComment(src, c, f.Comments); left['d'] > 0 && doc.End > doc.Start {
			asked, found := bag{}, bag{}
			asked.add(lexical.Body, src[doc.Start:doc.End])
			found.add(lexical.Body, src[c.Start:doc.Start])
			found.add(lexical.Body, src[doc.End:c.End])
			addNames(found, name, c)
			if m.add('d', v, asked, found) {
				left['d']--
			}
		}
		if left['n'] > 0 && c.Kind != chunk.KindType {
			asked, found := bag{}, bag{}
			asked.add(lexical.Body, []byte(c.Symbols[0]))
			_, body, ok := bytes.Cut(src[c.Start:c.End], []byte(c.Symbols[0]))
			if !ok {
				body = src[c.Start:c.End]
			}
			found.add(lexical.Body, body)
			if m.add('n', v, asked, found) {
				left['n']--
			}
		}
	}
}

// addNames adds the names that an index has of a definition beside its text.
func addNames(b bag, file string, c chunk.Chunk) {
	for _, s := range c.Symbols {
		b.add(lexical.Symbol, []byte(s))
	}
	for _, s := range c.Enclosing {
		b.add(lexical.Scope, []byte(s))
	}
	b.add(lexical.Scope, []byte(strings.TrimSuffix(path.Base(file), path.Ext(file))))
}

// longestComment returns the longest run of comments within a chunk.
func longestComment(src []byte, c chunk.Chunk, comments []chunk.Span) (best chunk.Span) {
	at, _ := slices.BinarySearchFunc(comments, c.Start, func(s chunk.Span, start int) int { return cmp.Compare(s.End, start+1) })
	var run chunk.Span
	for _, s := range comments[at:] {
		if s.Start >= c.End {
			break
		}
		s.Start, s.End = max(s.Start, c.Start), min(s.End, c.End)
		if run.End > 0 && len(bytes.TrimSpace(src[run.End:s.Start])) == 0 {
			run.End = s.End
		} else {
			run = s
		}
		if run.End-run.Start > best.End-best.Start {
			best = run
		}
	}
	return best
}

// vendored reports whether a file is somebody else's, or made by a program.
func vendored(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "vendor", "third_party", "node_modules", "dist", "deps":
			return true
		}
	}
	return strings.Contains(path.Base(name), ".min.") || strings.Contains(path.Base(name), ".pb.")
}

// commits adds pairs of messages and the hunks of their commits.
func (m *repositoryPairs) commits(mirror string, v *vocabulary) error {
	log := exec.Command("git", "-C", mirror, "log", "--no-merges", "-n", fmt.Sprint(mostCommits), "-p", "-U3", "--no-color", "--no-ext-diff", "--format=%x00%B%x00")
	out, err := log.StdoutPipe()
	if err != nil {
		return err
	}
	if err := log.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(out, 1<<20)
	message := ""
	for n := 0; ; n++ { // nothing, a message, its difference, a message, …
		part, err := r.ReadBytes(0)
		part = bytes.TrimSuffix(part, []byte{0})
		if n%2 == 1 {
			message = string(part)
		} else if n > 0 {
			m.commit(v, message, part)
		}
		if err != nil {
			break
		}
	}
	_ = log.Wait() // a mirror may lack its largest files
	return nil
}

// commit adds the pairs of a message with the hunks of a small difference.
func (m *repositoryPairs) commit(v *vocabulary, message string, diff []byte) {
	const mostHunks, mostDiff, mostMessage = 3, 60 << 10, 400
	if len(diff) > mostDiff {
		return
	}
	if len(message) > mostMessage {
		message = message[:mostMessage]
	}
	asked := bag{}
	for l := range strings.Lines(message) {
		if !trailer(l) {
			asked.add(lexical.Body, []byte(l))
		}
	}
	file, hunks := "", 0
	var found bag
	end := func() {
		if found != nil && hunks < mostHunks && m.add('c', v, asked, found) {
			hunks++
		}
		found = nil
	}
	for l := range bytes.Lines(diff) {
		switch {
		case bytes.HasPrefix(l, []byte("diff --git ")):
			end()
			file = ""
		case bytes.HasPrefix(l, []byte("+++ b/")):
			if file = strings.TrimSpace(string(l[6:])); !chunk.HasSymbols(chunk.Language(file, nil)) || vendored(file) {
				file = ""
			}
		case bytes.HasPrefix(l, []byte("@@ ")):
			end()
			if file != "" {
				found = bag{}
				found.add(lexical.Scope, []byte(strings.TrimSuffix(path.Base(file), path.Ext(file))))
				if _, after, ok := bytes.Cut(l[3:], []byte("@@")); ok {
					found.add(lexical.Scope, after)
				}
			}
		case found != nil && len(l) > 1:
			found.add(lexical.Body, l[1:])
		}
	}
	end()
}

// trailer reports whether a line of a message names people instead of the change.
func trailer(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return ok && (strings.HasSuffix(name, "-by") || strings.HasSuffix(name, "-By") || name == "Change-Id")
}

// allMatches returns the pairs of every repository of a folder, in the order of their names.
func allMatches(mirrors, work string) ([]*repositoryPairs, error) {
	entries, err := os.ReadDir(mirrors)
	if err != nil {
		return nil, err
	}
	out := make([]*repositoryPairs, len(entries))
	errs := make([]error, len(entries))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, e := range entries {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			mirror, err := filepath.EvalSymlinks(filepath.Join(mirrors, e.Name(), "repo"))
			if err == nil {
				out[i], err = matchesOf(mirror, strings.Replace(e.Name(), "+", "/", 1), work)
			}
			errs[i] = err
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
