package survey

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Bounds of the code that is read.
const (
	maxRead   = 1500     // files, spread over all
	headBytes = 12 << 10 // of one, for imports
)

// code reads a sample of the code: imports, indentation, and how errors are created.
func (s *survey) code() {
	var list []file
	for _, f := range s.files {
		if isCode(f.language) {
			list = append(list, f)
		}
	}
	step := max(1, (len(list)+maxRead-1)/maxRead)
	indents, errors := tallies{}, tallies{} // of files by indentation, and of lines by how they create an error
	for i := 0; i < len(list); i += step {
		f := list[i]
		if text, ok := s.in.Read(f.path); ok {
			s.imported(f.path, text)
			readHabits(f, text, indents.of(f.language), errors.of(f.language))
		}
	}
	for _, language := range sorted(indents) {
		s.add(indents[language].common(fileHabit, 1, Convention, "indentation of "+language)...)
		s.add(errors[language].common(errorHabit, 2, Convention, "errors in "+language)...)
	}
}

// errorForms matches the ways in which languages create errors; the first group is what creates it.
var errorForms = regexp.MustCompile(`\b(fmt\.Errorf|errors\.(?:New|Wrapf?|Join|Errorf)|xerrors\.\w+|anyhow!|bail!|ensure!|eyre!|raise (?:[a-z_]\w*\.)*[A-Z]\w+|throw new (?:[A-Za-z_]\w*\.)*[A-Z]\w+|throw [A-Z]\w+)`)

// readHabits counts the habits in one file. Each form of errors is shown by its first line in a
// file.
func readHabits(f file, text string, indents, errors *tally) {
	var in indentation
	n := 0
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		in.add(line, trimmed)
		form := errorForm(line, trimmed)
		if form == "" {
			continue
		}
		if shown := errors.shown[form]; len(line) < 200 && (len(shown) == 0 || shown[len(shown)-1].Path != f.path) {
			errors.add(form, Evidence{f.path, n, trimmed})
		} else {
			errors.add(form)
		}
	}
	if form := in.form(); form != "" {
		indents.add(form, Evidence{Path: f.path})
	}
}

// errorForm returns the form in which a line creates an error, "" for a line that creates none.
func errorForm(line, trimmed string) string {
	form := errorForms.FindString(line)
	if form == "" || strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "#") {
		return ""
	}
	if form == "fmt.Errorf" && strings.Contains(line, "%w") {
		return "fmt.Errorf with %w"
	}
	return form
}

// indentation counts how the lines of a file are indented.
type indentation struct {
	tabs   int         // lines that begin with one
	steps  map[int]int // lines that are indented more than the previous one, by the number of characters
	before int         // indentation of the previous line
}

// add counts a line that is not empty.
func (in *indentation) add(line, trimmed string) {
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	step := indent - in.before
	switch {
	case strings.HasPrefix(line, "\t"):
		in.tabs++
	case step > 0 && step <= 8 && !strings.HasPrefix(trimmed, "*"):
		if in.steps == nil {
			in.steps = map[int]int{}
		}
		in.steps[step]++
	}
	in.before = indent
}

// form returns the form of most indented lines, "" when they are few or disagree.
func (in *indentation) form() string {
	form, most, all := "", 0, 0
	for size, count := range in.steps {
		if size == 1 {
			continue
		}
		if all += count; count > most || count == most && fmt.Sprint(size, " spaces") < form {
			form, most = fmt.Sprint(size, " spaces"), count
		}
	}
	if in.tabs > all {
		form, most, all = "tabs", in.tabs, in.tabs+all
	}
	if most > 2 && 10*most >= 6*all {
		return form
	}
	return ""
}

// importWords begin lines that import, in the languages that do so.
var importWords = []string{"import", "from", "use ", "using ", "require", "#include", "@import", "export", "const ", "var ", "let ", "\"", "_ \"", "pub use", "extern crate", "library(", "alias "}

var importName = regexp.MustCompile(`["'<]([^"'<>\s]+)["'>]|^(?:import|from|use|pub use|using|extern crate|alias)\s+(?:static\s+)?([\w.:/\\-]+)`)

// imported records which dependencies a file imports.
func (s *survey) imported(p, text string) {
	if len(s.wanted) == 0 {
		return
	}
	text = text[:min(len(text), headBytes)]
	seen := map[*dependency]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if i := slices.IndexFunc(importWords, func(w string) bool { return strings.HasPrefix(line, w) }); i < 0 {
			// a Go import may have a name of its own
			if j := strings.IndexByte(line, ' '); j < 0 || !strings.HasPrefix(line[j+1:], `"`) {
				continue
			}
		}
		if (strings.HasPrefix(line, "const ") || strings.HasPrefix(line, "var ") || strings.HasPrefix(line, "let ")) && !strings.Contains(line, "require(") {
			continue
		}
		for _, m := range importName.FindAllStringSubmatch(line, -1) {
			if w := s.dependency(cmp.Or(m[1], m[2])); w != nil && !seen[w] {
				seen[w] = true
				if w.n++; len(w.files) < 2 {
					w.files = append(w.files, p)
				}
			}
		}
	}
}

// importKey normalises the differences between a package's name in a manifest and in code.
func importKey(name string) string {
	return strings.NewReplacer("-", "_", "::", "/", ".", "/", `\`, "/").Replace(strings.ToLower(strings.Trim(name, "/")))
}

// dependency returns the dependency of an import: the longest prefix that is one.
func (s *survey) dependency(name string) *dependency {
	for k := importKey(name); k != ""; {
		if w := s.wanted[k]; w != nil {
			return w
		}
		i := strings.LastIndexByte(k, '/')
		if i < 0 {
			return nil
		}
		k = k[:i]
	}
	return nil
}

// dependencies adds those that most files import; those of a manifest whose imports have other
// names follow in its order, and development dependencies come last.
func (s *survey) dependencies() {
	list := make([]*dependency, 0, len(s.order))
	imports := false
	for _, k := range s.order {
		list = append(list, s.wanted[k])
		imports = imports || s.wanted[k].n > 0
	}
	slices.SortStableFunc(list, func(a, b *dependency) int {
		if a.development != b.development && (a.n == 0) == (b.n == 0) {
			if a.development {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.n, a.n)
	})
	for _, w := range list {
		f := Fact{Kind: Dependency, Name: w.name, Value: w.version, Evidence: []Evidence{w.evidence}}
		for _, p := range w.files {
			f.Evidence = append(f.Evidence, Evidence{Path: p})
		}
		if f.Count = w.n; w.development {
			f.Value = strings.TrimSpace(f.Value + " (development)")
		}
		if w.n > 0 {
			f.Of = w.n // the files that import it; see Evidence
		}
		s.add(f)
	}
}

// stem returns a file's name without its extensions, and its last extension.
func stem(p string) (name, ext string) {
	base := path.Base(p)
	ext = path.Ext(base)
	return strings.TrimSuffix(base, ext), ext
}
