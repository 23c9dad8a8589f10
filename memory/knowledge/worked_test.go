package knowledge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestCommandsThatWorked checks that commands that ran a program and did not fail are listed, the
// most frequent first, and neither look-ups, failures nor scripts.
func TestCommandsThatWorked(t *testing.T) {
	var messages []dialogue.Message
	run := func(command, result string) {
		arguments, _ := json.Marshal(map[string]string{"command": command})
		output, _ := json.Marshal(result)
		messages = append(messages, dialogue.Message{Role: dialogue.Assistant, ToolCalls: []dialogue.ToolCall{{Name: "Bash", Arguments: arguments, Result: output}}})
	}
	run("go build ./...", "")
	run("make test", "--- FAIL: TestPool (0.01s)\nFAIL\nexit status 1")
	run("cat go.mod", "module shop")
	run("git status --short", "")
	run("go test ./store -run TestPool -count=1", "ok  \tshop/store\t0.1s")
	run("python3 - <<'X'\n"+strings.Repeat("print(1)\n", 100)+"X", "1")
	run("go test ./store -run TestPool -count=1", "ok  \tshop/store\t0.1s")
	run("npm run lint 2>&1 | tail -3", "done")
	got, err := CommandsThatWorked(messages, 10)
	if want := []string{"go test ./store -run TestPool -count=1", "npm run lint 2>&1 | tail -3", "go build ./..."}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := CommandsThatWorked(messages, 1); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := CommandsThatWorked(nil, 3); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %q, %v", got, err)
	}
}
