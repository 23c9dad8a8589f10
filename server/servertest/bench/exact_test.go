//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// Shares of ripgrep's time that a search for matching lines may take: for a pattern that few files
// can match, and for one that most files match.
const (
	rareShare   = .5
	commonShare = 1.5
)

// exactRuns is how often both search for each pattern.
const exactRuns = 11

// exactPatterns are regular expressions for Go's source; a share of 0 has no limit.
var exactPatterns = []struct {
	pattern string
	share   float64
}{
	{"runtime_pollUnblock", rareShare},
	{`errors\.New\("unexpected \w+ in`, rareShare},
	{"(Lock|Unlock)OSThread", rareShare},
	{`func \w+Error\(`, commonShare},
	{"return nil, err", commonShare},
	{"err", commonShare},
	{`\berr(or)?s?\b`, commonShare},
	{`[0-9]+[a-f]+[0-9]+x`, 0}, // no letters that every match has
}

// BenchmarkExact compares the search for matching lines with ripgrep, in turns, on a copy of Go's
// source tree: the request to a server until its answer is there, against the program, its
// output written to a file. Its limits work as in BenchmarkGoTree; a wrong line fails.
func BenchmarkExact(b *testing.B) {
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	if _, err := exec.LookPath("rg"); err != nil {
		b.Fatal("install ripgrep, with which this compares")
	}
	r := &run{load: load()}
	if err := r.prepare(b); err != nil {
		b.Fatal(err)
	}
	if err := r.exact(filepath.Join(b.TempDir(), "rg")); err != nil {
		r.table.print(os.Stdout)
		b.Fatal(err)
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
	b.ReportMetric(float64(missed), "missed")
}

// matchedLines is the answer of a search for lines, as far as it is compared.
type matchedLines struct {
	Hits []struct {
		URI         string
		SnippetLine int
	}
	Matched struct{ Lines, Files, Searched, Unread int }
}

func (r *run) exact(output string) (err error) {
	c, err := start(r.bin, r.tree.root, filepath.Join(r.state, "exact"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if _, err := c.ready(100 * time.Millisecond); err != nil {
		return err
	}
	for _, p := range exactPatterns {
		if _, err := r.exactAnswer(c, p.pattern, output, 1000, p.share); err != nil {
			return err
		}
		found, err := r.exactAnswer(c, p.pattern, output, 10_000, 0)
		if err != nil {
			return err
		}
		if err := r.sameLines(found, output); err != nil {
			return fmt.Errorf("%q: %w", p.pattern, err)
		}
	}
	return nil
}

// exactAnswer measures an answer that counts all lines and lists at most limit of them.
func (r *run) exactAnswer(c *client, pattern, output string, limit int, share float64) (*matchedLines, error) {
	var ours, theirs []time.Duration
	var answer json.RawMessage
	for range exactRuns {
		begin := time.Now()
		args := map[string]any{"query": pattern, "mode": "regex", "case": true, "limit": limit, "deadlineMs": 60_000}
		if err := c.command("contexture.search", args, &answer); err != nil {
			return nil, fmt.Errorf("%q: %w", pattern, err)
		}
		ours = append(ours, time.Since(begin))
		took, err := r.ripgrep(pattern, output)
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, took)
	}
	var found matchedLines
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, err
	}
	we, they := ms(percentile(ours, .5)), ms(percentile(theirs, .5))
	r.table.add(fmt.Sprintf("%s, at most %d lines listed, against ripgrep: p50", pattern, limit), we/they, share, " ×",
		"%.1f against %.1f ms; %d lines in %d of %d files", we, they, found.Matched.Lines, found.Matched.Files, found.Matched.Searched)
	return &found, nil
}

// ripgrep runs ripgrep on the tree and returns the time that it took.
func (r *run) ripgrep(pattern, output string) (time.Duration, error) {
	f, err := os.Create(output)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	rg := exec.Command("rg", "--line-number", "--no-heading", "--with-filename", "--regexp", pattern, r.tree.root)
	rg.Stdout = f
	begin := time.Now()
	if err := rg.Run(); err != nil {
		return 0, fmt.Errorf("rg %q: %w", pattern, err)
	}
	return time.Since(begin), nil
}

// sameLines checks a complete list against ripgrep's output: every line is in it, and of each
// listed file it has no others. ripgrep also searches files that are not indexed.
func (r *run) sameLines(found *matchedLines, output string) error {
	if found.Matched.Unread > 0 {
		return fmt.Errorf("%d files were not searched", found.Matched.Unread)
	}
	if len(found.Hits) < found.Matched.Lines {
		return nil
	}
	text, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	theirs := map[string][]string{}
	for line := range bytes.Lines(text) {
		if parts := strings.SplitN(string(line), ":", 3); len(parts) == 3 {
			theirs["file://"+parts[0]] = append(theirs["file://"+parts[0]], parts[1])
		}
	}
	ours := map[string][]string{}
	for _, h := range found.Hits {
		ours[h.URI] = append(ours[h.URI], fmt.Sprint(h.SnippetLine+1))
	}
	for uri, lines := range ours {
		if !slices.Equal(lines, theirs[uri]) {
			return fmt.Errorf("%s has matches in lines %v, by ripgrep in %v", uri, lines, theirs[uri])
		}
	}
	return nil
}
