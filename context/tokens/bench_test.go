package tokens_test

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
)

// source returns about 1 MB of Go source: files of the standard library, each small enough for the
// reference counter.
func source(b testing.TB) []string {
	var files []string
	size := 0
	for _, dir := range []string{"net/http", "go/types", "encoding/json", "regexp", "sort"} {
		paths, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", dir, "*.go"))
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			if size += len(text); size > 1<<20 {
				break
			}
			files = append(files, string(text))
		}
	}
	if size < 1<<19 {
		b.Fatalf("only %d bytes of Go source under %q", size, build.Default.GOROOT)
	}
	return files
}

func eachEncoding(b *testing.B, run func(b *testing.B, e tokens.Encoding)) {
	for _, e := range []tokens.Encoding{tokens.O200k, tokens.CL100k} {
		b.Run(string(e), func(b *testing.B) { run(b, e) })
	}
}

// BenchmarkCount counts Go source with warm caches.
func BenchmarkCount(b *testing.B) {
	eachEncoding(b, func(b *testing.B, e tokens.Encoding) {
		files := source(b)
		c := counter(b, e)
		b.SetBytes(int64(len(strings.Join(files, ""))))
		b.ReportAllocs()
		for b.Loop() {
			for _, f := range files {
				c.Count(f)
			}
		}
	})
}

// BenchmarkCold counts Go source with a counter whose caches are empty.
func BenchmarkCold(b *testing.B) {
	eachEncoding(b, func(b *testing.B, e tokens.Encoding) {
		files := source(b)
		b.SetBytes(int64(len(strings.Join(files, ""))))
		for b.Loop() {
			c := counter(b, e).Cold()
			for _, f := range files {
				c.Count(f)
			}
		}
	})
}

// BenchmarkParallel counts Go source on all processors at once.
func BenchmarkParallel(b *testing.B) {
	eachEncoding(b, func(b *testing.B, e tokens.Encoding) {
		files := source(b)
		c := counter(b, e)
		b.SetBytes(int64(len(strings.Join(files, ""))))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				for _, f := range files {
					c.Count(f)
				}
			}
		})
	})
}

// BenchmarkTiktoken counts the same source with tiktoken-go, the figure to beat.
func BenchmarkTiktoken(b *testing.B) {
	eachEncoding(b, func(b *testing.B, e tokens.Encoding) {
		files := source(b)
		ref := reference(b, e)
		b.SetBytes(int64(len(strings.Join(files, ""))))
		b.ReportAllocs()
		for b.Loop() {
			for _, f := range files {
				ref.EncodeOrdinary(f)
			}
		}
	})
}
