package retrieve

import (
	"bytes"
	"testing"
)

func TestNamedAt(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		want       int
	}{
		{"func Pour() {", "Pour", 0},
		{"@Cached\n@Pourable(by = Pourer.class)\npublic void pour() {", "pour", 2},
		{"[JsonConverter(typeof(KettleConverter))]\npublic class Kettle", "Kettle", 1},
		{"@app.route(\"/\")\ndef empty?", "empty?", 1},
		{"@a\n@b\n@c\n@d\n@e\n@f\ndef g(): pass", "g", 0},
		{"@a\ndef g(): pass", "", 0},
		{"", "g", 0},
	} {
		if got := NamedAt(bytes.Split([]byte(tt.text), []byte("\n")), 0, tt.name); got != tt.want {
			t.Errorf("%s in %q: line %d, want %d", tt.name, tt.text, got, tt.want)
		}
	}
}
