package command

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDecode compares the strict decoder with encoding/json: what it accepts, encoding/json decodes
// to the same value. AppendArgs is the type with the most features and has no integers, which the
// two decode differently.
func FuzzDecode(f *testing.F) {
	f.Add(`{"conversationId":"c","messages":[{"role":"user","content":"a\u00e9\ud83d\ude00","id":"m","uris":["file:///a"],"symbols":null}],"title":"t"}`)
	f.Add(`{"messages":[{"content":"","role":"tool","toolCalls":[{"name":"n","arguments":{"a":[1.5e3,null,{}]},"result":"\\","isError":true}]}],"conversationId":"c","workspace":null}`)
	f.Add(nested(95))
	f.Fuzz(func(t *testing.T, text string) {
		var got, want AppendArgs
		if Decode([]json.RawMessage{json.RawMessage(text)}, &got) != nil || !utf8.ValidString(text) {
			return
		}
		if strings.TrimSpace(text) == "" {
			t.Fatalf("%q has no conversation", text)
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%s is admitted: %v", text, err)
		}
		for _, args := range []*AppendArgs{&got, &want} {
			for i := range args.Messages {
				if at := args.Messages[i].At; at != nil {
					args.Messages[i].At = &Time{at.UTC()}
				}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nis read as %+v\nnot %+v", text, got, want)
		}
	})
}
