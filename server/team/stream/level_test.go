package stream

import (
	"encoding/json"
	"testing"
)

// TestLevel reads whether replicas are behind from what a server answers.
func TestLevel(t *testing.T) {
	for text, want := range map[string]bool{
		`{"config":{"num_replicas":1}}`: true,
		`{"config":{"num_replicas":3},"cluster":{"leader":"a","replicas":[{"name":"b","current":true},{"name":"c","current":true}]}}`:  true,
		`{"config":{"num_replicas":3},"cluster":{"leader":"a","replicas":[{"name":"b","current":true},{"name":"c","current":false}]}}`: false,
		`{"config":{"num_replicas":3},"cluster":{"leader":"a","replicas":[{"name":"b","current":true}]}}`:                              false,
	} {
		var info streamInfo
		if err := json.Unmarshal([]byte(text), &info); err != nil {
			t.Fatal(err)
		}
		if got := info.level(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
