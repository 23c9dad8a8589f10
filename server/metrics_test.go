package server

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHistogram checks that a percentile is within an eighth of the true one, from the upper bound
// of the first bucket.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.SliceOfN(rapid.IntRange(10, 60_000_000), 1, 300).Draw(t, "microseconds")
		var h histogram
		for _, n := range micros {
			h.add(time.Duration(n) * time.Microsecond)
		}
		slices.Sort(micros)
		for _, p := range []float64{.5, .95, .99, 1} {
			i := int(float64(len(micros))*p+.9999999) - 1
			want := time.Duration(micros[min(max(i, 0), len(micros)-1)]) * time.Microsecond
			got := h.percentile(p)
			if off := float64(got)/float64(want) - 1; off > .13 || off < -.13 {
				t.Fatalf("percentile %v is %v, want %v", p, got, want)
			}
		}
		if h.count != int64(len(micros)) || h.longest != time.Duration(micros[len(micros)-1])*time.Microsecond {
			t.Fatalf("%d with %v as the longest", h.count, h.longest)
		}
	})
}

func TestHistogramExtremes(t *testing.T) {
	var h histogram
	if h.percentile(.5) != 0 {
		t.Error("nothing has a median")
	}
	h.add(0)
	if h.percentile(.99) != 0 {
		t.Errorf("no time at all is %v", h.percentile(.99))
	}
	h.add(24 * time.Hour)
	if got := h.percentile(1); got < time.Minute || got > 24*time.Hour {
		t.Errorf("a day is %v", got)
	}
}
