package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestErase writes markers as keys and as values, deletes them in every possible way, with a
// snapshot open in between, erases, and searches every byte of the directory for them.
func TestErase(t *testing.T) {
	for _, plain := range []bool{true, false} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) { eraseMarkers(t, plain) })
	}
}

func eraseMarkers(t *testing.T, plain bool) {
	dir, ctx := t.TempDir(), context.Background()
	s := openStore(t, dir, Options{plain: plain})
	var markers []string
	marker := func() string {
		markers = append(markers, rand.Text()+rand.Text())
		return markers[len(markers)-1]
	}
	commit(t, s, func(b *Batch) {
		for i := range 500 {
			b.Set(key(fmt.Sprintf("kept%04d", i)), []byte(rand.Text()))
		}
	})
	var single []string
	for round := range 4 {
		commit(t, s, func(b *Batch) {
			for range 50 {
				k := "single" + marker()
				single = append(single, k)
				b.Set(key(k), []byte(marker()))
				b.Set(key("range"+marker()), []byte(marker()))
				b.Append(key("range"+marker()), []byte(marker()))
			}
			b.Set(key("replaced"), []byte(marker()))
		})
		if round%2 == 0 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range keptCheckpoints {
		if err := s.Checkpoint(ctx); err != nil {
			t.Fatal(err)
		}
		commit(t, s, func(b *Batch) { b.Set(key("replaced"), []byte(marker())) })
	}
	snap := s.Snapshot()
	commit(t, s, func(b *Batch) {
		for _, k := range single {
			b.Delete(key(k))
		}
		b.DeleteRange(key("range"), key("rangf"))
		b.Set(key("replaced"), []byte("by this"))
		b.EraseDue()
	})
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil { // now at the bottom, kept for the snapshot
		t.Fatal(err)
	}
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	stop, busy := make(chan struct{}), sync.WaitGroup{}
	busy.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			b := s.NewBatch()
			b.Set(key(fmt.Sprintf("busy%06d", i)), nil)
			if err := s.commit(b); err != nil {
				t.Error(err)
				return
			}
			_ = dump(t, s)
		}
	})
	if err := s.Erase(ctx); err != nil {
		t.Fatal(err)
	}
	found := search(t, dir, markers)
	close(stop)
	busy.Wait()
	if found != "" {
		t.Error(found)
	}
	if due, err := s.EraseDue(); due || err != nil {
		t.Errorf("due after Erase: %v, %v", due, err)
	}
	closeStore(t, s)
	s = openStore(t, dir, Options{plain: plain})
	defer closeStore(t, s)
	if n := strings.Count(dump(t, s), "kept"); n != 500 {
		t.Errorf("kept %d of 500", n)
	}
}

func search(t *testing.T, dir string, markers []string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // a file of an open store may disappear
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		text := string(b)
		for _, m := range markers {
			if strings.Contains(text, m) {
				found += fmt.Sprintf("%s holds %s\n", path, m)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestEraseFindsMarkers checks that the search finds what was not erased.
func TestEraseFindsMarkers(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{plain: true})
	defer closeStore(t, s)
	commit(t, s, func(b *Batch) { b.Set(key("k"), []byte("a marker")) })
	if search(t, dir, []string{"a marker"}) == "" {
		t.Error("nothing found")
	}
}

// TestEraseWaits checks that Erase waits for a snapshot, and gives up with its context without
// reporting damage.
func TestEraseWaits(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	defer closeStore(t, s)
	snap := s.Snapshot()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Erase(ctx); !errors.Is(err, context.Canceled) || errors.As(err, new(*CorruptError)) {
		t.Errorf("%v", err)
	}
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Erase(context.Background()); err != nil {
		t.Errorf("%v", err)
	}
}

// keeping is a file system on which checkpoints cannot be removed.
type keeping struct {
	vfs.FS
	on atomic.Bool
}

func (k *keeping) RemoveAll(name string) error {
	if k.on.Load() && k.PathBase(k.PathDir(name)) == checkpointDir {
		return errors.New("not today")
	}
	return k.FS.RemoveAll(name)
}

func (k *keeping) Unwrap() vfs.FS { return k.FS }

// TestEraseIsDueUntilAllIsGone checks that an erasure cut short before the older checkpoints are
// removed is resumed by the next start.
func TestEraseIsDueUntilAllIsGone(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	fs := &keeping{FS: vfs.Default}
	s := openStore(t, dir, Options{fs: fs, plain: true})
	marker := rand.Text() + rand.Text()
	commit(t, s, func(b *Batch) { b.Set(key("k"), []byte(marker)) })
	checkpointNow(t, s)
	commit(t, s, func(b *Batch) { b.Delete(key("k")); b.EraseDue() })
	fs.on.Store(true)
	if err := s.Erase(ctx); err == nil {
		t.Error("erased, with an older checkpoint left")
	}
	closeStore(t, s)
	fs.on.Store(false)
	s = openStore(t, dir, Options{fs: fs, plain: true})
	defer closeStore(t, s)
	if due, err := s.EraseDue(); !due || err != nil || search(t, dir, []string{marker}) == "" {
		t.Errorf("due: %v, %v", due, err)
	}
	if err := s.Erase(ctx); err != nil {
		t.Fatal(err)
	}
	if found := search(t, dir, []string{marker}); found != "" {
		t.Error(found)
	}
	if due, err := s.EraseDue(); due || err != nil {
		t.Errorf("due after it: %v, %v", due, err)
	}
}
