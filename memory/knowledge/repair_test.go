package knowledge

import (
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestTheSameFailure checks that a run failed in the same way if its output begins alike and is
// mostly the same, whatever its numbers and folders, in any language.
func TestTheSameFailure(t *testing.T) {
	failure := NewFailure("hub diff 88 --stat 2>&1 | head", "Exit code 1\nunbekannte Option: --stat\nAufruf: hub diff [nummer]\n  --farbe")
	for output, want := range map[string]bool{
		"Exit code 2\n\nunbekannte Option: --stat\nAufruf: hub diff [nummer]\n  --farbe": true,
		"unbekannte Option: --stat\nAufruf: hub diff [nummer]":                           true,
		"unbekannte Option: --stat":                                                      true,
		"unbekannte Option: --patch\nAufruf: hub diff [nummer]\n  --farbe":               false, // of another option
		"unbekannte Option: --stat\nA\nB\nC\nD":                                          false,
		"Exit code 1":                                                                    false,
		"":                                                                               false,
	} {
		m := called("cd x && hub diff 91 --stat", output, true)
		if runs := failure.Runs(&m, Marks{"Bash": true}); (len(runs) == 1 && runs[0].Line == "hub diff 91 --stat") != want {
			t.Errorf("%q: %+v", output, runs)
		}
		if other := called("hub show", output, true); len(failure.Runs(&other, nil)) > 0 {
			t.Errorf("%q: another kind of command", output)
		}
		if runs := NewFailure("", "Exit code 1\nunbekannte Option: --stat").Runs(&m, Marks{"Bash": true}); want && len(runs) != 1 {
			t.Errorf("%q, without a command: %+v", output, runs)
		}
	}
	if m := called("hub diff 91 --stat", "unbekannte Option: --stat", false); len(failure.Runs(&m, Marks{"Bash": true})) > 0 {
		t.Error("a run that passed")
	}
	if m := called("hub diff", "exit code 1", true); len(NewFailure("hub diff", "exit code 1").Runs(&m, nil)) > 0 {
		t.Error("failures without a reason are not the same")
	}
}

// TestRepair checks that the next run of the same kind is what passed instead of a failing one, if
// it is another command and no file was changed before it.
func TestRepair(t *testing.T) {
	edit := dialogue.Message{Role: dialogue.Assistant, ToolCalls: []dialogue.ToolCall{{Name: "Edit", Arguments: []byte(`{"file_path":"a.go","old_string":"a","new_string":"b"}`)}}}
	for name, c := range map[string]struct {
		after []dialogue.Message
		want  string
	}{
		"another option":      {[]dialogue.Message{called("ls", "a", false), called("cd x && hub diff 8 --names | head -3", "a", false)}, "hub diff 8 --names"},
		"the same again":      {[]dialogue.Message{called("hub diff 8 --stat 2>&1 | tail", "a", false)}, ""},
		"after a change":      {[]dialogue.Message{edit, called("hub diff 8 --names", "a", false)}, ""},
		"after another fails": {[]dialogue.Message{called("hub diff 8 --name", "no", true), called("hub diff 8 --names", "a", false)}, "hub diff 8 --names"},
		"of another kind":     {[]dialogue.Message{called("hub show 8", "a", false)}, ""},
		"only its help":       {[]dialogue.Message{called("hub diff --help", "a", false)}, ""},
		"nothing":             {nil, ""},
	} {
		failed := Execution{Line: "hub diff 8 --stat", Kind: "hub diff", Outcome: Failed}
		if got, _ := (Marks{"Bash": true}).Repair(&failed, c.after); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
