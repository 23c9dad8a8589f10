package dialogue

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestDeed(t *testing.T) {
	for _, tt := range []struct {
		args string
		want Action
	}{
		{`{"command":"make test","description":"run it"}`, Action{Command: "make test"}},
		{`{"command":["bash","-lc","rg retry"],"workdir":"/a"}`, Action{Command: "rg retry"}},
		{`{"cmd":["go","test","./..."]}`, Action{Command: "go test ./..."}},
		{`{"file_path":"a.go","old_string":"x","new_string":"y"}`, Action{Path: "a.go", Changes: true, Changed: []string{"a.go"}}},
		{`{"diff":"+ x"}`, Action{Changes: true}},
		{`{"title":"Plan","content":"x"}`, Action{}},
		{`{"content":"x","path":"a.go"}`, Action{Path: "a.go", Changes: true, Changed: []string{"a.go"}}},
		{`{"description":"find the hull","prompt":"Look","subagent_type":"scout"}`, Action{}},
		{`{"file_path":"a.go","offset":3}`, Action{Path: "a.go"}},
		{`{"pattern":"retry","path":"pay"}`, Action{Sought: "retry", Path: "pay"}},
		{`{"pattern":"retry","output_mode":"count"}`, Action{Sought: "retry"}},
		{`{"description":"Find who calls it","prompt":"Find the callers."}`, Action{}},
		{`{"query":"where are retries"}`, Action{Sought: "where are retries"}},
		{`{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n*** Add File: b.go\n"}`, Action{Changes: true, Changed: []string{"a.go", "b.go"}}},
		{`"*** Delete File: c.go"`, Action{Changes: true, Changed: []string{"c.go"}}},
		{`{"input":"ls -l"}`, Action{Command: "ls -l"}},
		{`{"plan":"first\nsecond","url":"x"}`, Action{}},
		{`[1]`, Action{}}, {`null`, Action{}}, {``, Action{}}, {`{"command":[1,2]}`, Action{}},
	} {
		c := ToolCall{Name: "x", Arguments: json.RawMessage(tt.args)}
		if got := c.Deed(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.args, got, tt.want)
		}
	}
}
