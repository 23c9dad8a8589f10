package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// bank is a small workspace.
func bank(t *testing.T) string {
	return servertest.Tree(t, map[string]string{
		".contexture.toml": "index.exclude = [\"secret\"]\n",
		".gitignore":       "*.log\n",
		"bank.go":          "package shop\n\n// Bank keeps accounts.\ntype Bank struct{ accounts map[string]int }\n\n// Balance tells what is on an account, in cents.\nfunc (b *Bank) Balance(name string) int { return b.accounts[name] }\n",
		"sub/vault.go":     "package sub\n\n// Vault keeps gold.\ntype Vault struct{}\n",
		"README.md":        "# Shop\n\nA shop with a bank.\n",
		"trace.log":        "nothing\n",
		"mine.toml":        "budget.default = 900\n",
	})
}

const someMemory = `{"type":"contexture-memory","version":1}
{"type":"conversation","conversation":"first"}
{"type":"messages","conversation":"first","messages":[{"role":"user","content":"Where does the quokka cache live?","id":"m1","at":"2026-10-01T09:00:00Z"},{"role":"assistant","content":"In bank.go, it is small.","id":"m2","at":"2026-10-01T09:00:05Z"}]}
{"type":"knowledge","id":"lesson-1","kind":"lesson","title":"Caches","content":"The bandicoot cache needs a lock.","topics":["caches"],"keywords":["cache"],"weight":1,"sourceTurns":[],"createdAt":"2026-10-02T10:00:00Z","updatedAt":"2026-10-02T10:00:00Z"}
`

// TestSameAnswers runs the same commands without a daemon, with one, and with one while an editor
// has the workspace open: the output and the exit codes are the same.
func TestSameAnswers(t *testing.T) {
	root := bank(t)
	commands := []struct {
		stdin string
		args  []string
	}{
		{"", []string{"index"}},
		{"", []string{"index"}},
		{"", []string{"index", "--json", "sub/.."}},
		{"", []string{"search", "balance of an account"}},
		{"", []string{"search", "--json", "vault"}},
		{"", []string{"search", "zzqqxx"}},
		{"", []string{"search", "--limit", "1000", "x"}},
		{"", []string{"search", "--kinds", "code,rumour", "x"}},
		{"", []string{"bundle", "what does Balance tell?"}},
		{"", []string{"bundle", "--explain", "what does Balance tell?"}},
		{"what does Balance tell?", []string{"bundle", "--config", "mine.toml", "-"}},
		{"", []string{"bundle", "-"}},
		{"not \xff UTF-8", []string{"bundle", "-"}},
		{"", []string{"bundle", "caf\xe9"}},
		{strings.Repeat("Balance of the Bank, once more. ", 500), []string{"bundle", "--budget", "256", "-"}},
		{"", []string{"bundle", "--config", "gone.toml", "hello"}},
		{"", []string{"bundle", "--root", "gone", "x"}},
		{"", []string{"bundle", "--root", "bank.go", "x"}},
		{"", []string{"bundle", "--log-level", "loud", "x"}},
		{"", []string{"bundle", "--log-file", "gone/log", "x"}},
		{"", []string{"bundle", "--nope", "x"}},
		{"", []string{"why", "trace.log"}},
		{"", []string{"why", "--json", "bank.go"}},
		{"", []string{"why", "../elsewhere.go"}},
		{"", []string{"why", ""}},
		{"", []string{"memory", "export"}},
		{someMemory, []string{"memory", "import"}},
		{someMemory, []string{"memory", "import"}},
		{someMemory + "{\"type\":\"diary\"}\n", []string{"memory", "import"}},
		{"this is no import\n", []string{"memory", "import"}},
		{"", []string{"memory", "export"}},
		{"", []string{"memory", "stats"}},
		{"", []string{"chats", "list"}},
		{"", []string{"chats", "show", "fi"}},
		{"", []string{"chats", "show", "nobody"}},
		{"", []string{"chats", "arc", "first"}},
		{"", []string{"chats", "search", "-j", "quokka"}},
		{"", []string{"recall", "quokka cache"}},
		{"", []string{"recall", "--type", "lesson", "quokka"}},
		{"", []string{"recall", "zzqqxx"}},
		{"Never keep gold in a bank.\n", []string{"rules", "add", "-"}},
		{"", []string{"remember", "rumour", "x"}},
		{"", []string{"rules", "list"}},
		{"", []string{"rules", "why", "rule"}},
		{"", []string{"rules", "edit", "rule", "Never", "keep", "silver", "in", "a", "bank."}},
		{"", []string{"rules", "list", "--all"}},
		{"", []string{"rules", "remove", "rule"}},
		{"", []string{"tasks"}},
		{"", []string{"bundle", "--conversation", "first", "--format", "markdown", "and now?"}},
		{"", []string{"memory", "forget", "--conversation", "first", "--turn", "T-9"}},
		{"", []string{"memory", "forget", "--conversation", "first"}},
		{"", []string{"memory", "forget", "--knowledge", "lesson-2"}},
		{"", []string{"memory", "forget", "--workspace"}},
		{"", []string{"memory", "export"}},
		{"", []string{"memory", "forget", "--workspace", "--yes"}},
		{"", []string{"memory", "stats", "--json"}},
		{"", []string{"serch", "x"}},
		{"", []string{"version"}},
	}
	for _, tt := range []struct {
		name     string
		terminal bool
		editor   bool
	}{{"piped", false, false}, {"on a terminal", true, false}, {"with an editor", false, true}} {
		t.Run(tt.name, func(t *testing.T) {
			alone, shared := newWorld(t, root), newWorld(t, root)
			if tt.terminal {
				for _, w := range []*world{alone, shared} {
					w.out, w.err = terminal{On: true, Columns: 100}, terminal{On: true, Columns: 100}
				}
			}
			shared.haveDaemon()
			for i, c := range commands {
				if tt.editor && i == 1 { // after the first has built the index
					editor := shared.daemon.Local(t.Context(), engine.SessionOptions{Root: root, Offline: true, Home: shared.env["HOME"]})
					defer editor.Close()
					if x, err := editor.Index(t.Context()); err != nil {
						t.Fatal(err)
					} else if err := x.Wait(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				want, got := alone.run(c.stdin, c.args...).masked(alone), shared.run(c.stdin, c.args...).masked(shared)
				if want.code != got.code || !sameButFigures(want.out, got.out) || want.err != got.err {
					t.Errorf("contexture %q:\nleaves with %d and says\n%s%s\nthrough the daemon with %d and\n%s%s", c.args, want.code, want.out, want.err, got.code, got.out, got.err)
				}
			}
		})
	}
}

// volatile are the members of results that differ between runs.
var volatile = []string{"ms", "index", "bundleId", "generatedAt", "indexedAt", "indexVersion", "version", "elapsedMs", "diskBytes", "bytes", "watches", "uptime"}

// sameButFigures compares outputs, JSON without the members that differ between runs.
func sameButFigures(a, b string) bool {
	if a == b {
		return true
	}
	x, y := settled(a), settled(b)
	return x != "" && x == y
}

// settled reformats JSON without its volatile members; "" for anything but JSON.
func settled(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return ""
	}
	var clean func(v any)
	clean = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range volatile {
				delete(v, name)
			}
			for _, each := range v {
				clean(each)
			}
		case []any:
			for _, each := range v {
				clean(each)
			}
		}
	}
	clean(v)
	out, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(out)
}

