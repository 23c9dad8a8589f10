package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// question is one line of a set of questions with known answers.
type question struct {
	ID        string      `json:"id"`
	Repo      string      `json:"repo"`
	Root      string      `json:"root"`
	Base      string      `json:"base_commit"`
	Query     string      `json:"query"`
	GoldFiles []string    `json:"gold_files"`
	Ranges    []fileRange `json:"gold_ranges"`
	Relevant  []struct {
		Path  string
		Also  []string
		Start int
		End   int
	} `json:"relevant"`
	Class string `json:"class"`
	AsOne bool   `json:"e0"`
	// Text, Commit and Files are the same in sets of questions with the pieces of text that settle
	// them, Decisive, one of which stands in each line of the answer.
	Text     string     `json:"text"`
	Commit   string     `json:"commit"`
	Files    []string   `json:"files"`
	Decisive []string   `json:"decisive"`
	Keep     []string   `json:"keep"`    // what a reader would want to see, path:first-last, lines from 1
	History  []struct{} `json:"history"` // what was said before

	kind string // what was asked, for reports
}

// fileRange is a range of lines of a file, from 1, in JSON [path, first, last].
type fileRange struct {
	path        string
	first, last int
}

// UnmarshalJSON reads [path, first, last].
func (r *fileRange) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.path, &r.first, &r.last})
}

// asked is a question with the model's inputs for its candidates.
type asked struct {
	Set, Repo, ID, Query string
	Read                 retrieve.Wording
	Seen                 []retrieve.Observation
	Place                []place
	Gold                 []float32 // by candidate: 1 for what answers, .5 for what lies in a file that does; -1 not to be judged
	Files                int       // that answer
}

// place is the location of a candidate.
type place struct {
	Path        string
	First, Last int // lines from 1
	Tokens      int
}

// readRows reads the rows of a file with one JSON value after the other, maybe compressed.
func readRows[T any](file string) (out []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	for dec := json.NewDecoder(r); dec.More(); {
		var row T
		if err := dec.Decode(&row); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, row)
	}
	return out, nil
}

// readSet reads the questions of a file.
func readSet(file string) ([]question, error) {
	all, err := readRows[question](file)
	out := all[:0]
	for _, q := range all {
		q.Query, q.Base = cmp.Or(q.Query, q.Text), cmp.Or(q.Base, q.Commit)
		if err := q.keep(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, q.ID, err)
		}
		if (q.Class == "" || q.AsOne) && len(q.History) == 0 { // a prompt that means nothing without its conversation is no training data
			out = append(out, q)
		}
	}
	return out, err
}

// keep makes ranges and files of Keep.
func (q *question) keep() error {
	for _, k := range q.Keep {
		at := strings.LastIndexByte(k, ':')
		var first, last int
		if _, err := fmt.Sscanf(k[at+1:], "%d-%d", &first, &last); err != nil || at < 0 {
			return fmt.Errorf("keep: %q is not path:first-last", k)
		}
		q.Ranges = append(q.Ranges, fileRange{k[:at], first, last})
		if !slices.Contains(q.GoldFiles, k[:at]) {
			q.GoldFiles = append(q.GoldFiles, k[:at])
		}
	}
	return nil
}

// collection collects observations of workspaces that are checked out from mirrors: bare
// repositories owner+name/repo.
type collection struct {
	mirrors, work string
	offTopic      []string
	onTopic       map[string][]string // by repository; without answers
}

// checkout checks out a commit of a repository to a folder of its own.
func (c *collection) checkout(repo, base string) (string, error) {
	mirror, err := filepath.Abs(filepath.Join(c.mirrors, strings.ReplaceAll(repo, "/", "+"), "repo"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(c.work, "tree", strings.ReplaceAll(repo, "/", "+"))
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		if _, err := os.Stat(mirror); err != nil {
			return "", err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
			return "", fmt.Errorf("git init: %w: %s", err, out)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git/objects/info/alternates"), []byte(filepath.Join(mirror, "objects")+"\n"), 0o644); err != nil {
			return "", err
		}
	}
	for _, step := range [][]string{{"update-ref", "refs/heads/base", base}, {"symbolic-ref", "HEAD", "refs/heads/base"}, {"read-tree", "base"}, {"clean", "-qfdx"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, step...)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", step[0], err, out)
		}
	}
	_ = exec.Command("git", "-C", dir, "checkout-index", "-a", "-f", "-q").Run() // a mirror may lack its largest files
	return dir, nil
}

// index opens the index of a folder and waits until it is complete.
func (c *collection) index(ctx context.Context, root, name string) (*indexer.Snapshot, func(), error) {
	x, err := indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(c.work, "index", name), Home: c.work, GlobalIgnore: filepath.Join(c.work, "none"),
		Count: func(b []byte) int { return len(b)/4 + 1 },
	})
	if err != nil {
		return nil, nil, err
	}
	if err := x.Wait(ctx); err != nil {
		return nil, nil, err
	}
	s, release := x.Snapshot()
	return s, func() { release(); _ = x.Close() }, nil
}

