package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openStore(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, s *Store, fill func(b *Batch)) {
	t.Helper()
	b := s.NewBatch()
	fill(b)
	if err := s.commit(b); err != nil {
		t.Fatal(err)
	}
}

func key(s string) []byte { return append(Prefix(Conversations, 1), s...) }

func dump(t *testing.T, r Reader) string {
	t.Helper()
	var out strings.Builder
	err := r.Scan(Prefix(Conversations, 1), PrefixEnd(Prefix(Conversations, 1)), func(k, v []byte) (bool, error) {
		fmt.Fprintf(&out, "%s=%s ", k[5:], v)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

func TestReadWrite(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	commit(t, s, func(b *Batch) {
		b.Set(key("a"), []byte("1"))
		b.Append(key("b"), []byte("x"))
		b.Append(key("b"), []byte("y"))
		b.Set(key("c"), []byte("3"))
	})
	snap := s.Snapshot()
	commit(t, s, func(b *Batch) {
		b.Append(key("b"), []byte("z"))
		b.DeleteRange(key("c"), key("d"))
		b.Delete(key("a"))
	})
	commit(t, s, func(*Batch) {})
	if got := dump(t, snap); got != "a=1 b=xy c=3" {
		t.Errorf("snapshot: %s", got)
	}
	if err := errors.Join(snap.Close(), snap.Close()); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	s = openStore(t, dir, Options{})
	defer closeStore(t, s)
	if got := dump(t, s); got != "b=xyz" {
		t.Errorf("after opening again: %s", got)
	}
	if v, found, err := s.Get(key("a")); v != nil || found || err != nil {
		t.Errorf("a deleted key: %q, %v, %v", v, found, err)
	}
}

func TestManyAppends(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	defer closeStore(t, s)
	var want []byte
	for i := range 5000 {
		part := fmt.Appendf(nil, "%d,", i)
		want = append(want, part...)
		b := s.NewBatch()
		b.Append(key("k"), part)
		if err := s.ApplyLater(b); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []func() error{func() error { return nil }, s.db.Flush} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		if got, _, err := s.Get(key("k")); !bytes.Equal(got, want) || err != nil {
			t.Fatalf("%d bytes of %d, %v", len(got), len(want), err)
		}
	}
}

func TestWorkspaces(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	ctx := context.Background()
	number := func(root string) Workspace {
		t.Helper()
		ws, err := s.Workspace(ctx, root)
		if err != nil {
			t.Fatal(err)
		}
		return ws
	}
	if a, b, none := number("/a"), number("/b"), number(""); a != 1 || b != 2 || none != 0 || number("/a") != a {
		t.Errorf("numbers %d, %d, %d", a, b, none)
	}
	commit(t, s, func(b *Batch) {
		b.Set(Prefix(Entities, 2), []byte("of b"))
		b.Set(Prefix(Entities, 1), []byte("of a"))
	})
	commit(t, s, func(b *Batch) {
		if err := s.RemoveWorkspace(b, 2); err != nil {
			t.Fatal(err)
		}
	})
	if _, found, err := s.Get(Prefix(Entities, 2)); found || err != nil {
		t.Errorf("of a removed workspace: %v, %v", found, err)
	}
	if _, found, err := s.Get(Prefix(Entities, 1)); !found || err != nil {
		t.Errorf("of another workspace: %v, %v", found, err)
	}
	if again := number("/b"); again != 3 {
		t.Errorf("number after removal: %d", again)
	}
	closeStore(t, s)
	s = openStore(t, dir, Options{})
	defer closeStore(t, s)
	all, err := s.Workspaces()
	if fmt.Sprint(all) != "[{1 /a} {3 /b}]" || err != nil {
		t.Errorf("registry: %v, %v", all, err)
	}
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	defer closeStore(t, s)
	start := time.Now()
	_, err := Open(dir, Options{})
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Holder != os.Getpid() || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

func TestFormats(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	commit(t, s, func(b *Batch) { b.Set(key("k"), []byte("old")) })
	closeStore(t, s)
	runs := ""
	step := func(to int) Migration {
		return Migration{To: to, Run: func(s *Store) error {
			runs += fmt.Sprint(to)
			b := s.NewBatch()
			b.Set(key("k"), fmt.Appendf(nil, "format %d", to))
			return s.commit(b)
		}}
	}
	s = openStore(t, dir, Options{Migrations: []Migration{step(2), step(3)}})
	if got := dump(t, s); got != "k=format 3" || runs != "23" {
		t.Errorf("%s after migrations %s", got, runs)
	}
	if names := checkpoints(s.fs, dir); len(names) != 1 || names[0].format != 1 {
		t.Errorf("checkpoints %v", names)
	}
	closeStore(t, s)
	for _, marker := range []string{"3", "1"} { // a program that stopped before it wrote the marker
		if err := os.WriteFile(filepath.Join(dir, markerFile), []byte(markerTitle+marker+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		_, err := Open(dir, Options{Migrations: []Migration{step(2)}})
		var newer *NewerError
		var corrupt *CorruptError
		if !errors.As(err, &newer) || errors.As(err, &corrupt) || newer.Have != 3 || newer.Want != 2 {
			t.Errorf("newer: %v", err)
		}
		unchanged(t, before, contents(t, dir))
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func unchanged(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path := range before {
		if after[path] != before[path] {
			t.Errorf("%s changed", path)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok && filepath.Base(path) != "LOCK" {
			t.Errorf("%s is new", path)
		}
	}
}
