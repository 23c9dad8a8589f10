package knowledge

import (
	"strings"
	"testing"
)

// TestRecurs checks that a failure is recognised without its numbers and folders, also in a log,
// and that another one or a mere mention of it is not taken for it.
func TestRecurs(t *testing.T) {
	lesson := Item{
		ID: "l", Kind: Lesson, Learned: true, Worked: []string{"store/watch.go"},
		Content: "store/watch_test.go:41: undefined: openWatcher in this package\nThe build tag left the file out.",
	}
	if want := "store/watch_test.go:41: undefined: openWatcher in this package — store/watch.go"; lessonTitle(&lesson) != want {
		t.Errorf("title %q", lessonTitle(&lesson))
	}
	words := func(text string, yield func(string)) {
		for word := range strings.FieldsSeq(text) {
			yield(word)
		}
	}
	log := ""
	for range 300 {
		log += "ok  \tgithub.com/acme/parcels/store\t0.4s of a long log about everything else in the workspace\n"
	}
	for query, recurs := range map[string]bool{
		"why does it say\ninternal/store/watch_test.go:117: undefined: openWatcher in this package\n": true,
		log + "store/watch_test.go:9: undefined: openWatcher in this package\n" + log:                 true,
		"store/watch_test.go:9: undefined: closeWatcher in this package":                              false,
		"where is openWatcher in this package?":                                                       false,
	} {
		got := Rank(query, []Item{lesson}, words)
		if first := len(got) > 0 && got[0].Recurs && got[0].Score >= 1; first != recurs {
			t.Errorf("%.60q: %+v", query, got)
		}
	}
}

// TestOtherCommand checks what is taken for a command that passed instead of one that failed.
func TestOtherCommand(t *testing.T) {
	for _, c := range []struct{ passed, failed, want string }{
		{"gh pr diff 88 --name-only", "gh pr diff 88 --stat", "gh pr diff 88 --name-only"},
		{"go test ./store | tail -3", "go test ./stroe 2>&1", "go test ./store"},
		{"cd /w && go test -tags e2e ./...", "go test ./...", "cd /w && go test -tags e2e ./..."},
		{"go test ./... 2>&1 | tail -20", "go test ./...", ""},
		{"git stash && go test ./...", "go test ./...", ""},
		{"mise run test", "mise run lint", ""},
		{"", "make", ""},
		{"make", "", ""},
	} {
		if got := otherCommand(c.passed, c.failed); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.passed, c.failed, got, c.want)
		}
	}
}
