package command

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestSchema compares the JSON Schema with the decoder, using a third-party validator: the schema
// accepts what the decoder accepts, and rejects what the decoder rejects except what a schema
// cannot express.
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

// inexpressible lists parts of calls that JSON Schema, or a validator that ignores formats, cannot
// reject.
var inexpressible = []string{
	// A validator does not see repeated names or numbers rounded by a parser.
	`"prompt":"y"`, `"budget":null,"budget"`, `"L5_jit":{},"L5_jit"`, `1000.00000000000000000001`, `\ud800`,
	// Formats.
	`"workspace":"/srv/app"`, `"workspace":"C:`, `%zz`, `["file:///a","b"]`, `"[a"`, `"{a"`, `"yesterday"`, `T9:30`, `"2026-10-31"`, `-01:00`, `not a uri`,
	`T-99999999999999999999`,
	// Rules about more than one member.
	`{}`, `{"prompt":"x","position"`, `"end":{"line":1,"character":9}`, `"min":2,"max":1`, `"arcBudget":12000`,
	`{"textDocument":{"uri":"file:///a"}}`, `{"position":{"line":0,"character":0}}`, `{"prompt":"x","textDocument":{"uri":"file:///a"},"position":{"line":0`,
	`"reasoning":"x"`, `"arguments":{},"result":"xxx`, `[[[[`,
}
