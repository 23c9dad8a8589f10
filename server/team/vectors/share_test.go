package vectors

import (
	"bytes"
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/mapped"
)

const day = 24 * time.Hour

// settled advances the clock until what was offered is published and read.
func settled(d time.Duration) {
	<-time.After(d) // by the bubble's clock
	synctest.Wait()
}

func TestTeammateFindsRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts, dir := newHub(), kindOf("model"), textsOf("a", 5000), t.TempDir()
		a := h.open(t, t.TempDir())
		a.of("repo").Offer(kind, texts, rowOf)
		settled(5 * time.Minute)
		if s := a.Status(); s.RowsPublished != 5000 || s.PacksPublished != 2 || s.Queue != 0 {
			t.Errorf("published: %+v", s)
		}
		b := h.open(t, dir)
		if n := found(t, b.of("repo"), kind, append(textsOf("other", 10), texts...)); n != 5000 {
			t.Errorf("%d rows of 5000", n)
		}
		if n := found(t, b.of("elsewhere"), kind, texts) + found(t, b.of("repo"), kindOf("another"), texts); n != 0 {
			t.Errorf("%d rows of another repository or model", n)
		}
		b.of("repo").Offer(kind, texts, rowOf)
		settled(5 * time.Minute)
		if s := b.Status(); s.RowsFound != 5000 || s.RowsPublished != 0 || s.Refused != 0 {
			t.Errorf("the reader: %+v", s)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if b.of("repo").Rows(t.Context(), kind, texts) != nil {
			t.Error("a closed share has rows")
		}
		b.of("repo").Offer(kind, texts, rowOf)

		// Without a server the cache has them, and a connection continues after it.
		h.set(func() { h.down = true })
		c := h.open(t, dir)
		if n := found(t, c.of("repo"), kind, texts); n != 5000 {
			t.Errorf("%d rows of 5000 without a server", n)
		}
		h.set(func() { h.down = false })
		a.of("repo").Offer(kind, textsOf("b", 10), rowOf)
		settled(2 * time.Minute)
		if n := found(t, c.of("repo"), kind, textsOf("b", 10)); n != 10 {
			t.Errorf("%d rows of 10 published later", n)
		}
		if s := c.Status(); s.PacksRead != 1 || s.Rewound != 0 || s.Entries != 5010 {
			t.Errorf("a restart reads: %+v", s)
		}
	})
}

// The repository's id may be known late.
func TestUnknownRepository(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts := newHub(), kindOf("model"), textsOf("a", 10)
		id := ""
		h.open(t, t.TempDir()).Repository(func() string { return id }).Offer(kind, texts, rowOf)
		settled(time.Minute)
		if n := found(t, h.open(t, t.TempDir()).of(Any), kind, texts); n != 10 {
			t.Errorf("%d rows of 10", n)
		}
		for _, repo := range []string{"a/b", "..", "a.b", "a b"} {
			if h.open(t, t.TempDir()).of(repo).Rows(t.Context(), kind, texts) != nil {
				t.Errorf("%q is a repository", repo)
			}
		}
	})
}

// Packs hold neither hashes of texts nor vectors.
func TestPacksSayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts := newHub(), kindOf("sha256-model"), textsOf("a", 50)
		h.open(t, t.TempDir()).of("repo").Offer(kind, texts, rowOf)
		settled(time.Minute)
		for _, p := range h.all() {
			for _, text := range texts {
				sum := text.Bytes()
				if bytes.Contains(p.data, sum[:4]) || bytes.Contains(p.data, mapped.Bytes(rowOf(text)[:4])) {
					t.Fatal("a pack shows a hash or a vector")
				}
			}
		}
		for subject := range h.packs {
			if bytes.Contains([]byte(subject), []byte("sha256")) {
				t.Errorf("%s names the model", subject)
			}
		}
	})
}

