package level

import (
	"slices"
	"testing"
)

// TestFiguresOfMoney checks that a sum in any currency is an anchor, however short its number.
func TestFiguresOfMoney(t *testing.T) {
	for _, sum := range []string{"$5", "€5", "£5", "£20", "£1.50"} {
		var got []string
		names("The plan costs "+sum+" a month.", func(s string) { got = append(got, s) })
		if !slices.Equal(got, []string{sum}) {
			t.Errorf("%s: %q", sum, got)
		}
	}
}
