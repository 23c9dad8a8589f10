//go:build unix

// Elsewhere a file that is in use cannot be removed.

package vectors

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// The folder is removed while it is used: the process continues, and the next one reads all.
func TestCacheRemovedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, kind, texts, dir := newHub(), kindOf("model"), textsOf("a", 40), filepath.Join(t.TempDir(), "team")
		a, b := h.open(t, t.TempDir()), h.open(t, dir)
		a.of("repo").Offer(kind, texts[:20], rowOf)
		settled(time.Minute)
		if n := found(t, b.of("repo"), kind, texts); n != 20 {
			t.Fatalf("%d rows of 20", n)
		}
		synctest.Wait()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		a.of("repo").Offer(kind, texts[20:], rowOf)
		settled(time.Minute)
		if n := found(t, b.of("repo"), kind, texts); n != 40 {
			t.Errorf("%d rows of 40", n)
		}
		if n := found(t, h.open(t, dir).of("repo"), kind, texts); n != 40 {
			t.Errorf("%d rows of 40 in another process", n)
		}
	})
}