// A server drops packs after 90 days. What is used is published again by one machine, what is not
// used by none.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, used, unused := newHub(), kindOf("model"), textsOf("used", 200), textsOf("unused", 200)
		team := make([]*Share, 8)
		for i := range team {
			shift := time.Duration(i-4) * 6 * time.Hour // clocks a day off
			team[i] = h.open(t, t.TempDir(), func(o *Options) { o.Now = func() time.Time { return time.Now().Add(shift) } })
		}
		team[0].of("repo").Offer(kind, unused, rowOf)
		for range 180 {
			for _, s := range team {
				s.of("repo").Offer(kind, used, rowOf)
				settled(time.Minute)
			}
			settled(day)
			h.set(func() {
				for subject, list := range h.packs {
					for len(list) > 0 && time.Since(list[0].stored) > 90*day {
						list = list[1:]
					}
					h.packs[subject] = list
				}
			})
		}
		published := int64(0)
		for _, s := range team {
			published += s.Status().RowsPublished
		}
		if published < 600+200 || published > 5*200 {
			t.Errorf("%d rows were published in half a year", published)
		}
		late := h.open(t, t.TempDir())
		if n := found(t, late.of("repo"), kind, used); n != 200 {
			t.Errorf("%d used rows of 200 are left", n)
		}
		if n := found(t, late.of("repo"), kind, unused); n != 0 {
			t.Errorf("%d unused rows are left", n)
		}
	})
}

// Twenty machines that have embedded the same before they share it, over a connection with a delay
// of a second, publish not much of it twice: what is in transit.
func TestSameRowsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20_000
		h, kind, texts := newHub(), kindOf("model"), textsOf("a", n)
		h.delay = time.Second
		var team []*Share
		for range 20 {
			s := h.open(t, t.TempDir())
			s.of("repo").Offer(kind, texts, rowOf)
			team = append(team, s)
		}
		settled(10 * time.Minute)
		published := int64(0)
		for _, s := range team {
			got := s.Status()
			if published += got.RowsPublished; got.Entries != n || got.Queue != 0 {
				t.Errorf("%+v", got)
			}
		}
		if published < n || published > n*5/2 {
			t.Errorf("%d rows were published of %d", published, n)
		}
	})
}

// A machine whose clock is months ahead publishes nothing anew: ages are by the server's clock.
func TestClockFarAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts := newHub(), kindOf("model"), textsOf("a", 500)
		s := h.open(t, t.TempDir(), func(o *Options) { o.Now = func() time.Time { return time.Now().Add(100 * day) } })
		for range 5 {
			s.of("repo").Offer(kind, texts, rowOf)
			settled(time.Hour)
		}
		if got := s.Status(); got.RowsPublished != 500 {
			t.Errorf("%d rows were published of 500", got.RowsPublished)
		}
	})
}

func TestServerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts, dir := newHub(), kindOf("model"), textsOf("a", 300), t.TempDir()
		a := h.open(t, dir)
		a.of("repo").Offer(kind, texts, rowOf)
		settled(time.Minute)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		h.forget()
		a = h.open(t, dir)
		for range 2 {
			a.of("repo").Offer(kind, texts, rowOf)
			settled(2 * time.Hour)
		}
		if n := found(t, a.of("repo"), kind, texts); n != 300 {
			t.Errorf("%d rows of 300 are left in the cache", n)
		}
		if s := a.Status(); s.Rewound != 1 || s.RowsPublished != 300 {
			t.Errorf("%+v", s)
		}
		if n := found(t, h.open(t, t.TempDir()).of("repo"), kind, texts); n != 300 {
			t.Errorf("%d rows of 300 on the server", n)
		}

		// It forgets, and has others in their place, while nobody runs.
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		h.forget()
		h.open(t, t.TempDir()).of("repo").Offer(kind, textsOf("b", 300), rowOf)
		settled(time.Minute)
		a = h.open(t, dir)
		a.of("repo").Offer(kind, nil, rowOf)
		settled(time.Minute)
		if n := found(t, a.of("repo"), kind, append(textsOf("b", 300), texts...)); n != 600 || a.Status().Rewound != 1 {
			t.Errorf("%d rows of 600; %+v", n, a.Status())
		}
	})
}

// A server that forgets each day, since it has too little room, is not filled anew each day.
func TestServerForgetsOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts, dir := newHub(), kindOf("model"), textsOf("a", 1000), t.TempDir()
		published := int64(0)
		for range 10 {
			a := h.open(t, dir)
			for range 4 {
				a.of("repo").Offer(kind, texts, rowOf)
				settled(6 * time.Hour)
			}
			h.put(newSealer(teamKey, kind).model()+".repo", packOf(t, teamKey, kind, textsOf("b", 1), rowOf))
			synctest.Wait()
			published += a.Status().RowsPublished
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			h.forget()
		}
		if published < 2000 || published > 3000 {
			t.Errorf("%d rows were published", published)
		}
	})
}

