package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// args are the arguments of a command.
type args = map[string]any

// ask runs a command that must succeed, and checks that its result contains no null list.
func ask[T any](t testing.TB, e *servertest.Editor, name string, a args) T {
	t.Helper()
	var raw json.RawMessage
	e.MustExecute(name, a, &raw)
	if nullList.Match(raw) {
		t.Errorf("%s: a null in %.400s", name, raw)
	}
	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s: %v in %s", name, err, raw)
	}
	return out
}

var nullList = regexp.MustCompile(`":null[,}\]]`)

// refused checks that a command is rejected: with a field for InvalidParams, or data.code for
// RequestFailed.
func refused(t testing.TB, e *servertest.Editor, name string, a args, field, data string) {
	t.Helper()
	var got *servertest.Error
	if err := e.Execute(name, a, nil); !errors.As(err, &got) {
		t.Errorf("%s %.200v answers %v, want field %q, code %q", name, a, err, field, data)
		return
	}
	want := command.CodeRequestFailed
	if field != "" {
		want = command.CodeInvalidParams
	}
	if got.Code != want || got.Data.Field != field || got.Data.Code != data {
		t.Errorf("%s %.200v answers %v, want %d, field %q, code %q", name, a, got, want, field, data)
	}
}

func message(role, content string, more ...any) args {
	m := args{"role": role, "content": content}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

func user(content string, more ...any) args { return message("user", content, more...) }

func assistant(content string, more ...any) args { return message("assistant", content, more...) }

// say appends messages.
func say(t testing.TB, e *servertest.Editor, conversation string, messages ...args) command.AppendResult {
	t.Helper()
	return ask[command.AppendResult](t, e, "contexture.conversation.append", args{"conversationId": conversation, "messages": messages})
}

// counted returns the tokens of a text.
func counted(t testing.TB, encoding, text string) int {
	t.Helper()
	c, err := tokens.For(tokens.Encoding(encoding))
	if err != nil {
		t.Fatal(err)
	}
	return c.Count(text)
}

// speaker makes up a conversation between a programmer and an assistant, always the same one for a
// seed.
type speaker struct{ *rand.Rand }

func newSpeaker(seed uint64) speaker { return speaker{rand.New(rand.NewPCG(seed, 7))} }

var (
	subjects = strings.Fields("the parser|the lexer|the scheduler|the upload queue|the session cache|the ledger|the retry loop|the router|the importer|the planner")
	verbs    = []string{"drops", "reads", "rewrites", "locks", "forgets", "counts", "splits", "merges", "escapes", "sorts"}
	objects  = []string{"the first record", "its temporary file", "every second batch", "a stale handle", "the header line", "two tokens at once",
		"the owner's id", "the border between pages", "an empty list", "the last checksum"}
	asides = []string{"because the clock jumps", "when the disk is full", "after a rename", "under load", "in the nightly run",
		"if the flag is off", "on the second attempt", "without a warning", "since the upgrade", "for large inputs"}
)

func init() { subjects = strings.Split(strings.Join(subjects, " "), "|") }

func pick(s speaker, list []string) string { return list[s.IntN(len(list))] }

func (s speaker) sentence() string {
	return fmt.Sprintf("%s %s %s %s (case %d).", pick(s, subjects), pick(s, verbs), pick(s, objects), pick(s, asides), s.IntN(10000))
}

// text returns a text of about n tokens.
func (s speaker) text(tokens int) string {
	var b strings.Builder
	for n := 0; n < tokens; n += 17 {
		b.WriteString(s.sentence())
		if s.IntN(4) == 0 {
			b.WriteString("\n")
		} else {
			b.WriteString(" ")
		}
	}
	return strings.TrimSpace(b.String())
}

// turn returns a question, an answer and now and then a tool call.
func (s speaker) turn(most int) []args {
	out := []args{user("Why is it that " + s.text(20+s.IntN(most/4)))}
	if s.IntN(3) == 0 {
		file := fmt.Sprintf("src/part%d.go", s.IntN(40))
		out = append(out, assistant("Let me look at "+file+".", "toolCalls", []args{{
			"name": "read_file", "arguments": args{"path": file}, "result": s.text(40 + s.IntN(most/2)),
		}}))
	}
	return append(out, assistant(s.text(50+s.IntN(most))+"\n\n```go\nfunc fix"+fmt.Sprint(s.IntN(1000))+"() error {\n\treturn nil\n}\n```"))
}
