package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stateFiles are like those of a state directory; all of them are text, so that only the rule
// leaves them out.
var stateFiles = map[string]string{
	".state/index/ws/OPTIONS": "text\n", ".state/memory/FORMAT": "1\n", ".state/log/c.log": "line\n", "a.go": "package a\n", "d/b.go": "package d\n",
}

// TestOwn checks that the program's own files are not walked, watched, admitted or read, by any
// path or link and with any settings.
func TestOwn(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "ws")
	write(t, root, stateFiles)
	symlink(t, base, root, "rootlink")
	symlink(t, base, filepath.Join(root, ".state"), "statelink")
	symlink(t, root, filepath.Join(root, ".state"), "inner")
	symlink(t, root, filepath.Join(root, ".state", "log", "c.log"), "d/c.log")
	for _, tt := range []struct {
		name string
		opts Options
		want string
	}{
		{"by its path", Options{Own: []string{filepath.Join(root, ".state")}}, "a.go d/b.go"},
		{"by a link to it", Options{Own: []string{filepath.Join(base, "statelink")}}, "a.go d/b.go"},
		{"by a link to the root", Options{Own: []string{filepath.Join(base, "rootlink", ".state")}}, "a.go d/b.go"},
		{"by a link in the root", Options{Own: []string{filepath.Join(root, "inner")}}, "a.go d/b.go"},
		{"in a root reached by a link", Options{Root: filepath.Join(base, "rootlink"), Own: []string{filepath.Join(root, ".state")}}, "a.go d/b.go"},
		{"asked for", Options{Include: []string{"**", ".state/**", ".state/log/c.log", "inner/**", "d/c.log"}, Own: []string{filepath.Join(root, ".state")}}, "a.go d/b.go"},
		{"links followed", Options{FollowLinks: true, Own: []string{filepath.Join(root, ".state")}}, "a.go d/b.go"},
		{"links followed and asked for", Options{FollowLinks: true, Include: []string{"**", "inner/**", "d/c.log"}, Own: []string{filepath.Join(root, ".state")}}, "a.go d/b.go"},
		{"a nested root", Options{Root: filepath.Join(root, "d"), Own: []string{filepath.Join(root, "d", "x")}}, "b.go"},
		{"a file", Options{Own: []string{filepath.Join(root, "a.go"), filepath.Join(root, ".state")}}, "d/b.go"},
		{"beside the root", Options{Own: []string{filepath.Join(base, "state"), filepath.Join(root, ".state")}}, "a.go d/b.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.opts.Root == "" {
				tt.opts.Root = root
			}
			tree := open(t, tt.opts)
			files, _ := walkAll(t, tree)
			if got := strings.Join(files, " "); got != tt.want {
				t.Errorf("walked %s, want %s", got, tt.want)
			}
			err := tree.Folders(context.Background(), func(path string) error {
				if strings.Contains(path, ".state") || strings.Contains(path, "inner") {
					t.Errorf("folder %s is watched", path)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if tree.Root() != root {
				return
			}
			if !tree.IgnoredDir(".state") || !tree.IgnoredDir(".state/log") {
				t.Error("its folders are watched")
			}
			for _, path := range []string{".state/log/c.log", ".state/new/file.go", "inner/log/c.log", "d/c.log"} {
				if tree.Admit(path) {
					t.Errorf("%s is admitted", path)
				}
				if text, _, _ := tree.NewCheck().Read(path); text != nil {
					t.Errorf("%s is read", path)
				}
			}
			d := tree.Decide(".state/log/c.log")
			if d.Indexed || d.Reason != Excluded || d.Rule == nil || d.Rule.Source != builtIn || !strings.Contains(d.Rule.Pattern, "written by Contexture") {
				t.Errorf("why: %+v %+v", d, d.Rule)
			}
		})
	}
}

// TestOtherState checks that the state directory of another process is recognised by its marker,
// also if it is created later.
func TestOtherState(t *testing.T) {
	root := t.TempDir()
	write(t, root, stateFiles)
	if err := MarkState(filepath.Join(root, ".state")); err != nil {
		t.Fatal(err)
	}
	if err := MarkState(filepath.Join(root, ".state")); err != nil {
		t.Errorf("marked twice: %v", err)
	}
	for _, include := range [][]string{nil, {"**", ".state/**", "**/c.log"}} {
		tree := open(t, Options{Root: root, Include: include})
		if files, _ := walkAll(t, tree); !slices.Equal(files, []string{"a.go", "d/b.go"}) {
			t.Errorf("include %q: walked %q", include, files)
		}
		d := tree.Decide(".state/log/c.log")
		if d.Indexed || d.Rule == nil || !strings.Contains(d.Rule.Pattern, StateMarker) {
			t.Errorf("why: %+v %+v", d, d.Rule)
		}
		if !tree.IgnoredDir(".state") {
			t.Error("it is watched")
		}
	}
	// Below a folder that is left out, except for what is requested.
	write(t, root, map[string]string{"node_modules/state/log/c.log": "line\n", "node_modules/x/c.log": "line\n", "node_modules/state/" + StateMarker: ""})
	tree := open(t, Options{Root: root, Include: []string{"node_modules/**/c.log"}})
	if files, _ := walkAll(t, tree); !slices.Equal(files, []string{"a.go", "d/b.go", "node_modules/x/c.log"}) {
		t.Errorf("walked %q", files)
	}
	tree = open(t, Options{Root: root})
	if tree.IgnoredDir("d") {
		t.Fatal("a folder is ignored")
	}
	if err := MarkState(filepath.Join(root, "d")); err != nil {
		t.Fatal(err)
	}
	if !tree.RulesFile("d/" + StateMarker) {
		t.Error("a marker that comes does not change the rules")
	}
	if tree.Reload(); !tree.IgnoredDir("d") {
		t.Error("a folder that was marked is watched")
	}
}

// TestRootInOwn checks that the program's own folders are no workspace.
func TestRootInOwn(t *testing.T) {
	state := t.TempDir()
	write(t, state, map[string]string{"index/ws/f": "x"})
	for _, root := range []string{state, filepath.Join(state, "index"), filepath.Join(state, "index", "ws")} {
		if _, err := Open(Options{Root: root, Own: []string{state}, Home: t.TempDir()}); !errors.Is(err, ErrOwn) || !strings.Contains(err.Error(), "choose another folder") {
			t.Errorf("%s: %v", root, err)
		}
	}
	if _, err := os.Stat(filepath.Join(state, StateMarker)); err == nil {
		t.Error("a tree marks a folder")
	}
}
