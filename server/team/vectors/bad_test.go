package vectors

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// packOf returns a pack of texts as a machine would publish it.
func packOf(t testing.TB, key []byte, kind encode.Kind, texts []encode.Hash, row func(encode.Hash) []int8) []byte {
	t.Helper()
	p, err := newPacking(newSealer(key, kind), kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range texts {
		if err := p.add(h, row(h)); err != nil {
			t.Fatal(err)
		}
	}
	return p.finish()
}

// remade returns a pack with its entries changed by a member, who can make its MAC.
func remade(kind encode.Kind, pack []byte, change func(entries []byte)) []byte {
	body := bytes.Clone(pack[:len(pack)-keySize])
	change(body[packHeader+len(kind.Probes)*entrySize(kind.Dimensions):])
	mac := newSealer(teamKey, kind).macOf(body)
	return append(body, mac[:]...)
}

func TestBadPacks(t *testing.T) {
	kind, texts := kindOf("model"), textsOf("a", 20)
	good := packOf(t, teamKey, kind, texts, rowOf)
	flipped := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 4
		return b
	}
	with := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.BigEndian.PutUint32(b[at:], v)
		return b
	}
	other := kindOf("model")
	other.Probes = kindOf("built differently").Probes
	narrow := encode.Kind{Digest: kind.Digest, Dimensions: 8}
	size := entrySize(testDims)
	for name, c := range map[string]struct {
		pack []byte
		want Status
	}{
		"good":               {good, Status{}},
		"nothing":            {nil, Status{Malformed: 1}},
		"short":              {good[:40], Status{Malformed: 1}},
		"cut":                {good[:len(good)-1], Status{Malformed: 1}},
		"longer":             {append(bytes.Clone(good), 0), Status{Malformed: 1}},
		"10 MB":              {make([]byte, 10<<20), Status{Malformed: 1}},
		"magic":              {flipped(0), Status{Malformed: 1}},
		"version":            {flipped(4), Status{Malformed: 1}},
		"probes":             {flipped(5), Status{Malformed: 1}},
		"reserved":           {flipped(6), Status{Malformed: 1}},
		"no dims":            {with(8, 0), Status{Malformed: 1}},
		"many dims":          {with(8, 1<<31), Status{Malformed: 1}},
		"many rows":          {with(12, 1<<32-1), Status{Malformed: 1}},
		"a key":              {flipped(packHeader + 7*size), Status{Foreign: 1}},
		"a row":              {flipped(packHeader + 7*size + keySize + 20), Status{Foreign: 1}},
		"a MAC":              {flipped(len(good) - 1), Status{Foreign: 1}},
		"another team":       {packOf(t, bytes.Repeat([]byte("other"), 10), kind, texts, rowOf), Status{Foreign: 1}},
		"another model":      {packOf(t, teamKey, kindOf("another"), texts, rowOf), Status{Foreign: 1}},
		"other dimensions":   {packOf(t, teamKey, narrow, texts, func(encode.Hash) []int8 { return make([]int8, 8) }), Status{Foreign: 1}},
		"another build":      {packOf(t, teamKey, other, texts, rowOf), Status{Other: 1}},
		"a row of zeros":     {packOf(t, teamKey, kind, texts, func(encode.Hash) []int8 { return make([]int8, testDims) }), Status{Refused: 20}},
		"a member's bad tag": {remade(kind, good, func(b []byte) { b[size-1] ^= 1 }), Status{Refused: 1}},
		"swapped rows": {remade(kind, good, func(b []byte) {
			for i := keySize; i < size; i++ {
				b[i], b[size+i] = b[size+i], b[i]
			}
		}), Status{Refused: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHub()
				h.put(newSealer(teamKey, kind).model()+".repo", c.pack)
				h.put(newSealer(teamKey, kind).model()+".repo", packOf(t, teamKey, kind, textsOf("b", 5), rowOf))
				s := h.open(t, t.TempDir())
				n := found(t, s.of("repo"), kind, append(textsOf("b", 5), texts...))
				got := s.Status()
				if got.Malformed != c.want.Malformed || got.Foreign != c.want.Foreign || got.Other != c.want.Other || got.Refused != c.want.Refused {
					t.Errorf("counted %+v", got)
				}
				want := 5
				if c.want == (Status{}) {
					want = 25
				} else if c.want.Refused > 0 {
					want = 25 - int(c.want.Refused)
				}
				if n != want {
					t.Errorf("%d rows of %d", n, want)
				}
			})
		})
	}
}

