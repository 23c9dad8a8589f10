package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// convert converts a parser's value to the setting's type and checks it. The error describes the
// problem for a person, without naming the key; leftOut has the problems of list items without
// which the list is valid.
func (s *spec) convert(raw any) (v reflect.Value, leftOut []error, err error) {
	if s.typ.Kind() == reflect.Slice {
		list, leftOut, err := s.list(raw)
		return reflect.ValueOf(list), leftOut, err
	}
	v, err = s.single(raw)
	return v, nil, err
}

// single is convert for a value that is not a list.
func (s *spec) single(raw any) (reflect.Value, error) {
	v := reflect.New(s.typ).Elem()
	switch s.typ.Kind() {
	case reflect.Bool:
		b, ok := raw.(bool)
		if !ok {
			return v, fmt.Errorf("must be true or false, not %s", describe(raw))
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, ok := integer(raw)
		if !ok {
			return v, fmt.Errorf("must be an integer, not %s", describe(raw))
		}
		if s.rules.ranged && (n < s.rules.min || n > s.rules.max) {
			return v, fmt.Errorf("must be from %d to %d", s.rules.min, s.rules.max)
		}
		v.SetInt(n)
	case reflect.String:
		str, ok := raw.(string)
		if !ok {
			return v, fmt.Errorf("must be a string, not %s", describe(raw))
		}
		v.SetString(str)
		return v, s.rules.text(str)
	case reflect.Map:
		prefixes, err := prefixes(raw)
		v.Set(reflect.ValueOf(prefixes))
		return v, err
	}
	return v, nil
}

// list reads a list of strings. Items that break a rule are left out; a list without any other item
// is invalid.
func (s *spec) list(raw any) (list []string, leftOut []error, err error) {
	if b, ok := raw.(bool); ok && s.rules.orBool {
		if b {
			return []string{AnyHost}, nil, nil
		}
		return []string{}, nil, nil
	}
	items, ok := raw.([]any)
	if !ok {
		return nil, nil, fmt.Errorf("must be a list of strings, not %s", describe(raw))
	}
	if s.rules.sized && len(items) > s.rules.high {
		return nil, nil, fmt.Errorf("must have at most %d items", s.rules.high)
	}
	list = make([]string, 0, len(items))
	for i, item := range items {
		str, ok := item.(string)
		if !ok {
			leftOut = append(leftOut, fmt.Errorf("item %d must be a string, not %s", i+1, describe(item)))
		} else if err := s.each.text(str); err != nil {
			leftOut = append(leftOut, fmt.Errorf("item %d, %s, %w", i+1, quoted(str), err))
		} else {
			list = append(list, str)
		}
	}
	if len(list) == 0 && len(leftOut) > 0 {
		all := make([]string, len(leftOut))
		for i, err := range leftOut {
			all[i] = err.Error()
		}
		return nil, nil, errors.New(strings.Join(all[:min(len(all), maxNamed)], "; "))
	}
	return list, leftOut, nil
}

// maxNamed bounds the items that one message names.
const maxNamed = 3

func prefixes(raw any) (map[string]Prefix, error) {
	table, ok := raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("must be an object by model name, not %s", describe(raw))
	}
	out := make(map[string]Prefix, len(table))
	for _, model := range sortedKeys(table) {
		entry, ok := table[model].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("of %q must be an object with query and document, not %s", model, describe(table[model]))
		}
		var p Prefix
		for _, name := range sortedKeys(entry) {
			str, ok := entry[name].(string)
			switch {
			case !ok:
				return nil, fmt.Errorf("of %q: %s must be a string, not %s", model, name, describe(entry[name]))
			case name == "query":
				p.Query = str
			case name == "document":
				p.Document = str
			default:
				return nil, fmt.Errorf("of %q: %s is not known; there are query and document", model, name)
			}
		}
		out[model] = p
	}
	return out, nil
}

// text checks a string against the rules.
func (r *rules) text(s string) error {
	if len(r.enum) > 0 && !slices.Contains(r.enum, s) {
		return fmt.Errorf("must be one of %s", strings.Join(r.enum, ", "))
	}
	if r.sized && len(s) < r.low {
		return fmt.Errorf("must not be empty")
	}
	if r.sized && len(s) > r.high {
		return fmt.Errorf("must have at most %d bytes", r.high)
	}
	if r.format != "" && s != "" {
		return formats[r.format](s)
	}
	return nil
}

// integer returns a whole number from the value of TOML's or JSON's parser.
func integer(raw any) (int64, bool) {
	switch n := raw.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	case json.Number:
		if i, err := n.Int64(); err == nil {
			return i, true
		}
		f, err := n.Float64()
		if err != nil {
			return 0, false
		}
		return integer(f)
	}
	return 0, false
}

// describe returns the name of a value's type for a message.
func describe(raw any) string {
	switch raw.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int64, float64, json.Number:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a date or time"
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
