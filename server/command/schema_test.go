package command

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestSchema holds the JSON Schema to the decoder with a validator that is not ours: the schema
// admits what the decoder admits, and refuses what the decoder refuses but for what it cannot
// express.
func TestSchema(t *testing.T) {
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(SchemaJSON, schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.OneOf) != len(Names) {
		t.Fatalf("the schema has %d calls, there are %d commands", len(schema.OneOf), len(Names))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(command, args string) bool {
		if args == "" {
			args = "null"
		}
		var value any
		if json.Unmarshal([]byte(`{"command":"`+Prefix+command+`","arguments":[`+args+`]}`), &value) != nil {
			return false
		}
		return resolved.Validate(value) == nil
	}
	for _, c := range admissions() {
		if !valid(c.command, c.args) {
			t.Errorf("the schema refuses %s %.120s", c.command, c.args)
		}
	}
	for _, c := range refusals() {
		if valid(c.command, c.args) && !slices.ContainsFunc(inexpressible, func(part string) bool {
			return c.args == part || len(part) > 2 && strings.Contains(c.args, part)
		}) {
			t.Errorf("the schema admits %s %.120s", c.command, c.args)
		}
	}
}

// inexpressible are parts of calls that JSON Schema, or a validator that leaves formats out, cannot
// refuse.
var inexpressible = []string{
	// Repeated names and numbers that a parser rounds are gone when a validator sees the value.
	`"prompt":"y"`, `"budget":null,"budget"`, `"L5_jit":{},"L5_jit"`, `1000.00000000000000000001`, `\ud800`,
	// Formats.
	`"workspace":"/srv/app"`, `"workspace":"C:`, `%zz`, `["file:///a","b"]`, `"[a"`, `"{a"`, `"yesterday"`, `T9:30`, `"2026-10-31"`, `-01:00`, `not a uri`,
	`T-99999999999999999999`,
	// Rules about more than one member.
	`{}`, `{"prompt":"x","position"`, `"end":{"line":1,"character":9}`, `"min":2,"max":1`, `"arcBudget":12000`,
	`{"textDocument":{"uri":"file:///a"}}`, `{"position":{"line":0,"character":0}}`, `{"prompt":"x","textDocument":{"uri":"file:///a"},"position":{"line":0`,
	`"reasoning":"x"`, `"arguments":{},"result":"xxx`, `[[[[`,
}
