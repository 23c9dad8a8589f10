package source

import "testing"

// TestSpelledOnce holds that a file is not reached by a name that the rules do not know.
func TestSpelledOnce(t *testing.T) {
	for rel, want := range map[string]bool{
		"": true, "a/b.go": true, ".env": true, "a b/c": true, ".env.": false, ".env ": false, ".env::$DATA": false,
		`a\.env`: false, "c:/x": false, "nul": false, "d./x": false,
	} {
		if _, ok := clean(rel); ok != want {
			t.Errorf("clean(%q) is %t, want %t", rel, ok, want)
		}
	}
}

// TestBelowFoldsCase holds that a path of another case lies in the root.
func TestBelowFoldsCase(t *testing.T) {
	for abs, want := range map[string]string{`c:\w\Sub\x.go`: "Sub/x.go", `C:\W`: ""} {
		if got, ok := below(`C:\w`, abs); !ok || got != want {
			t.Errorf("%s is %q below the root: %t", abs, got, ok)
		}
	}
	if _, ok := below(`C:\w`, `C:\work\x`); ok {
		t.Error("a folder with a longer name is the root")
	}
}
