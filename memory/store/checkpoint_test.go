package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// put stores one value and flushes everything to a table.
func put(t testing.TB, s *Store, k, v string) {
	t.Helper()
	b := s.NewBatch()
	b.Set(key(k), []byte(v))
	if err := errors.Join(s.commit(b), s.db.Flush()); err != nil {
		t.Fatal(err)
	}
}

func checkpointNow(t testing.TB, s *Store) string {
	t.Helper()
	if err := s.Checkpoint(context.Background()); err != nil {
		t.Fatal(err)
	}
	names := checkpoints(s.fs, s.dir)
	return s.fs.PathJoin(s.dir, checkpointDir, names[len(names)-1].name)
}

// TestCheckpoints checks that three are kept, and that the latest opens in place of the database.
func TestCheckpoints(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := openStore(t, dir, Options{Now: func() time.Time { return now }})
	last := ""
	for i := range 5 {
		commit(t, s, func(b *Batch) { b.Set(key("k"), fmt.Append(nil, i)) })
		last = checkpointNow(t, s)
	}
	if names := checkpoints(s.fs, dir); len(names) != keptCheckpoints {
		t.Errorf("kept %v", names)
	}
	commit(t, s, func(b *Batch) { b.Set(key("k"), []byte("lost")) })
	closeStore(t, s)
	db := filepath.Join(dir, databaseDir)
	if err := errors.Join(os.RemoveAll(db), os.CopyFS(db, os.DirFS(last))); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir, Options{})
	if got := dump(t, s); got != "k=4" {
		t.Errorf("restored: %s", got)
	}
	closeStore(t, s)
}

// TestCheckpointDue checks, with a clock that jumps, that a checkpoint is made when there is data,
// then a day after the last one or when the data has doubled, and once after each jump, and that
// the newest is the last one made.
func TestCheckpointDue(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := openStore(t, t.TempDir(), Options{Now: func() time.Time { return now }, plain: true})
	defer closeStore(t, s)
	size := 1000
	change := func() { size++; put(t, s, fmt.Sprint(size), strings.Repeat("x", size)) }
	double := func() { put(t, s, "big", strings.Repeat("y", 1<<20)) }
	nothing := func() {}
	for i, step := range []struct {
		passes time.Duration
		first  func()
		due    bool
	}{
		{time.Hour, nothing, false},
		{48 * time.Hour, nothing, false}, // no data
		{0, change, true},
		{0, change, false},
		{2 * time.Hour, nothing, false},
		{30 * time.Minute, double, true},
		{50 * time.Minute, change, false},
		{25 * time.Hour, nothing, true}, // of the change before
		{25 * time.Hour, nothing, false},
		{25 * time.Hour, change, true},
		{-365 * 24 * time.Hour, change, true},
		{time.Second, change, false},
		{2 * time.Hour, change, false},
		{24 * time.Hour, change, true},
		{10 * 365 * 24 * time.Hour, nothing, false},
		{0, change, true},
		{time.Second, change, false},
		{-10 * 365 * 24 * time.Hour, change, true},
		{-time.Minute, change, false},
		{23 * time.Hour, change, false},
		{2 * time.Hour, nothing, true},
	} {
		now = now.Add(step.passes)
		step.first()
		made, err := s.CheckpointIfDue(context.Background())
		if made != step.due || err != nil {
			t.Fatalf("step %d: made %v, %v", i, made, err)
		}
		names := checkpoints(s.fs, s.dir)
		if made && !names[len(names)-1].at.Equal(now.Truncate(time.Microsecond)) {
			t.Errorf("step %d: the newest is %v at %v", i, names[len(names)-1], now)
		}
		if len(names) > keptCheckpoints {
			t.Errorf("step %d: kept %v", i, names)
		}
	}
}

// TestCheckpointOfAnUnchangedStore checks that a start without a change makes no checkpoint, and
// that one with a change does.
func TestCheckpointOfAnUnchangedStore(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := Options{Now: func() time.Time { now = now.Add(48 * time.Hour); return now }}
	s := openStore(t, dir, o)
	put(t, s, "a", "1")
	checkpointNow(t, s)
	closeStore(t, s)
	for _, changes := range []bool{false, true} {
		s = openStore(t, dir, o)
		if changes {
			put(t, s, "a", "2")
		}
		if made, err := s.CheckpointIfDue(context.Background()); made != changes || err != nil {
			t.Errorf("changed %v: made %v, %v", changes, made, err)
		}
		closeStore(t, s)
	}
}

// TestFirstCheckpoint checks that it is made only if there is none, and if there is data.
func TestFirstCheckpoint(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	defer closeStore(t, s)
	for i, want := range []int{0, 1, 1} {
		if err := s.FirstCheckpoint(context.Background()); err != nil {
			t.Fatal(err)
		}
		if names := checkpoints(s.fs, s.dir); len(names) != want {
			t.Errorf("%d: %v", i, names)
		}
		put(t, s, fmt.Sprint(i), "v")
	}
}

