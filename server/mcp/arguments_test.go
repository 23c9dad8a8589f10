package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
)

// TestCoerce checks what becomes of arguments in types other than the schema's.
func TestCoerce(t *testing.T) {
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, given, want string }{
		{"SearchArgs", `{"query":"x","limit":"3"}`, `{"limit":3,"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":3.0}`, `{"limit":3,"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":" 3.0 "}`, `{"limit":3,"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":"-3"}`, `{"limit":-3,"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":"three"}`, `{"query":"x","limit":"three"}`},
		{"SearchArgs", `{"query":"x","limit":"3.5"}`, `{"limit":3.5,"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":"1e999"}`, `{"limit":1e999,"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":""}`, `{"query":"x"}`},
		{"SearchArgs", `{"query":"x","limit":"null"}`, `{"query":"x","limit":"null"}`},
		{"SearchArgs", `{"query":"x","limit":null,"paths":null,"mode":null,"root":null}`, `{"query":"x"}`},
		{"SearchArgs", `{"query":"x","mode":""}`, `{"query":"x"}`},
		{"SearchArgs", `{"query":"x","mode":"Lexical"}`, `{"mode":"lexical","query":"x"}`},
		{"SearchArgs", `{"query":null}`, `{"query":null}`},
		{"SearchArgs", `{"query":""}`, `{"query":""}`},
		{"SearchArgs", `{"query":404}`, `{"query":"404"}`},
		{"SearchArgs", `{"query":["x"]}`, `{"query":["x"]}`},
		{"SearchArgs", `{"query":"x","paths":"[\"a/**\", \"b\"]"}`, `{"paths":["a/**","b"],"query":"x"}`},
		{"SearchArgs", `{"query":"x","paths":"a/**"}`, `{"paths":["a/**"],"query":"x"}`},
		{"SearchArgs", `{"query":"x","paths":"a/**, *.{go,md}"}`, `{"paths":["a/**","*.{go,md}"],"query":"x"}`},
		{"SearchArgs", `{"query":"x","paths":"[ab].go"}`, `{"paths":["[ab].go"],"query":"x"}`},
		{"SearchArgs", `{"query":"x","paths":"[]"}`, `{"paths":[],"query":"x"}`},
		{"SearchArgs", `{"query":"x","paths":""}`, `{"query":"x"}`},
		{"SearchArgs", `{"query":"x","kinds":"Code,doc"}`, `{"kinds":["code","doc"],"query":"x"}`},
		{"SearchArgs", `{"query":"x","unknown":"3"}`, `{"query":"x","unknown":"3"}`},
		{"SearchArgs", `"{\"query\":\"x\",\"limit\":\"3\"}"`, `{"limit":3,"query":"x"}`},
		{"SearchArgs", `null`, `null`},
		{"SearchArgs", `[]`, `[]`},
		{"TurnArgs", `{"conversationId":"c","turnId":"T-1","pin":"False"}`, `{"conversationId":"c","pin":false,"turnId":"T-1"}`},
		{"TurnArgs", `{"conversationId":"c","turnId":"T-1","pin":"perhaps"}`, `{"conversationId":"c","turnId":"T-1","pin":"perhaps"}`},
		{"TurnArgs", `{"conversationId":7,"turnId":"T-1"}`, `{"conversationId":"7","turnId":"T-1"}`},
		{"ForkArgs", `{"conversationId":"c","atTurn":"7"}`, `{"atTurn":7,"conversationId":"c"}`},
		{"ForkArgs", `{"conversationId":"c","atTurn":"T-7"}`, `{"conversationId":"c","atTurn":"T-7"}`},
		{
			"BundleArgs", `{"prompt":"x","textDocument":"{\"uri\":\"file:///a\"}","position":{"line":"3","character":0.0},"layers":{"L5_jit":"{\"max\":\"9\"}"}}`,
			`{"layers":{"L5_jit":{"max":9}},"position":{"character":0,"line":3},"prompt":"x","textDocument":{"uri":"file:///a"}}`,
		},
		{"BundleArgs", `{"prompt":"x","textDocument":""}`, `{"prompt":"x"}`},
	} {
		if got := coerce(c.input(tt.args), false, json.RawMessage(tt.given)); string(got) != tt.want {
			t.Errorf("%s %s becomes %s, want %s", tt.args, tt.given, got, tt.want)
		}
	}
}

// TestCoerceEveryArgument checks, for all tools, that each argument arrives as it was meant if a
// host sends it as a string or leaves it out by null or "".
func TestCoerceEveryArgument(t *testing.T) {
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]map[string]any{}
	for _, tool := range modelTools {
		schemas[tool.name] = tool.schema()
	}
	for _, info := range command.Infos {
		schemas[info.Name] = c.input(info.Args)
	}
	samples := map[string]string{"integer": "300", "number": "0.5", "boolean": "true", "array": `["a"]`}
	for tool, schema := range schemas {
		_, ofCommand := schema["$defs"]
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			p := p.(map[string]any)
			sample := samples[kindOf(p)]
			if sample == "" || kindOf(p) == "array" && strings.Contains(fmt.Sprint(p["items"]), "$ref") {
				continue
			}
			given := fmt.Sprintf(`{%q:%q}`, name, sample)
			if got, want := coerce(schema, !ofCommand, json.RawMessage(given)), fmt.Sprintf(`{%q:%s}`, name, sample); string(got) != want {
				t.Errorf("%s: %s becomes %s, want %s", tool, given, got, want)
			}
			for _, nothing := range []string{"null", `""`} {
				given := fmt.Sprintf(`{%q:%s}`, name, nothing)
				if got := coerce(schema, !ofCommand, json.RawMessage(given)); string(got) != "{}" && !requires(schema, name) {
					t.Errorf("%s: %s becomes %s", tool, given, got)
				}
			}
		}
	}
}

// TestDefaultsAreTaken checks that a value which a description names as the default can be sent.
func TestDefaultsAreTaken(t *testing.T) {
	named := regexp.MustCompile(`(?i)default (\w+)\.`)
	for _, tool := range modelTools {
		for _, p := range tool.properties {
			if m := named.FindStringSubmatch(p.description); m != nil {
				raw := coerce(map[string]any{"type": p.kind}, true, json.RawMessage(fmt.Sprintf("%q", m[1])))
				if err := p.check(raw); err != nil {
					t.Errorf("%s %s: the default %s: %v", tool.name, p.name, m[1], err)
				}
			}
		}
	}
}

// FuzzCoerce checks that conversion yields JSON.
func FuzzCoerce(f *testing.F) {
	c, err := readContract()
	if err != nil {
		f.Fatal(err)
	}
	schema := c.input("BundleArgs")
	f.Add(`{"prompt":"x","budget":"300","layers":"{}","exclude":"a,[b]","position":"{\"line\":\"1\"}"}`)
	f.Fuzz(func(t *testing.T, given string) {
		if !json.Valid([]byte(given)) {
			return
		}
		once := coerce(schema, true, json.RawMessage(given))
		if !json.Valid(once) {
			t.Fatalf("%q becomes %q", given, once)
		}
	})
}
