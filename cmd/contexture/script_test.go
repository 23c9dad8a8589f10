package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run the program: it is this test's own executable. With the race
// detector a program sleeps for a second at its end, and tests start hundreds of them.
func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // for the programs that tests start; if this fails, they are slow
	}
	testscript.Main(m, map[string]func(){"contexture": main})
}

// TestScripts runs the command line as a person would, over small workspaces. With UPDATE_SCRIPTS=1
// in the environment it rewrites the goldens in the scripts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			program, err := exec.LookPath("contexture")
			if err != nil {
				return err
			}
			env.Setenv("BIN", filepath.Dir(program)) // a PATH without any other program
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("CONTEXTURE_STATE_DIR", filepath.Join(env.WorkDir, "state"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("OLLAMA_HOST", "")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": exitCode, "mask": mask, "decodes": decodes, "hold": hold, "damage": damage, "absent": absent, "append": appendMessages, "ids": ids,
			"fill": fill, "screen": screenOf,
		},
	})
}

// fill replaces $WORK in files by the script's own folder: fill log.jsonl.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fill file...")
	}
	for _, name := range args {
		text := strings.ReplaceAll(ts.ReadFile(name), "$WORK", ts.Getenv("WORK"))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// screenOf runs a command line as on a terminal of a width, and writes to the file screen what the
// person sees, masked, with each escape as ␛: screen 80 search vault.
func screenOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: screen columns [args...]")
	}
	columns, err := strconv.Atoi(args[0])
	ts.Check(err)
	var seen bytes.Buffer
	on := terminal{On: true, Columns: columns}
	run(context.Background(), &environment{
		args: args[1:], getenv: ts.Getenv, dir: ts.MkAbs("."), stdin: io.NopCloser(strings.NewReader("")), stdout: gathered{&seen}, stderr: &seen, out: on, err: on,
	})
	text := strings.ReplaceAll(masked(ts, seen.String()), "\x1b", "␛")
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "screen"), []byte(text), 0o600))
}

// exitCode runs a program and checks its exit code: code 2 contexture bundle.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run: %v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("left with %d, want %s", got, args[0])
	}
}

// masks match what differs between runs.
var masks = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d+ min \d+ s\b`), "TIME"},
	{regexp.MustCompile(`\d+(\.\d+)? m?s\b`), "TIME"},
	{regexp.MustCompile(`\d+(\.\d+)? (kB|MB|GB|TB)\b`), "SIZE"},
	{regexp.MustCompile(`-[0-9a-f]{16}\b`), "-HASH"},
	{regexp.MustCompile(`contexture \S+ \(commit .*? contract 1\) on \S+,`), "contexture VERSION,"},
	{regexp.MustCompile(`of [\d,]+ that may be watched`), "of LIMIT that may be watched"},
	{regexp.MustCompile(`score \d+\.\d+; .*#\d+`), "score N; RANKS"},
}

// mask writes a file, such as stdout, with times and other variable figures masked: mask stdout
// masked.
func mask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mask from to")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(masked(ts, ts.ReadFile(args[0]))), 0o600))
}

func masked(ts *testscript.TestScript, text string) string {
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	for _, m := range masks {
		text = m.find.ReplaceAllString(text, m.with)
	}
	return text
}

// decodes checks that a file is one JSON object of a type of the contract, without unknown fields:
// decodes stdout bundle.
func decodes(ts *testscript.TestScript, neg bool, args []string) {
	types := map[string]any{
		"bundle": &bundleOutput{}, "search": &searchOutput{}, "impact": &command.ImpactResult{}, "status": &command.IndexStatusResult{}, "why": &command.WhyResult{},
		"version": &versionInfo{}, "doctor": &diagnosis{},
	}
	if neg || len(args) != 2 || types[args[1]] == nil {
		ts.Fatalf("usage: decodes file type")
	}
	text := ts.ReadFile(args[0])
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	ts.Check(dec.Decode(types[args[1]]))
	if dec.More() {
		ts.Fatalf("there is more than one value")
	}
	if strings.Contains(text, ": null") {
		ts.Fatalf("there is a null")
	}
}

// hold opens the index of a folder in the test's own process, as an editor's server would, until
// the script ends.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold folder")
	}
	v, err := server.New(engine.Options{StateDir: ts.Getenv("CONTEXTURE_STATE_DIR"), Home: ts.Getenv("HOME")})
	ts.Check(err)
	ctx := context.Background()
	local := v.Local(ctx, engine.SessionOptions{Root: ts.MkAbs(args[0])})
	ts.Defer(func() {
		local.Close()
		ts.Check(v.Close())
	})
	_, err = local.Index(ctx)
	ts.Check(err)
	ts.Setenv("HOLDER", strconv.Itoa(os.Getpid()))
}

// appendMessages appends messages in a workspace, as an editor's server would: append folder file,
// which holds the arguments of contexture.conversation.append, one object a line.
func appendMessages(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append folder file")
	}
	v, err := server.New(engine.Options{StateDir: ts.Getenv("CONTEXTURE_STATE_DIR"), Home: ts.Getenv("HOME")})
	ts.Check(err)
	local := v.Local(context.Background(), engine.SessionOptions{Root: ts.MkAbs(args[0]), NoIndex: true})
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		_, err := local.Call(context.Background(), "contexture.conversation.append", json.RawMessage(line))
		ts.Check(err)
	}
	local.Close()
	ts.Check(v.Close())
}

// ids sets variables to the first words of lines of stdout: ids NAME text, for the line that holds
// the text.
func ids(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args)%2 != 0 {
		ts.Fatalf("usage: ids NAME text ...")
	}
	for ; len(args) > 0; args = args[2:] {
		found := false
		for line := range strings.Lines(ts.ReadFile("stdout")) {
			if strings.Contains(line, args[1]) && !found {
				id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				ts.Setenv(args[0], id)
				found = true
			}
		}
		if !found {
			ts.Fatalf("no line of stdout holds %q", args[1])
		}
	}
}

// damage overwrites the beginning of every file below a folder.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage folder")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.WriteFile(path, []byte("this is not what it was"), 0o600)
	}))
}

// absent checks that no file below a folder contains a text: absent text folder.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: absent text folder")
	}
	if files := holding(ts, args[0], args[1]); len(files) > 0 {
		ts.Fatalf("%q stands in %q", args[0], files)
	}
}

// holding lists the files below a folder that contain a text.
func holding(ts *testscript.TestScript, text, folder string) (files []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(folder), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	}))
	return files
}
