package lexical

import "testing"

func TestLikeness(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		least float64
		most  float64
	}{{"handler", "handler", 1, 1}, {"reuqest", "request", .5, .75}, {"subcomando", "subcommand", .85, .95}, {"recett", "receipt", 0, .71}, {"", "a", 0, 0}} {
		if got := Likeness(tt.a, tt.b); got < tt.least || got > tt.most {
			t.Errorf("Likeness(%q, %q) = %g, want %g to %g", tt.a, tt.b, got, tt.least, tt.most)
		}
	}
}
