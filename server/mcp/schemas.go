package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
)

// contract is the part of the contract's schema that tools need.
type contract struct {
	Defs map[string]map[string]any `json:"$defs"`
}

func readContract() (*contract, error) {
	var c contract
	dec := json.NewDecoder(bytes.NewReader(command.SchemaJSON))
	dec.UseNumber() // limits keep their notation
	if err := dec.Decode(&c); err != nil {
		return nil, fmt.Errorf("read the contract's schema: %w", err)
	}
	return &c, nil
}

// schema returns a type's schema as a self-contained one, with the types that it uses below it.
// Details that matter only to programs are left out, because a model pays for every word: null for
// optional members, and lengths in bytes beside those in characters.
func (c *contract) schema(name string) map[string]any {
	needed := map[string]any{}
	out := c.plain(c.Defs[name], needed).(map[string]any)
	delete(out, "description") // the tool has its own
	if len(needed) > 0 {
		out["$defs"] = needed
	}
	return out
}

// input returns the schema of a command's arguments as a tool accepts them: the workspace is the
// root, by its path.
func (c *contract) input(name string) map[string]any {
	out := c.schema(name)
	if properties, ok := out["properties"].(map[string]any); ok {
		delete(properties, "workspace")
		properties[rootProperty.name] = map[string]any{"type": rootProperty.kind, "description": rootProperty.description}
	}
	return out
}

// plain copies a schema and collects in needed the types to which it refers.
func (c *contract) plain(v any, needed map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		delete(out, "maxBytes")
		delete(out, "minBytes")
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/$defs/")
			if _, seen := needed[name]; !seen {
				needed[name] = nil // ends a cycle
				needed[name] = c.plain(c.Defs[name], needed)
			}
			return out
		}
		if kinds, ok := v["type"].([]any); ok {
			kinds = slices.DeleteFunc(slices.Clone(kinds), func(k any) bool { return k == "null" })
			if out["type"] = any(kinds); len(kinds) == 1 {
				out["type"] = kinds[0]
			}
		}
		for _, list := range []string{"enum", "anyOf", "oneOf"} {
			values, ok := out[list].([]any)
			if !ok {
				continue
			}
			values = slices.DeleteFunc(slices.Clone(values), isNull)
			if out[list] = any(values); list != "enum" && len(values) == 1 {
				delete(out, list)
				only, _ := values[0].(map[string]any) // a schema is an object
				for key, value := range only {
					out[key] = value
				}
				return c.plain(out, needed)
			}
		}
		for key, value := range out {
			if key != "enum" && key != "default" && key != "required" {
				out[key] = c.plain(value, needed)
			}
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = c.plain(out[i], needed)
		}
		return out
	}
	return v
}

// isNull reports whether a value or a schema allows only null.
func isNull(v any) bool {
	if m, ok := v.(map[string]any); ok {
		return m["type"] == "null"
	}
	return v == nil
}
