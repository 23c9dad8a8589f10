package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// listed formats changes: + added, - removed, ~ changed, each with its texts.
func listed(c *Changes) string {
	var out []string
	for _, f := range c.Files {
		sign := "~"
		switch {
		case f.Added:
			sign = "+"
		case f.Removed:
			sign = "-"
		}
		out = append(out, fmt.Sprintf("%s%s %s>%s", sign, f.Path, f.Before, f.After))
	}
	return strings.Join(out, ", ")
}

func TestDifference(t *testing.T) {
	r := newRepo(t)
	first := r.commit("one", "a", "1", "sub/b", "1", "ü x", "1")
	second := r.commit("two", "a", "2", "sub/c", "1")
	r.git("rm", "-q", "ü x")
	third := r.commit("three")
	r.git("checkout", "-q", "-b", "side", first)
	r.commit("side", "s", "1")
	r.git("checkout", "-q", "main")

	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(r.sub(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "staged")
	r.git("add", "a")
	write("sub/b", "unstaged")
	write("sub/new", "n")
	write(".gitignore", "ignored\n")
	write("ignored", "i")
	if err := os.Remove(r.sub("sub/c")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root, rev string
		also      []string
		want      string
		from, to  string
	}{
		{root: "", rev: first, want: "+a >1, +sub/b >1, +ü x >1", to: first},
		{root: "", rev: second, want: "~a 1>2, +sub/c >1", from: first, to: second},
		{root: "", rev: "HEAD", want: "-ü x 1>", from: second, to: third},
		{root: "", rev: first + "..HEAD", want: "~a 1>2, +sub/c >1, -ü x 1>", from: first, to: third},
		{root: "", rev: "..side", want: "~a 2>1, +s >1, -sub/c 1>, +ü x >1", from: third},
		{root: "", rev: "...side", want: "+s >1", from: first},
		{root: "sub", rev: second, want: "+c >1", from: first, to: second},
		{root: "", want: "+.gitignore >, ~a 2>, ~sub/b 1>, -sub/c 1>, +sub/new >", from: third},
		{root: "sub", want: "~b 1>, -c 1>, +new >", from: third},
		{root: "sub", also: []string{"b", "new", "open"}, want: "~b 1>, -c 1>, +new >, +open >", from: third},
	} {
		got, err := Difference(t.Context(), r.sub(c.root), c.rev, c.also)
		if err != nil {
			t.Errorf("%q: %v", c.rev, err)
			continue
		}
		if listed(got) != c.want || got.From != c.from || c.to != "" && got.To != c.to || c.rev == "" && got.To != "" {
			t.Errorf("%q in %q: %s from %s to %s, want %s", c.rev, c.root, listed(got), got.From, got.To, c.want)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "all")
	if got, err := Difference(t.Context(), r.dir, "", []string{"a"}); err != nil || listed(got) != "~a staged>" {
		t.Errorf("a buffer of a file that Git finds unchanged: %v, %v", got, err)
	}
}

func TestDifferenceRefused(t *testing.T) {
	r := newRepo(t)
	if _, err := Difference(t.Context(), r.dir, "", nil); !errors.Is(err, ErrNoRepository) {
		t.Errorf("before the first commit: %v", err)
	}
	if _, err := Difference(t.Context(), t.TempDir(), "HEAD", nil); !errors.Is(err, ErrNoRepository) {
		t.Errorf("without a repository: %v", err)
	}
	r.commit("one", "a", "1")
	for _, rev := range []string{"gone", "--all", "HEAD..gone", "gone...HEAD", "HEAD^", "HEAD:a", "-n", "HEAD\n", ".."[:1]} {
		if _, err := Difference(t.Context(), r.dir, rev, nil); !errors.Is(err, ErrRevision) || !strings.Contains(err.Error(), fmt.Sprintf("%q", rev)) {
			t.Errorf("%q: %v", rev, err)
		}
	}
}

func TestDifferenceLimits(t *testing.T) {
	r := newRepo(t)
	files := []string{"big", string(bytes.Repeat([]byte("x\n"), maxChangedBytes)), "small", "s"}
	for n := range MaxChanges {
		files = append(files, fmt.Sprintf("f/%03d", n), "x")
	}
	r.commit("many", files...)
	if err := os.Symlink("small", r.sub("link")); err != nil {
		t.Fatal(err)
	}
	r.commit("a link")
	got, err := Difference(t.Context(), r.dir, "HEAD^", nil)
	if err != nil || len(got.Files) != MaxChanges || got.More != 2 {
		t.Fatalf("%d files and %d more, %v", len(got.Files), got.More, err)
	}
	if got.Files[0].Path != "big" || got.Files[0].After != nil || string(got.Files[1].After) != "x" {
		t.Errorf("%s has %d bytes, %s %q", got.Files[0].Path, len(got.Files[0].After), got.Files[1].Path, got.Files[1].After)
	}
	if got, err := Difference(t.Context(), r.dir, "HEAD", nil); err != nil || len(got.Files) != 0 {
		t.Errorf("a link is a file: %v, %v", got, err)
	}
}
