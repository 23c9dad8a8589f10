package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/knowledge"
)

// TestLocation checks that a line and a column are split from a file's name, that a file whose name
// has a colon is found, and that what is wrong is named.
func TestLocation(t *testing.T) {
	dir := t.TempDir()
	files := []string{"pool.go"}
	if runtime.GOOS != "windows" {
		files = append(files, "odd:3", "odd:x")
	}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1\n2\n3\n4"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := &environment{dir: dir}
	for _, tt := range []struct {
		text, file string
		line       int
		err        string
	}{
		{"pool.go", "pool.go", 0, ""},
		{"pool.go:4", "pool.go", 4, ""},
		{"pool.go:2:9", "pool.go", 2, ""},
		{"gone.go", "gone.go", 0, ""},
		{"pool.go:5", "", 0, "LINE: " + filepath.Join(dir, "pool.go") + " has 4 lines, and no line 5"},
		{"pool.go:-1", "", 0, `LINE: "-1" is not the number of a line`},
		{"pool.go:", "", 0, `LINE: "" is not the number of a line`},
		{"pool.go:2:x", "", 0, `COLUMN: "x" is not the number of a column`},
		{"gone.go:2:1", "", 0, "FILE: gone.go does not exist, so that it has no line 2"},
		{"odd:3", "odd:3", 0, ""},
		{"odd:3:2", "odd:3", 2, ""},
		{"odd:x:9", "", 0, "has 4 lines, and no line 9"},
	} {
		if strings.HasPrefix(tt.text, "odd") && len(files) == 1 {
			continue // no such name can be
		}
		path, line, err := location(e, tt.text)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.text, err, tt.err)
			}
		case err != nil || path != filepath.Join(dir, tt.file) || line != tt.line:
			t.Errorf("%s: %s, line %d, %v", tt.text, path, line, err)
		}
	}
}

// TestShellWords checks that words which the person's shell has unquoted are the same words to the
// reader of command lines.
func TestShellWords(t *testing.T) {
	words := []string{"go", "test", "-run", "A|B", "it's", "a b", "x>y", "Test*", "c;d"}
	programs := knowledge.Programs(strings.Join(shellWords(words), " "))
	if len(programs) != 1 || !slices.Equal(programs[0].Words, words) {
		t.Errorf("%q became %+v", words, programs)
	}
}