// manyMessages returns an export of about the given number of bytes, most of them results of tools.
func manyMessages(bytes int) string {
	var b strings.Builder
	b.WriteString("{\"type\":\"contexture-memory\",\"version\":1}\n")
	for c := 0; b.Len() < bytes; c++ {
		fmt.Fprintf(&b, "{\"type\":\"conversation\",\"conversation\":\"c%d\"}\n", c)
		fmt.Fprintf(&b, "{\"type\":\"messages\",\"conversation\":\"c%d\",\"messages\":[", c)
		for m := range 50 {
			if m > 0 {
				b.WriteByte(',')
			}
			role := "tool" // memory reads a person's words for names and rules, which is slow
			if m%10 == 0 {
				role = "user"
			}
			fmt.Fprintf(&b, `{"role":"%s","content":"%s","id":"m%d-%d","at":"2026-10-01T09:00:00Z"}`,
				role, strings.Repeat(fmt.Sprintf("part %d of the story ", m), 40), c, m)
		}
		b.WriteString("]}\n")
	}
	return b.String()
}

// TestLargeTransfer: an import through the daemon is exported as without one.
func TestLargeTransfer(t *testing.T) {
	t.Parallel()
	root := bank(t)
	size := 10 << 20 // of many parts
	if testing.Short() {
		size = 2 << 20
	}
	in := manyMessages(size)
	alone, shared := newWorld(t, root), newWorld(t, root)
	shared.haveDaemon()
	var out [2]string
	for i, w := range []*world{alone, shared} {
		if r := w.run(in, "memory", "import"); r.code != 0 || !strings.Contains(r.err, " messages added") {
			t.Fatalf("leaves with %d: %s", r.code, r.err)
		}
		r := w.run("", "memory", "export")
		if r.code != 0 || len(r.out) < len(in)/2 {
			t.Fatalf("leaves with %d, %d bytes: %s", r.code, len(r.out), r.err)
		}
		out[i] = r.out
	}
	if out[0] != out[1] {
		t.Errorf("the exports differ: %d and %d bytes", len(out[0]), len(out[1]))
	}
}

