package indexer

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/source"
)

// testSegment returns a segment of n generated files.
func testSegment(t testing.TB, seed uint64, n int) *segment {
	t.Helper()
	r := random(seed)
	x := &Index{opts: Options{Count: func(b []byte) int { return len(b) / 4 }}}
	b := newSegBuilder()
	p := x.newParser()
	defer p.Close()
	for i := range n {
		path := pick(r, nouns) + extensions[i%len(extensions)]
		file := parsedFile{path: path, src: []byte(sourceText(r, path)), hash: hash{Hi: uint64(i), Lo: 1}}
		if i%5 == 4 {
			file.src = nil
		}
		file.cutBy(p, false)
		b.add(file.src, file.hash, file.file, file.tokens)
	}
	return b.seal(7)
}

func TestSegmentRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 40} {
		s := testSegment(t, uint64(n), n)
		data := s.marshal()
		got, err := unmarshalSegment(7, data)
		if err != nil {
			t.Fatalf("%d files: %v", n, err)
		}
		if !bytes.Equal(got.marshal(), data) {
			t.Errorf("%d files: written again it is not the same", n)
		}
		if n > 0 && (!reflect.DeepEqual(got.files, s.files) || !reflect.DeepEqual(got.chunks, s.chunks) || !reflect.DeepEqual(got.symStart, s.symStart)) {
			t.Errorf("%d files: %+v, want %+v", n, got.files, s.files)
		}
		for cut := 0; cut < len(data); cut += 1 + len(data)/200 {
			if _, err := unmarshalSegment(7, data[:cut]); err == nil {
				t.Errorf("%d of %d bytes were taken for a segment", cut, len(data))
			}
		}
	}
}

// Merging the live files of segments equals building one segment of them.
func TestMergeSegments(t *testing.T) {
	a, b := testSegment(t, 1, 9), testSegment(t, 2, 6)
	dead := &part{seg: a, paths: []string{"", "a", "", "b", "c", "", "d", "e", "f"}, dead: 3}
	all := &part{seg: b, paths: []string{"g", "h", "i", "j", "k", "l"}}
	m, place := mergeSegments(9, []*segment{a, b}, []lexical.Live{dead.live(), all.live()})
	if _, err := unmarshalSegment(9, m.marshal()); err != nil {
		t.Fatal(err)
	}
	merged := &part{seg: m, paths: make([]string, len(m.files))}
	for k, p := range []*part{dead, all} {
		for f, name := range p.paths {
			if at := place[k][f]; (at < 0) != (name == "") {
				t.Fatalf("file %d of segment %d went to %d", f, k, at)
			} else if at >= 0 {
				merged.paths[at] = name
			}
		}
	}
	for _, p := range []*part{dead, all, merged} {
		p.name()
	}
	got := newSnapshot(1, []*part{merged}, nil, nil)
	want := newSnapshot(1, []*part{dead, all}, nil, nil)
	if err := sameAnswers(t, got, want); err != nil {
		t.Error(err)
	}
}

// touch reads every part of a segment that answers use.
func touch(t *testing.T, s *segment) {
	t.Helper()
	p := &part{seg: s, paths: make([]string, len(s.files))}
	for i := range p.paths {
		p.paths[i] = strings.Repeat("x", i+1)
	}
	p.name()
	snap := newSnapshot(1, []*part{p}, nil, nil)
	content(snap)
	keywordHits(t, snap, "retry budget")
	for f := range s.files {
		snap.ChunkAt(f, 3)
	}
	mergeSegments(2, []*segment{s, s}, []lexical.Live{nil, nil})
}

func FuzzUnmarshalSegment(f *testing.F) {
	for n := range 4 {
		f.Add(testSegment(f, uint64(n), n).marshal())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := unmarshalSegment(1, data); err == nil {
			touch(t, s)
		}
	})
}

// Damage to any byte is either detected or harmless.
func TestFlippedSegment(t *testing.T) {
	r := random(40)
	origin := testSegment(t, 3, 5).marshal()
	taken := 0
	for range 4000 {
		data := bytes.Clone(origin)
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(r.IntN(256))}[r.IntN(6)]
		}
		if s, err := unmarshalSegment(1, data); err == nil {
			taken++
			touch(t, s)
		}
	}
	if taken == 0 {
		t.Error("no damage came through: nothing was tried")
	}
}

func TestFileStateRoundTrip(t *testing.T) {
	for _, f := range []fileState{
		{}, {segment: 1<<63 + 5, index: 1 << 30, size: 1 << 40, mtime: -5, inode: 1<<64 - 1, checked: 1 << 60, reason: source.Binary},
	} {
		got, ok := unmarshalFileState(f.marshal())
		if !ok || got != f {
			t.Errorf("%+v came back as %+v, %v", f, got, ok)
		}
	}
	data := fileState{segment: 1, reason: source.Minified}.marshal()
	for n := range data {
		if _, ok := unmarshalFileState(data[:n]); ok {
			t.Errorf("%d of %d bytes were taken for a file's state", n, len(data))
		}
	}
}

func TestCommitRoundTrip(t *testing.T) {
	files := []string{"a", "b/\n\xff"}
	for _, c := range []commit{
		{Commit: history.Commit{Message: "subject\n\nbody", Files: files}}, {}, {Commit: history.Commit{Message: "no files"}},
		{Commit: history.Commit{Message: "lines", Files: files}, lines: [][]uint32{{1, 1 << 31, 1}, nil}},
	} {
		b := encodeCommit(c)
		if got, ok := decodeCommit(b); !ok || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v came back as %+v, %v", c, got, ok)
		}
		if got, ok := decodeCommit(append(b, 0)); ok && c.lines != nil {
			t.Errorf("%+v with a byte more came back as %+v", c, got)
		}
	}
}

func TestInfoRoundTrip(t *testing.T) {
	b := []byte(joinInfo("ti\x00tle", "head\x1fer", []string{"a", "b c"}, []string{"x"}))
	title, header, enclosing, symbols := splitInfo(b)
	if title != "ti tle" || header != "head er" || !reflect.DeepEqual(enclosing, []string{"a", "b c"}) || !reflect.DeepEqual(symbols, []string{"x"}) {
		t.Errorf("%q, %q, %q, %q", title, header, enclosing, symbols)
	}
	if title, header, enclosing, symbols = splitInfo([]byte(joinInfo("", "", nil, nil))); title+header != "" || enclosing != nil || symbols != nil {
		t.Errorf("nothing came back as %q, %q, %q, %q", title, header, enclosing, symbols)
	}
}