// Rows waits for a server that hangs at most as long as is said, once; and never for one that is
// not connected.
func TestHangingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts := newHub(), kindOf("model"), textsOf("a", 10)
		wait := func(r *Repository, ctx context.Context) time.Duration {
			begun := time.Now()
			if r.Rows(ctx, kind, texts) != nil {
				t.Error("rows from nowhere")
			}
			return time.Since(begun)
		}
		h.down = true
		s := h.open(t, t.TempDir())
		if d := wait(s.of("repo"), t.Context()); d != 0 {
			t.Errorf("waited %v without a connection", d)
		}
		h.set(func() { h.down, h.hangs = false, true })
		settled(2 * time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if d := wait(s.of("repo"), ctx); d != 5*time.Second {
			t.Errorf("waited %v with a context of 5 s", d)
		}
		s.of("repo").Offer(kind, texts, rowOf)
		if d := wait(s.of("repo"), t.Context()); d != defaultPatience-5*time.Second {
			t.Errorf("waited %v", d)
		}
		if d := wait(s.of("repo"), t.Context()); d != 0 {
			t.Errorf("waited %v the third time", d)
		}
		h.set(func() { h.hangs = false })
		settled(time.Minute)
		h.set(func() { h.hangs = true })
		s.of("repo").Offer(kind, textsOf("b", 10), rowOf)
		settled(time.Hour)
		h.set(func() { h.hangs = false })
		settled(2 * time.Minute)
		if s := s.Status(); s.RowsPublished != 20 || s.Queue != 0 {
			t.Errorf("after the server came back: %+v", s)
		}
	})
}

// Over a slow connection Rows waits again and again while packs arrive, and not for ever.
func TestSlowServer(t *testing.T) {
	for name, c := range map[string]struct {
		packs    int
		want     int // found in the end
		patience time.Duration
	}{
		"slow":       {15, 15, 150 * time.Second},
		"never ends": {1000, 20, slowly * defaultPatience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, kind, texts := newHub(), kindOf("model"), textsOf("a", c.packs)
				h.trickle = 10 * time.Second
				for _, text := range texts {
					h.put(newSealer(teamKey, kind).model()+".repo", packOf(t, teamKey, kind, []encode.Hash{text}, rowOf))
				}
				s, begun, n := h.open(t, t.TempDir()), time.Now(), 0
				for range 30 {
					call := time.Now()
					n = found(t, s.of("repo"), kind, texts)
					if d := time.Since(call); d > defaultPatience {
						t.Fatalf("one call waited %v", d)
					}
				}
				if d := time.Since(begun); n < c.want || d > c.patience {
					t.Errorf("%d rows of %d after %v", n, c.want, d)
				}
			})
		})
	}
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub()
		h.down = true
		s := h.open(t, t.TempDir())
		s.of("repo").Offer(kindOf("model"), make([]encode.Hash, queueMost+10), rowOf)
		s.of("repo").Offer(kindOf("model"), make([]encode.Hash, 10), rowOf)
		if got := s.Status(); got.Queue != queueMost || got.Dropped != 20 {
			t.Errorf("%+v", got)
		}
	})
}

// Two processes with one state directory both find rows; one of them keeps the cache.
func TestTwoProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts, dir := newHub(), kindOf("model"), textsOf("a", 100), t.TempDir()
		first, second := h.open(t, dir), h.open(t, dir)
		first.of("repo").Offer(kind, texts[:50], rowOf)
		synctest.Wait()
		second.of("repo").Offer(kind, texts[50:], rowOf)
		settled(time.Minute)
		for _, s := range []*Share{first, second} {
			if n := found(t, s.of("repo"), kind, texts); n != 100 {
				t.Errorf("%d rows of 100", n)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		h.set(func() { h.down = true })
		if n := found(t, h.open(t, dir).of("repo"), kind, texts); n != 100 {
			t.Errorf("%d rows of 100 in the cache", n)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
			t.Errorf("%d files are left: %v", len(list), err)
		}
	})
}

func TestNewRefusesOptions(t *testing.T) {
	h := newHub()
	for _, opts := range []Options{{Key: []byte("short"), Dir: "d", Transport: h}, {Key: teamKey, Dir: "d"}, {Key: teamKey, Transport: h}} {
		if _, err := New(t.Context(), opts); err == nil {
			t.Errorf("%+v is accepted", opts)
		}
	}
}
