package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxBytes bounds a settings file or section; anything larger is not one.
const maxBytes = 64 << 10

const (
	// maxParts bounds the parts of a key that are examined; settings have two.
	maxParts = 8
	// maxProblems bounds the problems reported for one source: a file with more is not a settings
	// file, and the rest of it, in the order of the keys, is not read.
	maxProblems = 50
)

// Problem is an invalid setting or file.
type Problem struct {
	// Key of the setting; "" when the whole source is at fault.
	Key string
	// Source is the file's path, or the name of the editor's section.
	Source string
	// Message describes for a person what is wrong and what to do.
	Message string
	// Line in the file, from 1; 0 when unknown.
	Line int
}

// String returns the problem on one line, with its place first.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Source)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Key != "" {
		b.WriteString(": " + p.Key)
		b.WriteString(" " + p.Message)
		return b.String()
	}
	return b.String() + ": " + p.Message
}

// Layer is one source of settings: its valid values and the problems with the rest. The zero Layer
// sets nothing. A Layer is immutable.
type Layer struct {
	// Source is the file's path, or the name of the editor's section.
	Source string

	values   map[string]reflect.Value
	problems []Problem
}

// Problems returns the problems of the source.
func (l Layer) Problems() []Problem { return slices.Clone(l.problems) }

// Failed returns a layer for a source that could not be read: it sets nothing and has the error as
// its problem.
func Failed(source string, err error) Layer {
	return Layer{Source: source, problems: []Problem{{Source: source, Message: err.Error()}}}
}

// UserTOML parses the user's own config.toml. path is the file's; a relative identity.file is
// resolved from its folder.
func UserTOML(path string, data []byte) Layer {
	return parseTOML(path, data, &reader{layer: Layer{Source: path}, dir: filepath.Dir(path)})
}

// workspaceTOML parses the .contexture.toml at path, whose folder is the root. What a repository
// may not set becomes a Problem. leaves reports whether a link below the root leads out of it; nil
// accepts every path as written.
func workspaceTOML(path string, data []byte, leaves func(rel string) bool) Layer {
	r := &reader{layer: Layer{Source: path}, dir: filepath.Dir(path), confined: true, leaves: leaves}
	return parseTOML(path, data, r)
}

// EditorJSON parses the section `contexture` in the editor's form: nested objects, dotted keys or
// both, bare or under the name of the section. null, for the whole or for one setting, sets
// nothing. source names it in problems and in [Settings.Explain], usually "editor".
func EditorJSON(source string, data []byte) Layer {
	if len(data) > maxBytes {
		return Failed(source, fmt.Errorf("must have at most %d bytes", maxBytes))
	}
	r := &reader{layer: Layer{Source: source}, editor: true}
	if len(bytes.TrimSpace(data)) == 0 {
		return r.layer
	}
	var section any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	err := dec.Decode(&section)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the first value")
		}
	}
	if err != nil {
		return Failed(source, fmt.Errorf("is not JSON and is ignored: %w", err))
	}
	switch table := section.(type) {
	case nil:
	case map[string]any:
		if inner, ok := table["contexture"].(map[string]any); ok && len(table) == 1 {
			table = inner
		}
		r.table("", table)
	default:
		return Failed(source, fmt.Errorf("must be an object, not %s", describe(section)))
	}
	return r.layer
}

func parseTOML(path string, data []byte, r *reader) Layer {
	if len(data) > maxBytes {
		return Failed(path, fmt.Errorf("is ignored: it has more than %d bytes", maxBytes))
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		return Failed(path, errors.New("is UTF-16 text and is ignored; save it as UTF-8"))
	}
	var table map[string]any
	if err := toml.Unmarshal(data, &table); err != nil {
		p := Problem{Source: path, Message: "is not valid TOML and is ignored: " + internals.ReplaceAllString(err.Error(), "")}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			p.Line, _ = at.Position()
		}
		return Layer{Source: path, problems: []Problem{p}}
	}
	r.lines = tomlLines(data)
	r.table("", table)
	return r.layer
}

// internals matches the names of packages and functions in the parser's errors, which do not help a
// person.
var internals = regexp.MustCompile(`\b(toml|strconv\.\w+): `)

// reader converts a parsed table to a layer.
type reader struct {
	layer    Layer
	lines    map[string]int // by key, of a file
	dir      string         // of the file
	confined bool           // to the root, which is dir
	editor   bool           // it reads an editor's section
	seen     map[string]bool
	// leaves reports whether a link leads a path below dir out of it; nil ignores links.
	leaves func(rel string) bool
}

