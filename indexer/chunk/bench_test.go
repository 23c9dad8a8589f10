package chunk

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// corpus reads up to limit bytes of the files below dir whose name ends in ext.
func corpus(b *testing.B, dir, ext string, limit int) (files [][]byte, total int) {
	b.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ext || total >= limit {
			return err
		}
		src, err := os.ReadFile(path)
		files, total = append(files, src), total+len(src)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if total == 0 {
		b.Fatalf("no %s files below %s", ext, dir)
	}
	return files, total
}

// perCPU returns a function that reports the throughput by processor time, for
// machines that are busy with other work.
func perCPU(b *testing.B, total int) func() {
	start := processorTime()
	return func() {
		b.ReportMetric(float64(total)*float64(b.N)/1e6/(processorTime()-start).Seconds(), "cpu-MB/s")
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkParse measures, for Go's own source or the tree that CHUNK_CORPUS
// names (with the extension in CHUNK_EXT), the parse alone and all that Parse does.
func BenchmarkParse(b *testing.B) {
	dir, ext := os.Getenv("CHUNK_CORPUS"), os.Getenv("CHUNK_EXT")
	if dir == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			b.Fatal(err)
		}
		dir, ext = filepath.Join(strings.TrimSpace(string(root)), "src", "net"), ".go"
	}
	files, total := corpus(b, dir, ext, 4<<20)
	l := languageOf(Language("x"+ext, nil))
	none := make([]uint8, len(l.keep))
	for i := range none {
		none[i] = flatDrop
	}
	b.Run("tree", func(b *testing.B) {
		s := newSyntax()
		defer s.close()
		b.SetBytes(int64(total))
		defer perCPU(b, total)()
		for b.Loop() {
			for _, src := range files {
				if _, err := s.parse(l.grammar, none, src, time.Minute); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		p := NewParser(Options{})
		defer p.Close()
		b.SetBytes(int64(total))
		b.ReportAllocs()
		defer perCPU(b, total)()
		for b.Loop() {
			for _, src := range files {
				p.Parse("x"+ext, src)
			}
		}
	})
}
