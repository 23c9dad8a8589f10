// Package storetest is what the tests of the packages that keep something in a store share: opening
// one, applying a change, and comparing what it holds.
package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// TB is what the functions need of a test, a benchmark or a property check.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Open opens an empty store and closes it when the test ends.
func Open(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Apply stages a change of a workspace and makes it visible. An error of either fails the test.
func Apply(t TB, s *store.Store, ws store.Workspace, stage func(tx store.Tx) error) {
	t.Helper()
	ApplyAt(t, s, ws, time.Time{}, stage)
}

// ApplyAt is Apply for a change that records its time.
func ApplyAt(t TB, s *store.Store, ws store.Workspace, now time.Time, stage func(tx store.Tx) error) {
	t.Helper()
	tx := s.Begin(ws, now)
	if err := stage(tx); err != nil {
		t.Fatal(err)
	}
	if err := s.ApplyLater(tx.Batch); err != nil {
		t.Fatal(err)
	}
}

// Dump returns all keys and values that a workspace has in a space, a line each, without the part
// of the key that they share.
func Dump(t TB, view store.View, space store.Space) string {
	t.Helper()
	var out strings.Builder
	prefix := store.Prefix(space, view.Workspace)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		fmt.Fprintf(&out, "%q %q\n", key[len(prefix):], value)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Export returns the JSON lines that an export emits.
func Export(t TB, view store.View, export func(view store.View, emit func(any) error) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := export(view, json.NewEncoder(&out).Encode); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Imports has a package's lines staged.
type Imports = func(im *store.Importer, tx store.Tx)

// Import applies the lines of an export.
func Import(t TB, s *store.Store, ws store.Workspace, lines []byte, imports Imports) {
	t.Helper()
	Apply(t, s, ws, func(tx store.Tx) error {
		var im store.Importer
		imports(&im, tx)
		for line := range bytes.Lines(lines) {
			if err := im.Add(line); err != nil {
				return err
			}
		}
		return im.Finish()
	})
}

// AddLine stages one line of an export and drops it. The error is the line's.
func AddLine(s *store.Store, ws store.Workspace, line string, imports Imports) error {
	var im store.Importer
	imports(&im, s.Begin(ws, time.Time{}))
	return im.Add([]byte(line))
}
