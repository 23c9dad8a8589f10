package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRandomChanges compares the watcher with the disk: after any sequence of changes every path
// that differs was reported, and every existing folder is watched, with polling and without.
func TestRandomChanges(t *testing.T) {
	for _, budget := range []int{0, 4} {
		t.Run(fmt.Sprintf("budget %d", budget), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				b := newBench(t, Options{Budget: budget, Debounce: 2 * time.Millisecond, PollEvery: 2 * time.Millisecond}, nil)
				defer b.w.Close()
				for round := range rapid.IntRange(1, 3).Draw(rt, "rounds") {
					b.forget()
					before := snapshot(b)
					for range rapid.IntRange(1, 15).Draw(rt, "changes") {
						change(rt, b)
					}
					after := snapshot(b)
					end := fmt.Sprintf("end%d", round)
					b.write(end, "x")
					b.wants(end)
					for p := range before {
						if before[p] != after[p] {
							b.until(func() bool { return told(b, p, after[p] == "") })
						}
					}
					for p := range after {
						if before[p] == "" {
							b.until(func() bool { return told(b, p, false) })
						}
					}
					for p, kind := range after {
						if kind == "dir" {
							b.write(path.Join(p, "probe"), fmt.Sprint("x", strings.Repeat("x", round)))
							b.wants(path.Join(p, "probe"))
						}
					}
				}
			})
		})
	}
}

// told reports whether a path was reported; a removed one may be reported by a folder above it.
func told(b *bench, p string, gone bool) bool {
	if b.rescan || b.paths[p] {
		return true
	}
	for gone && p != "." {
		if p = path.Dir(p); b.dirs[p] {
			return true
		}
	}
	return false
}

// change makes one random change to the disk. Names are few, so that they collide.
func change(rt *rapid.T, b *bench) {
	name := rapid.Custom(func(rt *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 4).Draw(rt, "parts")
		return strings.Join(parts, "/")
	})
	at := b.abs(name.Draw(rt, "at"))
	var err error
	switch rapid.SampledFrom([]string{"mkdir", "write", "remove", "rename", "save"}).Draw(rt, "what") {
	case "mkdir":
		err = os.MkdirAll(at, 0o755)
	case "write":
		if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			err = os.WriteFile(at, []byte("x"), 0o644)
		}
	case "remove":
		err = os.RemoveAll(at)
	case "rename":
		err = os.Rename(at, b.abs(name.Draw(rt, "to")))
	case "save":
		if err = os.WriteFile(at+".tmp", []byte("y"), 0o644); err == nil {
			err = os.Rename(at+".tmp", at)
		}
	}
	var known *fs.PathError
	var link *os.LinkError
	if err != nil && !errors.As(err, &known) && !errors.As(err, &link) {
		rt.Fatal(err) // The others have names that do not fit, which is intended.
	}
}

// snapshot describes each path below the root.
func snapshot(b *bench) map[string]string {
	there := map[string]string{}
	err := filepath.WalkDir(b.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == b.root {
			return err
		}
		rel, err := filepath.Rel(b.root, p)
		kind := "dir"
		if !d.IsDir() {
			info, infoErr := d.Info()
			if infoErr != nil {
				return infoErr
			}
			kind = fmt.Sprint(idOf(info), info.ModTime().UnixNano())
		}
		there[filepath.ToSlash(rel)] = kind
		return err
	})
	b.do(err)
	return there
}
