package command

import (
	"slices"
	"testing"
)

func TestAddStatus(t *testing.T) {
	state := func(s string, files int) *IndexStatusResult {
		return &IndexStatusResult{
			Workspace: s, State: s, Files: files, Skipped: []SkipCount{{Reason: "binary", Count: 1}, {Reason: s, Count: 1}},
			Languages: []LanguageCount{{Language: s, Files: files, Chunks: 5}, {Language: "go", Files: 1, Chunks: 2}},
		}
	}
	for _, tt := range []struct{ a, b, want string }{
		{"idle", "idle", "idle"}, {"idle", "error", "error"}, {"error", "indexing", "indexing"}, {"scanning", "indexing", "scanning"}, {"scanning", "error", "scanning"},
	} {
		got := state(tt.a, 1)
		got.Add(state(tt.b, 2))
		if got.State != tt.want || got.Files != 3 || got.Skipped[0].Count != 2 || got.Workspace != tt.a || !slices.Contains(got.Languages, LanguageCount{"go", 2, 4}) {
			t.Errorf("%s and %s add up to %+v", tt.a, tt.b, got)
		}
	}
}
