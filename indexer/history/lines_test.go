package history

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
)

// keysOf returns the keys of lines that have one.
func keysOf(lines ...string) (out []uint32) {
	for _, l := range lines {
		if key, plain := LineKey([]byte(l)); !plain {
			out = append(out, key)
		}
	}
	return out
}

// additions returns what commits added, by the first line of their message.
func (r repo) additions(root string, hashes ...string) (out []Addition) {
	r.Helper()
	if err := Additions(context.Background(), root, hashes, func(a Addition) { out = append(out, a) }); err != nil {
		r.Fatal(err)
	}
	return out
}

func TestAdditions(t *testing.T) {
	r := newRepo(t)
	first := r.commit("first", "a.go", "package main // one\n\nfunc first() {}\n", "sub/b c.txt", "line of the text\n", "sub/tab\tü.txt", "another line of it")
	second := r.commit("second", "a.go", "package main // one\n\nfunc first() {}\n+++ b/fake.go begins\n\tfunc second() {}\n}\n", "bin", "\x00\x01binary line")
	r.git("rm", "-q", "sub/b c.txt")
	third := r.commit("third", "sub/tab\tü.txt", "another line of it\n")
	want := []Addition{
		{first, "a.go", keysOf("package main // one", "func first() {}")},
		{first, "sub/b c.txt", keysOf("line of the text")},
		{first, "sub/tab\tü.txt", keysOf("another line of it")},
		{second, "a.go", keysOf("+++ b/fake.go begins", "func second() {}")},
		{third, "sub/tab\tü.txt", keysOf("another line of it")},
	}
	if got := r.additions(r.dir, first, second, third); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	want = []Addition{{third, "tab\tü.txt", keysOf("another line of it")}}
	if got := r.additions(r.dir+"/sub", second, third); !reflect.DeepEqual(got, want) {
		t.Errorf("below sub: got %v, want %v", got, want)
	}
}

func TestAdditionsOfManyLines(t *testing.T) {
	r := newRepo(t)
	long := strings.Repeat("a line of many in a file\n", MaxLines+1)
	hash := r.commit("long", "a.txt", long, "b.txt", strings.Repeat("x", 200<<10)+"\nthe line after it\n")
	want := []Addition{{hash, "a.txt", nil}, {hash, "b.txt", keysOf("the line after it")}}
	if got := r.additions(r.dir, hash); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAdditionsAreNotRunByTheRepository(t *testing.T) {
	r := newRepo(t)
	hash := r.commit("first", "a.txt", "the first line of it\n", ".gitattributes", "*.txt diff=evil\n")
	r.git("config", "diff.evil.command", "false")
	r.git("config", "diff.evil.textconv", "false")
	r.git("config", "diff.noprefix", "true")
	r.git("config", "color.ui", "always")
	want := []Addition{{hash, ".gitattributes", keysOf("*.txt diff=evil")}, {hash, "a.txt", keysOf("the first line of it")}}
	if got := r.additions(r.dir, hash); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLineKey(t *testing.T) {
	same, _ := LineKey([]byte("return nil, err"))
	if key, plain := LineKey([]byte("\t\treturn nil, err\r\n")); plain || key != same {
		t.Errorf("%d, %v: an indented line has another key than %d", key, plain, same)
	}
	for _, line := range []string{"", "}", "  });  ", strings.Repeat("x", maxLineBytes+1)} {
		if _, plain := LineKey([]byte(line)); !plain {
			t.Errorf("%.20q has a key", line)
		}
	}
}

func FuzzPatches(f *testing.F) {
	f.Add([]byte("\x00" + strings.Repeat("a", 40) + "\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,0 +2,2 @@ x\n+added line here\n+}\n"))
	f.Add([]byte("@@ -1 +1 @@\n\\ No\n+++ \"b/\\303\"\n@@ -9999999999999999999 +2 @@"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := patches{prefix: "sub/", yield: func(a Addition) {
			if a.Path == "" || len(a.Keys) > MaxLines {
				t.Errorf("%q has %d keys", a.Path, len(a.Keys))
			}
		}}
		p.r = newParser(bytes.NewReader(data), "").r
		p.read()
	})
}
