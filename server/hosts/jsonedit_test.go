package hosts

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestJSONKeepsTheRest checks that members and elements are added and removed with their commas and
// lines, and that nothing else changes.
func TestJSONKeepsTheRest(t *testing.T) {
	value := fields{{"command", "/bin/x"}, {"args", []any{"mcp"}}}
	for name, c := range map[string]struct{ before, after string }{
		"lines":             {"{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"k\": {\n    \"command\": \"/bin/x\",\n    \"args\": [\"mcp\"]\n  }\n}\n"},
		"tabs, no end":      {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"k\": {\n\t\t\"command\": \"/bin/x\",\n\t\t\"args\": [\"mcp\"]\n\t}\n}"},
		"CRLF":              {"{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"k\": {\r\n    \"command\": \"/bin/x\",\r\n    \"args\": [\"mcp\"]\r\n  }\r\n}\r\n"},
		"comment behind":    {"{\n  \"a\": 1 // one\n}\n", "{\n  \"a\": 1, // one\n  \"k\": {\n    \"command\": \"/bin/x\",\n    \"args\": [\"mcp\"]\n  }\n}\n"},
		"trailing comma":    {"{\n  \"a\": 1, // one\n  // two\n}\n", "{\n  \"a\": 1, // one\n  \"k\": {\n    \"command\": \"/bin/x\",\n    \"args\": [\"mcp\"]\n  },\n  // two\n}\n"},
		"one line":          {`{"a":1}`, `{"a":1, "k": {"command": "/bin/x", "args": ["mcp"]}}`},
		"comma on one line": {`{"a":1,}`, `{"a":1, "k": {"command": "/bin/x", "args": ["mcp"]},}`},
		"byte order mark":   {"\ufeff{\n  \"a\": \"}//\"\n}\n", "\ufeff{\n  \"a\": \"}//\",\n  \"k\": {\n    \"command\": \"/bin/x\",\n    \"args\": [\"mcp\"]\n  }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := setMember([]byte(c.before), nil, "k", value)
			if err != nil || string(got) != c.after {
				t.Fatalf("%v, got\n%s\nwant\n%s", err, got, c.after)
			}
			back, err := dropMember(got, nil, "k", nil)
			if err != nil || string(back) != c.before {
				t.Fatalf("%v, back is\n%q, was\n%q", err, back, c.before)
			}
		})
	}
}

func TestJSONIsCreated(t *testing.T) {
	for before, want := range map[string]string{
		"":                  "{\n  \"s\": {\n    \"k\": 1\n  }\n}\n",
		"// mine\n":         "// mine\n{\n  \"s\": {\n    \"k\": 1\n  }\n}\n",
		"{}":                "{\n  \"s\": {\n    \"k\": 1\n  }\n}",
		"{\n  // mine\n}\n": "{\n  // mine\n  \"s\": {\n    \"k\": 1\n  }\n}\n",
		"{\"s\": {}}\n":     "{\"s\": {\n  \"k\": 1\n}}\n",
	} {
		got, err := setMember([]byte(before), []string{"s"}, "k", 1)
		if err != nil || string(got) != want {
			t.Errorf("%q: %v, got\n%s", before, err, got)
		}
	}
}

func TestJSONThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1\n  \"b\": 2\n}": "line 3, column 3: invalid character '\"' after object value (expecting ',' or '}')",
		"{\"a\": }":                    "line 1, column 7: invalid character '}' at start of value",
		"{\"a\": 1":                    "line 1, column 8: parsing object after value: unexpected EOF",
		"{a: 1}":                       "line 1, column 2: invalid literal: a",
		"[1]":                          "is not a JSON object",
		"{} {}":                        "line 1, column 4: invalid character '{' after top-level value",
		"{\"a\": \"b":                  "line 1, column 9: parsing string: unexpected EOF",
		"/* a":                         "line 1, column 1: parsing comment: unexpected EOF",
		"{\"a\": \xff}":                "is not UTF-8 text",
		"{\"s\": 1}":                   "s is not an object",
		strings.Repeat("[", 200):       "nested deeper",
		strings.Repeat("{\"a\":", 2e6): "nested deeper",
	} {
		if got, err := setMember([]byte(text), []string{"s"}, "k", 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %s", text, err, got)
		}
	}
}

// FuzzJSON checks every text that can be read: a member that was set is present, and removing it
// restores the text's meaning.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{"", "{}", `{"a":[1,2,{"b":null}],}`, "{\n\t\"s\": {\n\t\t// c\n\t\t\"x\": 1, /* d */\n\t},\n}", "{\"s\":{\"k\":0}}", "{ /* a */ }", "{\"a\":1//,\n,\"b\":2}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before, err := rootObject([]byte(text))
		if err != nil {
			return
		}
		for _, path := range [][]string{nil, {"s"}} {
			out, err := setMember([]byte(text), path, "k", "ours")
			if err != nil {
				continue
			}
			root, err := rootObject(out)
			if err != nil {
				t.Fatalf("%q became %q: %v", text, out, err)
			}
			if got := root.at(append(path, "k")...); got == nil || got.text != "ours" {
				t.Fatalf("%q became %q", text, out)
			}
			had := before.at(path...).member("k") != nil
			if had {
				continue
			}
			back, err := dropMember(out, path, "k", before)
			if err != nil || !reflect.DeepEqual(meaning(t, []byte(text)), meaning(t, back)) {
				t.Fatalf("%q became %q and %q: %v", text, out, back, err)
			}
		}
	})
}

// meaning returns the value of a text without its formatting; nil for an empty object.
func meaning(t *testing.T, data []byte) any {
	t.Helper()
	root, err := rootObject(data)
	if err != nil {
		t.Fatal(err)
	}
	var read func(n *jsonNode) any
	read = func(n *jsonNode) any {
		switch n.kind {
		case jsonObject:
			out := map[string]any{}
			for _, m := range n.members {
				out[m.key] = read(m.value)
			}
			return out
		case jsonArray:
			out := []any{}
			for _, e := range n.elements {
				out = append(out, read(e))
			}
			return out
		}
		var v any
		if err := json.Unmarshal(data[n.start:n.end], &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if root == nil || len(root.members) == 0 {
		return nil
	}
	return read(root)
}
