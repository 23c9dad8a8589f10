package knowledge

import (
	"strings"
	"testing"
)

// TestNewestFirst checks that of rules on one subject that match a query equally, the latest one
// ranks first.
func TestNewestFirst(t *testing.T) {
	words := func(text string, yield func(string)) {
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			yield(strings.Trim(w, ".,?'\""))
		}
	}
	for _, tt := range []struct{ query, older, newer, other string }{
		{"how do function names end?", "End function names with '_a'.", "From now on end function names with '_b'.", "Class names are nouns."},
		{"wie enden Namen von Funktionen?", "Namen von Funktionen enden mit '_a'.", "Ab jetzt enden Namen von Funktionen mit '_b'.", "Klassen sind Nomen."},
		{"¿cómo terminan los nombres de funciones?", "Los nombres de funciones terminan en '_a'.", "Desde hoy los nombres de funciones terminan en '_b'.", "Las clases son sustantivos."},
	} {
		rule := func(id, text string, serial uint64) Item {
			return Item{ID: id, Kind: Rule, Title: text, Content: text, State: Confirmed, Learned: true, Serial: serial, Probability: .9}
		}
		ranked := Rank(tt.query, []Item{rule("older", tt.older, 1), rule("newer", tt.newer, 2), rule("other", tt.other, 3)}, words)
		if len(ranked) == 0 || ranked[0].Item.ID != "newer" || ranked[0].Score < 1 {
			t.Errorf("%s: %+v", tt.query, ranked)
		}
	}
}
