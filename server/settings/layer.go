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

// maxBytes bounds a settings file or section; what is larger was not written as one.
const maxBytes = 64 << 10

const (
	// maxParts bounds the parts of a key that are looked at; settings have two.
	maxParts = 8
	// maxProblems bounds what is reported of one source: a file with more is not a settings file,
	// and what comes after them, in the order of the keys, is not read.
	maxProblems = 50
)

// Problem is a setting, or a whole file, that does not hold.
type Problem struct {
	// Key of the setting; "" when the whole source is at fault.
	Key string
	// Source is the file's path, or what the editor's section is called.
	Source string
	// Message says what is wrong and what to do, for a person.
	Message string
	// Line in the file, from 1; 0 where there is none.
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

// Layer is one source of settings: the values that hold and the problems with the rest. The zero
// Layer sets nothing. A Layer is immutable.
type Layer struct {
	// Source is the file's path, or what the editor's section is called.
	Source string

	values   map[string]reflect.Value
	problems []Problem
}

// Problems returns what was wrong in the source.
func (l Layer) Problems() []Problem { return slices.Clone(l.problems) }

// Failed is a layer of a source that could not be read: it sets nothing and tells why.
func Failed(source string, err error) Layer {
	return Layer{Source: source, problems: []Problem{{Source: source, Message: err.Error()}}}
}

// UserTOML parses the user's own config.toml. path is the file's; relative identity.file starts
// there.
func UserTOML(path string, data []byte) Layer {
	return parseTOML(path, data, &reader{layer: Layer{Source: path}, dir: filepath.Dir(path)})
}

// workspaceTOML parses the .contexture.toml at path, whose folder is the root. What a repository
// may not set becomes a Problem. leaves reports whether a link below the root leads out of it; nil
// takes every path as it is written.
func workspaceTOML(path string, data []byte, leaves func(rel string) bool) Layer {
	r := &reader{layer: Layer{Source: path}, dir: filepath.Dir(path), confined: true, leaves: leaves}
	return parseTOML(path, data, r)
}

// EditorJSON parses the section `contexture` as the editor gives it: nested objects, dotted keys or
// both, bare or under the name of the section. null, for the whole or for one setting, sets
// nothing. source names it in problems and in [Settings.Explain], usually "editor".
func EditorJSON(source string, data []byte) Layer {
	if len(data) > maxBytes {
		return Failed(source, fmt.Errorf("must have at most %d bytes", maxBytes))
	}
	r := &reader{layer: Layer{Source: source}}
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

// internals are the names of packages and functions in the parser's errors, which tell a person
// nothing.
var internals = regexp.MustCompile(`\b(toml|strconv\.\w+): `)

// reader turns a parsed table into a layer.
type reader struct {
	layer    Layer
	lines    map[string]int // by key, of a file
	dir      string         // of the file
	confined bool           // to the root, which is dir
	seen     map[string]bool
	// leaves reports whether a path below dir leads out of it by a link; nil looks at no links.
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

// value converts what was given for a setting, and completes its paths.
func (r *reader) value(s *spec, raw any) (reflect.Value, error) {
	if r.confined && s.trust == never { // whatever it is
		return reflect.Value{}, errors.New("may not be set by a repository's file and is ignored; " + yourOwn)
	}
	v, leftOut, err := s.convert(raw)
	for _, item := range leftOut[:min(len(leftOut), maxProblems)] {
		r.problem(s.key, "%s; it is left out", item.Error())
	}
	if err == nil && r.confined {
		err = r.confine(s, v)
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

// yourOwn is where a person sets what a repository may not.
const yourOwn = "if you want it, set it in your own config.toml or in the editor"

// confine refuses a value that a repository's file, which may come from anybody, must not decide.
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

// paths are those that a setting of paths names: a single one or a list.
func paths(v reflect.Value) []string {
	if v.Kind() == reflect.String {
		return []string{v.String()}
	}
	return v.Interface().([]string)
}

// inside reports whether path stays in the root by its form. See ReadWorkspace for links.
func (r *reader) inside(path string) bool {
	if strings.HasPrefix(path, "~") {
		return false
	}
	return filepath.IsLocal(r.relative(path))
}

// relative returns path as the root's folder sees it; ".." where it cannot be reached from there.
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

// giveUp says that the rest of the source is not read, once.
func (r *reader) giveUp() {
	if len(r.layer.problems) < maxProblems {
		r.problem("", "has more than %d settings that do not hold; what comes after them, in the order of the alphabet, is not read", maxProblems-1)
	}
}

func (r *reader) problem(key, format string, args ...any) {
	r.layer.problems = append(r.layer.problems, Problem{
		Key: clipped(key), Source: r.layer.Source, Message: fmt.Sprintf(format, args...), Line: r.lines[key],
	})
}

// quoted returns text as it can stand in a message: on one line, and not longer than a person
// reads.
func quoted(text string) string { return strconv.Quote(clipped(text)) }

// clipped returns text, cut where it is longer than a person reads.
func clipped(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// hint names the setting that was probably meant, when only the case differs or the group is
// missing.
func hint(key string) string {
	for _, known := range sorted {
		if strings.EqualFold(known, key) || strings.HasSuffix(strings.ToLower(known), "."+strings.ToLower(key)) {
			return "; " + known + " is"
		}
	}
	return ""
}
