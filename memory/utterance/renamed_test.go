package utterance

import "testing"

// TestRenamed checks that two texts that say the same of two things are distinguished from a text
// in other words.
func TestRenamed(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"The scanner at dock Lima loses its pairing", "The scanner at dock Quebec loses its pairing", true},
		{"Der Export für Krakau läuft nachts", "Der Export für Bilbao läuft nachts", true},
		{"大阪のサーバーは毎朝再起動する", "東京のサーバーは毎朝再起動する", true},
		{"reports for lima go to the archive", "reports for the quebec team go to the archive", false},
		{"Never push to main directly", "Never push to main directly", false},
		{"always use the logger", "always prefer the logger", false},
		{"Write the migration first", "write the migrations first", false},
		{"prefix tables with `a_b`", "prefix tables with `c_d`", false},
		{"keep lines under 80", "keep lines under 120", false},
		{"", "Lima", false},
		{"", "", false},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Renamed(pair[0], pair[1]); got != c.want {
				t.Errorf("Renamed(%q, %q) = %v", pair[0], pair[1], got)
			}
		}
	}
}
