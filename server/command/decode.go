package command

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// argumentsPath is the field that is named when the arguments as a whole are at fault.
const argumentsPath = "arguments"

// Decode decodes a command's arguments into args, a pointer to one of the argument types of this
// package, and fills in defaults. It is strict: an unknown or repeated field, a missing one, a
// wrong type, a value out of range or over a limit, and nesting deeper than [MaxDepth] are
// InvalidParams errors that name the field by its path. Names are compared exactly. Numbers without
// a fraction are integers in any notation (12000.0). An optional field may be null. Invalid UTF-8
// and lone surrogates in strings become U+FFFD, as in encoding/json.
//
// raw is `arguments` of executeCommand: nothing, null and no elements all mean {}.
func Decode(raw []json.RawMessage, args any) error {
	if err := decodeArguments(raw, args); err != nil {
		return err
	}
	return nil
}

func decodeArguments(raw []json.RawMessage, args any) *Error {
	if len(raw) > 1 {
		return InvalidParams(argumentsPath+"[1]", "a command takes one object, not %d arguments", len(raw))
	}
	data := []byte("{}")
	if len(raw) == 1 && len(raw[0]) > 0 {
		data = raw[0]
	}
	if len(data) > MaxRequestBytes {
		return InvalidParams(argumentsPath, "must have at most %d bytes", MaxRequestBytes)
	}
	s := newScanner(data)
	if s.null() {
		if err := s.end(argumentsPath + "[0]"); err != nil {
			return err
		}
		s = newScanner([]byte("{}"))
	}
	switch kind := s.peek(); kind {
	case kindObject:
	case kindInvalid:
		return s.invalid(argumentsPath + "[0]")
	default:
		return InvalidParams(argumentsPath+"[0]", "must be an object, not %s", kind)
	}
	v := reflect.ValueOf(args).Elem()
	if err := s.value(planOf(v.Type()), v, "", &rules{}, nil); err != nil {
		return err
	}
	return s.end(argumentsPath + "[0]")
}

// value decodes one value into v by the plan p. The rules are those of the field that the value
// belongs to; for elements of lists and maps, f is that field.
func (s *scanner) value(p *plan, v reflect.Value, path string, r *rules, f *fieldPlan) *Error {
	switch p.kind {
	case planPointer:
		fresh := reflect.New(p.elem.typ)
		if err := s.value(p.elem, fresh.Elem(), path, r, f); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	case planRaw:
		raw, err := s.raw(path)
		v.SetBytes(raw)
		return err
	case planStruct:
		return s.object(p, v, path)
	case planMap:
		return s.mapping(p, v, path, f)
	case planList:
		return s.list(p, v, path, f)
	case planBool:
		return s.readBool(v, path)
	case planInt, planFloat:
		return s.numeric(p, v, path, r)
	}
	return s.readText(p, v, path, r)
}

func (s *scanner) object(p *plan, v reflect.Value, path string) *Error {
	if err := s.expect(kindObject, path); err != nil {
		return err
	}
	if err := s.enter(path); err != nil {
		return err
	}
	seen := make([]presence, len(p.fields))
	for {
		more, err := s.more(path)
		if err != nil {
			return err
		}
		if !more {
			return p.complete(v, seen, path)
		}
		name, err := s.text(path)
		if err != nil {
			return err
		}
		at := join(path, name)
		i, known := p.byName[name]
		switch {
		case !known:
			return InvalidParams(at, "is not known%s", p.hint(name))
		case seen[i] != absent:
			return InvalidParams(at, "is given twice")
		}
		f := &p.fields[i]
		// null stands for "absent", except where any JSON value is allowed and null is one.
		if f.plan.kind != planRaw && s.null() {
			seen[i] = null
			continue
		}
		seen[i] = present
		if err := s.value(f.plan, v.FieldByIndex(f.index), at, &f.rules, f); err != nil {
			return err
		}
	}
}

// presence is the state of a field in an object.
type presence uint8

const (
	absent presence = iota
	null
	present
)

// complete fills in the missing fields of the object v, and checks it as a whole.
func (p *plan) complete(v reflect.Value, seen []presence, path string) *Error {
	for i := range p.fields {
		if seen[i] == present {
			continue
		}
		f := &p.fields[i]
		if f.rules.required {
			return InvalidParams(join(path, f.name), "is required")
		}
		setDefault(v.FieldByIndex(f.index), f.rules.fallback)
	}
	if c, ok := v.Addr().Interface().(checker); ok {
		return c.check(path)
	}
	return nil
}

// hint names the field that was probably meant, if only the case differs.
func (p *plan) hint(name string) string {
	for i := range p.fields {
		if strings.EqualFold(p.fields[i].name, name) {
			return "; " + p.fields[i].name + " is"
		}
	}
	return ""
}

func (s *scanner) list(p *plan, v reflect.Value, path string, f *fieldPlan) *Error {
	if err := s.expect(kindList, path); err != nil {
		return err
	}
	if err := s.enter(path); err != nil {
		return err
	}
	out := reflect.MakeSlice(p.typ, 0, 0)
	for {
		more, err := s.more(path)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		n := out.Len()
		if span := f.rules.items; span != nil && n >= span[1] {
			return within(n+1, span, "items", path)
		}
		at := path + "[" + strconv.Itoa(n) + "]"
		out = reflect.Append(out, reflect.Zero(p.elem.typ))
		if err := s.value(p.elem, out.Index(n), at, &f.each, nil); err != nil {
			return err
		}
	}
	v.Set(out)
	if span := f.rules.items; span != nil {
		return within(out.Len(), span, "items", path)
	}
	return nil
}

