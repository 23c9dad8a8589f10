package command

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestLimits checks the limits of the contract: the limit itself is accepted, one beyond it is
// rejected with the name of the field, the schema has the same limit, and the reference page names
// it.
func TestLimits(t *testing.T) {
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(SchemaJSON, schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	text := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	message := func(author string) string {
		return `{"conversationId":"c","messages":[{"role":"user","content":"x","author":` + author + `}]}`
	}
	lesson := func(weight string) string {
		return `{"kind":"lesson","title":"t","content":"x","topics":[],"keywords":[],"weight":` + weight + `}`
	}
	note := func(ttl string) string {
		return `{"conversationId":"c","type":"t","title":"t","content":"x","ttl":` + ttl + `}`
	}
	for _, tt := range []struct {
		command, field string
		good, bad      []string // arguments
		page           string   // part of the line with the field's name
	}{
		{"conversation.list", "limit", []string{`{"limit":1}`, `{"limit":1000}`}, []string{`{"limit":0}`, `{"limit":1001}`, `{"limit":-1}`}, "1–1000"},
		{"task.list", "limit", []string{`{"limit":1}`, `{"limit":100}`}, []string{`{"limit":0}`, `{"limit":101}`}, "1–100"},
		{"knowledge.put", "weight", []string{lesson("0"), lesson("100"), lesson("99.5")}, []string{lesson("-0.1"), lesson("100.1"), lesson("101")}, "0–100"},
		{"conversation.append", "messages[0].author", []string{message(`""`), message(text(1000))}, []string{message(text(1001))}, "0–1000 characters"},
		{"board.put", "ttl", []string{note("1"), note("100")}, []string{note("0"), note("101")}, "1–100"},
		{"search", "limit", []string{`{"query":"x","limit":200}`}, []string{`{"query":"x","limit":10001}`, `{"query":"x","limit":0}`}, "1–10000"},
		{"ticklers", "limit", []string{`{"prompt":"x","limit":20}`}, []string{`{"prompt":"x","limit":21}`}, "1–20"},
		{"recall", "budget", []string{`{"query":"x","budget":64}`, `{"query":"x","budget":100000}`}, []string{`{"query":"x","budget":63}`, `{"query":"x","budget":100001}`}, "64–100000"},
		{"bundle", "budget", []string{`{"prompt":"x","budget":256}`, `{"prompt":"x","budget":1000000}`}, []string{`{"prompt":"x","budget":255}`, `{"prompt":"x","budget":1000001}`}, "256–1000000"},
		{"bundle", "deadlineMs", []string{`{"prompt":"x","deadlineMs":50}`, `{"prompt":"x","deadlineMs":60000}`}, []string{`{"prompt":"x","deadlineMs":49}`, `{"prompt":"x","deadlineMs":60001}`}, "50–60000"},
	} {
		valid := func(args string) bool {
			var value any
			if err := json.Unmarshal([]byte(`{"command":"`+Prefix+tt.command+`","arguments":[`+args+`]}`), &value); err != nil {
				t.Fatal(err)
			}
			return resolved.Validate(value) == nil
		}
		for _, args := range tt.good {
			_, err := Dispatch(t.Context(), Unimplemented{}, Prefix+tt.command, []json.RawMessage{json.RawMessage(args)})
			if e := AsError(err); e == nil || e.DataCode != DataUnavailable || !valid(args) { // accepted
				t.Errorf("%s %.100s: %v", tt.command, args, err)
			}
		}
		for _, args := range tt.bad {
			_, err := Dispatch(t.Context(), Unimplemented{}, Prefix+tt.command, []json.RawMessage{json.RawMessage(args)})
			if e := AsError(err); e == nil || e.Code != CodeInvalidParams || e.Field != tt.field || valid(args) {
				t.Errorf("%s %.100s: %v", tt.command, args, err)
			}
		}
		name := "| `" + tt.field[strings.LastIndex(tt.field, ".")+1:] + "` |"
		found := false
		for line := range strings.Lines(string(page)) {
			found = found || strings.HasPrefix(line, name) && strings.Contains(line, tt.page)
		}
		if !found {
			t.Errorf("the reference page has no line %s with %s", name, tt.page)
		}
	}
}
