package main

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/impact"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/history"
)

// commitTests is a commit with the evidence for the tests of its workspace, as it was before, and
// which of them the commit changed.
type commitTests struct {
	Repo, Hash string
	Tests      []testRow
	Lost       int // changed tests without evidence
	Sibling    int // changed tests that are named like a changed file
	Siblings   int // tests that are
}

// testRow is the evidence for a test.
type testRow struct {
	Features [impact.NumFeatures]float32
	Changed  bool
}

// impactSettings are those of the model that judges which tests to run.
var impactSettings = boosting{trees: 120, leaves: 8, rate: .1, ridge: 1, least: 2, pairwise: 1}

// trainImpact fits the model that judges which tests a change concerns: to commits that changed
// code and tests, of which it sees the code. The index and the history are those of the commit's
// parent.
func trainImpact(args []string) error {
	fs := flag.NewFlagSet("train impact", flag.ContinueOnError)
	mirrors := fs.String("mirrors", "", "the `folder` with bare repositories, owner+name/repo")
	work := fs.String("work", "", "a `folder` for checkouts and indexes")
	only := fs.String("only", "", "`parts` of the names of the repositories to read, separated by commas; all when empty")
	each := fs.Int("commits", 20, "the `number` of commits of each repository")
	observed := fs.String("observed", "", "a `folder` for what was observed, a file for each repository: read if it exists, else written")
	out := fs.String("out", "context/impact/fitted.bin", "the `file` to write")
	dry := fs.Bool("dry-run", false, "report only, write nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *mirrors == "" || *work == "" {
		return errors.New("impact needs -mirrors and -work")
	}
	c := &collection{mirrors: *mirrors, work: *work}
	all, err := c.commits(context.Background(), strings.Split(*only, ","), *each, *observed)
	if err != nil {
		return err
	}
	reportImpact(all)
	if *dry {
		return nil
	}
	return os.WriteFile(*out, fitImpact(all).Encode(), 0o644)
}

// observedCommits reads what an earlier run observed; nil when there is none.
func observedCommits(file string) (list []commitTests, err error) {
	f, err := os.Open(file)
	if file == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return list, gob.NewDecoder(f).Decode(&list)
}

func saveCommits(file string, list []commitTests) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(f).Encode(list), f.Close())
}

