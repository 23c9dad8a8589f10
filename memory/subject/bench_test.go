package subject

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

func BenchmarkMentions(b *testing.B) {
	text := strings.Repeat("We looked at the pool again, because it waits too long when nobody gives a slot back. See server/pool.go "+
		"and `Pool.acquire`; the maxSlots setting is ignored there, e.g. with 3 of them.\n", 20)
	m := dialogue.Message{Content: text}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Mentions(m, nil)
	}
}

// BenchmarkFind searches for a symbol and its file in 100,000 turns, each of which mentions a few
// of 5,000 names and a tenth of which mention the same one.
func BenchmarkFind(b *testing.B) {
	s := storetest.Open(b)
	const count = 100_000
	tx := s.Begin(ws, time.Time{})
	for turn := 1; turn <= count; turn++ {
		list := []Mention{{Symbol, fmt.Sprintf("Type%d.method%d", turn%50, turn%5000)}, {Path, fmt.Sprintf("dir%d/file%d.go", turn%40, turn%800)}}
		if turn%10 == 0 {
			list = append(list, Mention{Symbol, "common"}, Mention{Path, "dir/index.ts"})
		}
		Add(tx, Place{uint32(turn % 20), turn, turn}, day.Add(time.Duration(turn)*time.Minute), list)
		if turn%5000 == 0 {
			if err := s.ApplyLater(tx.Batch); err != nil {
				b.Fatal(err)
			}
			tx = s.Begin(ws, time.Time{})
		}
	}
	for _, l := range []struct {
		name string
		Lookup
	}{
		{"rare", Lookup{Symbols: []string{"method77"}, Paths: []string{"dir37/file77.go"}}},
		{"common", Lookup{Symbols: []string{"common"}, Paths: []string{"dir/index.ts"}}},
		{"nothing", Lookup{Symbols: []string{"nobody"}, Paths: []string{"no/where.go"}}},
	} {
		b.Run(l.name, func(b *testing.B) {
			for b.Loop() {
				found, err := Find(s.View(ws), l.Lookup)
				if err != nil || len(found) == 0 != (l.name == "nothing") {
					b.Fatal(len(found), err)
				}
			}
		})
	}
}
