package ollama

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzSplit(f *testing.F) {
	f.Add("one line\nand another\nand more\n", 4)
	f.Add("ünïcödé漢字かな🙂", 1)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(min(limit, 1000), 1)
		if !utf8.ValidString(text) || len(text) > 4096 {
			return
		}
		parts := split(text, limit)
		if strings.Join(parts, "") != text {
			t.Fatalf("%q is not its parts %q", text, parts)
		}
		for _, p := range parts {
			if estimate(p) > limit && utf8.RuneCountInString(p) > 1 || !utf8.ValidString(p) || p == "" && len(parts) > 1 {
				t.Errorf("part %q of %d tokens, limit %d", p, estimate(p), limit)
			}
		}
		left, right, ok := halve(text)
		if ok && (left+right != text || left == "" || right == "" || !utf8.ValidString(left)) || !ok && utf8.RuneCountInString(text) > 1 {
			t.Errorf("halves of %q: %q %q %v", text, left, right, ok)
		}
	})
}

func FuzzVector(f *testing.F) {
	for _, s := range []string{"[]", "[ ]", "[1,2]", "[ 1 , -2e-3 ]", "[null]", "[1,]", "[[1]]", `["1"]`, "[1e39]", "[0x1]", "[Inf]", "[1_0]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got vector
		var want []*float32
		bad, err := json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		null := strings.TrimSpace(text) == "null" || slices.Contains(want, nil)
		if (bad == nil) != (err == nil && !null) {
			t.Fatalf("%q: %v, by the library %v", text, bad, err)
		}
		for i := range got {
			if got[i] != *want[i] {
				t.Errorf("%q: number %d is %v, by the library %v", text, i, got[i], *want[i])
			}
		}
	})
}

func TestMean(t *testing.T) {
	if got := mean([][]float32{{1, 0}, {0, 1}}, []float64{3, 4}); math.Abs(float64(got[0])-0.6) > 1e-6 || math.Abs(float64(got[1])-0.8) > 1e-6 {
		t.Error(got)
	}
	if got := mean([][]float32{{1, 0}, {-1, 0}}, []float64{5, 5}); got != nil {
		t.Error("opposite vectors have a mean: ", got)
	}
}

func TestNormalise(t *testing.T) {
	v := []float32{300, 400}
	if !normalise(v) || math.Abs(float64(v[0])-0.6) > 1e-6 {
		t.Error(v)
	}
	unit := []float32{0.6, 0.8}
	if !normalise(unit) || unit[0] != 0.6 || unit[1] != 0.8 {
		t.Error("a vector of length 1 is changed: ", unit)
	}
	for _, bad := range [][]float32{{0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}, {1e-9, 0}, {}} {
		if normalise(bad) {
			t.Error(bad)
		}
	}
}
