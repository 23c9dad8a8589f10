package command

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// plan describes how a Go type is decoded from JSON. Plans are made once for each type and are
// immutable.
type plan struct {
	kind   planKind
	typ    reflect.Type
	elem   *plan       // of pointers, lists and maps
	fields []fieldPlan // of structs
	byName map[string]int
}

type planKind uint8

const (
	planString planKind = iota
	planBool
	planInt
	planFloat
	planTime
	planRaw
	planPointer
	planList
	planMap
	planStruct
)

type fieldPlan struct {
	name  string
	index []int
	plan  *plan
	rules rules // of the value itself
	each  rules // of a list's elements
	keys  rules // of a map's names
}

// rules are the parsed form of a check tag; see the package comment.
type rules struct {
	required bool
	fallback string // the default as written; "" is none
	min, max *float64
	bytes    *[2]int
	chars    *[2]int
	items    *[2]int
	enum     []string
	format   string
}

var plans sync.Map // reflect.Type → *plan

var (
	timeType = reflect.TypeFor[Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// planOf returns the plan for t. It panics for an unsupported type or tag: that is a mistake in
// this package's own declarations, which its tests find.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, makePlan(t))
	return p.(*plan)
}

func makePlan(t reflect.Type) *plan {
	p := &plan{typ: t}
	switch {
	case t == timeType:
		p.kind = planTime
	case t == rawType:
		p.kind = planRaw
	case t.Kind() == reflect.Pointer:
		p.kind, p.elem = planPointer, planOf(t.Elem())
	case t.Kind() == reflect.Slice:
		p.kind, p.elem = planList, planOf(t.Elem())
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		p.kind, p.elem = planMap, planOf(t.Elem())
	case t.Kind() == reflect.String:
		p.kind = planString
	case t.Kind() == reflect.Bool:
		p.kind = planBool
	case t.Kind() == reflect.Int:
		p.kind = planInt
	case t.Kind() == reflect.Float64:
		p.kind = planFloat
	case t.Kind() == reflect.Struct:
		p.kind, p.byName = planStruct, map[string]int{}
		p.addFields(t, nil)
	default:
		panic(fmt.Sprintf("command: no plan for arguments of type %v", t))
	}
	return p
}

func (p *plan) addFields(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), prefix...), i)
		if f.Anonymous {
			p.addFields(f.Type, index)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || !f.IsExported() {
			panic(fmt.Sprintf("command: field %s of %v has no JSON name", f.Name, t))
		}
		p.byName[name] = len(p.fields)
		p.fields = append(p.fields, fieldPlan{
			name:  name,
			index: index,
			plan:  planOf(f.Type),
			rules: parseRules(f.Tag.Get("check")),
			each:  parseRules(f.Tag.Get("each")),
			keys:  parseRules(f.Tag.Get("keys")),
		})
	}
}

func parseRules(tag string) rules {
	var r rules
	if tag == "" {
		return r
	}
	for rule := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(rule, "=")
		switch key {
		case "required":
			r.required = true
		case "default":
			r.fallback = value
		case "setting":
			// The implementation applies the setting; the rule is only for the documentation.
		case "min":
			r.min = parseBound(value)
		case "max":
			r.max = parseBound(value)
		case "bytes":
			r.bytes = parseSpan(value)
		case "chars":
			r.chars = parseSpan(value)
		case "items":
			r.items = parseSpan(value)
		case "enum":
			r.enum = strings.Split(value, "|")
		case "format":
			if formats[value] == nil {
				panic("command: unknown format " + value)
			}
			r.format = value
		default:
			panic("command: unknown rule " + rule)
		}
	}
	return r
}

func parseBound(s string) *float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("command: bad bound " + s)
	}
	return &f
}

func parseSpan(s string) *[2]int {
	low, high, _ := strings.Cut(s, "..")
	a, errLow := strconv.Atoi(low)
	b, errHigh := strconv.Atoi(high)
	if errLow != nil || errHigh != nil || a > b {
		panic("command: bad span " + s)
	}
	return &[2]int{a, b}
}
