//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// run is one measurement of the whole program.
type run struct {
	bin   string
	load  string // the machine's load average before the run
	state string // the server's state directory, kept between its starts
	tree  *tree
	table table
	limits
}

// limits are the required figures, which depend on the size of the tree; 0 means that the figure is
// only reported.
type limits struct {
	peak, idle           float64 // MiB
	ready                float64 // seconds
	bundleP50, bundleP99 float64 // milliseconds
	searchP50, searchP99 float64
}

var (
	goLimits    = limits{peak: 500, idle: 250, ready: 1.5, bundleP50: 15, bundleP99: 50, searchP50: 8, searchP99: 25}
	largeLimits = limits{peak: 700, idle: 300, ready: 2, bundleP99: 60, searchP50: 15, searchP99: 50}
)

// BenchmarkGoTree measures the program on a copy of Go's source tree and prints the table. A figure
// that misses its limit is marked and does not fail the benchmark, because machines differ; a wrong
// answer does.
func BenchmarkGoTree(b *testing.B) {
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	r := &run{load: load(), limits: goLimits}
	if err := r.prepare(b); err != nil {
		b.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func(*run) error
	}{{"cold index", (*run).cold}, {"a served index", (*run).served}, {"moves", (*run).moves}} {
		begin := time.Now()
		if err := step.do(r); err != nil {
			r.table.print(os.Stdout)
			b.Fatalf("%s: %v", step.name, err)
		}
		fmt.Printf("%s: measured in %.0f s\n", step.name, time.Since(begin).Seconds())
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after: above 0.3 before, others were at work and times are too high\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
	fmt.Print(qualityHint())
	b.ReportMetric(float64(missed), "missed")
}

// prepare builds the program and copies the tree, for an empty state.
func (r *run) prepare(b *testing.B) (err error) {
	r.program(b)
	r.state = b.TempDir()
	from := os.Getenv("CONTEXTURE_TREE")
	if from == "" {
		if from, err = goSources(); err != nil {
			return err
		}
	}
	// The copy's name is not part of any path that is searched, and no folder above it has a
	// project marker.
	r.tree, err = copyTree(from, filepath.Join(b.TempDir(), "tree"))
	return err
}

// goSources finds Go's own source tree.
func goSources() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find Go's own tree: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src"), nil
}

// program builds the program, unless one is named.
func (r *run) program(b *testing.B) {
	if r.bin = os.Getenv("CONTEXTURE_BIN"); r.bin != "" {
		return
	}
	r.bin = filepath.Join(b.TempDir(), "contexture")
	build := exec.Command("go", "build", "-trimpath", "-o", r.bin, "../../../cmd/contexture")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build the program: %v: %s", err, out)
	}
}

// floorDir is the folder beside the repository of the program that does only the unavoidable part
// of indexing.
const floorDir = "../../../../shared/bench/floor"

var floorLine = regexp.MustCompile(`MB=([0-9.]+) .*process-cpu=(\S+)`)

// floor runs that program on the tree and returns its processor time, 0 if there is no such
// program. It reads every Go file, including vendored and generated ones, and no other file, so the
// number of bytes (1e6 to the MB) is reported too.
func (r *run) floor() (took time.Duration, megabytes float64, err error) {
	if _, err := os.Stat(floorDir); err != nil {
		return 0, 0, nil
	}
	cmd := exec.Command("go", "run", ".", "1", "own", r.tree.root)
	cmd.Dir = floorDir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("run the floor: %w: %s", err, out)
	}
	m := floorLine.FindSubmatch(out)
	if m == nil {
		return 0, 0, fmt.Errorf("run the floor: no time in %s", out)
	}
	took, timeErr := time.ParseDuration(string(m[2]))
	megabytes, sizeErr := strconv.ParseFloat(string(m[1]), 64)
	return took, megabytes, errors.Join(timeErr, sizeErr)
}

// qualityHint describes how retrieval is measured, which takes an hour and the sets.
func qualityHint() string {
	const dir = "../shared/bench"
	if _, err := os.Stat(filepath.Join("../../..", dir)); err != nil {
		return ""
	}
	return `
What retrieval finds is measured apart (MIRRORS: a folder of bare repositories, see ` + dir + `/README.md):
  make build && (cd ` + dir + ` && go build -o /tmp/ctxbench .)
  /tmp/ctxbench code -bin bin/contexture -set ` + dir + `/data/A_dev.jsonl.gz -mirrors MIRRORS -budgets 4000,8000
  /tmp/ctxbench code -bin bin/contexture -set ` + dir + `/data/C_dev.jsonl.gz -mirrors MIRRORS -budgets 4000,8000
must reach on A, macro: mrr ≥ 77, F@8000 ≥ 89, L@8000 ≥ 73
`
}
