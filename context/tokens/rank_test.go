package tokens

import "testing"

// TestFamiliarity checks that common words are familiar in every language, and that names of one
// team are not.
func TestFamiliarity(t *testing.T) {
	c, err := For(O200k)
	if err != nil {
		t.Fatal(err)
	}
	for _, common := range []string{"current", "decision", "quando", "Zeit", "siempre", "надо", "toujours"} {
		if f := c.Familiarity(common); f < .3 {
			t.Errorf("%s: %.2f", common, f)
		}
	}
	for _, name := range []string{"quaymaster", "ledgerd", "Marisol", "glasurbuch", ""} {
		if f := c.Familiarity(name); f != 0 {
			t.Errorf("%q: %.2f", name, f)
		}
	}
}
