//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPagerOf(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing is set":         {nil, "less"},
		"the program's own":      {map[string]string{"CONTEXTURE_PAGER": "most", "PAGER": "more -s"}, "most"},
		"that of all programs":   {map[string]string{"PAGER": " more -s"}, "more -s"},
		"cat is none":            {map[string]string{"PAGER": "cat"}, ""},
		"none for this program":  {map[string]string{"CONTEXTURE_PAGER": "", "PAGER": "more"}, ""},
		"none for all of them":   {map[string]string{"PAGER": ""}, ""},
		"its name begins as cat": {map[string]string{"PAGER": "catless"}, "catless"},
	} {
		got := pagerOf(func(name string) (string, bool) { text, ok := c.env[name]; return text, ok })
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestPage checks what goes through the pager, here cat with line numbers, and what becomes of a
// pager that does not read to the end or does not exist.
func TestPage(t *testing.T) {
	long := strings.Repeat("\x1b]8;;file:///x\x1b\\x\x1b]8;;\x1b\\\n", 10_000) // more than a pipe holds
	for name, c := range map[string]struct {
		pager, text, term string
		paged, direct     string
	}{
		"longer than the screen": {"cat -n", "a\nb\nc\n", "xterm", "     1\ta\n     2\tb\n     3\tc\n", ""},
		"fits the screen":        {"cat -n", "a\nb\n", "xterm", "", "a\nb\n"},
		"no pager":               {"", "a\nb\nc\n", "xterm", "", "a\nb\nc\n"},
		"a dumb terminal":        {"cat -n", "a\nb\nc\n", "dumb", "", "a\nb\nc\n"},
		"without hyperlinks":     {"cat", long, "xterm", strings.Repeat("x\n", 10_000), ""},
		"left early":             {"true", long, "xterm", "", ""},
		"ends with an error":     {"false", long, "xterm", "", ""},
		"does not exist":         {"/no/such/pager", "a\nb\nc\n", "xterm", "", "a\nb\nc\n"},
	} {
		screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
		if err != nil {
			t.Fatal(err)
		}
		var direct bytes.Buffer
		e := &environment{
			getenv: func(name string) string { return map[string]string{"TERM": c.term}[name] }, stdout: &noted{WriteCloser: gathered{&direct}}, pager: c.pager,
			out: terminal{On: true, Columns: 80, Rows: 3, file: screen},
		}
		if err := e.page(c.text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		paged, err := os.ReadFile(screen.Name())
		if err := screen.Close(); err != nil {
			t.Error(err)
		}
		if err != nil || string(paged) != c.paged || direct.String() != c.direct || !e.printed() {
			t.Errorf("%s: %.60q through the pager and %.60q directly (%v)", name, paged, direct.String(), err)
		}
	}
}

// TestHelpIsPaged checks that the help of a command and of a topic go through the pager.
func TestHelpIsPaged(t *testing.T) {
	for _, args := range [][]string{{"search", "--help"}, {"help", "search"}, {"help", "scripting"}} {
		screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
		if err != nil {
			t.Fatal(err)
		}
		var direct bytes.Buffer
		code := run(t.Context(), &environment{
			args: args, getenv: func(string) string { return "" }, dir: "/", stdout: gathered{&direct}, stderr: &direct, pager: "cat -n",
			out: terminal{On: true, Columns: 80, Rows: 5, file: screen},
		})
		paged, err := os.ReadFile(screen.Name())
		if err != nil || code != 0 || direct.Len() > 0 || !strings.HasPrefix(string(paged), "     1\t") {
			t.Errorf("%q: %d, %.60q, paged %.60q (%v)", args, code, direct.String(), paged, err)
		}
		if err := screen.Close(); err != nil {
			t.Error(err)
		}
	}
}
