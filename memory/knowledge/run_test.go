package knowledge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestShellParts checks that what a shell runs is told from what it only reads or quotes.
func TestShellParts(t *testing.T) {
	for input, want := range map[string]string{
		"make test":                          "make,test",
		"cd a && go test ./... 2>&1 | tail":  "cd,a && go,test,./...,2>&1 | tail",
		`git commit -m "go test; make" ; ls`: "git,commit,-m,go test; make ; ls",
		"cat > x <<'EOF'\ngo test\nEOF\nls":  "cat,>,x ; ls",
		"a \\\n  b # c\nd &":                 "a,b ; d ;",
		`echo "a \" b" 'c'd &> out`:          `echo,a " b,cd,&>,out`,
		"x=$(go env GOROOT) || exit":         "x=$ ; go,env,GOROOT ; || exit",
		`"unclosed; x`:                       "unclosed; x",
		"":                                   "",
	} {
		var got []string
		for _, p := range shellParts(input) {
			got = append(got, strings.TrimSpace(strings.Join(p.words, ",")+" "+p.after))
			if p.start < 0 || p.end > len(input) || p.start >= p.end {
				t.Errorf("%q: part %+v", input, p)
			}
		}
		if text := strings.Join(got, " "); text != strings.ReplaceAll(want, "; ||", ";") {
			t.Errorf("%q: %q, want %q", input, text, want)
		}
	}
}

// TestPrograms checks which programs a shell's input runs, also in a script that a shell is given,
// and which of them a pipe feeds.
func TestPrograms(t *testing.T) {
	for input, want := range map[string]string{
		`cd a && A=1 rg "x|y; z" | head -n 5`:   "cd a; rg x|y; z; <head -n 5",
		`bash -lc "ls b | sort" && time make`:   "ls b; <sort; make",
		"if true; then cat c; fi":               "if true; cat c; fi",
		"gh x \\\n  -b y <<'E'\nrm d\nE\n# end": "gh x -b y",
		"A=1":                                   "",
	} {
		var got []string
		for _, p := range Programs(input) {
			mark := ""
			if p.Fed {
				mark = "<"
			}
			got = append(got, mark+strings.Join(p.Words, " "))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%q: %q, want %q", input, text, want)
		}
	}
}

func FuzzShellParts(f *testing.F) {
	f.Add("cd a && cat <<X | 'b\nX\n\\")
	f.Fuzz(func(t *testing.T, input string) {
		last := 0
		for _, p := range shellParts(input) {
			if p.start < last || p.end > len(input) || p.start > p.end || len(p.words) == 0 {
				t.Fatalf("%q: part %+v after %d", input, p, last)
			}
			last = p.end
		}
	})
}

// called is a message with one call of a tool.
func called(command, result string, failed bool) dialogue.Message {
	arguments, _ := json.Marshal(map[string]string{"command": command})
	output, _ := json.Marshal(result)
	return dialogue.Message{Role: dialogue.Assistant, ToolCalls: []dialogue.ToolCall{{Name: "Bash", Arguments: arguments, Result: output, IsError: failed}}}
}

