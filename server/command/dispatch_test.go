package command

import (
	"encoding/json"
	"errors"
	"testing"
)

// FuzzDispatch checks that any arguments of any command return a result or an *Error, and never
// panic.
func FuzzDispatch(f *testing.F) {
	for i := range Names {
		f.Add(i, `{}`)
	}
	f.Add(0, `{"prompt":"x","layers":{"L5_jit":{"min":1,"max":0}}}`)
	f.Add(0, `{"prompt":"\ud800","budget":1e400}`)
	f.Add(6, `{"conversationId":"c","messages":[{"role":"user","content":"","toolCalls":[{"name":"a","arguments":[[[]]],"result":null}]}]}`)
	f.Add(11, `{"conversationId":"c","atTurn":3,"newConversationId":"d"}`)
	f.Fuzz(func(t *testing.T, i int, args string) {
		name := Names[uint(i)%uint(len(Names))]
		result, err := Dispatch(t.Context(), Unimplemented{}, name, []json.RawMessage{json.RawMessage(args)})
		e, ok := errors.AsType[*Error](err)
		if !ok || result != nil {
			t.Fatalf("%s %s: result %v, error %v; want an *Error", name, args, result, err)
		}
		if !json.Valid(e.DataJSON()) || (e.Field == "") == (e.DataCode == "") {
			t.Fatalf("%s %s: error %+v", name, args, e)
		}
		if e.DataCode != "" && !json.Valid([]byte(args)) && args != "" {
			t.Fatalf("%s accepted %q, which is not JSON", name, args)
		}
	})
}

func call(t *testing.T, name, args string) *Error {
	t.Helper()
	_, err := Dispatch(t.Context(), Unimplemented{}, name, []json.RawMessage{json.RawMessage(args)})
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("%s: error %v, want an *Error", name, err)
	}
	return e
}

func TestRepeat(t *testing.T) {
	for _, tt := range []struct {
		r    Repeat
		args string
		want bool
	}{
		{Repeat{}, `{}`, false},
		{Repeat{Answer: "same"}, `{}`, true},
		{Repeat{"same", "id"}, `{"id":"k"}`, true},
		{Repeat{"same", "id"}, `{"id":""}`, false},
		{Repeat{"same", "id"}, `{"id":null}`, false},
		{Repeat{"same", "id"}, `{"other":"k"}`, false},
		{Repeat{"same", "id"}, `nothing`, false},
		{Repeat{"notFound", "remove"}, `{"remove": true}`, true},
		{Repeat{"notFound", "remove"}, `{"remove": false}`, false},
		{Repeat{"same", "messages.id"}, `{"messages":[{"id":"1"},{"id":"2"}]}`, true},
		{Repeat{"same", "messages.id"}, `{"messages":[{"id":"1"},{}]}`, false},
	} {
		if got := tt.r.Holds([]json.RawMessage{json.RawMessage(tt.args)}); got != tt.want {
			t.Errorf("%+v, %s: %v", tt.r, tt.args, got)
		}
	}
}
