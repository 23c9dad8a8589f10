package conversation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

func TestAppendRefuses(t *testing.T) {
	good := user("g", "good")
	call := func(c dialogue.ToolCall) dialogue.Message {
		return dialogue.Message{Role: dialogue.Tool, ToolCalls: []dialogue.ToolCall{{Name: "ok"}, c}}
	}
	for field, a := range map[string]addition{
		"conversationId":                     {ID: "a\nb", Messages: []dialogue.Message{good}},
		"messages":                           {ID: "c"},
		"messages[1].role":                   {ID: "c", Messages: []dialogue.Message{good, {Role: "robot"}}},
		"messages[2].id":                     {ID: "c", Messages: []dialogue.Message{good, good, user("a\x07", "")}},
		"messages[0].at":                     {ID: "c", Messages: []dialogue.Message{{Role: "user", At: start.AddDate(9000, 0, 0)}}},
		"messages[1].toolCalls[1].arguments": {ID: "c", Messages: []dialogue.Message{good, call(dialogue.ToolCall{Arguments: []byte("{")})}},
		"messages[0].toolCalls[1].result":    {ID: "c", Messages: []dialogue.Message{call(dialogue.ToolCall{Result: []byte("no")})}},
	} {
		s := storetest.Open(t)
		before := dump(t, s.View(ws))
		tx := s.Begin(ws, start)
		_, err := stage(tx, a)
		var invalid *conversation.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != field {
			t.Errorf("%v; want field %s", err, field)
		}
		if err := s.ApplyLater(tx.Batch); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(before, dump(t, s.View(ws))) {
			t.Errorf("%s: something changed", field)
		}
	}
	for _, id := range []string{"", strings.Repeat("x", 201), "a\u2028b", "a\xff"} {
		s := storetest.Open(t)
		if _, err := stage(s.Begin(ws, time.Time{}), addition{ID: id, Messages: []dialogue.Message{good}}); err == nil {
			t.Errorf("id %q was taken", id)
		}
	}
}

func TestMessageComesBackAsItWas(t *testing.T) {
	s := storetest.Open(t)
	m := dialogue.Message{
		Role: dialogue.Assistant, Content: "<T-1-R> & \"é\"\n", ID: strings.Repeat("long", 100), Author: "someone",
		At: time.Date(1, 2, 3, 4, 5, 6, 789, time.FixedZone("", 3600)), Reasoning: "because", URIs: []string{"file:///a"}, Symbols: []string{"F", ""},
		ToolCalls: []dialogue.ToolCall{{Name: "run", Arguments: json.RawMessage(`{ "a" : "<b>" }`), IsError: true}},
	}
	say(t, s, "c", m)
	info := find(t, s, "c")
	got, err := conversation.Messages(s.View(ws), info, 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	m.At = m.At.UTC()
	m.ToolCalls[0].Arguments, m.ToolCalls[0].Result = json.RawMessage(`{"a":"<b>"}`), json.RawMessage("null")
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", []dialogue.Message{m}) {
		t.Errorf("%+v\n%+v", got, m)
	}
	if added := say(t, s, "c", m); len(added.Duplicates) != 1 {
		t.Errorf("a long id was not known again: %+v", added)
	}
}

func TestSessions(t *testing.T) {
	s := storetest.Open(t)
	at := func(after time.Duration) dialogue.Message {
		return dialogue.Message{Role: dialogue.User, Content: "x", At: start.Add(after)}
	}
	hour := time.Hour
	say(t, s, "c", at(0), at(4*hour), at(8*hour+1), at(7*hour), at(14*hour), at(15*hour), at(16*hour+1), at(0))
	info := find(t, s, "c")
	// 9:00; 13:00 is not over four hours later; 17:00 is; back one hour; 23:00 is seven later; 0:00
	// is on another day but no more than an hour later; 1:00 is more than an hour later, on the
	// same day; back at 9:00 of the day before.
	if fmt.Sprint(info.Sessions) != "[0 2 4 7]" || !info.StartedAt.Equal(start) || !info.LastAt.Equal(start.Add(16*hour+1)) {
		t.Errorf("%+v", info)
	}
	if f := fork(t, s, "c", 3, "f"); fmt.Sprint(f.Sessions) != "[0 2]" || !f.LastAt.Equal(start.Add(8*hour+1)) {
		t.Errorf("%+v", f)
	}
	say(t, s, "d", dialogue.Message{Role: dialogue.User, Content: "late", At: start.Add(14*hour + 30*time.Minute)}, at(15*hour+31*time.Minute))
	if info := find(t, s, "d"); fmt.Sprint(info.Sessions) != "[0 1]" {
		t.Errorf("past midnight: %+v", info)
	}
}

