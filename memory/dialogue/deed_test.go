package dialogue

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestDeed(t *testing.T) {
	for _, tt := range []struct {
		args string
		want Deed
	}{
		{`{"command":"make test","description":"run it"}`, Deed{Command: "make test"}},
		{`{"command":["bash","-lc","rg retry"],"workdir":"/a"}`, Deed{Command: "rg retry"}},
		{`{"cmd":["go","test","./..."]}`, Deed{Command: "go test ./..."}},
		{`{"file_path":"a.go","old_string":"x","new_string":"y"}`, Deed{Path: "a.go", Changes: true, Changed: []string{"a.go"}}},
		{`{"diff":"+ x"}`, Deed{Changes: true}},
		{`{"title":"Plan","content":"x"}`, Deed{}},
		{`{"content":"x","path":"a.go"}`, Deed{Path: "a.go", Changes: true, Changed: []string{"a.go"}}},
		{`{"description":"find the hull","prompt":"Look","subagent_type":"scout"}`, Deed{}},
		{`{"file_path":"a.go","offset":3}`, Deed{Path: "a.go"}},
		{`{"pattern":"retry","path":"pay"}`, Deed{Sought: "retry", Path: "pay"}},
		{`{"pattern":"retry","output_mode":"count"}`, Deed{Sought: "retry"}},
		{`{"description":"Find who calls it","prompt":"Find the callers."}`, Deed{}},
		{`{"query":"where are retries"}`, Deed{Sought: "where are retries"}},
		{`{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n*** Add File: b.go\n"}`, Deed{Changes: true, Changed: []string{"a.go", "b.go"}}},
		{`"*** Delete File: c.go"`, Deed{Changes: true, Changed: []string{"c.go"}}},
		{`{"input":"ls -l"}`, Deed{Command: "ls -l"}},
		{`{"plan":"first\nsecond","url":"x"}`, Deed{}},
		{`[1]`, Deed{}}, {`null`, Deed{}}, {``, Deed{}}, {`{"command":[1,2]}`, Deed{}},
	} {
		c := ToolCall{Name: "x", Arguments: json.RawMessage(tt.args)}
		if got := c.Deed(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.args, got, tt.want)
		}
	}
}
