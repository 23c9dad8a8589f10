package chunk

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden listings anew")

// goldenSuffix marks the listing of the file before it in an archive.
const goldenSuffix = ".golden"

// goldenTarget is small, so that short samples show how definitions are cut.
const goldenTarget = 120

// TestGolden holds the samples of each language to their listings.
func TestGolden(t *testing.T) {
	p := NewParser(Options{TargetTokens: goldenTarget})
	defer p.Close()
	for _, archive := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			goldens := map[string]string{}
			var sources []txtar.File
			for _, f := range a.Files {
				if name, ok := strings.CutSuffix(f.Name, goldenSuffix); ok {
					goldens[name] = string(f.Data)
				} else {
					sources = append(sources, f)
				}
			}
			a.Files = nil
			for _, f := range sources {
				file := p.Parse(f.Name, f.Data)
				if err := verify(f.Data, file, goldenTarget); err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
				got := list(file, f.Data)
				if want := goldens[f.Name]; got != want && !*update {
					t.Errorf("%s: got\n%swant\n%s", f.Name, got, want)
				}
				a.Files = append(a.Files, f, txtar.File{Name: f.Name + goldenSuffix, Data: []byte(got)})
			}
			if *update {
				if err := os.WriteFile(archive, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func archives(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	return all
}

// samples are the source files of all archives, by archive and name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, archive := range archives(t) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, goldenSuffix) {
				all[f.Name] = f.Data
			}
		}
	}
	return all
}

// list is the golden form of a file: one line a chunk, symbol, comment.
func list(file File, src []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "language %s\n", file.Language)
	if file.Problem != "" {
		fmt.Fprintf(&b, "problem %s\n", file.Problem)
	}
	if file.Doc.End > file.Doc.Start {
		fmt.Fprintf(&b, "doc %q\n", src[file.Doc.Start:file.Doc.End])
	}
	if len(file.Imports) > 0 {
		fmt.Fprintf(&b, "imports %s\n", strings.Join(file.Imports, ", "))
	}
	for _, c := range file.Chunks {
		fmt.Fprintf(&b, "chunk %d-%d %s %q", c.StartLine+1, c.EndLine+1, c.Kind, c.Title)
		if len(c.Enclosing) > 0 {
			fmt.Fprintf(&b, " in %s", strings.Join(c.Enclosing, " > "))
		}
		if c.Header != "" {
			fmt.Fprintf(&b, " header %q", c.Header)
		}
		if len(c.Symbols) > 0 {
			fmt.Fprintf(&b, " defines %s", strings.Join(c.Symbols, " "))
		}
		b.WriteString("\n")
	}
	for _, s := range file.Symbols {
		name := s.Name
		if s.Container != "" {
			name = s.Container + " . " + name
		}
		fmt.Fprintf(&b, "%s %s %d-%d\n", s.Kind, name, s.Line+1, s.EndLine+1)
	}
	if len(file.Refs) > 0 {
		b.WriteString("refs")
		for _, r := range file.Refs {
			fmt.Fprintf(&b, " %s", r.Name)
			if r.Count > 1 {
				fmt.Fprintf(&b, "×%d", r.Count)
			}
		}
		b.WriteString("\n")
	}
	for _, c := range file.Comments {
		fmt.Fprintf(&b, "comment %q\n", clip(strings.ToValidUTF8(string(src[c.Start:c.End]), "?"), 50))
	}
	return b.String()
}