// table reads the members of a table, whose key is prefix without its last dot.
func (r *reader) table(prefix string, table map[string]any) {
	for _, name := range sortedKeys(table) {
		if len(r.layer.problems) >= maxProblems-1 {
			r.giveUp()
			return
		}
		key, value := prefix+name, table[name]
		inner, isTable := value.(map[string]any)
		s := specs[key]
		switch {
		case value == nil:
		case s != nil:
			r.set(s, value)
		case isTable && (isGroup(key) || len(inner) > 0) && strings.Count(key, ".") < maxParts:
			r.table(key+".", inner)
		case isGroup(key):
			r.problem(key, "is a group of settings and must be an object, not %s", describe(value))
		default:
			r.problem(key, "is not a setting%s", hint(key))
		}
	}
}

func (r *reader) set(s *spec, raw any) {
	if r.seen[s.key] {
		r.problem(s.key, "is given twice, nested and dotted; the nested one counts")
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[s.key] = true
	v, err := r.value(s, raw)
	if err != nil {
		r.problem(s.key, "%s", err.Error())
		return
	}
	if r.layer.values == nil {
		r.layer.values = map[string]reflect.Value{}
	}
	r.layer.values[s.key] = v
}

// value converts a value for a setting, and resolves its paths.
func (r *reader) value(s *spec, raw any) (reflect.Value, error) {
	if r.confined && s.trust == never { // for any value
		return reflect.Value{}, errors.New("may not be set by a repository's file and is ignored; " + yourOwn)
	}
	v, leftOut, err := s.convert(raw)
	for _, item := range leftOut[:min(len(leftOut), maxProblems)] {
		r.problem(s.key, "%s; it is left out", item.Error())
	}
	if err == nil && r.confined {
		err = r.confine(s, v)
	}
	if err == nil && r.editor && s.files && fmt.Sprint(v) != s.fallback {
		err = errors.New("is for assistants' hooks, which no editor runs, and is ignored; set it in your config.toml or in the root's " + WorkspaceFile)
	}
	switch {
	case err != nil:
	case s.key == "identity.file" && r.dir != "":
		v.SetString(r.absolute(v.String()))
	case r.confined && s.key == "preferences.files":
		list := paths(v)
		for i, path := range list {
			list[i] = r.relative(path)
		}
	}
	return v, err
}

// yourOwn names where a person sets what a repository may not.
const yourOwn = "if you want it, set it in your own config.toml or in the editor"

// confine refuses a value that a repository's file, which anybody may have written, must not set.
func (r *reader) confine(s *spec, v reflect.Value) error {
	switch {
	case s.trust == onlyOff && v.Bool():
		return errors.New("may only be switched off by a repository's file, so true is ignored; " + yourOwn)
	case s.trust != inRoot:
		return nil
	}
	for _, path := range paths(v) {
		switch {
		case path == "":
		case !r.inside(path):
			return fmt.Errorf("names %s, which is outside the repository, and is ignored; %s", quoted(path), yourOwn)
		case r.leaves != nil && r.leaves(r.relative(path)):
			return fmt.Errorf("names %s, a link that is absolute or leads out of the repository, and is ignored; %s", quoted(path), yourOwn)
		}
	}
	return nil
}

// paths returns the paths in a setting: a single one or a list.
func paths(v reflect.Value) []string {
	if v.Kind() == reflect.String {
		return []string{v.String()}
	}
	return v.Interface().([]string)
}

// inside reports whether path stays in the root, judging by its form. See ReadWorkspace for links.
func (r *reader) inside(path string) bool {
	if strings.HasPrefix(path, "~") {
		return false
	}
	return filepath.IsLocal(r.relative(path))
}

// relative returns path relative to the root's folder; ".." when it is outside.
func (r *reader) relative(path string) string {
	rel, err := filepath.Rel(r.dir, r.absolute(path))
	if err != nil {
		return ".."
	}
	return rel
}

func (r *reader) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~/") {
		return path
	}
	return filepath.Join(r.dir, path)
}

// giveUp reports, once, that the rest of the source is not read.
func (r *reader) giveUp() {
	if len(r.layer.problems) < maxProblems {
		r.problem("", "has more than %d invalid settings; those after them, in alphabetical order, are not read", maxProblems-1)
	}
}

func (r *reader) problem(key, format string, args ...any) {
	r.layer.problems = append(r.layer.problems, Problem{
		Key: clipped(key), Source: r.layer.Source, Message: fmt.Sprintf(format, args...), Line: r.lines[key],
	})
}

// quoted returns text as quoted in a message: on one line, and clipped.
func quoted(text string) string { return strconv.Quote(clipped(text)) }

// clipped returns text, cut to a length that a person reads.
func clipped(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// hint names the setting that was probably meant, if only the case differs or the group is missing.
func hint(key string) string {
	for _, known := range sorted {
		if strings.EqualFold(known, key) || strings.HasSuffix(strings.ToLower(known), "."+strings.ToLower(key)) {
			return "; " + known + " is"
		}
	}
	return ""
}