// endless is a standard input that never returns data, and signals the first read.
type endless struct {
	asked chan struct{}
	end   chan struct{}
}

func (e *endless) Read([]byte) (int, error) {
	close(e.asked)
	<-e.end
	return 0, io.EOF
}

func (e *endless) Close() error { return nil }

// TestInterrupted: a signal during a wait for standard input ends the command, with a daemon and
// without.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"memory", "import"}, "contexture: stopped; nothing was imported\n"},
		{[]string{"bundle", "-"}, "contexture: stopped\n"},
	} {
		for _, daemon := range []bool{false, true} {
			w := newWorld(t, bank(t))
			if daemon {
				w.haveDaemon()
			}
			ctx, interrupt := context.WithCancel(t.Context())
			in := &endless{make(chan struct{}), make(chan struct{})}
			go func() {
				<-in.asked
				interrupt()
			}()
			r := w.runContext(ctx, in, tt.args...)
			close(in.end)
			if r.code != 1 || r.out != "" || r.err != tt.want {
				t.Errorf("%q with daemon %t leaves with %d and says %q", tt.args, daemon, r.code, r.err)
			}
		}
	}
}

// TestEditorsGoOnDuringAnImport: an import that waits for a person's stream does not block others
// from storing.
func TestEditorsGoOnDuringAnImport(t *testing.T) {
	w := newWorld(t, bank(t))
	w.haveDaemon()
	in := &endless{make(chan struct{}), make(chan struct{})}
	done := make(chan typed, 1)
	go func() { done <- w.runContext(t.Context(), in, "memory", "import") }()
	<-in.asked
	if r := w.run(someMemory, "memory", "import"); r.code != 0 {
		t.Errorf("leaves with %d: %s", r.code, r.err)
	}
	close(in.end)
	if r := <-done; r.code != 0 {
		t.Errorf("leaves with %d: %s", r.code, r.err)
	}
}

// TestDaemonLost: a command that only reads is run again, elsewhere; for others, the known state is
// reported.
func TestDaemonLost(t *testing.T) {
	for _, tt := range []struct {
		stdin string
		args  []string
		when  string // the daemon is asked for this
		code  int
		out   string
		err   string
	}{
		{"", []string{"bundle", "--deadline", "30s", "what does Balance tell?"}, "contexture.bundle", 0, "func (b *Bank) Balance", "tokens"},
		{"what does Balance tell?", []string{"bundle", "--deadline", "30s", "-"}, "initialize", 0, "func (b *Bank) Balance", "tokens"},
		{"", []string{"doctor"}, "contexture/index/open", 0, "none runs", ""},
		{"", []string{"memory", "export"}, "contexture/memory/export", 0, "contexture-memory", ""},
		{someMemory, []string{"memory", "import"}, "contexture/memory/import", 1, "", "the daemon was lost in the middle of the command (unexpected EOF): either all of it was imported or nothing"},
		{"", []string{"memory", "forget", "--conversation", "c"}, "contexture/memory/forget", 1, "", "run the command again to be sure"},
		{"", []string{"remember", "rule", "never"}, "contexture.remember", 1, "", "it may have been stored or not"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			w := newWorld(t, bank(t))
			if r := w.run("", "index"); r.code != 0 {
				t.Fatal(r.err)
			}
			stop := w.haveDaemon()
			w.dials = func(h daemon.Hello) (io.ReadWriteCloser, error) {
				if h.NoIndex && tt.when == "contexture/index/open" {
					return w.serve(t.Context(), h, ""), nil // not the one that is to die
				}
				w.dials = func(daemon.Hello) (io.ReadWriteCloser, error) {
					stop()
					return nil, errNoDaemon
				}
				return w.serve(t.Context(), h, tt.when), nil
			}
			r := w.run(tt.stdin, tt.args...)
			if r.code != tt.code || !strings.Contains(r.out, tt.out) || !strings.Contains(r.err, tt.err) {
				t.Errorf("leaves with %d: %s%s", r.code, r.out, r.err)
			}
		})
	}
}

