package dialogue

import "testing"

func TestParseTurn(t *testing.T) {
	for in, want := range map[string]int{"T-1": 1, "T-87": 87, "9": 9, "T-0": 0, "T--1": 0, "": 0, "t-1": 0, "T-1x": 0} {
		n, err := ParseTurn(in)
		if n != want || (err == nil) != (want > 0) {
			t.Errorf("ParseTurn(%q) = %d, %v; want %d", in, n, err, want)
		}
	}
}

func TestTags(t *testing.T) {
	if got := Tag(183, Raw); got != "T-183-R" {
		t.Error(got)
	}
	if got := RangeTag(50, 100, Compressed); got != "T-50-through-100-C" {
		t.Error(got)
	}
	if got := RangeTag(7, 7, Tiny); got != "T-7-T" {
		t.Error(got)
	}
}
