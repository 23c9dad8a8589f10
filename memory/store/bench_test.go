package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkCommitBesideCheckpoints measures the time of commits while a checkpoint of 64 MiB is
// made repeatedly, and without: no append may wait for a checkpoint.
func BenchmarkCommitBesideCheckpoints(b *testing.B) {
	for _, beside := range []bool{false, true} {
		b.Run(fmt.Sprint(beside), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.NewChaCha8([32]byte{1})
			value := make([]byte, 1<<20)
			for i := range 64 {
				_, _ = rng.Read(value)
				put(b, s, fmt.Sprint("text", i), string(value))
			}
			stop, done, made := make(chan struct{}), make(chan struct{}), 0
			go func() {
				defer close(done)
				for beside && s.checkpoint(stop, true, 1) == nil {
					made++
					for _, c := range checkpoints(s.fs, s.dir) { // none to share tables with
						if err := s.removeCheckpoints([]string{c.name}); err != nil {
							b.Error(err)
						}
					}
				}
			}()
			var took []time.Duration
			b.ResetTimer()
			for i := range b.N {
				batch := s.NewBatch()
				batch.Set(key(fmt.Sprint("k", i)), value[:2000])
				began := time.Now()
				if err := s.commit(batch); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			b.StopTimer()
			close(stop)
			<-done
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(made), "checkpoints")
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
