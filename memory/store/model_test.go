package store

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestModel compares batches, both scans and Get with a map, with flushes and compactions in
// between, which must not be visible.
func TestModel(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	defer closeStore(t, s)
	run := uint32(0)
	rapid.Check(t, func(t *rapid.T) {
		run++
		prefix := Prefix(Work, Workspace(run))
		model := map[string]string{}
		full := func(k string) []byte { return append(bytes.Clone(prefix), k...) }
		name := rapid.StringMatching(`[a-c]{1,3}`)
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			b := s.NewBatch()
			for range rapid.IntRange(0, 6).Draw(t, "operations") {
				k, v := name.Draw(t, "key"), rapid.String().Draw(t, "value")
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					b.Set(full(k), []byte(v))
					model[k] = v
				case 1:
					b.Append(full(k), []byte(v))
					model[k] += v
				case 2:
					b.Delete(full(k))
					delete(model, k)
				case 3:
					end := k + "b"
					b.DeleteRange(full(k), full(end))
					maps.DeleteFunc(model, func(m, _ string) bool { return m >= k && m < end })
				}
			}
			if err := s.ApplyLater(b); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 9).Draw(t, "flush") == 0 {
				if err := s.db.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := slices.Sorted(maps.Keys(model))
		collect := func(scan func(l, u []byte, f func(k, v []byte) (bool, error)) error) (keys []string) {
			err := scan(prefix, PrefixEnd(prefix), func(k, v []byte) (bool, error) {
				if name := string(k[5:]); string(v) != model[name] {
					t.Fatalf("%s is %q, not %q", name, v, model[name])
				}
				keys = append(keys, string(k[5:]))
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return keys
		}
		if got := collect(s.Scan); !slices.Equal(got, want) {
			t.Fatalf("ascending %v, not %v", got, want)
		}
		slices.Reverse(want)
		if got := collect(s.ScanBack); !slices.Equal(got, want) {
			t.Fatalf("descending %v, not %v", got, want)
		}
	})
}

func FuzzKey(f *testing.F) {
	f.Add("a", "b", uint64(7))
	f.Add("\x00\x01", "\x00", uint64(0))
	f.Add("", "\xff", uint64(1<<63))
	f.Fuzz(func(t *testing.T, a, b string, n uint64) {
		ka, kb := AppendString(nil, a), AppendString(nil, b)
		if bytes.Compare(ka, kb) != bytes.Compare([]byte(a), []byte(b)) {
			t.Errorf("%q and %q sort as %q and %q do not", ka, kb, a, b)
		}
		s, rest, ok := TakeString(AppendUint32(AppendUint64(ka, n), uint32(n)))
		m, rest, ok64 := TakeUint64(rest)
		l, rest, ok32 := TakeUint32(rest)
		if s != a || m != n || l != uint32(n) || len(rest) != 0 || !ok || !ok64 || !ok32 {
			t.Errorf("%q %d came back as %q %d %d, %q left", a, n, s, m, l, rest)
		}
		if s, rest, ok := TakeString([]byte(b)); ok && !bytes.Equal(append(AppendString(nil, s), rest...), []byte(b)) {
			t.Errorf("%q was taken for %q", b, s)
		}
		if end := PrefixEnd([]byte(a)); end != nil && (bytes.Compare([]byte(a+b), end) >= 0) {
			t.Errorf("%q is above the end of %q", a+b, a)
		}
	})
}

// BenchmarkCommit reports the time of one small durable commit, the throughput of 100 concurrent
// committers, and the time of the disk's own write and fsync of a file.
func BenchmarkCommit(b *testing.B) {
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(filepath.Join(dir, "m"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	one := func(k string) time.Duration {
		start := time.Now()
		batch := s.NewBatch()
		batch.Set(key(k), make([]byte, 300))
		if err := s.commit(batch); err != nil {
			b.Error(err)
		}
		return time.Since(start)
	}
	var disk, single []time.Duration
	var together time.Duration
	const committers, each = 100, 20
	for b.Loop() {
		for i := range 200 {
			start := time.Now()
			if _, err := f.Write(make([]byte, 400)); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
			disk = append(disk, time.Since(start))
			single = append(single, one(fmt.Sprint("s", i)))
		}
		start := time.Now()
		var wg sync.WaitGroup
		for c := range committers {
			wg.Go(func() {
				for i := range each {
					one(fmt.Sprint("c", c, "/", i))
				}
			})
		}
		wg.Wait()
		together += time.Since(start)
	}
	at := func(all []time.Duration, q float64) float64 {
		sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
		return float64(all[int(q*float64(len(all)-1))].Microseconds()) / 1000
	}
	var sum time.Duration
	for _, d := range single {
		sum += d
	}
	perSecond := float64(committers*each*b.N) / together.Seconds()
	b.ReportMetric(at(disk, .5), "disk-p50-ms")
	b.ReportMetric(at(disk, .99), "disk-p99-ms")
	b.ReportMetric(at(single, .5), "one-p50-ms")
	b.ReportMetric(at(single, .99), "one-p99-ms")
	b.ReportMetric(perSecond/(float64(len(single))/sum.Seconds()), "times-one")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
