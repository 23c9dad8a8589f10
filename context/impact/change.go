package impact

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/history"
)

// The ways in which a file or a definition may have changed.
const (
	Changed = "changed"
	Added   = "added"
	Removed = "removed"
)

// File is a changed file.
type File struct {
	Path, Language string
	How            string // Changed, Added or Removed
	Definitions    []Definition
	Lines          []string // added or removed, with each repetition
	names          map[string]bool
}

// Definition is a definition of a changed file.
type Definition struct {
	chunk.Symbol
	How     string // "" for one that did not change
	Current bool   // its lines are those of the later state
}

// Read parses the sides of changed files until ctx ends. Texts must be as [indexer.Snapshot.Text]
// returns them; of a file without texts, and of one after ctx's end, only the path is known.
func Read(ctx context.Context, changes []history.Change) []File {
	p := chunk.NewParser(chunk.Options{})
	defer p.Close()
	out := make([]File, 0, len(changes))
	for _, c := range changes {
		if ctx.Err() != nil {
			c.Before, c.After = nil, nil
		}
		if f, changed := read(p, c); changed {
			out = append(out, f)
		}
	}
	return out
}

// read parses the sides of a file; changed is false when both are the same.
func read(p *chunk.Parser, c history.Change) (f File, changed bool) {
	c.Before, c.After = normal(c.Before), normal(c.After)
	if c.Before != nil && c.After != nil && bytes.Equal(c.Before, c.After) {
		return f, false
	}
	f = File{Path: c.Path, How: Changed, names: map[string]bool{}}
	switch {
	case c.Removed:
		f.How = Removed
	case c.Added:
		f.How = Added
	}
	before, after := own(p, c.Path, c.Before), own(p, c.Path, c.After)
	f.Language = cmp.Or(after.language, before.language, chunk.Language(c.Path, nil))
	f.Lines = changedLines(c.Before, c.After)
	f.compare(before, after)
	return f, true
}

// normal returns a text with the line ends of Unix, nil for one that is binary.
func normal(text []byte) []byte {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// side is one side of a file: its definitions, each with the text that is no other one's.
type side struct {
	language string
	symbols  []chunk.Symbol
	texts    map[symbolKey][]string
	keys     []symbolKey // by symbol
}

// symbolKey identifies a definition on both sides; nth counts those that are equal otherwise.
type symbolKey struct {
	container, name, kind string
	nth                   int
}

// own parses a side.
func own(p *chunk.Parser, path string, text []byte) side {
	s := side{texts: map[symbolKey][]string{}}
	if text == nil {
		return s
	}
	parsed := p.Parse(path, text)
	s.language, s.symbols = parsed.Language, parsed.Symbols
	lines := strings.Split(string(text), "\n")
	owner := make([]int, len(lines)) // 1 + the innermost symbol of each line
	for i, y := range s.symbols {    // inner ones come later
		for n := y.Line; n <= min(y.EndLine, len(lines)-1); n++ {
			owner[n] = i + 1
		}
	}
	s.keys = make([]symbolKey, len(s.symbols))
	for i, y := range s.symbols {
		k := symbolKey{y.Container, y.Name, y.Kind, 0}
		for s.texts[k] != nil {
			k.nth++
		}
		s.keys[i], s.texts[k] = k, []string{}
	}
	for n, line := range lines {
		if line = strings.TrimSpace(line); owner[n] > 0 && line != "" {
			k := s.keys[owner[n]-1]
			s.texts[k] = append(s.texts[k], line)
		}
	}
	return s
}

// compare sets the definitions of the file and how each changed.
func (f *File) compare(before, after side) {
	for i, y := range after.symbols {
		d := Definition{Symbol: y, Current: true}
		switch old, known := before.texts[after.keys[i]]; {
		case !known:
			d.How = Added
		case !slices.Equal(old, after.texts[after.keys[i]]):
			d.How = Changed
		}
		f.add(d)
	}
	for i, y := range before.symbols {
		if _, stays := after.texts[before.keys[i]]; !stays {
			f.add(Definition{Symbol: y, How: Removed})
		}
	}
}

func (f *File) add(d Definition) {
	f.Definitions = append(f.Definitions, d)
	f.names[d.Name] = f.names[d.Name] || d.How != ""
}

// changedLines returns the lines that only one of two texts has, or has more often.
func changedLines(before, after []byte) (out []string) {
	count := map[string]int{}
	for line := range strings.Lines(string(after)) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(string(before)) {
		if line = strings.TrimSpace(line); count[line] > 0 {
			count[line]--
		} else if line != "" {
			out = append(out, line)
		}
	}
	for line := range strings.Lines(string(after)) {
		if line = strings.TrimSpace(line); line != "" && count[line] > 0 {
			count[line]--
			out = append(out, line)
		}
	}
	return out
}

// isTest reports whether the file is code of tests.
func (f *File) isTest() bool { return retrieve.IsTestCode(f.Path, f.Language) }

// touched returns the definitions that changed.
func (f *File) touched() (out []Definition) {
	for _, d := range f.Definitions {
		if d.How != "" {
			out = append(out, d)
		}
	}
	return out
}

// Names returns the names of the definitions that changed, with their containers and, where that is
// clear, alone; and those of the file's others.
func (f *File) Names() (touched []string, others map[string]bool) {
	others = map[string]bool{}
	for _, d := range f.Definitions {
		if d.How == "" {
			others[d.Name] = !f.names[d.Name]
			continue
		}
		if touched = append(touched, d.Name); d.Container != "" {
			touched = append(touched, strings.TrimLeft(d.Container, "*&")+"."+d.Name)
		}
	}
	return touched, others
}
