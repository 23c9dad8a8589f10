package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// results returns the result type of every command.
func results() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	commands := reflect.TypeFor[Commands]()
	for i := range commands.NumMethod() {
		m := commands.Method(i)
		out[m.Name] = m.Type.Out(0).Elem()
	}
	return out
}

// TestNoNullLists checks that a result without values encodes no null list, at any depth.
func TestNoNullLists(t *testing.T) {
	for name, typ := range results() {
		for _, v := range []reflect.Value{reflect.New(typ), filled(typ)} {
			raw, err := json.Marshal(Normalize(v.Interface()))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if typ != reflect.TypeFor[ConfigResult]() && strings.Contains(string(raw), "null") {
				t.Errorf("%s: %s", name, raw)
			}
		}
	}
}

// filled returns a value whose lists, maps and pointers hold one zero element each.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	fill(v.Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if v.Type().Elem().Kind() == reflect.Interface {
			v.Index(0).Set(reflect.ValueOf([]string(nil)))
			return
		}
		fill(v.Index(0))
	case reflect.Map:
		elem := reflect.New(v.Type().Elem()).Elem()
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), elem)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == timeType {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

func TestNormalize(t *testing.T) {
	r := &ConfigResult{Settings: []Setting{{Key: "a", Value: []string(nil)}, {Key: "b", Value: map[string]string(nil)}}}
	raw, err := json.Marshal(Normalize(r))
	if want := `{"settings":[{"key":"a","value":[],"source":""},{"key":"b","value":{},"source":""}]}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
	f := &FeedbackResult{Items: []Usage{{Overlap: math.NaN(), Boost: math.Inf(1)}}}
	if _, err := json.Marshal(Normalize(f)); err != nil {
		t.Errorf("a number that JSON cannot express: %v", err)
	}
	h := &SearchResult{Hits: []Hit{{Signals: map[string]Signal{"lexical": {Rank: 1, Score: math.Inf(-1)}}}}}
	if _, err := json.Marshal(Normalize(h)); err != nil {
		t.Errorf("a number that JSON cannot express, in a map: %v", err)
	}
	if got := Normalize(nil); got != nil {
		t.Errorf("nil becomes %v", got)
	}
}

// TestUnimplemented checks that an empty implementation answers every command with an error that
// names it.
func TestUnimplemented(t *testing.T) {
	args := map[string]string{
		"bundle": `{"prompt":"x"}`, "search": `{"query":"x"}`, "symbol": `{"name":"x"}`, "recall": `{"query":"x"}`, "ticklers": `{"prompt":"x"}`,
		"feedback": `{"bundleId":"b","response":"r"}`, "conversation.append": `{"conversationId":"c","messages":[]}`,
		"conversation.turn": `{"conversationId":"c","turnId":"T-1"}`,
		"conversation.fork": `{"conversationId":"c","atTurn":"T-1","newConversationId":"d"}`,
		"task.complete":     `{"taskId":"t"}`, "task.block": `{"taskId":"t","reason":"r"}`, "task.unblock": `{"taskId":"t"}`,
		"knowledge.put": `{"kind":"rule","title":"t","content":"c","topics":[],"keywords":[]}`,
		"remember":      `{"kind":"note","text":"x"}`,
		"knowledge.get": `{"id":"k"}`, "knowledge.accept": `{"id":"k"}`, "knowledge.delete": `{"id":"k"}`,
		"knowledge.profile": `{"id":"k"}`, "knowledge.steer": `{"id":"k","act":"pin"}`,
		"board.put":    `{"conversationId":"c","type":"note","title":"t","content":"c"}`,
		"board.remove": `{"conversationId":"c","id":"b"}`, "cabinet.put": `{"title":"t","content":"c"}`,
		"cabinet.get": `{"fileKey":"f"}`, "cabinet.delete": `{"fileKey":"f"}`, "index.why": `{"textDocument":{"uri":"file:///a"}}`,
		"syntax": `{"texts":[]}`, "index.exclude": `{"pattern":"x"}`,
		"team.join": `{"membership":"{}"}`, "team.share": `{"id":"k","share":"share"}`,
		"capture.set": `{"source":"codex","on":true}`, "capture.poke": `{"source":"codex"}`,
	}
	for _, name := range []string{"conversation.history", "conversation.window", "conversation.arc", "conversation.turns", "conversation.delete", "board.list"} {
		args[name] = `{"conversationId":"c"}`
	}
	for i, name := range Names {
		e := call(t, name, args[strings.TrimPrefix(name, Prefix)])
		if e.Code != CodeRequestFailed || e.DataCode != DataUnavailable || !strings.Contains(e.Message, name) {
			t.Errorf("%s: %+v", name, e)
		}
		if Infos[i].Name != name || Infos[i].Doc == "" {
			t.Errorf("info %d is %+v", i, Infos[i])
		}
	}
	if len(Names) != reflect.TypeFor[Commands]().NumMethod() {
		t.Errorf("%d names for %d methods", len(Names), reflect.TypeFor[Commands]().NumMethod())
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("open /x: damaged")
	tests := []struct {
		err  *Error
		code int
		data string
	}{
		{InvalidParams("messages[3].role", "must be %d", 1), CodeInvalidParams, `{"field":"messages[3].role"}`},
		{NotFound(`conversation "c"`), CodeRequestFailed, `{"code":"notFound"}`},
		{Exists("it"), CodeRequestFailed, `{"code":"exists"}`},
		{Unavailable("it"), CodeRequestFailed, `{"code":"unavailable"}`},
		{PromptExceedsBudget(812), CodeRequestFailed, `{"code":"promptExceedsBudget","needed":812}`},
		{Corrupt(cause), CodeRequestFailed, `{"code":"corrupt"}`},
		{Failed(cause), CodeRequestFailed, `{"code":"failed"}`},
		{Cancelled(), CodeRequestCancelled, ``},
		{&Error{Field: "f", Data: map[string]any{"bad": math.NaN()}}, 0, `{"code":"","field":"f"}`},
	}
	for _, test := range tests {
		if got := string(test.err.DataJSON()); test.err.Code != test.code || got != test.data {
			t.Errorf("%v: %d %s, want %d %s", test.err, test.err.Code, got, test.code, test.data)
		}
	}
	if !errors.Is(Corrupt(cause), cause) {
		t.Error("the cause is lost")
	}
}

func TestAsError(t *testing.T) {
	inner := NotFound("it")
	var none *Error
	for _, test := range []struct {
		err  error
		want *Error
	}{
		{nil, nil},
		{none, nil},
		{fmt.Errorf("recall: %w", inner), inner},
	} {
		if got := AsError(test.err); got != test.want {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
	if got := AsError(fmt.Errorf("search: %w", context.Canceled)); got.Code != CodeRequestCancelled {
		t.Errorf("a cancelled request: %+v", got)
	}
	if got := AsError(context.DeadlineExceeded); got.DataCode != DataFailed {
		t.Errorf("a deadline: %+v", got)
	}
}

// broken answers in ways that violate the contract.
type broken struct{ Unimplemented }

func (broken) Metrics(context.Context, *Empty) (*MetricsResult, error) { return nil, nil }

func (broken) Config(context.Context, *Empty) (*ConfigResult, error) {
	var e *Error
	return &ConfigResult{}, e
}

func TestBrokenImplementation(t *testing.T) {
	if _, err := Dispatch(t.Context(), broken{}, "contexture.metrics", nil); AsError(err).DataCode != DataFailed {
		t.Errorf("no result: %v", err)
	}
	if result, err := Dispatch(t.Context(), broken{}, "contexture.config", nil); err != nil || result == nil {
		t.Errorf("a nil *Error: %v, %v", result, err)
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 10, 31, 9, 30, 0, 123456789, time.FixedZone("", 7200))
	raw, err := json.Marshal(IndexStatusResult{IndexedAt: At(at)})
	if err != nil || !strings.Contains(string(raw), `"indexedAt":"2026-10-31T07:30:00.123Z"`) {
		t.Errorf("%s, %v", raw, err)
	}
	if raw, err = json.Marshal(IndexStatusResult{}); err != nil || strings.Contains(string(raw), "indexedAt") {
		t.Errorf("a time that is not there: %s, %v", raw, err)
	}
	if _, err = json.Marshal(At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))); err == nil {
		t.Error("a year that RFC 3339 cannot express is written")
	}
}
