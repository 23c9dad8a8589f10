package utterance

import "testing"

// TestRarity checks that names and identifiers are rare in any script, and that common words are
// not.
func TestRarity(t *testing.T) {
	for text, rare := range map[string]bool{
		"kingfisher": true, "payout_attempts": true, "Eisvogel": true, "翠鸟": true, "カワセミ": true, "colibrí": true,
		"the": false, "you": false, "about": false, "nicht": false, "para": false, "我们": false, "": false, "42": false,
	} {
		if got := Rarity(text); rare != (got >= .97) || got < 0 || got > 1 {
			t.Errorf("rarity of %q is %.2f", text, got)
		}
	}
}
