package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/source"
)

// damaged is the share of a file's bytes with syntax errors from which the file counts as damaged.
const damaged = .1

// reading is the result of parsing one file.
type reading struct {
	repo, path, language string
	size, symbols        int
	problem              string
	unparsed             int    // bytes
	first                string // lines where its first error is
}

func (r reading) isDamaged() bool { return float64(r.unparsed) > damaged*float64(r.size) }

// measureParse parses every file that would be indexed in the newest commit of every mirror, and
// prints by language how many could not be parsed, and how many only in part. It writes only the
// current checkout, which it removes.
func measureParse(args []string) error {
	flags := flag.NewFlagSet("train parse", flag.ContinueOnError)
	mirrors := flags.String("mirrors", "", "the `folder` with bare repositories, owner+name/repo")
	work := flags.String("work", os.TempDir(), "a `folder` for one checkout at a time")
	only := flags.String("only", "", "a `part` of the names of the repositories to read")
	language := flags.String("language", "", "list files of this `language` only")
	list := flags.Bool("list", false, "also list the files with a problem and where their first error is")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repos, err := filepath.Glob(filepath.Join(*mirrors, "*", "repo"))
	if err != nil || len(repos) == 0 {
		return fmt.Errorf("no repositories in %q: %w", *mirrors, errors.Join(err, os.ErrNotExist))
	}
	var all []reading
	for _, repo := range repos {
		name := filepath.Base(filepath.Dir(repo))
		if !strings.Contains(name, *only) {
			continue
		}
		read, err := readRepository(repo, name, *work)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, read...)
	}
	if *list {
		listReadings(os.Stdout, all, *language)
	}
	return reportReadings(os.Stdout, all)
}

// readRepository checks out the newest commit of a bare repository, parses its files, and removes
// the checkout.
func readRepository(repo, name, work string) ([]reading, error) {
	dir, err := os.MkdirTemp(work, "parse")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// A mirror may lack its largest files, which Git reports as an error.
	_ = exec.Command("git", "clone", "-q", "--shared", repo, dir).Run()
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return nil, fmt.Errorf("git clone: %w", err)
	}
	tree, err := source.Open(source.Options{Root: dir})
	if err != nil {
		return nil, err
	}
	return readTree(tree, name)
}

func readTree(tree *source.Tree, name string) ([]reading, error) {
	paths := make(chan string)
	var mu sync.Mutex // guards all
	var all []reading
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			p := chunk.NewParser(chunk.Options{})
			defer p.Close()
			for path := range paths {
				text, _, reason, err := tree.Read(path)
				if err != nil || reason != source.Indexed {
					continue
				}
				r := readFile(p, path, text)
				r.repo = name
				mu.Lock()
				all = append(all, r)
				mu.Unlock()
			}
		})
	}
	err := tree.Walk(context.Background(), func(e source.Entry) error {
		paths <- e.Path
		return nil
	}, func(string, bool, source.Reason) {})
	close(paths)
	workers.Wait()
	slices.SortFunc(all, func(a, b reading) int { return strings.Compare(a.path, b.path) })
	return all, err
}

func readFile(p *chunk.Parser, path string, text []byte) reading {
	file := p.Parse(path, text)
	r := reading{path: path, language: file.Language, size: len(text), symbols: len(file.Symbols), problem: file.Problem}
	for _, s := range file.Unparsed {
		r.unparsed += s.End - s.Start
	}
	if len(file.Unparsed) > 0 {
		r.first = excerpt(text, file.Unparsed[0].Start)
	}
	return r
}

// excerpt returns the line number and up to three lines of text, starting with the line that
// contains the byte at at.
func excerpt(text []byte, at int) string {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	var lines [][]byte
	for line := range bytes.Lines(text[start:]) {
		if lines = append(lines, bytes.TrimRight(line[:min(len(line), 160)], "\r\n")); len(lines) == 3 {
			break
		}
	}
	return fmt.Sprintf("%d: %s", bytes.Count(text[:start], []byte("\n"))+1, bytes.Join(lines, []byte(" ⏎ ")))
}

// listReadings prints the files that have a problem, then those that are damaged, by language.
func listReadings(w io.Writer, all []reading, language string) {
	for _, r := range all {
		share := 100 * r.unparsed / max(r.size, 1)
		switch {
		case language != "" && r.language != language:
		case r.problem != "":
			fmt.Fprintf(w, "quarantined %s %s %s: %s\n", r.language, r.repo, r.path, r.problem)
		case r.isDamaged():
			fmt.Fprintf(w, "damaged %s %s %s: %d %% of %d bytes\n\t%s\n", r.language, r.repo, r.path, share, r.size, r.first)
		}
	}
}

// readingTally counts the files of a language.
type readingTally struct{ files, symbols, quarantined, damaged, bytes, unparsed int }

func (t *readingTally) add(r reading) {
	t.files++
	t.symbols += r.symbols
	t.bytes += r.size
	t.unparsed += r.unparsed
	switch {
	case r.problem != "":
		t.quarantined++
	case r.isDamaged():
		t.damaged++
	}
}

func reportReadings(w io.Writer, all []reading) error {
	byLanguage := map[string]*readingTally{}
	total := &readingTally{}
	for _, r := range all {
		t := byLanguage[r.language]
		if t == nil {
			t = &readingTally{}
			byLanguage[r.language] = t
		}
		t.add(r)
		total.add(r)
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "language\tfiles\tsymbols\tquarantined\t1 in\tdamaged\tshare %\tbytes unparsed %\t")
	row := func(name string, t *readingTally) {
		oneIn := "-"
		if t.quarantined > 0 {
			oneIn = fmt.Sprint(t.files / t.quarantined)
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%s\t%d\t%.2f\t%.3f\t\n", name, t.files, t.symbols, t.quarantined, oneIn, t.damaged,
			100*float64(t.damaged)/float64(max(t.files, 1)), 100*float64(t.unparsed)/float64(max(t.bytes, 1)))
	}
	for _, name := range slices.Sorted(maps.Keys(byLanguage)) {
		row(name, byLanguage[name])
	}
	row("all", total)
	return out.Flush()
}
