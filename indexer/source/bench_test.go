package source

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkWalkGoSource walks Go's own source tree.
func BenchmarkWalkGoSource(b *testing.B) {
	t, err := Open(Options{Root: goSource(b), Home: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	var files, skipped int
	for b.Loop() {
		files, skipped = 0, 0
		err := t.Walk(context.Background(), func(Entry) error { files++; return nil }, func(string, bool, Reason) { skipped++ })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(float64(skipped), "skipped")
}

// BenchmarkReadGoSource reads every file of Go's own source tree.
func BenchmarkReadGoSource(b *testing.B) {
	t, err := Open(Options{Root: goSource(b), Home: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	counts := map[Reason]int{}
	for b.Loop() {
		clear(counts)
		err := t.Walk(context.Background(), func(e Entry) error {
			_, _, reason, err := t.Read(e.Path)
			counts[reason]++
			return err
		}, func(string, bool, Reason) {})
		if err != nil {
			b.Fatal(err)
		}
	}
	for reason, n := range counts {
		b.ReportMetric(float64(n), string("n_"+reason))
	}
}

// goSource returns the folder of Go's own source.
func goSource(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}
