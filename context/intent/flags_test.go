package intent

import (
	"slices"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	for _, test := range []struct {
		prompt string
		want   []string
	}{
		{"add one like --dry-run=all, and (--yes) or `--dry-run`", []string{"dry-run", "yes"}},
		{"a -- b --- c x--y --", nil},
		{"", nil},
		{strings.Repeat("é", 4096) + " --late", nil},
	} {
		if got := Flags(test.prompt); !slices.Equal(got, test.want) {
			t.Errorf("%.40q: %q, want %q", test.prompt, got, test.want)
		}
	}
}
