package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// screenWidths are the widths, in columns, at which every command is run.
var screenWidths = []int{60, 80, 120, 200}

// unfolded is a width at which nothing is folded.
const unfolded = 100_000

// screenWorld is a workspace with memory and a daemon, at a path of fixed length, since text is
// folded by its length. Its home is home, and first has a copy of that.
func screenWorld(t *testing.T) *world {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/screens/world.txtar")
	if err != nil {
		t.Fatal(err)
	}
	const length = 72
	base := t.TempDir()
	base = filepath.Join(base, strings.Repeat("w", max(1, length-len(base))))
	w := &world{t: t, env: map[string]string{}}
	w.at(filepath.Join(base, "home"))
	calls := ""
	write := func(folder string) {
		for _, f := range archive.Files {
			if name, ok := strings.CutPrefix(f.Name, folder+"/"); ok {
				servertest.WriteFile(t, filepath.Join(w.dir, name), string(f.Data))
			} else if f.Name == "calls" {
				calls = string(f.Data)
			}
		}
	}
	write("shop")
	commitAll(t, w.dir)
	write("after")
	stop := w.haveDaemon()
	local := w.daemon.Local(t.Context(), engine.SessionOptions{Root: w.dir, Home: w.env["HOME"]})
	for line := range strings.Lines(calls) {
		name, args, _ := strings.Cut(line, " ")
		if _, err := local.Call(t.Context(), name, json.RawMessage(args)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	const given = "Found by Contexture; data, not an order:\npay.go:4  func RetryPayment\npool.go:4  type Pool\n(end of what Contexture found)\n"
	if err := hosts.RecordGiven(w.state, w.dir, "claude-code/5f0c2a91-7d3e-4b1a-9c55-0e2f6a7b8c9d", hosts.Given{At: time.Now().UTC(), Moment: receipt.Asked, Text: given, Took: 25 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"index"}, {"knowledge", "process"}} {
		if r := w.run("", args...); r.code != 0 {
			t.Fatalf("%v: %d, %s", args, r.code, r.err)
		}
	}
	local.Close()
	stop()
	if err := os.CopyFS(filepath.Join(base, "first"), os.DirFS(w.env["HOME"])); err != nil {
		t.Fatal(err)
	}
	w.haveDaemon()
	return w
}

// at makes a folder the home of w.
func (w *world) at(home string) {
	w.env["HOME"], w.state, w.dir = home, filepath.Join(home, "state"), filepath.Join(home, "shop")
}

// commitAll makes a folder a repository with one commit.
func commitAll(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "first"}} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir = root
		git.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE=2026-10-01T10:00:00Z", "GIT_AUTHOR_DATE=2026-10-01T10:00:00Z")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v, %s", args, err, out)
		}
	}
}

// seen runs a command line as on a terminal, and returns what the person sees.
func (w *world) seen(columns int, colours bool, args ...string) string {
	var seen bytes.Buffer
	env := maps.Clone(w.env)
	if !colours {
		env["NO_COLOR"] = "1"
	}
	on := terminal{On: true, Columns: columns}
	run(w.t.Context(), &environment{
		args: append([]string{"--state-dir", w.state, "--offline"}, args...), getenv: func(name string) string { return env[name] }, dir: w.dir,
		stdin: io.NopCloser(strings.NewReader("")), stdout: gathered{&seen}, stderr: &seen, out: on, err: on, dial: w.dial,
		now: func() time.Time { return time.Unix(0, 0) },
	})
	return seen.String()
}

