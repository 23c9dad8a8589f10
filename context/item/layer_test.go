package item

import "testing"

func TestLayerNames(t *testing.T) {
	for l := L0Identity; l <= L7Message; l++ {
		if got, ok := ParseLayer(l.String()); !ok || got != l {
			t.Errorf("ParseLayer(%q) = %v, %v", l.String(), got, ok)
		}
	}
	if _, ok := ParseLayer("L5"); ok {
		t.Error("ParseLayer knows L5")
	}
	for _, l := range []Layer{-1, NumLayers} {
		if l.Valid() || l.String() != "unknown layer" {
			t.Errorf("layer %d is valid, or named %q", int(l), l)
		}
	}
}
