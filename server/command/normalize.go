package command

import (
	"encoding/json"
	"math"
	"reflect"
	"sync"
	"time"
)

// Normalize prepares a result for marshalling: nil lists and maps become empty, because the
// contract has no null list, except in an optional field, which is left out; numbers that JSON
// cannot express become 0. It changes the result in place and returns it; result is a pointer, or
// nil. The caller must own it.
func Normalize(result any) any {
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return result
	}
	normalize(v.Elem(), false)
	return result
}

// normalize processes one value; optional reports whether its field is left out when empty.
func normalize(v reflect.Value, optional bool) {
	if !concerns(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() && !optional {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			normalize(v.Index(i), false)
		}
	case reflect.Map:
		normalizeMap(v, optional)
	case reflect.Pointer:
		if !v.IsNil() {
			normalize(v.Elem(), false)
		}
	case reflect.Interface:
		normalizeAny(v)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() {
				normalize(v.Field(i), isOptional(f))
			}
		}
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			v.SetFloat(0)
		}
	}
}

// normalizeMap replaces the values individually, since they cannot be changed in place.
func normalizeMap(v reflect.Value, optional bool) {
	if v.IsNil() {
		if !optional {
			v.Set(reflect.MakeMap(v.Type()))
		}
		return
	}
	if !concerns(v.Type().Elem()) {
		return
	}
	for _, key := range v.MapKeys() {
		elem := reflect.New(v.Type().Elem()).Elem()
		elem.Set(v.MapIndex(key))
		normalize(elem, false)
		v.SetMapIndex(key, elem)
	}
}

// normalizeAny processes the value in an interface through a copy, which may be of any type.
func normalizeAny(v reflect.Value) {
	if v.IsNil() {
		return
	}
	elem := reflect.New(v.Elem().Type()).Elem()
	elem.Set(v.Elem())
	normalize(elem, false)
	v.Set(elem)
}

// isOptional reports whether the field is left out of the JSON when it is empty.
func isOptional(f reflect.StructField) bool {
	tag := f.Tag.Get("json")
	for i := range len(tag) {
		if tag[i] == ',' {
			rest := tag[i+1:]
			return rest == "omitempty" || rest == "omitzero"
		}
	}
	return false
}

var concerned sync.Map // reflect.Type → bool

// concerns reports whether values of the type can hold anything to normalize: most of a large
// answer cannot, and is skipped.
func concerns(t reflect.Type) bool {
	if known, ok := concerned.Load(t); ok {
		return known.(bool)
	}
	var found bool
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Interface, reflect.Float64:
		found = t != reflect.TypeFor[json.RawMessage]()
	case reflect.Pointer:
		found = concerns(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if t != timeType && t != reflect.TypeFor[time.Time]() && concerns(t.Field(i).Type) {
				found = true
				break
			}
		}
	}
	concerned.Store(t, found)
	return found
}
