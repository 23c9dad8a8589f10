//go:build linux

package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// BenchmarkOllama measures the program with a real Ollama server and tiny models: the throughput of
// indexing against a bare loop of requests and the delay of a query during it (Ollama/speed), texts
// embedded twice (Ollama/known), the cost of a hanging server for a bundle (Ollama/hanging), and
// whether any fault of the server leaves an error, a wrong answer or a wrong vector
// (Ollama/faults). Its limits work as in BenchmarkGoTree.
func BenchmarkOllama(b *testing.B) {
	r := &run{load: load()}
	r.program(b)
	server := ollamatest.Start(b)
	server.Embedder(b, embedder, gguf.Embedder{})
	steps := []struct {
		name string
		do   func(*modelled) error
	}{{"speed", (*modelled).speed}, {"known", (*modelled).known}, {"hanging", (*modelled).hanging}, {"faults", (*modelled).faults}}
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			if b.N != 1 {
				b.Fatal("this measures many things once: run it with -benchtime 1x")
			}
			m := &modelled{run: r, b: b, server: server}
			if err := errors.Join(m.learn(), step.do(m)); err != nil {
				b.Fatal(err)
			}
		})
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; %d cores, %s; load average %s before, %s after\n",
		len(r.table.rows), missed, runtime.NumCPU(), runtime.Version(), r.load, load())
}

// embedder is the embedding model of the measurements. A model of this name uses prefixes.
const embedder = "nomic-embed-text"

// modelled is a measurement with a model server.
type modelled struct {
	*run
	b      *testing.B
	server *ollamatest.Server
	probes []string // see learn
}

// start runs the program on root, with the model server at address where a person's would be found.
func (m *modelled) start(root, state, address string) (*client, error) {
	cmd := exec.Command(m.bin, "serve", "--daemon=off", "--log-level=debug", "--state-dir", state, "--root", root)
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+address, "HOME="+m.b.TempDir())
	return greet(cmd, root)
}

// with runs do with a server.
func (m *modelled) with(root, state, address string, do func(c *client) error) error {
	c, err := m.start(root, state, address)
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.stop())
}

// embedded waits until the index is up to date and the model has embedded everything.
func (c *client) embedded(limit time.Duration) error {
	calm := 0
	var s status
	err := poll(200*time.Millisecond, limit, func() (bool, error) { // requests slow indexing
		s = status{}
		err := c.command("contexture.index.status", map[string]any{}, &s)
		if s.Embedder.Source == "ollama" && s.Embedder.Pending == 0 && s.State == "idle" && s.Queue == 0 && s.Stale == 0 && s.Chunks > 0 {
			calm++
		} else {
			calm = 0
		}
		return calm == 2, err
	})
	if err != nil {
		return fmt.Errorf("wait for the embedding model: %w (%+v); the log ends with %q", err, s, c.logged())
	}
	return nil
}

// logged returns the end of the server's log without the store's lines.
func (c *client) logged() (lines []string) {
	at := slices.Index(c.cmd.Args, "--state-dir")
	text, err := os.ReadFile(filepath.Join(c.cmd.Args[at+1], "log", "contexture.log"))
	if err != nil {
		return []string{err.Error()}
	}
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "WAL") && !strings.Contains(line, "[JOB") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines[max(0, len(lines)-20):]
}

// sources writes n files of made-up Go and Python below root, six functions each, numbered from the
// given number.
func sources(root string, from, n int) error {
	var words []string
	for _, group := range gguf.Programming {
		words = append(words, group...)
	}
	for i := from; i < from+n; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 4))
		say := func(n int) string {
			said := make([]string, n)
			for k := range said {
				said[k] = words[r.IntN(len(words))]
			}
			return strings.Join(said, " ")
		}
		name, text := fmt.Sprintf("part%d/file%d.go", i%5, i), goFile(i, say)
		if i%3 == 2 {
			name, text = fmt.Sprintf("tools%d/file%d.py", i%2, i), pythonFile(i, say)
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// functions is the number of functions of a made-up file.
const functions = 6

func goFile(i int, say func(int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package part%d\n", i%5)
	for k := range functions {
		fmt.Fprintf(&b, "\n// work%dx%d is to %s.\nfunc work%dx%d(%s []string) int {\n\ttotal := 0\n", i, k, say(14), i, k, "given")
		for _, word := range strings.Fields(say(4)) {
			fmt.Fprintf(&b, "\tfor _, %sName := range given {\n\t\ttotal += len(%sName) // %s\n\t}\n", word, word, say(5))
		}
		b.WriteString("\treturn total\n}\n")
	}
	return b.String()
}

func pythonFile(i int, say func(int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"Tools to %s.\"\"\"\n", say(8))
	for k := range functions {
		fmt.Fprintf(&b, "\n\ndef tool_%d_%d(given):\n    \"\"\"Used to %s.\"\"\"\n    total = 0\n", i, k, say(14))
		for _, word := range strings.Fields(say(4)) {
			fmt.Fprintf(&b, "    for %s_name in given:\n        total += len(%s_name)  # %s\n", word, word, say(5))
		}
		b.WriteString("    return total\n")
	}
	return b.String()
}

// asking returns n different questions in the words of the made-up files. Those of two series
// differ too.
func asking(series string, n int) []string {
	out := make([]string, n)
	for i := range out {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		word := func() string {
			group := gguf.Programming[r.IntN(len(gguf.Programming))]
			return group[r.IntN(len(group))]
		}
		out[i] = fmt.Sprintf("where do we %s the %s and %s of %s %d", word(), word(), word(), series, i)
	}
	return out
}

// learn records the texts that every start sends to test the model, which are not documents.
func (m *modelled) learn() error {
	root, proxy := m.b.TempDir(), ollamatest.NewProxy(m.b, m.server.URL)
	if err := os.WriteFile(filepath.Join(root, "first.md"), []byte("# First\n\nNothing else is here.\n"), 0o644); err != nil {
		return err
	}
	return m.with(root, m.b.TempDir(), proxy.URL, func(c *client) error {
		err := c.embedded(time.Minute)
		m.probes = proxy.Texts()
		return err
	})
}

// documents returns the texts of files among those that a server received: neither questions nor
// those that test the model.
func (m *modelled) documents(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
		return !strings.HasPrefix(s, "search_document: ") || slices.Contains(m.probes, s)
	})
}