// each calls do for all questions, with the index of their workspace.
func (c *collection) each(ctx context.Context, set string, list []question, do func(s *indexer.Snapshot, q question)) error {
	return c.eachWorkspace(ctx, set, list, func(s *indexer.Snapshot, same []question) {
		for _, q := range same {
			do(s, q)
		}
	})
}

// eachWorkspace calls do for the questions of each workspace, with its index.
func (c *collection) eachWorkspace(ctx context.Context, set string, list []question, do func(s *indexer.Snapshot, same []question)) error {
	slices.SortStableFunc(list, func(a, b question) int {
		return cmp.Or(strings.Compare(a.Repo, b.Repo), strings.Compare(a.Base, b.Base))
	})
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Repo == list[0].Repo && list[n].Base == list[0].Base && list[n].Root == list[0].Root {
			n++
		}
		same := list[:n]
		list = list[n:]
		dir, err := c.checkout(same[0].Repo, same[0].Base)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", same[0].Repo, err)
			continue
		}
		s, done, err := c.index(ctx, filepath.Join(dir, same[0].Root), set+"-"+strings.ReplaceAll(same[0].Repo, "/", "+"))
		if err != nil {
			return err
		}
		do(s, same)
		done()
		fmt.Fprintf(os.Stderr, "%s %s: %d questions\n", set, same[0].Repo, n)
	}
	return nil
}

// collect asks all questions of one set and, once per repository, the synthetic and the off-topic
// questions.
func (c *collection) collect(ctx context.Context, set string, list []question, extra bool) ([]asked, error) {
	var out []asked
	err := c.eachWorkspace(ctx, set, list, func(s *indexer.Snapshot, same []question) {
		for _, q := range same {
			out = append(out, observe(ctx, s, set, q))
		}
		if !extra {
			return
		}
		for _, q := range made(ctx, s, same[0]) {
			out = append(out, observe(ctx, s, q.kind, q))
		}
		for i, text := range c.onTopic[same[0].Repo] {
			out = append(out, observe(ctx, s, "on", question{ID: fmt.Sprint(same[0].Repo, ":on:", i), Repo: same[0].Repo, Query: text}))
		}
		for i, text := range c.offTopic {
			if int(hash(same[0].Repo, text)%6) == 0 {
				out = append(out, observe(ctx, s, "off", question{ID: fmt.Sprint(same[0].Repo, ":off:", i), Repo: same[0].Repo, Query: text}))
			}
		}
	})
	return out, err
}

func hash(texts ...string) uint32 {
	h := fnv.New32a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum32()
}

// observe runs one question.
func observe(ctx context.Context, s *indexer.Snapshot, set string, q question) asked {
	a := asked{Set: set, Repo: q.Repo, ID: q.ID, Query: q.Query, Files: len(q.GoldFiles) + len(q.Relevant)}
	a.Read, a.Seen = retrieve.Observe(ctx, s, retrieve.Request{
		Query: q.Query, Intent: intent.Classify(q.Query, intent.Context{}), Mode: retrieve.Hybrid, Limit: 400, Deadline: time.Minute,
	}, time.Now)
	best := map[string]bool{}
	for _, o := range a.Seen {
		k := s.Chunk(o.Chunk)
		p := place{path.Join(q.Root, k.Path), k.StartLine + 1, k.EndLine + 1, k.Tokens}
		g := q.gold(p)
		if g == .5 { // the answering lines of the file are unknown: its best piece is assumed to answer, the others are not judged
			if best[p.Path] {
				g = -1
			}
			best[p.Path] = true
		}
		a.Place, a.Gold = append(a.Place, p), append(a.Gold, g)
	}
	return a
}

// gold returns the value of a place as an answer.
func (q question) gold(p place) float32 {
	for _, r := range q.Relevant {
		if r.Path == p.Path || slices.Contains(r.Also, p.Path) {
			switch {
			case r.Start == 0:
				return .5
			case p.Last >= r.Start && p.First <= r.End:
				return 1
			}
		}
	}
	in := slices.Contains(q.GoldFiles, p.Path)
	for _, r := range q.Ranges {
		if r.path == p.Path && p.Last >= r.first && p.First <= r.last {
			return 1
		}
	}
	if in {
		return .5
	}
	return 0
}

// save and load keep observations between runs: collecting them takes minutes, fitting seconds.
func save(file string, list []asked) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(list); err != nil {
		return err
	}
	return f.Close()
}

func load(file string) (list []asked, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return list, gob.NewDecoder(f).Decode(&list)
}
