package secrets

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	repo    = flag.String("repo", "", "folder of source files to measure on; Go's own source when empty")
	samples = flag.Int("samples", 5, "findings of each rule to print")
)

// sources returns the text files below the folder to measure, by path.
func sources(b *testing.B) map[string]string {
	root := *repo
	if root == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			b.Fatal(err)
		}
		root = filepath.Join(strings.TrimSpace(string(out)), "src")
	}
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err == nil && len(data) <= 1<<20 && utf8.Valid(data) && !slices.Contains(data, 0) {
			texts[strings.TrimPrefix(name, root+"/")] = string(data)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return texts
}

// BenchmarkThroughput redacts a folder, file by file, and also reports the findings per 10,000
// lines.
//
//	go test ./server/secrets -run '^$' -bench Throughput [-repo DIR]
func BenchmarkThroughput(b *testing.B) {
	texts := sources(b)
	var size int64
	for _, text := range texts {
		size += int64(len(text))
	}
	s := scanner(b)
	s.Redact("key = 1")
	b.SetBytes(size)
	for b.Loop() {
		for _, text := range texts {
			s.Redact(text)
		}
	}
}

// BenchmarkFalsePositives prints the findings in a folder that should have no secrets, by rule, and
// their number per 10,000 lines.
//
//	go test ./server/secrets -run '^$' -bench FalsePositives -benchtime 1x [-repo DIR] [-samples N]
func BenchmarkFalsePositives(b *testing.B) {
	texts := sources(b)
	s := scanner(b)
	for b.Loop() {
		lines, total := 0, 0
		byRule := map[string][]string{}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			text := texts[name]
			lines += strings.Count(text, "\n") + 1
			_, found := s.Redact(text)
			total += len(found)
			for _, f := range found {
				from, to := max(0, f.Start-60), min(len(text), f.End+20)
				from += strings.LastIndexByte(text[from:f.Start], '\n') + 1
				shown := text[from:f.Start] + "⟦" + text[f.Start:min(f.End, f.Start+80)] + "⟧" + text[f.End:to]
				byRule[f.Rule] = append(byRule[f.Rule], name+": "+strings.ReplaceAll(shown, "\n", "⏎"))
			}
		}
		for _, rule := range slices.SortedFunc(maps.Keys(byRule), func(x, y string) int { return cmp.Compare(len(byRule[y]), len(byRule[x])) }) {
			fmt.Printf("%5d %s\n", len(byRule[rule]), rule)
			for _, line := range byRule[rule][:min(*samples, len(byRule[rule]))] {
				fmt.Printf("        %s\n", line)
			}
		}
		b.ReportMetric(float64(total)*10000/float64(lines), "findings/10klines")
		b.ReportMetric(float64(lines), "lines")
	}
}
