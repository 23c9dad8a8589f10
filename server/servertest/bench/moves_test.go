//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// moves measures changes of many files at once: switching to a branch with 300 changed files and
// back, and renaming a folder.
func (r *run) moves() (err error) {
	words, err := r.branch(300)
	if err != nil {
		return err
	}
	c, err := start(r.bin, r.tree.root, r.state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if _, err := c.ready(50 * time.Millisecond); err != nil {
		return err
	}
	var there, gone []probe
	for word, files := range words {
		there, gone = append(there, c.only(word, files)), append(gone, c.only(word, nil))
	}
	if err := r.move(c, "branch of 300 files, out", there, false, func() error { return r.tree.git("checkout", "-q", "changed") }); err != nil {
		return err
	}
	if err := r.move(c, "branch of 300 files, back", gone, true, func() error { return r.tree.git("checkout", "-q", "main") }); err != nil {
		return err
	}
	return r.rename(c)
}

// branch makes a repository of the tree with a branch `changed`, in which n files have a word
// added. A hundred files share a word, so that one search covers all of them.
func (r *run) branch(n int) (words map[string][]string, err error) {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}, {"checkout", "-q", "-b", "changed"}} {
		if err := r.tree.git(args...); err != nil {
			return nil, err
		}
	}
	words = map[string][]string{}
	for files := range slices.Chunk(r.tree.pick(n, 300), 100) {
		word := r.tree.word()
		words[word] = files
		for _, file := range files {
			if err := r.tree.addWord(file, word); err != nil {
				return nil, err
			}
		}
	}
	for _, args := range [][]string{{"commit", "-q", "-a", "-m", "change"}, {"checkout", "-q", "main"}} {
		if err := r.tree.git(args...); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// rename moves the folder with the most sources among those with at most eighty.
func (r *run) rename(c *client) error {
	byDir := map[string][]string{}
	for _, file := range r.tree.sources {
		byDir[path.Dir(file)] = append(byDir[path.Dir(file)], file)
	}
	dir := ""
	for d, files := range byDir {
		best := len(byDir[dir])
		if d != "." && len(files) <= 80 && (len(files) > best || len(files) == best && d < dir) {
			dir = d
		}
	}
	next, word := dir+"moved", r.tree.word()
	var after []string
	for _, file := range byDir[dir] {
		if err := r.tree.addWord(file, word); err != nil {
			return err
		}
		after = append(after, next+"/"+path.Base(file))
	}
	if _, err := settle(time.Now(), []probe{c.only(word, byDir[dir])}); err != nil {
		return fmt.Errorf("find %s before it is renamed: %w", dir, err)
	}
	if _, err := c.ready(50 * time.Millisecond); err != nil {
		return err
	}
	probes := []probe{c.only(word, after)}
	for _, file := range byDir[dir][:min(5, len(after))] {
		name, err := function(r.tree.path(file))
		if err != nil {
			return err
		}
		if name != "" {
			probes = append(probes, c.moved(name, dir+"/", next+"/"+path.Base(file)))
		}
	}
	what := fmt.Sprintf("folder of %d files renamed", len(after))
	return r.move(c, what, probes, true, func() error { return os.Rename(r.tree.path(dir), r.tree.path(next)) })
}

// only searches for a word that exactly these files contain: at most two hundred, the limit of a
// search.
func (c *client) only(word string, files []string) probe {
	want := slices.Sorted(slices.Values(files))
	return func() (bool, error) {
		hits, err := c.search(word, "lexical", 200)
		var got []string
		for _, h := range hits {
			got = append(got, c.path(h))
		}
		slices.Sort(got)
		return slices.Equal(slices.Compact(got), want), err
	}
}

// moved searches for a name that a moved file declares: the new path is found and the old one never
// is.
func (c *client) moved(name, old, file string) probe {
	return func() (bool, error) {
		all, err := c.search(name, "hybrid", 50)
		if err != nil {
			return false, err
		}
		for _, h := range all {
			if strings.HasPrefix(c.path(h), old) {
				return false, nil
			}
		}
		there, err := c.search(name, "lexical", 50, file)
		return len(there) > 0 && c.path(there[0]) == file, err
	}
}

var declared = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w{5,})[(\[]`)

// function returns the name of the first function that a file declares, "" if there is none.
func function(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if m := declared.FindSubmatch(text); m != nil {
		return string(m[1]), nil
	}
	return "", nil
}

// probe sends a request and reports whether the answer is right.
type probe func() (bool, error)

// move changes the disk and measures the time from the beginning of the change until every probe is
// right. known means that all texts were embedded before, so that none may be embedded again and
// none may be missing in the end.
func (r *run) move(c *client, what string, probes []probe, known bool, change func() error) error {
	before, err := c.measured()
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := change(); err != nil {
		return err
	}
	changed := time.Since(begin)
	took, err := settle(begin, probes)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	s, err := c.ready(50 * time.Millisecond)
	if err != nil {
		return err
	}
	settled := time.Since(begin)
	after, err := c.measured()
	if err != nil {
		return err
	}
	r.table.add(what+": every answer right", took.Seconds(), 3, " s", "%d questions; the change itself took %.2f s, all was idle after %.2f s with %d files", len(probes), changed.Seconds(), settled.Seconds(), s.Files)
	if _, told := after["embedded"]; told {
		again := after["embedded"] - before["embedded"]
		if known {
			r.table.exact(what+": embedded again", again, 0, "contexture.metrics")
		} else {
			r.table.add(what+": embedded", again, 0, "", "chunks that are new")
		}
	}
	return nil
}

// settle repeats each probe until it is right, and repeats all once more in the end; a probe that
// has become wrong is repeated.
func settle(begin time.Time, probes []probe) (took time.Duration, err error) {
	for {
		for i, p := range probes {
			if err := poll(5*time.Millisecond, 2*time.Minute, p); err != nil {
				return 0, fmt.Errorf("question %d of %d: %w", i+1, len(probes), err)
			}
		}
		took = time.Since(begin)
		wrong := 0
		for _, p := range probes {
			if ok, err := p(); err != nil {
				return 0, err
			} else if !ok {
				wrong++
			}
		}
		if wrong == 0 {
			return took, nil
		}
		if time.Since(begin) > patience {
			return 0, fmt.Errorf("%d of %d answers do not stay right", wrong, len(probes))
		}
	}
}