// TestRuns checks which calls ran a command, and its line and folder.
func TestRuns(t *testing.T) {
	for _, tt := range []struct{ wanted, command, line, folder, kind string }{
		{"go test", "cd /w/shop && GOFLAGS=-mod=mod go test ./store -run X 2>&1 | tail -3", "GOFLAGS=-mod=mod go test ./store -run X 2>&1 | tail -3", "/w/shop", "go test"},
		{"go test", "cd shop; go vet ./...; go test ./...", "go test ./...", "shop", "go test"},
		{"go test", "timeout 60 go test ./...", "timeout 60 go test ./...", "", "go test"},
		{"go test ./store", "go test -count=1 ./store", "go test -count=1 ./store", "", "go test"},
		{"go test ./store", "go test ./store/pool", "go test ./store/pool", "", "go test"},
		{"vitest", "./node_modules/.bin/vitest run", "./node_modules/.bin/vitest run", "", "./node_modules/.bin/vitest run"},
		{"make lint", `bash -lc "cd /w && make lint"`, "make lint", "/w", "make lint"},
		{"cloud", "cloud server start 7 now", "cloud server start 7 now", "", "cloud server start"},
		{"make", "echo start\nmake -j4\necho done", "make -j4", "", "make"},
		{"go test", "go build ./...", "", "", ""},
		{"go test ./sto", "go test ./store", "", "", ""},
		{"go test", "go vet ./... && test -f x", "", "", ""},
		{"go test", "git commit -m 'go test passes'", "", "", ""},
		{"go test", "grep -rn go test", "", "", ""},
		{"go test", "cat > run.sh <<X\ngo test ./...\nX", "", "", ""},
		{" ", "go test", "", "", ""},
	} {
		runs := Marks{}.Runs(tt.wanted, []dialogue.Message{called(tt.command, "ok", false)})
		if tt.line == "" {
			if len(runs) > 0 {
				t.Errorf("%q is found in %q: %+v", tt.wanted, tt.command, runs)
			}
			continue
		}
		if len(runs) != 1 || runs[0].Line != tt.line || runs[0].Folder != tt.folder || runs[0].Kind != tt.kind {
			t.Errorf("%q in %q: %+v", tt.wanted, tt.command, runs)
		}
	}
	edit := dialogue.Message{ToolCalls: []dialogue.ToolCall{{Name: "Write", Arguments: []byte(`{"content":"go test","command":"go test","path":"a.md"}`)}}}
	if runs := (Marks{}).Runs("go test", []dialogue.Message{edit, called("go test", "<tool_use_error>no</tool_use_error>", true), {ToolCalls: []dialogue.ToolCall{
		{Name: "shell", Arguments: []byte(`{"cmd":"go test","workdir":"/w"}`)},
	}}}); len(runs) != 1 || runs[0].Message != 2 || runs[0].Folder != "/w" || runs[0].Outcome != Unknown {
		t.Errorf("%+v", runs)
	}
}

// TestOutcomes checks what came of a command: by the host's mark where it covers the run, and else
// by what the command printed.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		command, result string
		failed, marks   bool
		want            Outcome
		failure         string
	}{
		{"bun test", "46 pass\n 0 fail\n", false, false, Passed, ""},
		{"bun test", "error: expect(received).toBe(expected)\n 6 pass\n 2 fail\n", false, false, Failed, "error: expect(received).toBe(expected)"},
		{"bun test", "✗ pool drains\n 1 fail\n", false, true, Passed, ""}, // the host would have marked it
		{"bun test | tail -1", " 1 fail\n", false, true, Failed, "1 fail"},
		{"bun test", "killed", true, true, Failed, ""},
		{"bun test; grep x y", " 3 pass\n 0 fail\n", true, true, Passed, ""}, // the status is grep's
		{"bun test > log; echo exit: $?", "exit: 1\n", false, true, Failed, ""},
		{"bun test > log; echo exit=$?", "exit=0\n", false, true, Passed, ""},
		{"bun test > log; true", "", false, true, Unknown, ""},
		{"bun test", "Command running in background with ID: b1", false, true, Unknown, ""},
		{"bun test -t 'no such file'", "% bun test -t 'no \nsuch file'\nok\n", false, false, Passed, ""}, // a terminal's echo
		{"bun test", "8:2  warning  Unexpected any\n9:1  error: no type\n1 error\n", false, false, Failed, "9:1  error: no type"},
		{"bun test > log || echo FAILED", "FAILED\n", false, false, Failed, ""},
		{"bun test && echo ok", "", false, false, Passed, ""},
	} {
		runs := Marks{"Bash": tt.marks}.Runs("bun test", []dialogue.Message{called(tt.command, tt.result, tt.failed)})
		if len(runs) != 1 || runs[0].Outcome != tt.want || runs[0].Failure != tt.failure {
			t.Errorf("%s → %q: %+v", tt.command, tt.result, runs)
		}
	}
	for line, want := range map[string]bool{"make -h": true, "go test --help | cat": true, "go test -run help": false} {
		if got := (&Execution{Line: line}).AsksForHelp(); got != want {
			t.Errorf("%s asks for help: %v", line, got)
		}
	}
	messages := []dialogue.Message{called("a", "", false), called("b", "", true)}
	if got := MarksOf(messages); fmt.Sprint(got) != "map[Bash:true]" || len(MarksOf(messages[:1])) > 0 {
		t.Errorf("marks %v", got)
	}
	if !slices.Equal(wordsOf(`go test -run "A B"`), []string{"go", "test", "-run", "A B"}) {
		t.Error("the words of a command with quotes")
	}
}