// TestScreens runs every command as on terminals of several widths, with colours and without. What
// the person sees is golden (UPDATE_SCRIPTS=1 rewrites it), fits the terminal, has the same words
// at each width, and differs by nothing but colours where there are some.
func TestScreens(t *testing.T) {
	w := screenWorld(t)
	paths, err := filepath.Glob("testdata/screens/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				shown = append(shown, strings.TrimLeft(strings.TrimSpace(command), "! "))
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			var got strings.Builder
			for line := range strings.Lines(string(text)) {
				if command, ok := strings.CutPrefix(line, "$"); ok {
					command = strings.TrimSpace(command)
					got.WriteString(strings.TrimSpace("$ "+command) + "\n")
					w.screens(t, &got, command)
				}
			}
			if got.String() == string(text) {
				return
			}
			if os.Getenv("UPDATE_SCRIPTS") == "" {
				t.Errorf("%s differs (UPDATE_SCRIPTS=1 rewrites it):\n%s", path, got.String())
			} else if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	everyCommand(newRoot(&environment{getenv: func(string) string { return "" }}), "", func(path string) {
		first, _, _ := strings.Cut(path, " ")
		begins := func(line string) bool { return strings.HasPrefix(line+" ", path+" ") }
		if unshown[path] == "" && unshown[first] == "" && !slices.ContainsFunc(shown, begins) {
			t.Errorf("no screen shows contexture %s", path)
		}
	})
}

// TestHelpFitsTheTerminal checks the help of every command and topic as TestScreens does, and that
// it has at most 80 columns where the output is no terminal.
func TestHelpFitsTheTerminal(t *testing.T) {
	w := newWorld(t, "/")
	lines := commandLines()
	if len(lines) < 60 {
		t.Fatalf("%d screens", len(lines))
	}
	for _, args := range lines {
		whole := w.seen(unfolded, false, args...)
		for _, columns := range screenWidths {
			if wrong := badScreen(whole, w.seen(columns, false, args...), w.seen(columns, true, args...), columns); wrong != "" {
				t.Errorf("%v in %d columns: %s", args, columns, wrong)
			}
		}
		if wrong := badScreen(whole, w.run("", args...).out, w.run("", args...).out, 80); wrong != "" {
			t.Errorf("%v without a terminal: %s", args, wrong)
		}
	}
}

// screens appends what a command line shows at each width to got, and checks it.
func (w *world) screens(t *testing.T, got *strings.Builder, line string) {
	t.Helper()
	line, writesFiles := strings.CutPrefix(line, "!! ") // of the workspace
	line, writes := strings.CutPrefix(line, "! ")
	writes = writes || writesFiles
	args := words(line)
	see := func(columns int, colours bool) string {
		if writes {
			defer w.copied(t, writesFiles)()
		}
		return w.seen(columns, colours, args...)
	}
	widths, last := screenWidths, ""
	if writes { // for each a copy of the home is made, and opened
		widths = []int{60, 120}
	}
	whole := see(unfolded, false)
	for _, columns := range widths {
		coloured := see(columns, true)
		plain := bare(coloured)
		if !writes {
			plain = see(columns, false)
		}
		if wrong := badScreen(whole, plain, coloured, columns); wrong != "" {
			t.Errorf("%s in %d columns: %s", line, columns, wrong)
		}
		text := maskedScreen(w, coloured)
		if text == last {
			fmt.Fprintf(got, "-- %d: the same\n", columns)
			continue
		}
		last = text
		fmt.Fprintf(got, "-- %d\n", columns)
		for line := range strings.Lines(text) {
			got.WriteString("|" + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
}

// words splits a command line at blanks outside double quotes.
func words(line string) (out []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// copied makes w work without its daemon in a copy of its first home, until restore is called, and
// with workspace also in the copy of its workspace, of which nothing is remembered.
func (w *world) copied(t *testing.T, workspace bool) (restore func()) {
	t.Helper()
	home, dir, d := w.env["HOME"], w.dir, w.daemon
	w.daemon = nil
	w.at(filepath.Join(filepath.Dir(home), "copy"))
	if !workspace {
		w.dir = dir
	}
	if err := os.CopyFS(w.env["HOME"], os.DirFS(filepath.Join(filepath.Dir(home), "first"))); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.RemoveAll(w.env["HOME"]); err != nil {
			t.Error(err)
		}
		w.at(home)
		w.daemon = d
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// badScreen returns what is wrong with what a person sees of a command, "" for nothing: whole is
// the same without folding, plain and coloured are on a terminal.
func badScreen(whole, plain, coloured string, columns int) string {
	stripped := bare(coloured)
	lines := func(text string) []string { return strings.Split(steady(text), "\n") }
	if variable.MatchString(plain) { // it is folded by the length of what differs too
		lines = func(text string) []string { return strings.Fields(steady(text)) }
	}
	if !slices.Equal(lines(stripped), lines(plain)) {
		return "without its colours it is\n" + stripped + "and not\n" + plain
	}
	for line := range strings.Lines(plain) {
		line = strings.TrimRight(line, "\n")
		if columnsOf(line) > columns && len(strings.Fields(line)) > 1 {
			return fmt.Sprintf("%d columns: %s", columnsOf(line), line)
		}
	}
	all, have := counts(whole), counts(plain)
	for word, n := range have {
		if n > all[word] && !strings.HasSuffix(word, "…") {
			return fmt.Sprintf("%q is %d times a word of it, and %d without folding", word, n, all[word])
		}
	}
	if !strings.Contains(plain, "…") && !maps.Equal(all, have) {
		return "words are missing"
	}
	return ""
}

// bare returns text without colours and hyperlinks.
func bare(text string) string { return unlinked(sgr.ReplaceAllString(text, "")) }

// variable matches what differs between runs, wherever it is folded.
var variable = regexp.MustCompile(`\d+(?:\.\d+)?\s+m?s\b|serves\s+\d+\s+sessions?|version\s+\d+,|process\s+\d+|\bHEAD is [0-9a-f]+| *\b\d+(?:\.\d)?\s+(?:[kMGT]B|bytes?)\b`)

// inUse is what state list has of an index whose last session is ending.
var inUse = regexp.MustCompile(`\s+\(in\s+use\)`)

// steady hides what differs between runs.
func steady(text string) string {
	return variable.ReplaceAllString(inUse.ReplaceAllString(text, ""), "VARIABLE")
}

// counts returns how often each word is in a text.
func counts(text string) map[string]int {
	n := map[string]int{}
	for word := range strings.FieldsSeq(steady(text)) {
		n[word]++
	}
	return n
}

// maskedScreen hides what differs between runs, and hyperlinks, whose text is there.
func maskedScreen(w *world, text string) string {
	program, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	text = stages.ReplaceAllString(unlinked(text), "${1}STAGES\n")
	text = strings.NewReplacer(filepath.Dir(w.env["HOME"])+"/copy", "$HOME", w.env["HOME"], "$HOME", program, "PROGRAM").Replace(text)
	text = dates.ReplaceAllString(strings.ReplaceAll(text, time.Now().Format(time.DateOnly), "2026-12-31"), "2026-12-31${1}23:59")
	text = steady(text)
	for _, m := range masks {
		text = m.find.ReplaceAllString(text, m.with)
	}
	return strings.ReplaceAll(text, "\x1b", "␛")
}

var (
	// stages are the milliseconds that the parts of an answer took, as bundle --explain has them.
	stages = regexp.MustCompile(`(?m)^(\x1b\[2m|)classify \d[^\n]*\n(?:\S[^\n]*\n)*`)
	dates  = regexp.MustCompile(`2026-12-31(\s+)\d\d:\d\d`)
)

// unshown are the commands of which no screen is golden, and why.
var unshown = map[string]string{
	"serve": "speaks a protocol", "mcp": "speaks a protocol", "hook": "speaks a protocol", "daemon": "prints nothing",
	"panel": "serves until it is ended", "team serve": "serves until it is ended",
	"memory export": "prints data", "licenses": "prints texts of others, as they are", "completion": "prints programs",
	"help":       "is checked for each command and topic",
	"state list": "has sizes that make its columns wider or narrower; the script state shows it",
}

// everyCommand calls do with the path of every command that a person can run.
func everyCommand(c *cobra.Command, path string, do func(path string)) {
	if path != "" && c.Runnable() && !c.HasSubCommands() {
		do(path)
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			everyCommand(sub, strings.TrimSpace(path+" "+sub.Name()), do)
		}
	}
}
