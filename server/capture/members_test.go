package capture

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"
)

func TestOnlyLeavesMembersOut(t *testing.T) {
	keep := func(name []byte) bool { return string(name) != "x" }
	for _, c := range []struct{ in, want string }{
		{`{"a":1}`, `{"a":1}`},
		{`{"x":1}`, `{}`},
		{`{"x":{"a":[1,"}"]},"b":2}`, `{"b":2}`},
		{`{"a":1,"x":"\\\"}","b":2}`, `{"a":1,"b":2}`},
		{`{"a":1, "x" : [ {} ] }`, `{"a":1}`},
		{`{"x":1,"x":2,"a":{"x":3}}`, `{"a":{"x":3}}`},
		// Input that is not an object, or is broken, is left for the decoder to reject.
		{`{}`, `{}`}, {`[1]`, `[1]`}, {``, ``}, {`{"x":"`, `{"x":"`}, {`{"x":{"a":1}`, `{"x":{"a":1}`},
		{`{"x":1}{"a":1}`, `{"x":1}{"a":1}`}, {`{"x":1]`, `{"x":1]`}, {`{"x"}`, `{"x"}`},
	} {
		if got := string(only([]byte(c.in), keep)); got != c.want {
			t.Errorf("only(%s) = %s, want %s", c.in, got, c.want)
		}
	}
}

// FuzzOnly checks that leaving members out of the text equals leaving them out of the decoded
// object.
func FuzzOnly(f *testing.F) {
	for _, seed := range []string{`{"a":1,"x":2}`, `{"x":"\\"}`, `{"x":[{"a":"]"}],"b":null}`, `{"x`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := only([]byte(in), func(name []byte) bool { return string(name) != "x" })
		var whole, rest map[string]json.RawMessage
		if json.Unmarshal([]byte(in), &whole) != nil || whole == nil {
			return
		}
		if err := json.Unmarshal(got, &rest); err != nil {
			t.Fatalf("only(%q) = %q: %v", in, got, err)
		}
		if _, named := rest["x"]; !named { // else its name is written with escapes
			delete(whole, "x")
		}
		if !reflect.DeepEqual(maps.Collect(maps.All(whole)), rest) {
			t.Fatalf("only(%q) = %q", in, got)
		}
	})
}
