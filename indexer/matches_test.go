package indexer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/exact"
)

func matchesOf(t *testing.T, s *Snapshot, pattern string, limit int) (lines []string, m Matches) {
	t.Helper()
	p, err := exact.Compile(pattern, exact.Options{Regex: true, Case: true})
	if err != nil {
		t.Fatal(err)
	}
	m = s.Matches(t.Context(), MatchRequest{Pattern: p, Limit: limit})
	for _, l := range m.Lines {
		lines = append(lines, fmt.Sprintf("%s:%d:%s", l.Chunk.Path, l.Line+1, l.Text))
	}
	return lines, m
}

// TestMatches checks that all matching lines of indexed files are counted, and that those listed
// are the first ones by path and line.
func TestMatches(t *testing.T) {
	w := newWorkspace(t)
	want := []string{}
	for i := range 60 {
		name := fmt.Sprintf("d%d/f%02d.go", i%3, i)
		w.write(name, fmt.Sprintf("package d\n\nfunc needle%d() {}\n\n// needle%d again\nvar x = 1\n", i, i))
	}
	w.write("ignored/f.go", "package needle9\n")
	w.write(".gitignore", "ignored/\n")
	w.write("words.txt", "...\n")
	for d := range 3 {
		for i := d; i < 60; i += 3 {
			want = append(want, fmt.Sprintf("d%d/f%02d.go:3:func needle%d() {}", d, i, i), fmt.Sprintf("d%d/f%02d.go:5:// needle%d again", d, i, i))
		}
	}
	x := w.index()
	s, release := x.Snapshot()
	defer release()
	for _, limit := range []int{0, 1, 7, 119, 120, 1000} {
		got, m := matchesOf(t, s, `needle\d`, limit)
		if !slices.Equal(got, want[:min(limit, len(want))]) || m.LineCount != 120 || m.FileCount != 60 || m.Late != 0 || m.Unread != 0 || m.Searched != s.LiveFiles() {
			t.Errorf("limit %d: %d lines %v, %+v", limit, len(got), got[:min(3, len(got))], m)
		}
	}
	if _, m := matchesOf(t, s, "nothingOfIt", 9); m.LineCount != 0 || m.Searched != s.LiveFiles() {
		t.Errorf("what is in no file: %+v", m)
	}
	if got, _ := matchesOf(t, s, `^\.\.\.$`, 9); !slices.Equal(got, []string{"words.txt:1:..."}) {
		t.Errorf("a file without words: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, _ := exact.Compile("needle", exact.Options{})
	if m := s.Matches(ctx, MatchRequest{Pattern: p, Limit: 9}); m.Late != 60 || m.LineCount != 0 {
		t.Errorf("without time: %+v", m)
	}
}

// TestMatchesAreOfPresentText changes files after the snapshot: what is listed is on the disk now
// and may be shown.
func TestMatchesAreOfPresentText(t *testing.T) {
	w := newWorkspace(t)
	for _, name := range []string{"changed.go", "excluded/f.go", "gone.go", "same.go"} {
		w.write(name, "package p\n\n// secret needle\nfunc Needle() {}\n")
	}
	redact := func(_ string, text []byte) []byte {
		return bytes.ReplaceAll(text, []byte("secret"), []byte("[REDACTED:x]"))
	}
	x := w.index(func(o *Options) { o.Redact = redact })
	s, release := x.Snapshot()
	defer release()
	w.write("changed.go", "package p\n\n// one more line\n\n// needle and secret moved\nfunc Needle() {}\n")
	w.remove("gone.go")
	w.write(".contextureignore", "excluded/\n")
	got, m := matchesOf(t, s, "needle|secret", 10)
	want := []string{"changed.go:5:// needle and [REDACTED:x] moved", "same.go:3:// [REDACTED:x] needle"}
	if !slices.Equal(got, want) || m.Unread != 2 || m.FileCount != 2 {
		t.Errorf("found %q, %+v", got, m)
	}
	if len(m.Lines) == 2 && !slices.Contains(m.Lines[0].Chunk.Symbols, "Needle") {
		t.Errorf("the line that moved is part of %+v", m.Lines[0].Chunk)
	}
	text, err := os.ReadFile(w.abs("same.go"))
	w.must(err)
	o := x.With(t.Context(), s, NewOverlay(), []Buffer{{Path: "same.go", Text: []byte(strings.ReplaceAll(string(text), "needle", "needle in a buffer"))}})
	if got, _ := matchesOf(t, o, "needle in|// secret", 10); !slices.Equal(got, []string{"same.go:3:// [REDACTED:x] needle in a buffer"}) {
		t.Errorf("with a buffer: %q", got)
	}
}
