package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runWith runs a command line in this process, without a daemon, and returns its exit code and
// standard error.
func runWith(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	var errors bytes.Buffer
	home := t.TempDir()
	env := map[string]string{"HOME": home, "CONTEXTURE_STATE_DIR": home + "/state"}
	code = run(t.Context(), &environment{
		args: args, getenv: func(name string) string { return env[name] }, dir: home,
		stdin: io.NopCloser(strings.NewReader("")), stdout: gathered{io.Discard}, stderr: &errors,
	})
	return code, errors.String()
}

// groups calls do with the words of every command that only groups other commands.
func groups(c *cobra.Command, words []string, do func(words []string, names []string)) {
	if !c.HasSubCommands() {
		return
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
		groups(sub, append(words[:len(words):len(words)], sub.Name()), do)
	}
	do(words, names)
}

// TestUnknownSubcommands checks that every group of commands names an unknown subcommand, suggests
// similar ones, and does nothing by itself.
func TestUnknownSubcommands(t *testing.T) {
	n := 0
	groups(newRoot(&environment{getenv: func(string) string { return "" }}), nil, func(words, names []string) {
		n++
		ask := func(word string) (int, string) { return runWith(t, append(words[:len(words):len(words)], word)...) }
		if code, stderr := ask("frobnicate"); code != exitUsage || !strings.Contains(stderr, `"frobnicate" is not a command`) {
			t.Errorf("%v frobnicate: %d, %s", words, code, stderr)
		} else if len(words) > 0 && !strings.Contains(stderr, "(there are "+strings.Join(names, ", ")+")") {
			t.Errorf("%v frobnicate: %s does not list %v", words, stderr, names)
		}
		if code, stderr := ask(names[0] + "x"); code != exitUsage || !strings.Contains(stderr, "did you mean "+names[0]) {
			t.Errorf("%v %sx: %d, %s", words, names[0], code, stderr)
		}
		heading := "Available Commands:"
		if len(words) == 0 {
			heading = "\nMemory:\n"
		}
		if code, stderr := runWith(t, words...); code != exitUsage || !strings.Contains(stderr, heading) {
			t.Errorf("%v: %d, %s", words, code, stderr)
		}
	})
	if n < 3 {
		t.Errorf("%d groups", n)
	}
}

// internals match what a person must not see: names of packages and types, and accidental output.
var internals = regexp.MustCompile(`strconv\.|json: |toml: |time: |regexp: |error parsing regexp|syntax error|\bstruct\b|goroutine|runtime error|%!|<nil>|\*\w+\.\w+`)

// TestErrorsCommandNoTerminal checks that the caller's words and paths in an error cannot control
// the terminal.
func TestErrorsCommandNoTerminal(t *testing.T) {
	const evil = "a\x1b[31m\xff\u202e"
	for _, args := range [][]string{
		{"search", "--root", "/gone/" + evil, "x"}, {"memory", "stats", "--root", "/gone/" + evil}, {"search", "--state-dir", "/dev/null/" + evil, "x"},
		{"bundle", "--log-file", "/dev/null/" + evil, "x"}, {"bundle", "--log-level", evil, "x"}, {evil}, {"memory", evil}, {"--" + evil}, {"help", evil},
		{"memory", "forget", "--conversation", evil}, {"mcp", "--tools", evil}, {"mcp", "--daemon=" + evil}, {"install", evil}, {"uninstall", evil}, {"bundle", "--budget", evil, "x"},
	} {
		code, stderr := runWith(t, args...)
		if code == 0 || stderr == "" || !utf8.ValidString(stderr) || strings.ContainsAny(strings.TrimSuffix(stderr, "\n"), "\x1b\u202e") {
			t.Errorf("%q: %d, %q", args, code, stderr)
		}
	}
}

// flagKinds are the types of a command's own flags by name.
func flagKinds(c *cobra.Command) map[string]string {
	out := map[string]string{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { out[f.Name] = f.Value.Type() })
	return out
}

// TestWrongFlagsReadWell checks that the error for a wrong value of any flag of any command is
// readable and contains the flag's name.
func TestWrongFlagsReadWell(t *testing.T) {
	n := 0
	var walk func(c *cobra.Command, words []string)
	walk = func(c *cobra.Command, words []string) {
		for _, sub := range c.Commands() {
			walk(sub, append(words[:len(words):len(words)], sub.Name()))
		}
		for name, kind := range flagKinds(c) {
			if kind == "string" || strings.HasPrefix(kind, "string") {
				continue // takes what is given; its command checks it
			}
			for _, value := range []string{"", "x", "99999999999999999999999", "1e3"} {
				n++
				code, stderr := runWith(t, append(words[:len(words):len(words)], "--"+name+"="+value)...)
				if code != exitUsage || !strings.Contains(stderr, "--"+name) || internals.MatchString(stderr) || strings.Contains(stderr, "invalid argument") {
					t.Errorf("%v --%s=%s: %d, %s", words, name, value, code, stderr)
				}
			}
		}
	}
	walk(newRoot(&environment{getenv: func(string) string { return "" }}), nil)
	if n < 20 {
		t.Errorf("%d values", n)
	}
}

// TestHelpThatCannotBeWritten checks that a command whose output is lost fails, even if the library
// prints that output.
func TestHelpThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help", "bundle"}, {"version"}, {"--version"}} {
		var said bytes.Buffer
		env := &environment{args: args, getenv: func(string) string { return "" }, dir: t.TempDir(), stdout: fullDisk{}, stderr: &said}
		if code := run(t.Context(), env); code != exitFailed || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%q left with %d and said %q", args, code, &said)
		}
	}
}

// fullDisk is a writer that always fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
func (fullDisk) Close() error              { return nil }
