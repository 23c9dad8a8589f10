package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// unknownField matches the error of encoding/json for an unknown member, which has no type of its
// own.
var unknownField = regexp.MustCompile(`^json: unknown field ("(?:[^"\\]|\\.)*")$`)

// lineMessage turns a decoder's error into one that tells a person what to correct in the line;
// other errors stay as they are.
func lineMessage(err error) error {
	var typed *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var when *time.ParseError
	switch {
	case errors.As(err, &typed):
		// The path includes the names of embedded types.
		path := slices.DeleteFunc(strings.Split(typed.Field, "."), func(name string) bool {
			return name == "" || unicode.IsUpper([]rune(name)[0])
		})
		if len(path) == 0 {
			return fmt.Errorf("is not %s", jsonKind(typed.Type))
		}
		return fmt.Errorf("%s is not %s", strings.Join(path, "."), jsonKind(typed.Type))
	case errors.As(err, &syntax):
		return fmt.Errorf("is not JSON: %w", syntax)
	case errors.As(err, &when):
		return fmt.Errorf("%q is not a time such as 2026-10-31T09:30:00Z", when.Value)
	}
	if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("member %s is not known", m[1])
	}
	return err
}

// jsonKind returns the JSON name for a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	}
	return "a number that fits"
}
