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
	maxRead    = 1500     // files, spread over all
	headBytes  = 12 << 10 // of one, for imports
	minFiles   = 5        // files from which a habit is measured
	habitShare = .8       // of the files that must agree
)

// habits counts the habits in the code of one language.
type habits struct {
	indents map[string]int // files by their form of indentation
	shown   map[string][]Evidence
	errors  map[string]int // lines by the form in which they create an error
	raised  map[string][]Evidence
}

// code reads a sample of the code: imports, indentation, and how errors are created.
func (s *survey) code() {
	var list []file
	for _, f := range s.files {
		if isCode(f.language) {
			list = append(list, f)
		}
	}
	step := max(1, (len(list)+maxRead-1)/maxRead)
	by := map[string]*habits{}
	for i := 0; i < len(list); i += step {
		f := list[i]
		text, ok := s.in.Read(f.path)
		if !ok {
			continue
		}
		s.imported(f.path, text)
		h := by[f.language]
		if h == nil {
			h = &habits{map[string]int{}, map[string][]Evidence{}, map[string]int{}, map[string][]Evidence{}}
			by[f.language] = h
		}
		h.read(f, text)
	}
	for _, language := range sortedKeys(by) {
		s.habits(language, by[language])
	}
}

func sortedKeys[T any](m map[string]T) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// errorForms matches the ways in which languages create errors; the first group is what creates it.
var errorForms = regexp.MustCompile(`\b(fmt\.Errorf|errors\.(?:New|Wrapf?|Join|Errorf)|xerrors\.\w+|anyhow!|bail!|ensure!|eyre!|raise (?:[a-z_]\w*\.)*[A-Z]\w+|throw new (?:[A-Za-z_]\w*\.)*[A-Z]\w+|throw [A-Z]\w+)`)

// read counts the habits in one file.
func (h *habits) read(f file, text string) {
	var in indentation
	n := 0
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		in.add(line, trimmed)
		if form := errorForm(line, trimmed); form != "" {
			h.errors[form]++
			if len(line) < 200 {
				h.showError(form, Evidence{f.path, n, trimmed})
			}
		}
	}
	if form := in.form(); form != "" {
		h.indents[form]++
		if len(h.shown[form]) < maxEvidence {
			h.shown[form] = append(h.shown[form], Evidence{Path: f.path})
		}
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

// showError keeps a line as evidence for a form of errors: the first of each file, up to a bound.
func (h *habits) showError(form string, e Evidence) {
	shown := h.raised[form]
	if len(shown) < maxEvidence && (len(shown) == 0 || shown[len(shown)-1].Path != e.Path) {
		h.raised[form] = append(shown, e)
	}
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

// habits adds what most of a language's files have in common.
func (s *survey) habits(language string, h *habits) {
	all := 0
	for _, n := range h.indents {
		all += n
	}
	for _, form := range sortedByCount(h.indents)[:min(1, len(h.indents))] {
		if n := h.indents[form]; all >= minFiles && float64(n) >= habitShare*float64(all) {
			s.add(Fact{Kind: Convention, Name: "indentation of " + language, Value: form, Count: n, Of: all, Evidence: h.shown[form]})
		}
	}
	const leastErrors, errorShare = 10, .3
	all = 0
	for _, n := range h.errors {
		all += n
	}
	for _, form := range sortedByCount(h.errors)[:min(2, len(h.errors))] {
		if n := h.errors[form]; n >= leastErrors && float64(n) >= errorShare*float64(all) {
			s.add(Fact{Kind: Convention, Name: "errors in " + language, Value: form, Count: n, Of: all, Evidence: h.raised[form]})
		}
	}
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
	seen := map[*wanted]bool{}
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
func (s *survey) dependency(name string) *wanted {
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
	list := make([]*wanted, 0, len(s.order))
	imports := false
	for _, k := range s.order {
		list = append(list, s.wanted[k])
		imports = imports || s.wanted[k].n > 0
	}
	slices.SortStableFunc(list, func(a, b *wanted) int {
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
