package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// leave copies a store that is open in memory to disk, in the state that a process killed now would
// leave. A folder on disk cannot be copied under an open store: Pebble removes obsolete files in
// the background during the copy, so that the copied files would be of different times.
func leave(t *testing.T, fs *vfs.MemFS, dir string) string {
	t.Helper()
	now := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	to := filepath.Join(t.TempDir(), "m")
	if found, err := vfs.Clone(now, vfs.Default, dir, to); !found || err != nil {
		t.Fatal(found, err)
	}
	return to
}

// build makes a store with tables, a manifest and a log whose end was acknowledged, in the state
// that a killed process leaves.
func build(t *testing.T) string {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s := openStore(t, "/m", Options{fs: fs})
	for i := range 3 {
		commit(t, s, func(b *Batch) {
			for j := range 200 {
				b.Set(key(fmt.Sprintf("%d/%03d", i, j)), fmt.Appendf(nil, "value %d", i*j))
			}
		})
		if i < 2 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := leave(t, fs, "/m")
	closeStore(t, s)
	return left
}

// TestDamage removes, empties, zeroes, halves and alters every file, and checks that the store is
// either refused unchanged or has lost nothing.
func TestDamage(t *testing.T) {
	whole := build(t)
	s := openStore(t, filepath.Join(copyOf(t, whole)), Options{})
	want := dump(t, s)
	closeStore(t, s)
	ways := map[string]func(path string, b []byte) error{
		"removed": func(path string, _ []byte) error { return os.Remove(path) },
		"emptied": func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"zeroed":  func(path string, b []byte) error { return os.WriteFile(path, make([]byte, len(b)), 0o600) },
		"halved":  func(path string, b []byte) error { return os.Truncate(path, int64(len(b)/2)) },
		"altered": func(path string, b []byte) error {
			if len(b) > 0 {
				b[len(b)/3] ^= 0x40
			}
			return os.WriteFile(path, b, 0o600)
		},
	}
	refused := map[string]bool{}
	for path := range contents(t, whole) {
		for way, damage := range ways {
			name, dir := strings.TrimPrefix(path, whole), copyOf(t, whole)
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(dir, name), b); err != nil {
				t.Fatal(err)
			}
			before := contents(t, dir)
			s, err := Open(dir, Options{})
			var corrupt *CorruptError
			if errors.As(err, &corrupt) {
				refused[filepath.Ext(name)+" "+way] = true
				unchanged(t, before, contents(t, dir))
				continue
			}
			if err != nil {
				t.Errorf("%s %s: %v", name, way, err)
				continue
			}
			var got strings.Builder
			err = s.Scan(nil, nil, func(k, v []byte) (bool, error) {
				if k[0] == byte(Conversations) {
					fmt.Fprintf(&got, "%s=%s ", k[5:], v)
				}
				return true, nil
			})
			if err == nil && strings.TrimSpace(got.String()) != want {
				t.Errorf("%s %s: opened with %d bytes of %d", name, way, got.Len(), len(want))
			}
			if err != nil && !errors.As(err, &corrupt) {
				t.Errorf("%s %s: reading gives %v", name, way, err)
			}
			if err := s.Close(); err != nil && !errors.As(err, &corrupt) {
				t.Errorf("%s %s: closing gives %v", name, way, err)
			}
		}
	}
	for _, must := range []string{".sst removed", ".sst zeroed", ".log zeroed", ".log removed", ".log altered"} {
		if !refused[must] {
			t.Errorf("not refused: %s", must)
		}
	}
}

// copyOf copies the folder of a store that no process has open.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "m")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestNeverEmptyStart opens directories that have lost their database or belong to another program.
func TestNeverEmptyStart(t *testing.T) {
	cases := map[string]func(dir string) error{
		"no database": func(dir string) error { return os.RemoveAll(filepath.Join(dir, databaseDir)) },
		"no marker":   func(dir string) error { return os.Remove(filepath.Join(dir, markerFile)) },
		"empty db": func(dir string) error {
			db := filepath.Join(dir, databaseDir)
			return errors.Join(os.RemoveAll(db), os.Mkdir(db, 0o700))
		},
		"another's": func(dir string) error {
			err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, "MANIFEST-000001"), nil, 0o600))
		},
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			dir := build(t)
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir, Options{})
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v", err)
			}
		})
	}
}
