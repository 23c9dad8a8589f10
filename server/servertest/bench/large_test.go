//go:build linux

package bench

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// largeCopies is the number of copies of Go's tree in the large one: about 500,000 chunks of 90,000
// files.
const largeCopies = 9

// BenchmarkLarge measures the program on a tree of about 500,000 chunks: copies of Go's own source
// tree each with other words renamed, so that no chunk occurs twice and the vocabulary grows with
// the tree. It takes some ten minutes and 3 GB of disk.
func BenchmarkLarge(b *testing.B) {
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	r := &run{load: load(), limits: largeLimits}
	r.program(b)
	r.state = b.TempDir()
	from, err := goSources()
	if err != nil {
		b.Fatal(err)
	}
	if r.tree, err = growLarge(from, filepath.Join(b.TempDir(), "large"), largeCopies); err != nil {
		b.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func(*run) error
	}{{"cold index", (*run).cold}, {"a served index", (*run).servedLarge}} {
		begin := time.Now()
		if err := step.do(r); err != nil {
			r.table.print(os.Stdout)
			b.Fatalf("%s: %v", step.name, err)
		}
		fmt.Printf("%s: measured in %.0f s\n", step.name, time.Since(begin).Seconds())
	}
	fmt.Println()
	missed := r.table.print(os.Stdout)
	fmt.Printf("\n%d figures, %d missed; load average %s before, %s after\n", len(r.table.rows), missed, r.load, load())
	b.ReportMetric(float64(missed), "missed")
}

// growLarge copies a tree several times, each time with other words renamed, and lists the sources
// of the first copy.
func growLarge(from, to string, copies int) (*tree, error) {
	for i := range copies {
		if err := copyRenamed(from, filepath.Join(to, fmt.Sprintf("part%02d", i)), i); err != nil {
			return nil, err
		}
	}
	t := &tree{root: to}
	return t, t.listSources(filepath.Join(to, "part00"))
}

// copyRenamed copies the regular files of a folder, renaming the words chosen by the seed in Go
// files.
func copyRenamed(from, to string, seed int) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if seed > 0 && filepath.Ext(path) == ".go" {
			text = renamed(text, seed)
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}

// renamed appends a suffix that depends on the seed to a fifth of the words of a Go text, always
// the same ones. Keywords and short words stay.
func renamed(text []byte, seed int) []byte {
	ending := string(rune('a'+seed%26)) + "ax"
	var out bytes.Buffer
	out.Grow(len(text) + len(text)/8)
	for len(text) > 0 {
		n := 0
		for n < len(text) && isWord(text[n]) {
			n++
		}
		if n == 0 {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		out.Write(text[:n])
		if n > 3 && !keywords[string(text[:n])] {
			h := fnv.New32a()
			_, _ = h.Write(text[:n]) // never fails
			if (h.Sum32()>>8)%5 == uint32(seed)%5 {
				out.WriteString(ending)
			}
		}
		text = text[n:]
	}
	return out.Bytes()
}

func isWord(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' }

// keywords are Go's keywords that are long enough to be renamed.
var keywords = map[string]bool{
	"break": true, "case": true, "chan": true, "const": true, "continue": true, "default": true, "defer": true, "else": true,
	"fallthrough": true, "func": true, "goto": true, "import": true, "interface": true, "package": true, "range": true,
	"return": true, "select": true, "struct": true, "switch": true, "type": true,
}

// servedLarge measures a server that has started on the large index.
func (r *run) servedLarge() (err error) {
	c, err := start(r.bin, r.tree.root, r.state)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := c.stop(); err == nil {
			err = stopErr
		}
	}()
	for _, step := range []func(*client) error{r.restart, r.answers, r.saves, r.atRest} {
		if err := step(c); err != nil {
			return err
		}
	}
	return nil
}

// atRest returns the memory that an idle process holds.
func (r *run) atRest(c *client) error {
	if _, err := c.ready(100 * time.Millisecond); err != nil {
		return err
	}
	<-time.After(8 * time.Second)
	u, err := r.account(c)
	if err != nil {
		return err
	}
	anonymous, err := memory(c.cmd.Process.Pid, "RssAnon")
	if err != nil {
		return err
	}
	r.table.add("idle: RSS", mb(u.rss), r.limits.idle, " MiB", "after all the requests above; %.0f MiB of it are no files", mb(anonymous))
	return nil
}

func TestRenamedTellsCopiesApart(t *testing.T) {
	text := []byte("package files\n\n// ReadLines calls yield with every line of the file until there are no more, then closes what was opened.\nfunc ReadLines(name string) error { return openFile(name, readOnly, defaultMode).scanLines() }\n")
	seen := map[string]bool{}
	for seed := 1; seed < largeCopies; seed++ {
		out := string(renamed(text, seed))
		if seen[out] {
			t.Errorf("copy %d is as another: %s", seed, out)
		}
		seen[out] = true
		if !bytes.HasPrefix([]byte(out), []byte("package ")) || !bytes.Contains([]byte(out), []byte("\nfunc ")) {
			t.Errorf("copy %d has a keyword renamed: %s", seed, out)
		}
	}
}
