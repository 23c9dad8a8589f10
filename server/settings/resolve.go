package settings

import (
	"maps"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// DefaultSource is the source of a setting that no layer sets.
const DefaultSource = "default"

// Defaults returns the default settings.
func Defaults() Settings {
	var s Settings
	v := reflect.ValueOf(&s).Elem()
	for _, spec := range specs {
		setDefault(v.FieldByIndex(spec.index), spec.fallback)
	}
	return s
}

func setDefault(v reflect.Value, fallback string) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(fallback == "true")
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(fallback, 10, 64)
		if err != nil {
			panic("settings: bad default " + fallback)
		}
		v.SetInt(n)
	case reflect.String:
		v.SetString(fallback)
	case reflect.Slice:
		v.Set(reflect.ValueOf(append([]string{}, strings.Fields(fallback)...)))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// Resolve merges the layers into the defaults, later ones over earlier ones, and returns the
// settings and the problems of all layers, in order. A list or map replaces the earlier one as a
// whole.
func Resolve(layers ...Layer) (Settings, []Problem) {
	s := Defaults()
	s.sources = map[string]string{}
	var problems []Problem
	v := reflect.ValueOf(&s).Elem()
	for _, l := range layers {
		problems = append(problems, l.problems...)
		for key, value := range l.values {
			v.FieldByIndex(specs[key].index).Set(value)
			s.sources[key] = l.Source
		}
	}
	return s, problems
}

// Source returns the source of a setting's value: a layer's source, or [DefaultSource].
func (s Settings) Source(key string) string {
	if source, ok := s.sources[key]; ok {
		return source
	}
	return DefaultSource
}

// Entry is one setting with its current value.
type Entry struct {
	// Key of the setting.
	Key string
	// Value in force: a bool, an int, an int64, a string, a list of strings or a map; never nil.
	Value any
	// Source of the value, see [Settings.Source].
	Source string
}

// Explain lists all settings in alphabetical order. A password in a URL is not shown.
func (s Settings) Explain() []Entry {
	v := reflect.ValueOf(s)
	entries := make([]Entry, 0, len(specs))
	for _, key := range sorted {
		value := v.FieldByIndex(specs[key].index)
		if value.Kind() == reflect.Slice || value.Kind() == reflect.Map {
			value = orEmpty(value)
		}
		e := Entry{Key: key, Value: value.Interface(), Source: s.Source(key)}
		if key == "ollama.url" {
			e.Value = withoutPassword(s.Ollama.URL)
		}
		entries = append(entries, e)
	}
	return entries
}

// orEmpty returns a copy that is not nil, so that the caller may keep it.
func orEmpty(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Map {
		return reflect.ValueOf(maps.Clone(nonNil(v.Interface().(map[string]Prefix))))
	}
	return reflect.ValueOf(append([]string{}, v.Interface().([]string)...))
}

func nonNil(m map[string]Prefix) map[string]Prefix {
	if m == nil {
		return map[string]Prefix{}
	}
	return m
}

func withoutPassword(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		return raw
	}
	return u.Redacted()
}
