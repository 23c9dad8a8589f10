//go:build linux

package recall

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// bigStore holds 100,000 turns of two messages in the given number of conversations; words follow
// Zipf's law.
func bigStore(b *testing.B, conversations int) *store.Store {
	const messages = 200_000
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 4, 60_000)
	s := storetest.Open(b)
	per := messages / conversations
	for conv := range conversations {
		for first := 0; first < per; first += 500 {
			var msgs []dialogue.Message
			for i := first; i < min(per, first+500); i++ {
				var text strings.Builder
				for range 8 + rng.IntN(30) {
					fmt.Fprintf(&text, "word%d ", zipf.Uint64())
				}
				m := dialogue.Message{Role: dialogue.User, Author: fmt.Sprint("person", conv%50), Content: text.String()}
				if i%2 == 1 {
					m.Role, m.Author = dialogue.Assistant, "helper"
				}
				msgs = append(msgs, m)
			}
			add(b, s, uint32(conv+1), first, msgs...)
		}
	}
	return s
}

// threadTime returns the processor time of the calling thread, which is more reliable than elapsed
// time on a busy machine.
func threadTime(b *testing.B) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// warmUp is the number of questions sent before those measured, to warm the caches that are warm in
// use.
const warmUp = 100

// BenchmarkSearch searches 100,000 turns, as one conversation and as a thousand, and reports
// percentiles in milliseconds. Limits: 10 ms in the median, 50 ms for 99 of 100, including all
// other work of a recall.
func BenchmarkSearch(b *testing.B) {
	for _, conversations := range []int{1, 1000} {
		b.Run(fmt.Sprint(conversations), func(b *testing.B) {
			s := bigStore(b, conversations)
			rng := rand.New(rand.NewPCG(3, 4))
			zipf := rand.NewZipf(rng, 1.1, 4, 60_000)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var took, used []time.Duration
			ask := func() {
				var text strings.Builder
				text.WriteString("person7 ")
				for range 4 + rng.IntN(6) {
					fmt.Fprintf(&text, "word%d ", zipf.Uint64())
				}
				q := Query{Text: text.String()}
				if conversations == 1 {
					q.Spans = []Span{{Conversation: 1, From: 0, To: 200_000}}
				}
				start, before := time.Now(), threadTime(b)
				if _, err := index.Search(b.Context(), s.View(1), q); err != nil {
					b.Fatal(err)
				}
				took, used = append(took, time.Since(start)), append(used, threadTime(b)-before)
			}
			for range warmUp {
				ask()
			}
			took, used = nil, nil
			for b.Loop() {
				ask()
			}
			for _, times := range []struct {
				name string
				list []time.Duration
			}{{"", took}, {"cpu-", used}} {
				slices.Sort(times.list)
				b.ReportMetric(float64(times.list[len(times.list)/2].Microseconds())/1000, times.name+"p50-ms")
				b.ReportMetric(float64(times.list[len(times.list)*99/100].Microseconds())/1000, times.name+"p99-ms")
			}
		})
	}
}
