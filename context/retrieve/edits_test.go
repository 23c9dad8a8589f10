package retrieve

import "testing"

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b       string
		most, want int
	}{
		{"", "", 2, 0}, {"", "ab", 2, 2}, {"ab", "", 1, 2}, {"kiln", "kiln", 0, 0}, {"kiln", "klin", 1, 1}, {"kiln", "kilns", 1, 1},
		{"kiln", "kln", 1, 1}, {"kiln", "kilm", 1, 1}, {"kiln", "oven", 2, 3}, {"größe", "grösse", 2, 2}, {"größe", "grüße", 1, 1}, {"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3}, {"abcd", "badc", 2, 2}, {"a", "abcdef", 3, 4},
	} {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := Edits(pair[0], pair[1], tt.most); got != tt.want {
				t.Errorf("%q and %q are %d apart, want %d", pair[0], pair[1], got, tt.want)
			}
		}
	}
}