// commits observes commits of every mirror, the oldest of each first, or reads what an earlier run
// observed.
func (c *collection) commits(ctx context.Context, only []string, each int, observed string) (all []commitTests, err error) {
	repos, err := filepath.Glob(filepath.Join(c.mirrors, "*", "repo"))
	if err != nil || len(repos) == 0 {
		return nil, fmt.Errorf("no repositories in %q: %w", c.mirrors, errors.Join(err, os.ErrNotExist))
	}
	for _, mirror := range repos {
		repo := filepath.Base(filepath.Dir(mirror))
		if !slices.ContainsFunc(only, func(part string) bool { return strings.Contains(repo, part) }) {
			continue
		}
		file := ""
		if observed != "" {
			file = filepath.Join(observed, repo+".gob")
		}
		list, err := observedCommits(file)
		if err == nil && list == nil {
			if list, err = c.observe(ctx, mirror, repo, each); err == nil {
				err = saveCommits(file, list)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", repo, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// observe observes commits of a repository.
func (c *collection) observe(ctx context.Context, mirror, repo string, each int) (list []commitTests, err error) {
	hashes, err := testedCommits(mirror, each)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for _, hash := range hashes {
		one, err := c.observeCommit(ctx, repo, hash)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s %s is left out: %v\n", repo, hash, err)
		} else if one != nil {
			list = append(list, *one)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d commits, %.0f s\n", repo, len(list), time.Since(start).Seconds())
	return list, nil
}

// examinedCommits is how many of a repository's newest commits are examined.
const examinedCommits = 2500

// testedCommits returns commits that changed code and existing tests, evenly spread over the
// history, the oldest first. Such with more files than the history reads are none.
func testedCommits(mirror string, most int) ([]string, error) {
	out, err := exec.Command("git", "-C", mirror, "log", "--no-merges", "--no-renames", "--name-status", "--format=%x00%H", fmt.Sprintf("--max-count=%d", examinedCommits), "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	var found []string
	for text := range strings.SplitSeq(string(out), "\x00") {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		code, tests := 0, 0
		for _, line := range lines[1:] {
			status, p, _ := strings.Cut(line, "\t")
			switch language := chunk.Language(p, nil); {
			case retrieve.IsTestCode(p, language):
				if status == "M" {
					tests++
				}
			case retrieve.IsCode(language) && !retrieve.IsTest(p):
				code++
			}
		}
		if code > 0 && tests > 0 && len(lines) <= history.MaxFiles {
			found = append(found, lines[0])
		}
	}
	slices.Reverse(found)
	if len(found) <= most {
		return found, nil
	}
	for i := range most {
		found[i] = found[i*len(found)/most]
	}
	return found[:most], nil
}

// observeCommit returns the evidence before a commit; nil if the index has none of the tests that
// it changed.
func (c *collection) observeCommit(ctx context.Context, repo, hash string) (*commitTests, error) {
	dir := filepath.Join(c.work, "tree", repo)
	if err := exec.Command("git", "-C", dir, "checkout", "-q", "-f", "--detach", hash+"^").Run(); err != nil { // it writes only what differs
		if dir, err = c.checkout(strings.ReplaceAll(repo, "+", "/"), hash+"^"); err != nil {
			return nil, err
		}
	}
	s, done, err := c.index(ctx, dir, "impact-"+repo)
	if err != nil {
		return nil, err
	}
	defer done()
	diff, err := history.Difference(ctx, dir, hash, nil)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	var rest []history.Change
	for _, f := range diff.Files {
		file, ok := s.File(f.Path)
		switch {
		case ok && retrieve.IsTestCode(f.Path, s.Language(file)):
			changed[f.Path] = true
		case !retrieve.IsTest(f.Path):
			f.Before, f.After = s.Text(f.Path, f.Before), s.Text(f.Path, f.After)
			rest = append(rest, f)
		}
	}
	if len(changed) == 0 || len(rest) == 0 {
		return nil, nil
	}
	out := &commitTests{Repo: repo, Hash: hash, Lost: len(changed)}
	out.Siblings, out.Sibling = siblings(s, rest, changed)
	for _, e := range impact.Gather(ctx, s, impact.Read(ctx, rest)) {
		out.Tests = append(out.Tests, testRow{e.Features, changed[e.Path]})
		if changed[e.Path] {
			out.Lost--
		}
	}
	return out, nil
}

// siblings returns how many tests are named like the changed files, one for each, and how many of
// these the commit changed.
func siblings(s *indexer.Snapshot, rest []history.Change, changed map[string]bool) (named, right int) {
	seen := map[string]bool{}
	for _, f := range rest {
		with := retrieve.CompanionsOf(s, indexer.Symbol{Path: f.Path}, nil, nil)
		if with.Test < 0 {
			continue
		}
		if p := s.Place(with.Test).Path; !seen[p] {
			if seen[p] = true; changed[p] {
				right++
			}
		}
	}
	return len(seen), right
}

// impactRows returns the rows of commits; each repository has the same total weight.
func impactRows(list []commitTests) (rows []row) {
	count := map[string]int{}
	for _, c := range list {
		count[c.Repo]++
	}
	for n, c := range list {
		for _, t := range c.Tests {
			r := row{features: t.Features[:], group: n, weight: math.Sqrt(20 / float64(count[c.Repo]))}
			if t.Changed {
				r.gold = 1
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func fitImpact(list []commitTests) *rank.Model {
	return boost(impactRows(list), int(impact.NumFeatures), impactSettings)
}

// chosen returns how many tests of a commit are named by a score, and how many of these it changed.
func (c *commitTests) chosen(score func(t *testRow) float64, least float64, most int) (named, right int) {
	order := make([]int, len(c.Tests))
	scores := make([]float64, len(c.Tests))
	for i := range c.Tests {
		order[i], scores[i] = i, score(&c.Tests[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range order[:min(most, len(order))] {
		if scores[i] < least {
			break
		}
		if named++; c.Tests[i].Changed {
			right++
		}
	}
	return named, right
}

func (c *commitTests) gold() int {
	n := c.Lost
	for _, t := range c.Tests {
		if t.Changed {
			n++
		}
	}
	return n
}

// tallyImpact sums what is named over commits.
type tallyImpact struct {
	commits, named, right, gold, whole int
	share                              float64
}

func (t *tallyImpact) add(named, right, gold int) {
	t.commits++
	t.named, t.right, t.gold = t.named+named, t.right+right, t.gold+gold
	t.share += float64(right) / float64(gold)
	if right == gold {
		t.whole++
	}
}

func (t *tallyImpact) String() string {
	n := float64(t.commits)
	return fmt.Sprintf("%4d commits  %5.1f %% of the changed tests named, mean of commits %5.1f %%, all of a commit's %5.1f %%; %4.1f named", t.commits,
		100*float64(t.right)/float64(t.gold), 100*t.share/n, 100*float64(t.whole)/n, float64(t.named)/n)
}

// reportImpact prints how many of the tests that commits changed are named, by models that were
// fitted without the commit's repository, and by one kind of evidence alone.
func reportImpact(all []commitTests) {
	var repos []string
	for _, c := range all {
		if !slices.Contains(repos, c.Repo) {
			repos = append(repos, c.Repo)
		}
	}
	models := map[string]*rank.Model{}
	for _, repo := range repos {
		models[repo] = fitImpact(slices.DeleteFunc(slices.Clone(all), func(c commitTests) bool { return c.Repo == repo }))
	}
	sum := func(list []commitTests, score func(c *commitTests, t *testRow) float64, least float64, most int) *tallyImpact {
		t := &tallyImpact{}
		for i := range list {
			c := &list[i]
			named, right := c.chosen(func(t *testRow) float64 { return score(c, t) }, least, most)
			t.add(named, right, c.gold())
		}
		return t
	}
	judged := func(c *commitTests, t *testRow) float64 { return models[c.Repo].Probability(t.Features[:]) }
	feature := func(k int) func(*commitTests, *testRow) float64 {
		return func(_ *commitTests, t *testRow) float64 { return float64(t.Features[k]) }
	}
	one := &tallyImpact{}
	for _, c := range all {
		one.add(c.Siblings, c.Sibling, c.gold())
	}
	fmt.Println("sibling, one a file      ", one)
	fmt.Println("sibling, ten by name     ", sum(all, feature(impact.NameFeature), 1e-9, 10))
	fmt.Println("changed together, ten    ", sum(all, feature(impact.TogetherFeature), 1e-9, 10))
	fmt.Println("judged, ten              ", sum(all, judged, 0, 10))
	for _, least := range []float64{.02, .03, .04, .05, .06, .08, .1, .15, .2} {
		fmt.Printf("judged, least %.2f        %v\n", least, sum(all, judged, least, impact.MostTests))
	}
	for _, repo := range repos {
		own := slices.DeleteFunc(slices.Clone(all), func(c commitTests) bool { return c.Repo != repo })
		tests := 0
		for _, c := range own {
			tests += len(c.Tests)
		}
		fmt.Printf("%-34s %5d tests  %v\n", repo, tests/len(own), sum(own, judged, impact.LeastTest, impact.MostTests))
	}
}