func TestListRefusesAnotherNext(t *testing.T) {
	s := storetest.Open(t)
	for _, before := range []string{"x", "00", strings.Repeat("0", 33)} {
		_, _, err := conversation.List(s.View(ws), 5, before)
		var invalid *conversation.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != "before" || !strings.Contains(err.Error(), before) {
			t.Errorf("before %q: %v", before, err)
		}
	}
}

// TestStaleVersions checks that versions made from a turn before a part of it was forgotten are
// detected.
func TestStaleVersions(t *testing.T) {
	s := storetest.Open(t)
	say(t, s, "c", user("1", "secret"))
	fork(t, s, "c", 1, "f")
	say(t, s, "f", answer("2", "other"))
	waits := func() []conversation.PendingTurn {
		list, err := conversation.Pending(s.View(ws), 10)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := waits()
	if len(before) != 2 {
		t.Fatalf("%+v", before)
	}
	apply(t, s, func(tx store.Tx) ([]conversation.Part, error) { return conversation.ForgetTurn(tx, "c", 1) })
	for _, p := range before {
		if ok, err := conversation.IsPending(s.View(ws), p); ok || err != nil {
			t.Errorf("%+v waits as it did, %v", p, err)
		}
	}
	if after := waits(); len(after) != 1 || after[0].Conversation != find(t, s, "f").Number {
		t.Errorf("%+v", after)
	}
	if f := find(t, s, "f"); f.Title != "" {
		t.Errorf("title %q", f.Title)
	}
}

// TestImportBesideOthers imports a conversation that has diverged from the stored one, and checks
// that a fork of the imported one keeps its past.
func TestImportBesideOthers(t *testing.T) {
	from, to := storetest.Open(t), storetest.Open(t)
	say(t, from, "c", user("1", "a"), user("2", "b"), user("3", "c"))
	fork(t, from, "c", 2, "f")
	say(t, from, "f", user("9", "z"))
	say(t, to, "c", user("1", "a"), user("8", "y"))
	lines := export(t, from.View(ws))
	if n := load(t, to, ws, lines); n != 5 {
		t.Errorf("%d messages added, want 2 and 3", n)
	}
	if got := texts(t, to, "c"); got != "1=a 8=y 2=b 3=c " {
		t.Error(got)
	}
	if got := texts(t, to, "f"); got != "1=a 2=b 9=z " {
		t.Error(got)
	}
	before := dump(t, to.View(ws))
	if n := load(t, to, ws, lines); n != 0 || !maps.Equal(before, dump(t, to.View(ws))) {
		t.Errorf("the second import added %d", n)
	}
}

func TestImportRefuses(t *testing.T) {
	head := conversation.Record{Type: "conversation", Conversation: "c"}
	one := conversation.Record{Type: "messages", Conversation: "c", Messages: []conversation.ExportedMessage{{Message: user("1", "a")}}}
	forkOf := func(of string, n int) conversation.Record {
		return conversation.Record{Type: "conversation", Conversation: "f", Fork: &conversation.ForkRecord{Of: of, Messages: n}}
	}
	gap, bad := one, one
	gap.From = 1
	bad.Messages = []conversation.ExportedMessage{{Message: dialogue.Message{Role: "robot"}}}
	for field, records := range map[string][]conversation.Record{
		"type":             {{Type: "lesson"}},
		"conversation":     {head, head},
		"from":             {head, gap},
		"messages[0].role": {head, bad},
		"fork.of":          {forkOf("c", 1)},
		"fork.messages":    {head, one, forkOf("c", 2)},
		"messages":         {{Type: "conversation", Conversation: "c", Messages: one.Messages}},
	} {
		s := storetest.Open(t)
		i := conversation.NewImporter(s.Begin(ws, start))
		var err error
		for _, rec := range records {
			if _, err = i.Add(rec); err != nil {
				break
			}
		}
		var invalid *conversation.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != field {
			t.Errorf("%v; want field %s", err, field)
		}
	}
	i := conversation.NewImporter(store.Tx{View: storetest.Open(t).View(ws), Now: start})
	if _, err := i.Add(one); err == nil {
		t.Error("messages of a conversation that did not begin were taken")
	}
}
