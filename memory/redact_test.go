package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestSameAfterRedacting checks that a message sent twice with its secret is one, that ids that
// differ only in the redacted part stay different, and that everything is found under its original
// id.
func TestSameAfterRedacting(t *testing.T) {
	m := openedWith(t, t.TempDir(), func(o *Options) {
		o.Redact = func(_, text string) string { return secretNumber.ReplaceAllString(text, "[REDACTED:n]") }
	})
	defer m.Close()
	w := workspace(t, m)
	say := func(id, content string) AppendResult {
		t.Helper()
		out, err := w.Append(Addition{Conversation: "c secret-1", Messages: []dialogue.Message{{Role: dialogue.User, ID: id, Content: content}}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	say("m", "the password is secret-77")
	if out := say("m", "the password is secret-77"); len(out.Duplicates) != 1 || out.Messages != 1 {
		t.Errorf("the same message again: %+v", out)
	}
	say("id secret-1", "one")
	if out := say("id secret-2", "two"); out.Messages != 3 {
		t.Errorf("ids that differ in their secrets are one: %+v", out)
	}
	if out := say("id secret-2", "two"); len(out.Duplicates) != 1 {
		t.Errorf("an id with a secret again: %+v", out)
	}
	if _, err := w.Append(Addition{Conversation: "c secret-2", Messages: []dialogue.Message{{Role: dialogue.User, Content: "other"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fork("c secret-1", 2, "f secret-3"); err != nil {
		t.Error(err)
	}
	longest := strings.Repeat("secret-1 ", 22) + "ab" // 200 characters, more with their replacement
	if _, err := w.Append(Addition{Conversation: longest, Messages: []dialogue.Message{{Role: dialogue.User, Content: "c"}}}); err != nil {
		t.Error(err)
	}
	v := w.View()
	defer v.Close()
	for id, messages := range map[string]int{"c secret-1": 3, "c secret-2": 1, "f secret-3": 2, longest: 1} {
		info, err := v.Conversations.Find(id)
		if err != nil || info.Messages != messages {
			t.Errorf("%s: %d messages, %v", id, info.Messages, err)
			continue
		}
		if again, err := v.Conversations.Find(info.ID); err != nil || again.Number != info.Number || strings.Contains(info.ID, "secret") {
			t.Errorf("%s as %s: %v", id, info.ID, err)
		}
	}
	if _, err := v.Conversations.Find("c secret-3"); !errors.Is(err, conversation.ErrNotFound) {
		t.Errorf("another id: %v", err)
	}
}

var secretNumber = regexp.MustCompile(`secret-[0-9]+`)

// TestModelReceivesNoSecret checks that a model receives no secret, also not of messages stored
// before redaction was on.
func TestModelReceivesNoSecret(t *testing.T) {
	dir := t.TempDir()
	m := opened(t, dir)
	messages := chatty(1)
	for i := range messages {
		messages[i].Content += " The word is " + plantedWord + "."
	}
	tellAll(t, workspace(t, m), "c", messages...)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	model := tellers()
	m = openedWith(t, dir, func(o *Options) {
		o.Redact = hide
		o.Writer = func(string) Writer { return model }
	})
	defer m.Close()
	for i := range 4 { // enough for a model to summarise the conversation
		tellAll(t, workspace(t, m), "c", chatty(2+i)...)
	}
	settle(m)
	model.set(func(s *scripted) {
		shown := false
		for _, prompt := range s.asked {
			shown = shown || strings.Contains(prompt, "[REDACTED:word]")
			if strings.Contains(prompt, plantedWord) {
				t.Errorf("the model is shown %s", prompt)
			}
		}
		if !shown {
			t.Errorf("none of %d questions was about it", len(s.asked))
		}
	})
}

// FuzzCleanJSON checks that JSON stays JSON without planted text and that cleaning it again changes
// nothing; other input is unchanged.
func FuzzCleanJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":["\u007a` + plantedWord[1:] + `",1,true,null]}`, `"` + plantedWord, `{"api_key":"12345\\","x":"api_key=1234"}`,
		`[[],{},"\\\""]`, `"\ud800"`, "\"\xff\"",
	} {
		f.Add([]byte(seed))
	}
	m := openedWith(f, f.TempDir(), func(o *Options) { o.Redact = hide })
	f.Cleanup(func() { _ = m.Close() })
	w := workspace(f, m)
	f.Fuzz(func(t *testing.T, in []byte) {
		out := w.cleanJSON(in)
		if !json.Valid(in) {
			if !bytes.Equal(out, in) && !json.Valid(out) {
				t.Fatalf("%q became %q", in, out)
			}
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%q became %q", in, out)
		}
		if again := w.cleanJSON(out); !bytes.Equal(again, out) {
			t.Fatalf("%q became %q and then %q", in, out, again)
		}
		mapStrings(string(out), func(_, s string) string {
			if strings.Contains(s, plantedWord) || strings.Contains(s, plantedLines) {
				t.Fatalf("%q is left of %q", s, in)
			}
			return s
		})
	})
}

// TestCleanJSON checks that the result is JSON, with its order and other bytes unchanged, and that
// cleaning it again changes nothing.
func TestCleanJSON(t *testing.T) {
	m := openedWith(t, t.TempDir(), func(o *Options) { o.Redact = hide })
	defer m.Close()
	w := workspace(t, m)
	lines, err := json.Marshal(plantedLines)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{``, ``},
		{`null`, `null`},
		{` {"b" : 1.50, "a":[true,"\u0041<>"] } `, `{"b":1.50,"a":[true,"\u0041<>"]}`},
		{`"` + plantedWord + `"`, `"[REDACTED:word]"`},
		{`{"` + plantedWord + `":["\u007a` + plantedWord[1:] + `"]}`, `{"[REDACTED:word]":["[REDACTED:word]"]}`},
		{`[` + string(lines) + `,"\\"]`, `["[REDACTED:lines\n\n]","\\"]`},
		{`"{\"api_key\":\"123456\"}"`, `"{\"api_key\":[REDACTED:key]}"`},
		{`{"x":1,"api_key":"123456","y":2}`, `"{\"x\":1,\"api_key\":[REDACTED:key],\"y\":2}"`},
		{`{"api_key=123456":1}`, `{"api_key=[REDACTED:key]":1}`},
		{`{"broken`, `{"broken`},
	} {
		got := string(w.cleanJSON([]byte(c.in)))
		if got != c.want {
			t.Errorf("%s\nbecomes %s\nnot     %s", c.in, got, c.want)
		}
		if again := string(w.cleanJSON([]byte(got))); again != got {
			t.Errorf("%s: cleaned again it is %s", got, again)
		}
	}
}