func (s *scanner) mapping(p *plan, v reflect.Value, path string, f *fieldPlan) *Error {
	if err := s.expect(kindObject, path); err != nil {
		return err
	}
	if err := s.enter(path); err != nil {
		return err
	}
	out := reflect.MakeMap(p.typ)
	seen := map[string]bool{}
	for {
		more, err := s.more(path)
		if err != nil {
			return err
		}
		if !more {
			v.Set(out)
			return nil
		}
		name, err := s.text(path)
		if err != nil {
			return err
		}
		at := join(path, name)
		if seen[name] {
			return InvalidParams(at, "is given twice")
		}
		seen[name] = true
		if err := f.keys.text(&name, at); err != nil {
			return InvalidParams(at, "is not known: %s", err.Message)
		}
		if s.null() {
			continue
		}
		elem := reflect.New(p.elem.typ).Elem()
		if err := s.value(p.elem, elem, at, &f.each, nil); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(name), elem)
	}
}

func (s *scanner) readBool(v reflect.Value, path string) *Error {
	if err := s.expect(kindBool, path); err != nil {
		return err
	}
	given, err := s.boolean(path)
	v.SetBool(given)
	return err
}

func (s *scanner) numeric(p *plan, v reflect.Value, path string, r *rules) *Error {
	if err := s.expect(kindNumber, path); err != nil {
		return err
	}
	lit, err := s.text(path)
	if err != nil {
		return err
	}
	if p.kind == planInt {
		n, ok := parseInt(lit)
		if !ok || int64(int(n)) != n {
			return InvalidParams(path, "must be an integer, not %s", clip(lit))
		}
		v.SetInt(n)
		return r.number(float64(n), path)
	}
	n, parseErr := strconv.ParseFloat(lit, 64)
	if parseErr != nil || math.IsInf(n, 0) {
		return InvalidParams(path, "is out of range: %s", clip(lit))
	}
	v.SetFloat(n)
	return r.number(n, path)
}

// readText decodes a string, or a value that is written as one.
func (s *scanner) readText(p *plan, v reflect.Value, path string, r *rules) *Error {
	if r.format == "turnRef" && s.peek() == kindNumber {
		return s.turnNumber(v, path)
	}
	if err := s.expect(kindString, path); err != nil {
		return err
	}
	str, err := s.text(path)
	if err != nil {
		return err
	}
	if p.kind == planTime {
		return parseTime(str, v, path)
	}
	if err := r.text(&str, path); err != nil {
		return err
	}
	v.SetString(str)
	return nil
}

func (s *scanner) turnNumber(v reflect.Value, path string) *Error {
	lit, err := s.text(path)
	if err != nil {
		return err
	}
	n, ok := parseInt(lit)
	if !ok || n < 1 || int64(int(n)) != n {
		return InvalidParams(path, "must be a turn id, T-<n> with n from 1, or its number")
	}
	v.SetString(TurnID(int(n)))
	return nil
}

// rfc3339 is the form of a time, without the ranges of its parts.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

func parseTime(str string, v reflect.Value, path string) *Error {
	// time.Parse accepts more than RFC 3339 allows, such as one-digit hours and commas, and does
	// not accept its lower-case letters.
	t, err := time.Parse(time.RFC3339, strings.ToUpper(str))
	if err != nil || !rfc3339.MatchString(str) {
		return InvalidParams(path, "must be an RFC 3339 time, such as 2026-10-31T09:30:00Z")
	}
	if y := t.UTC().Year(); y < 0 || y > 9999 {
		return InvalidParams(path, "must be within the years 0 to 9999 in UTC")
	}
	v.Set(reflect.ValueOf(Time{t.UTC()}))
	return nil
}

// expect returns an error when the next value is not of the given kind.
func (s *scanner) expect(kind, path string) *Error {
	switch got := s.peek(); got {
	case kind:
		return nil
	case kindInvalid:
		return s.invalid(path)
	default:
		return InvalidParams(pathOr(path, argumentsPath), "must be %s, not %s", kind, got)
	}
}

// setDefault sets v, which is still zero, to the default in the tag.
func setDefault(v reflect.Value, fallback string) {
	if fallback == "" {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fallback)
	case reflect.Bool:
		v.SetBool(fallback == "true")
	case reflect.Int:
		n, _ := strconv.ParseInt(fallback, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		n, _ := strconv.ParseFloat(fallback, 64)
		v.SetFloat(n)
	}
}

// join appends a member's name to a path. The caller chose the name: if it is too long, it is cut.
func join(path, name string) string {
	if name == "" {
		name = `""` // makes an empty name visible in the path
	}
	if path == "" {
		return clip(name)
	}
	return path + "." + clip(name)
}

func pathOr(path, otherwise string) string {
	if path == "" {
		return otherwise
	}
	return path
}

// clip shortens a caller's text to fit into a message.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