// TestHalfAnAnswer: output that was already printed is not printed again.
func TestHalfAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bank(t))
	w.haveDaemon()
	if r := w.run(manyMessages(2<<20), "memory", "import"); r.code != 0 {
		t.Fatal(r.err)
	}
	w.dials = func(h daemon.Hello) (io.ReadWriteCloser, error) {
		return w.serve(t.Context(), h, "contexture/memory/export/next"), nil
	}
	r := w.run("", "memory", "export")
	if r.code != 1 || len(r.out) == 0 || len(r.out) > request.PartBytes || !strings.Contains(r.err, "the answer is not complete; run the command again") {
		t.Errorf("leaves with %d: %d bytes, %s", r.code, len(r.out), r.err)
	}
}

// TestUnreachableDaemon: commands that do not need the stores work, and the others report why they
// cannot.
func TestUnreachableDaemon(t *testing.T) {
	w := newWorld(t, bank(t))
	w.haveDaemon()
	if r := w.run(someMemory, "memory", "import"); r.code != 0 {
		t.Fatal(r.err)
	}
	w.dials = func(daemon.Hello) (io.ReadWriteCloser, error) { return nil, errors.New("it is another build") }
	if r := w.run("", "why", "trace.log"); r.code != 0 || !strings.Contains(r.out, "is not indexed") {
		t.Errorf("leaves with %d: %s%s", r.code, r.out, r.err)
	}
	if r := w.run("", "memory", "export"); r.code != 1 || !strings.Contains(r.err, "the daemon there cannot be reached: it is another build") {
		t.Errorf("leaves with %d: %s%s", r.code, r.out, r.err)
	}
}

// TestCommandsAtOnce: several commands share the daemon, and each receives its own answer.
func TestCommandsAtOnce(t *testing.T) {
	w := newWorld(t, bank(t))
	w.haveDaemon()
	first := w.run("", "search", "--deadline", "30s", "vault")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if r := w.run("", "search", "--deadline", "30s", "vault"); r.code != 0 || r.out != first.out {
				t.Errorf("leaves with %d: %s%s", r.code, r.out, r.err)
			}
		})
		all.Go(func() {
			if r := w.run("", "bundle", "--deadline", "30s", "what does Balance tell?"); r.code != 0 || !strings.Contains(r.out, "func (b *Bank) Balance") {
				t.Errorf("leaves with %d: %s%s", r.code, r.out, r.err)
			}
		})
		all.Go(func() {
			if r := w.run(someMemory, "memory", "import"); r.code != 0 {
				t.Errorf("leaves with %d: %s", r.code, r.err)
			}
		})
	}
	all.Wait()
}

// TestForgottenInTheDaemon: no byte of forgotten data is left, although the daemon keeps running
// and an editor is connected; also if the editor has deleted the data before.
func TestForgottenInTheDaemon(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted %v", deleted), func(t *testing.T) { forgottenInTheDaemon(t, deleted) })
	}
}

func forgottenInTheDaemon(t *testing.T, deleted bool) {
	root := bank(t)
	w := newWorld(t, root)
	w.haveDaemon()
	editor := w.daemon.Local(t.Context(), engine.SessionOptions{Root: root, Offline: true, Home: w.env["HOME"]})
	defer editor.Close()
	if r := w.run(someMemory, "memory", "import"); r.code != 0 {
		t.Fatal(r.err)
	}
	if r := w.run("", "bundle", "where does the quokka cache live?"); r.code != 0 || !strings.Contains(r.out, "quokka") {
		t.Fatalf("leaves with %d: %s%s", r.code, r.out, r.err)
	}
	if _, err := editor.Call(t.Context(), "contexture.recall", map[string]any{"query": "quokka"}); err != nil {
		t.Fatal(err)
	}
	if deleted {
		if _, err := editor.Call(t.Context(), "contexture.conversation.delete", map[string]any{"conversationId": "first"}); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.run("", "memory", "forget", "--conversation", "first"); r.code != 0 {
		t.Fatal(r.err)
	}
	if r := w.run("", "memory", "forget", "--conversation", "never"); r.code != 1 || !strings.Contains(r.err, "does not exist") {
		t.Errorf("one that never was leaves with %d: %s", r.code, r.err)
	}
	if err := filepath.WalkDir(w.state, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("quokka")) {
			t.Errorf("it stands in %s", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if r := w.run("", "memory", "export"); strings.Contains(r.out, "quokka") || !strings.Contains(r.out, "bandicoot") {
		t.Errorf("left is %s", r.out)
	}
}
