package usage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/store/storetest"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, text, response string
		overlap              float64
		referenced           bool
	}{
		{"nothing", "", "", 0, false},
		{"empty response", "one two six", "", 0, false},
		{"equal", "one two six", "six two one one", 1, true},
		{"just enough", "aaa bbb ccc ddd eee fff ggg hhh iii jjj", "aaa bbb ccc kkk lll mmm nnn ooo ppp qqq rrr sss ttt", 0.15, true},
		{"just not", "aaa bbb ccc ddd eee fff ggg hhh iii jjj", "aaa bbb ccc kkk lll mmm nnn ooo ppp qqq rrr sss ttt uuu", 1.0 / 7, false},
		{"an identifier", "far too much text for any overlap with so short an answer, but parseHeader is named",
			"use parseHeader", 1.0 / 15, true},
		{"a common name", "far too much text for any overlap with so short an answer, but README.md is named",
			"look: README.md", 0.05, false},
	} {
		used, weights := judge([]bundleItem{{"item", newDigest(c.text, plainTerms)}}, c.response, nil, plainTerms)
		got := used[0]
		if got.Referenced != c.referenced || c.overlap >= 0.15 && math.Abs(got.Overlap-c.overlap) > 1e-9 {
			t.Errorf("%s: %v %v, want %v %v", c.name, got.Overlap, got.Referenced, c.overlap, c.referenced)
		}
		if _, weighed := weights["item"]; weighed != c.referenced {
			t.Errorf("%s: weights %v", c.name, weights)
		}
	}
}

// TestSample checks that the overlap of a shortened digest is close to that of the whole.
func TestSample(t *testing.T) {
	word := func(i int) string {
		return strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f",
			"6", "g", "7", "h", "8", "i", "9", "j").Replace(fmt.Sprint("1", i, "0"))
	}
	var item, response strings.Builder
	for i := range 4000 {
		item.WriteString(word(i) + " ")
		if i%4 == 0 {
			response.WriteString(word(i) + " ")
		}
	}
	whole, answer := newDigest(item.String(), plainTerms), newDigest(response.String(), plainTerms)
	if got := whole.overlap(answer); math.Abs(got-0.25) > 1e-9 {
		t.Fatalf("whole: %v", got)
	}
	if got := whole.cut(maxItemHashes).overlap(answer); math.Abs(got-0.25) > 0.06 {
		t.Errorf("sample: %v, want about 0.25", got)
	}
}

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"call parseHeader or parse_header, not HTTPServer.", []string{"HTTPServer", "parseHeader", "parse_header"}},
		{"URLs and IDs, i.e. plain Words (e.g. these), and/or read/write. v1.2.3 is 3.14", nil},
		{"in internal/store/batch.go:17 and ./cmd/run", []string{"batch.go", "internal/store/batch.go"}},
		{"see server/rpc/conn", []string{"server/rpc/conn"}},
		{"store.Apply(b) and tokio::spawn::Handle, std::vec::Vec, a::b", []string{"store.Apply", "tokio::spawn::Handle"}},
		{"fmt.Println, t.Fatal, console.log, README.md, JavaScript, package.json", nil},
		{"error TS2345 and E0382, not 2024 or 100ms", []string{"E0382", "TS2345"}},
		{"pass --dry-run, a well-known flag", []string{"--dry-run"}},
		{"the `debounce` option and \"throttle\", but 'off' and `return`", []string{"`debounce", "`throttle"}},
		{"debounce without quotes", nil},
		{"MAX_RETRIES=3 __init__ _x", []string{"MAX_RETRIES"}},
		{"größteZahl", []string{"größteZahl"}},
		{strings.Repeat("aB", 200), nil},
	} {
		var got []string
		identifiers(c.text, func(n string) { got = append(got, n) })
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzIdentifiers(f *testing.F) {
	f.Add("a::b:::c ../x.y/ `q\xff` --")
	f.Fuzz(func(t *testing.T, text string) {
		identifiers(text, func(n string) {
			if name := strings.TrimPrefix(n, "`"); name == "" || !strings.Contains(text, strings.TrimPrefix(name, "--")) {
				t.Errorf("%q is not in the text", n)
			}
		})
	})
}

func FuzzReadItems(f *testing.F) {
	f.Add(appendItem(nil, bundleItem{"id", newDigest("some words and parseHeader", plainTerms)}))
	f.Fuzz(func(t *testing.T, value []byte) {
		items, err := readItems(value)
		if err != nil {
			return
		}
		for _, item := range items {
			item.overlap(digest{distinct: 1, terms: []uint32{1}})
		}
	})
}

func BenchmarkRememberBundle(b *testing.B) {
	s := storetest.Open(b)
	var items []ShownItem
	for i := range 24 {
		var text strings.Builder
		for j := range 300 {
			fmt.Fprintf(&text, "word%c%c ident%dName%d ", 'a'+j%26, 'a'+i%26, i, j%50)
		}
		items = append(items, ShownItem{ID: fmt.Sprint("item", i), Text: text.String()})
	}
	for b.Loop() {
		remember(b, s, "bundle", items...)
	}
}
