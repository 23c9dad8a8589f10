package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestOrphansAreRemoved checks that an index is removed thirty days after its last use if its
// workspace is gone, and that every other one stays.
func TestOrphansAreRemoved(t *testing.T) {
	// The indexes' own goroutines ask the time while it is set forward.
	start := time.Now()
	var passed atomic.Int64
	now := func() time.Time { return start.Add(time.Duration(passed.Load())) }
	v, err := server.New(engine.Options{Version: "test", StateDir: t.TempDir(), Home: t.TempDir(), Now: now, KeepOpen: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	stays, goes := servertest.Tree(t, map[string]string{"a.go": source("quetzal")}), filepath.Join(t.TempDir(), "goes")
	if err := os.Mkdir(goes, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{stays, goes} {
		_, leave := indexOf(t, v, root)
		leave()
	}
	if err := os.Remove(goes); err != nil {
		t.Fatal(err)
	}
	unknown := filepath.Join(filepath.Dir(v.IndexDir(stays)), "older-0123456789abcdef")
	if err := os.Mkdir(unknown, 0o700); err != nil {
		t.Fatal(err)
	}
	left := func() (roots []string) {
		list, err := v.StoredIndexes()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			roots = append(roots, s.Root)
		}
		return roots
	}
	for _, step := range []struct {
		wait    time.Duration
		removed int
	}{{29 * 24 * time.Hour, 0}, {2 * 24 * time.Hour, 1}, {400 * 24 * time.Hour, 0}} {
		passed.Add(int64(step.wait))
		removed, err := v.RemoveOrphans()
		if err != nil || len(removed) != step.removed {
			t.Errorf("%v later it removed %v, %v", step.wait, removed, err)
		}
	}
	if roots := left(); len(roots) != 2 || roots[0] != stays && roots[1] != stays {
		t.Errorf("left are %q", roots)
	}
}

// TestIndexInUseIsNotRemoved checks that an index stays while a session has it open, and that
// nothing but an index is removed.
func TestIndexInUseIsNotRemoved(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("quetzal")})
	v := warmRecord(t, time.Hour)
	_, leave := indexOf(t, v, root)
	name := filepath.Base(v.IndexDir(root))
	if err := v.RemoveIndex(name); err == nil || !strings.Contains(err.Error(), "has it open") {
		t.Errorf("in use: %v", err)
	}
	leave()
	for _, bad := range []string{"", ".", "..", "../memory", name + "/.."} {
		if err := v.RemoveIndex(bad); err == nil {
			t.Errorf("it removed %q", bad)
		}
	}
	if err := v.RemoveIndex(name); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(v.IndexDir(root)); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	_, leave = indexOf(t, v, root) // is created again
	leave()
}
