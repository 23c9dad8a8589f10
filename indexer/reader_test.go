package indexer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const threeFunctions = `package p

// First is the first.
func First() int {
	return 1
}

// Second is the second.
func Second() int {
	return 2
}
`

// TestReaderGates changes a file before the index notices; the chunk that defines Second is read
// afterwards.
func TestReaderGates(t *testing.T) {
	big := strings.Repeat("\t_ = append([]int{}, 1, 2, 3, 4, 5, 6, 7, 8, 9)\n", 12)
	indexed := strings.NewReplacer("\treturn 1\n", big+"\treturn 1\n", "\treturn 2\n", big+"\treturn 2\n").Replace(threeFunctions)
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.WriteFile(outside, []byte(indexed), 0o644); err != nil {
		t.Fatal(err)
	}
	const file = "dir/p.go"
	tests := []struct {
		name   string
		change func(w workspace)
		gate   Gate
		holds  string
	}{
		{"nothing", func(workspace) {}, "", "func Second() int"},
		{"lines before", func(w workspace) {
			w.write(file, strings.Replace(indexed, "package p\n", "package p\n\nimport \"fmt\"\n\nvar _ = fmt.Sprint\n", 1))
		}, "", "func Second() int"},
		{"its own text", func(w workspace) { w.write(file, strings.Replace(indexed, "return 2", "return 22", 1)) }, "", "return 22"},
		{"another order", func(w workspace) {
			at := strings.Index(indexed, "// Second")
			w.write(file, "package p\n\n"+indexed[at:]+"\n"+indexed[len("package p\n\n"):at])
		}, "", "func Second() int"},
		{"emptied", func(w workspace) { w.write(file, "") }, Stale, ""},
		{"deleted", func(w workspace) { w.remove(file) }, Stale, ""},
		{"its folder deleted", func(w workspace) { w.remove("dir") }, Stale, ""},
		{"a folder in its place", func(w workspace) { w.remove(file); w.write(file+"/x", "x") }, Stale, ""},
		{"binary", func(w workspace) { w.write(file, "\x7fELF\x00\x01\x02"+strings.Repeat("\x00", 100)) }, Binary, ""},
		{"a link out of the root", func(w workspace) { w.remove(file); w.must(os.Symlink(outside, w.abs(file))) }, OutsideRoot, ""},
		{"its folder a link out of the root", func(w workspace) {
			w.remove("dir")
			other := w.t.TempDir()
			w.must(os.WriteFile(filepath.Join(other, "p.go"), []byte(indexed), 0o644))
			w.must(os.Symlink(other, w.abs("dir")))
		}, OutsideRoot, ""},
		{"too large", func(w workspace) { w.write(file, indexed+strings.Repeat("// more\n", 200_000)) }, Excluded, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write(file, indexed)
			s := w.index().current.Load()
			f, ok := s.File(file)
			defs := s.Symbols().Definitions("Second", 1)
			if !ok || len(defs) != 1 {
				t.Fatalf("not indexed: %v, %v", ok, defs)
			}
			id, _ := s.ChunkAt(f, defs[0].Line)
			tt.change(w)
			c, text, gate := s.NewReader().Chunk(id)
			if gate != tt.gate || !strings.Contains(string(text), tt.holds) {
				t.Fatalf("gate %q, text %q", gate, text)
			}
			if gate != "" {
				if text != nil {
					t.Errorf("text came through the gate: %q", text)
				}
				return
			}
			now, err := os.ReadFile(w.abs(file))
			w.must(err)
			if string(now[c.Start:c.End]) != string(text) || c.Path != file || c.ID != id {
				t.Errorf("the place does not fit the text: %+v", c)
			}
			lines := strings.Split(string(now), "\n")
			if first, _, _ := strings.Cut(string(text), "\n"); lines[c.StartLine] != first && !strings.HasSuffix(lines[c.StartLine], first) {
				t.Errorf("line %d is %q, the text starts with %q", c.StartLine, lines[c.StartLine], first)
			}
		})
	}
}

// A file that an ignore file names since it was indexed.
func TestReaderAsksTheRules(t *testing.T) {
	w := newWorkspace(t)
	w.write("secret.go", "package p\n\nfunc Secret() {}\n")
	x := w.index(watched)
	w.write(".gitignore", "secret.go\n")
	until(t, x, "the ignored file to go", hasNot("secret.go"))
}

// A reader reads each file once: its answers do not change during a request.
func TestReaderIsConsistent(t *testing.T) {
	w := newWorkspace(t)
	w.write("p.go", threeFunctions)
	s := w.index().current.Load()
	r := s.NewReader()
	_, before, _ := r.Chunk(0)
	kept := string(before)
	w.write("p.go", "package p\n")
	if _, after, gate := r.Chunk(0); gate != "" || string(after) != kept {
		t.Errorf("gate %q, text %q after %q", gate, after, kept)
	}
}

// CRLF, byte order marks and UTF-16 are read as they were indexed.
func TestReaderReadsWhatWasIndexed(t *testing.T) {
	crlf := strings.ReplaceAll(threeFunctions, "\n", "\r\n")
	utf16 := []byte{0xff, 0xfe}
	for _, c := range threeFunctions {
		utf16 = append(utf16, byte(c), byte(c>>8))
	}
	for name, text := range map[string]string{"plain": threeFunctions, "crlf": crlf, "bom": "\ufeff" + threeFunctions, "utf16": string(utf16), "invalid": "package p\n\n// \xff\xfe\nfunc Second() {}\n"} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write("p.go", text)
			s := w.index().current.Load()
			defs := s.Symbols().Definitions("Second", 2)
			if len(defs) != 1 {
				t.Fatalf("definitions %v", defs)
			}
			r := s.NewReader()
			for id := range s.Chunks() {
				c, got, gate := r.Chunk(id)
				if gate != "" || len(got) != c.End-c.Start {
					t.Errorf("chunk %d: gate %q, %d bytes for %d to %d", id, gate, len(got), c.Start, c.End)
				}
			}
			id, _ := s.ChunkAt(defs[0].File, defs[0].Line)
			if _, got, _ := r.Chunk(id); !strings.Contains(string(got), "func Second") {
				t.Errorf("text %q", got)
			}
		})
	}
}

func TestManyChunks(t *testing.T) {
	w := newWorkspace(t)
	var b strings.Builder
	b.WriteString("package big\n")
	for i := range 300 {
		fmt.Fprintf(&b, "\n// Big%d is one of many.\nfunc Big%d() string {\n\treturn %q\n}\n", i, i, strings.Repeat("long text ", 20))
	}
	w.write("big.go", b.String())
	s := w.index().current.Load()
	if s.Chunks() < 20 {
		t.Fatalf("%d chunks", s.Chunks())
	}
	end := 0
	for id := range s.Chunks() {
		c := s.Chunk(id)
		if c.Start < end || c.StartLine != strings.Count(b.String()[:c.Start], "\n") {
			t.Errorf("chunk %d: %d to %d at line %d, the one before ends at %d", id, c.Start, c.End, c.StartLine, end)
		}
		end = c.End
		if got, ok := s.ChunkAt(0, c.StartLine); !ok || got != id {
			t.Errorf("line %d is said to lie in chunk %d, not %d", c.StartLine, got, id)
		}
	}
}