// spoil flips a bit in the middle of a file in place.
func spoil(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	if _, err := f.ReadAt(one, info.Size()/3); err != nil {
		t.Fatal(err)
	}
	one[0] ^= 0x10
	if _, err := f.WriteAt(one, info.Size()/3); err != nil {
		t.Fatal(err)
	}
}

func tablesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// TestCheckpointsOwnTheirTables checks that they share tables with each other, and none with the
// database.
func TestCheckpointsOwnTheirTables(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	put(t, s, "a", strings.Repeat("1", 5000))
	first := checkpointNow(t, s)
	put(t, s, "b", strings.Repeat("2", 5000))
	second := checkpointNow(t, s)
	closeStore(t, s)
	same := func(a, b string) bool {
		x, errA := os.Stat(a)
		y, errB := os.Stat(b)
		return errA == nil && errB == nil && os.SameFile(x, y)
	}
	shared := 0
	for _, path := range tablesIn(t, second) {
		name := filepath.Base(path)
		if same(path, filepath.Join(dir, databaseDir, name)) {
			t.Errorf("%s is the database's", name)
		}
		if same(path, filepath.Join(first, name)) {
			shared++
		}
	}
	if shared == 0 {
		t.Error("nothing is shared with the checkpoint before")
	}
}

// TestCheckpointOfDamage checks that a state that cannot be read does not replace one that can.
func TestCheckpointOfDamage(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	put(t, s, "a", strings.Repeat("1", 5000))
	var good []string
	for range keptCheckpoints {
		good = append(good, checkpointNow(t, s))
	}
	spoil(t, tablesIn(t, filepath.Join(dir, databaseDir))[0])
	for range 2 {
		if err := s.Checkpoint(context.Background()); err == nil {
			t.Error("a damaged state was kept")
		}
	}
	for _, path := range good {
		if err := s.sound(path, &pace{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if names, err := os.ReadDir(filepath.Join(dir, checkpointDir)); err != nil || len(names) != keptCheckpoints {
		t.Errorf("%d left, %v", len(names), err)
	}
	closeStore(t, s)
}

// TestCheckpointWhileFilesGo makes checkpoints while every flush begins a manifest and a log and
// makes the former ones obsolete, and compactions remove tables: no checkpoint fails for a file
// that disappears, and each can be read.
func TestCheckpointWhileFilesGo(t *testing.T) {
	s := openStore(t, "/m", Options{fs: vfs.NewMem()})
	defer closeStore(t, s)
	put(t, s, "0", "first")
	var stop atomic.Bool
	flushed := make(chan error, 1)
	go func() {
		var err error
		for i := 1; err == nil && !stop.Load(); i++ {
			b := s.NewBatch()
			b.Set(key(fmt.Sprint(i%7)), fmt.Append(nil, i))
			err = errors.Join(s.commit(b), s.db.Flush())
		}
		flushed <- err
	}()
	const enough = 30 // checkpoints, and manifests begun meanwhile
	begun := s.files.manifests.Load()
	for i := 0; (i < enough || s.files.manifests.Load() < begun+enough) && s.latch.fault() == nil; i++ {
		if err := s.checkpoint(nil, false, keptCheckpoints); err != nil {
			t.Error(err)
			break
		}
	}
	stop.Store(true)
	if err := <-flushed; err != nil {
		t.Error(err)
	}
}

// TestCheckpointWithLittleRoom checks that with little space links are used instead of copies.
func TestCheckpointWithLittleRoom(t *testing.T) {
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 10, TotalBytes: 1 << 20, UsedBytes: 1 << 20})
	s := openStore(t, "/m", Options{fs: fs})
	put(t, s, "a", "1")
	path := checkpointNow(t, s)
	if _, err := fs.Stat(fs.PathJoin(path, ownFile)); err == nil {
		t.Error("tables were copied")
	}
	if err := s.sound(path, &pace{}); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
}

// TestCheckpointIsStopped checks that a checkpoint stops with its context and leaves nothing
// behind.
func TestCheckpointIsStopped(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	defer closeStore(t, s)
	put(t, s, "a", "1")
	stop := make(chan struct{})
	close(stop)
	if err := s.checkpoint(stop, true, keptCheckpoints); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if names, err := s.fs.List(s.fs.PathJoin(s.dir, checkpointDir)); err != nil || len(names) != 0 {
		t.Errorf("left: %v, %v", names, err)
	}
	if made, err := s.CheckpointIfDue(context.Background()); !made || err != nil {
		t.Errorf("after it: %v, %v", made, err)
	}
}

// TestOldNames checks that checkpoints of programs that did not number them are listed, as older
// than all numbered ones.
func TestOldNames(t *testing.T) {
	fs := vfs.NewMem()
	for _, name := range []string{"1.2-20250101T000000.000000", "1-20260102T000000.000000", "1.10-20240101T000000.000000", "1-20260101T000000.000000", ".1.11-20260101T000000.000000", "1.x-20260101T000000.000000", "other"} {
		if err := fs.MkdirAll(fs.PathJoin("/m", checkpointDir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, c := range checkpoints(fs, "/m") {
		names = append(names, c.name[:8])
		if c.number > 0 && c.fileName() != c.name {
			t.Errorf("%s is written %s", c.name, c.fileName())
		}
	}
	if got := strings.Join(names, " "); got != "1-202601 1-202601 1.2-2025 1.10-202" {
		t.Errorf("%s", got)
	}
}

// The commands in the text of a CorruptError.
var (
	moveWords = regexp.MustCompile(`move the folder (\S+) out of the state directory`)
	copyWords = regexp.MustCompile(`copy the folder (\S+) with all that is in it to (\S+), and start again`)
	lineWords = regexp.MustCompile(`write the line ("[^"]+") into its file (\S+) and start again`)
)

// follow follows the advice of an error, word by word.
func follow(t *testing.T, dir string, advice error) {
	t.Helper()
	text := advice.Error()
	if line := lineWords.FindStringSubmatch(text); line != nil {
		if err := os.WriteFile(filepath.Join(dir, line[2]), []byte(strings.Trim(line[1], `"`)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	move, copied := moveWords.FindStringSubmatch(text), copyWords.FindStringSubmatch(text)
	if move == nil || copied == nil {
		t.Fatalf("it does not say what to do: %s", text)
	}
	if err := os.Rename(move[1], filepath.Join(t.TempDir(), "moved")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied[2], os.DirFS(copied[1])); err != nil {
		t.Fatal(err)
	}
}

// TestRestore damages a store in every way that is detected, follows the advice of the error, and
// checks that everything in the checkpoint is restored.
func TestRestore(t *testing.T) {
	damages := map[string]func(dir string) error{
		"tables": func(dir string) error {
			for _, path := range tablesIn(t, filepath.Join(dir, databaseDir)) {
				if err := os.Truncate(path, 100); err != nil {
					return err
				}
			}
			return nil
		},
		"manifest": func(dir string) error {
			paths, err := filepath.Glob(filepath.Join(dir, databaseDir, "MANIFEST-*"))
			for _, path := range paths {
				err = errors.Join(err, os.WriteFile(path, bytes.Repeat([]byte{7}, 500), 0o600))
			}
			return err
		},
		"log": func(dir string) error {
			paths, err := filepath.Glob(filepath.Join(dir, databaseDir, "*.log"))
			for _, path := range paths {
				err = errors.Join(err, os.Truncate(path, 5))
			}
			return err
		},
		"all of it":             func(dir string) error { return os.RemoveAll(filepath.Join(dir, databaseDir)) },
		"the marker":            func(dir string) error { return os.Remove(filepath.Join(dir, markerFile)) },
		"what is in the marker": func(dir string) error { return os.WriteFile(filepath.Join(dir, markerFile), []byte("?"), 0o600) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			fs, dir := vfs.NewCrashableMem(), "/m"
			s := openStore(t, dir, Options{fs: fs})
			put(t, s, "a", strings.Repeat("1", 3000))
			checkpointNow(t, s)
			put(t, s, "b", strings.Repeat("2", 3000))
			want := dump(t, s)
			checkpointNow(t, s)
			spoilt := checkpointNow(t, s) // of the same state, but unreadable
			commit(t, s, func(b *Batch) { b.Set(key("c"), nil) })
			left := leave(t, fs, dir)
			closeStore(t, s)
			spoilt = filepath.Join(left, strings.TrimPrefix(spoilt, dir))
			manifests, err := filepath.Glob(filepath.Join(spoilt, "MANIFEST-*"))
			if err != nil || len(manifests) != 1 {
				t.Fatal(manifests, err)
			}
			spoil(t, manifests[0])
			if err := damage(left); err != nil {
				t.Fatal(err)
			}
			before := contents(t, left)
			_, err = Open(left, Options{})
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), left) {
				t.Fatalf("%v", err)
			}
			unchanged(t, before, contents(t, left))
			follow(t, left, err)
			again := openStore(t, left, Options{})
			defer closeStore(t, again)
			if got := strings.TrimSuffix(dump(t, again), " c="); got != want {
				t.Errorf("restored %d bytes of %d", len(got), len(want))
			}
			put(t, again, "d", "goes on")
			checkpointNow(t, again)
		})
	}
}