// A replayed pack changes nothing.
func TestReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts := newHub(), kindOf("model"), textsOf("a", 20)
		pack, subject := packOf(t, teamKey, kind, texts, rowOf), newSealer(teamKey, kind).model()+".repo"
		s := h.open(t, t.TempDir())
		for range 20 {
			h.put(subject, pack)
			h.put(newSealer(teamKey, kindOf("another")).model()+".repo", pack)
		}
		if n := found(t, s.of("repo"), kind, texts); n != 20 {
			t.Errorf("%d rows of 20", n)
		}
		if n := found(t, s.of("repo"), kindOf("another"), texts); n != 0 {
			t.Errorf("%d rows for another model", n)
		}
		if got := s.Status(); got.Entries != 20 || got.Foreign != 20 {
			t.Errorf("%+v", got)
		}
	})
}

// cacheFile returns the path of the only cache in a folder.
func cacheFile(t *testing.T, dir, ending string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*-repo"+ending))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0]
}

// filled returns a folder with the cache of texts, and the hub that has them.
func filled(t *testing.T, kind encode.Kind, texts []encode.Hash) (*hub, string) {
	t.Helper()
	h, dir := newHub(), t.TempDir()
	h.put(newSealer(teamKey, kind).model()+".repo", packOf(t, teamKey, kind, texts, rowOf))
	s := h.open(t, dir)
	if n := found(t, s.of("repo"), kind, texts); n != len(texts) {
		t.Fatalf("%d rows", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return h, dir
}

func TestDamagedCache(t *testing.T) {
	kind, texts := kindOf("model"), textsOf("a", 20)
	record, base := timeSize+entrySize(testDims), cacheHeader+6*testDims
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	for name, c := range map[string]struct {
		damage  func([]byte) []byte
		offline int // rows without a server
		online  int
	}{
		"none":       {func(b []byte) []byte { return b }, 20, 20},
		"torn":       {func(b []byte) []byte { return append(b, b[base:base+record/2]...) }, 20, 20},
		"cut":        {func(b []byte) []byte { return b[:len(b)-5] }, 19, 20},
		"a row":      {flip(base + 3*record + timeSize + keySize + 30), 19, 19},
		"a key":      {flip(base + 3*record + timeSize + 31), 19, 19},
		"zeros":      {func(b []byte) []byte { clear(b[base+2*record : base+4*record]); return b }, 18, 18},
		"the header": {flip(1), 0, 20},
		"probes":     {func(b []byte) []byte { clear(b[cacheHeader:base]); return b }, 0, 20},
		"the id":     {flip(16), 20, 20},
		"empty":      {func([]byte) []byte { return nil }, 0, 20},
		"a word":     {func([]byte) []byte { return []byte("nonsense") }, 0, 20},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, dir := filled(t, kind, texts)
				path := cacheFile(t, dir, "")
				b, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(path, c.damage(b), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				h.set(func() { h.down = true })
				s := h.open(t, dir)
				if n := found(t, s.of("repo"), kind, texts); n != c.offline {
					t.Errorf("%d rows of %d without a server", n, c.offline)
				}
				h.set(func() { h.down = false })
				settled(2 * time.Minute)
				if n := found(t, s.of("repo"), kind, texts); n != c.online {
					t.Errorf("%d rows of %d with one", n, c.online)
				}
			})
		})
	}
}

// The position in the packs belongs to one cache: with another one all is read.
func TestPositionOfAnotherCache(t *testing.T) {
	kind, texts := kindOf("model"), textsOf("a", 20)
	for name, damage := range map[string]func(path string) error{
		"the cache is removed":     os.Remove,
		"the position is nonsense": func(path string) error { return os.WriteFile(path+".position", []byte("{]"), 0o600) },
		"the position is large":    func(path string) error { return os.WriteFile(path+".position", make([]byte, 1<<20), 0o600) },
		"all is removed":           func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, dir := filled(t, kind, texts)
				if err := damage(cacheFile(t, dir, "")); err != nil {
					t.Fatal(err)
				}
				if n := found(t, h.open(t, dir).of("repo"), kind, texts); n != 20 {
					t.Errorf("%d rows of 20", n)
				}
			})
		})
	}
}

// A disk that cannot be written keeps nothing, and nothing fails: what was read before is found,
// the rest is embedded here, not published again, and read again by the next process.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kind, texts := kindOf("model"), textsOf("a", 20)
		h, dir := filled(t, kind, texts)
		s := h.open(t, dir)
		if n := found(t, s.of("repo"), kind, texts); n != 20 {
			t.Fatalf("%d rows of 20", n)
		}
		c := s.feeds[0].cache
		c.mu.Lock()
		writable := c.file
		var err error
		c.file, err = os.Open(c.path) // every write to it fails
		c.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		defer writable.Close()
		later := textsOf("b", 20)
		h.put(newSealer(teamKey, kind).model()+".repo", packOf(t, teamKey, kind, later, rowOf))
		synctest.Wait()
		if n := found(t, s.of("repo"), kind, append(later, texts...)); n != 20 {
			t.Errorf("%d rows of 20 on a full disk", n)
		}
		s.of("repo").Offer(kind, append(later, texts...), rowOf)
		settled(time.Minute)
		if got := s.Status(); got.Problem == "" || got.RowsPublished != 0 {
			t.Errorf("%+v", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n := found(t, h.open(t, dir).of("repo"), kind, append(later, texts...)); n != 40 {
			t.Errorf("%d rows of 40 afterwards", n)
		}
	})
}

func TestNoFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts, file := newHub(), kindOf("model"), textsOf("a", 20), filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s := h.open(t, filepath.Join(file, "cache"))
		s.of("repo").Offer(kind, texts, rowOf)
		settled(time.Minute)
		s.of("repo").Offer(kind, texts, rowOf)
		settled(time.Minute)
		if got := s.Status(); got.Problem == "" || got.RowsPublished != 20 {
			t.Errorf("%+v", got)
		}
	})
}

// A full cache keeps what was published last.
func TestCacheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, dir := newHub(), kindOf("model"), t.TempDir()
		const limit = 100 << 10
		small := func(o *Options) { o.CacheBytes = limit }
		a, b := h.open(t, t.TempDir()), h.open(t, dir, small)
		first := textsOf("first", 400)
		for _, texts := range [][]encode.Hash{first, textsOf("second", 400), textsOf("third", 400)} {
			a.of("repo").Offer(kind, texts, rowOf)
			b.of("repo").Offer(kind, nil, rowOf)
			settled(time.Hour)
		}
		if n := found(t, b.of("repo"), kind, textsOf("third", 400)); n != 400 {
			t.Errorf("%d rows of 400 published last", n)
		}
		if n := found(t, b.of("repo"), kind, first); n != 0 {
			t.Errorf("%d rows of those published first", n)
		}
		if info, err := os.Stat(cacheFile(t, dir, "")); err != nil || info.Size() > limit {
			t.Errorf("%v %v", info, err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = h.open(t, dir, small)
		if n := found(t, b.of("repo"), kind, textsOf("third", 400)); n != 400 || b.Status().PacksRead != 0 {
			t.Errorf("%d rows of 400 after a restart; %+v", n, b.Status())
		}
	})
}

// The caches of models and repositories that are no longer used are removed.
func TestOldCaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kind, texts := kindOf("model"), textsOf("a", 20)
		h, dir := filled(t, kind, texts)
		old := cacheFile(t, dir, "")
		recent := filepath.Join(dir, "recent-repo")
		if err := os.WriteFile(recent, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for path, age := range map[string]time.Duration{old: 101 * day, old + ".position": 101 * day, old + ".lock": 101 * day, recent: 99 * day} {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		h.open(t, dir).of("elsewhere").Offer(kind, nil, rowOf)
		synctest.Wait()
		for path, want := range map[string]bool{old: false, old + ".position": false, old + ".lock": false, recent: true} {
			if _, err := os.Stat(path); (err == nil) != want {
				t.Errorf("%s is there: %v", filepath.Base(path), err == nil)
			}
		}
	})
}

func FuzzPack(f *testing.F) {
	kind := kindOf("model")
	good := packOf(f, teamKey, kind, textsOf("a", 3), rowOf)
	f.Add(good)
	f.Add(good[:60])
	f.Add([]byte(packMagic))
	s := newSealer(teamKey, kind)
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := openPack(s, kind, data)
		if err == nil && len(entries)%entrySize(testDims) != 0 {
			t.Fatalf("%d bytes of entries", len(entries))
		}
		mac := s.macOf(data)
		if entries, err = openPack(s, kind, append(bytes.Clone(data), mac[:]...)); err == nil && len(entries)%entrySize(testDims) != 0 { // by a member
			t.Fatalf("%d bytes of entries", len(entries))
		}
	})
}

func FuzzCache(f *testing.F) {
	kind := kindOf("model")
	texts := textsOf("a", 2)
	path := filepath.Join(f.TempDir(), "seed")
	c := openCache(path, kind, defaultCache, newLog())
	pack := packOf(f, teamKey, kind, texts, rowOf)
	c.add(pack[packHeader+6*entrySize(testDims):len(pack)-keySize], 7)
	if err := c.close(position{}); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "cache")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := openCache(path, kind, defaultCache, newLog())
		c.add(pack[packHeader+6*entrySize(testDims):len(pack)-keySize], 9)
		s := newSealer(teamKey, kind)
		for _, h := range texts {
			if entry, ok := c.get(s.key(h)); ok {
				if row, err := s.open(entry, h); err == nil && !bytes.Equal(bytesOf(row), bytesOf(rowOf(h))) {
					t.Fatal("another row")
				}
			}
		}
		if err := c.close(position{}); err != nil {
			t.Fatal(err)
		}
	})
}
