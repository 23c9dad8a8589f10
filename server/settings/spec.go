package settings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// spec is the parsed form of one setting's tags.
type spec struct {
	key      string
	index    []int // of the field in Settings
	typ      reflect.Type
	fallback string
	rules    rules
	each     rules // of a list's elements
	trust    trust
	files    bool // it is set by files alone
}

// trust is how far a repository's file may set a setting.
type trust string

const (
	anyValue trust = "any"     // every value
	inRoot   trust = "inRoot"  // paths of files in the root
	onlyOff  trust = "onlyOff" // false alone
	never    trust = "never"   // nothing
)

// rules are the parsed form of a check tag, a subset of those of server/command.
type rules struct {
	enum      []string
	min, max  int64
	ranged    bool
	low, high int // of a string's bytes or a list's items
	sized     bool
	format    string
	orBool    bool
}

// specs are all settings by key. They are parsed from the tags once; an invalid tag panics at
// start, which every test of the package finds.
var specs = func() map[string]*spec {
	all := map[string]*spec{}
	collect(reflect.TypeFor[Settings](), nil, all)
	return all
}()

// sorted are the keys of all settings in alphabetical order.
var sorted = slices.Sorted(maps.Keys(specs))

func collect(t reflect.Type, prefix []int, all map[string]*spec) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		index := append(slices.Clone(prefix), i)
		key := f.Tag.Get("key")
		if key == "" {
			collect(f.Type, index, all)
			continue
		}
		all[key] = &spec{
			key: key, index: index, typ: f.Type, fallback: f.Tag.Get("default"),
			rules: parseRules(f.Tag.Get("check")), each: parseRules(f.Tag.Get("each")), trust: parseTrust(key, f.Tag.Get("repository")),
			files: f.Tag.Get("from") == "files",
		}
	}
}

// parseTrust panics for a setting without a valid repository tag.
func parseTrust(key, tag string) trust {
	switch t := trust(tag); t {
	case anyValue, inRoot, onlyOff, never:
		return t
	}
	panic("settings: no decision what a repository may set of " + key)
}

func parseRules(tag string) rules {
	var r rules
	for rule := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "":
		case "enum":
			r.enum = strings.Split(value, "|")
		case "min":
			r.min, r.ranged = mustInt(value), true
		case "max":
			r.max, r.ranged = mustInt(value), true
		case "bytes", "items":
			low, high, _ := strings.Cut(value, "..")
			r.low, r.high, r.sized = int(mustInt(low)), int(mustInt(high)), true
		case "format":
			if formats[value] == nil {
				panic("settings: unknown format " + value)
			}
			r.format = value
		case "orBool":
			r.orBool = true
		default:
			panic("settings: unknown rule " + rule)
		}
	}
	return r
}

func mustInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("settings: bad number %q in a tag", s))
	}
	return n
}

// isGroup reports whether key is a prefix of settings' keys.
func isGroup(key string) bool {
	for known := range specs {
		if strings.HasPrefix(known, key+".") {
			return true
		}
	}
	return false
}
