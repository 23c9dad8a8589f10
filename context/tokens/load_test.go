package tokens

import (
	"testing"
)

func BenchmarkLoad(b *testing.B) {
	for _, e := range []Encoding{O200k, CL100k} {
		b.Run(string(e), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := load(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLong counts pieces of a megabyte, for which no cache helps.
func BenchmarkLong(b *testing.B) {
	c := mustLoad(b, O200k)
	for name, text := range pathological(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Count(text)
			}
		})
	}
}
