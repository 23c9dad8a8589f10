package capture

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// checkFound checks what every parser promises for any input: messages that memory accepts, and
// names that can be displayed.
func checkFound(t *testing.T, found *Found) {
	t.Helper()
	for _, m := range found.Messages {
		switch m.Role {
		case dialogue.User, dialogue.Assistant, dialogue.System, dialogue.Tool:
		default:
			t.Fatalf("role %q", m.Role)
		}
		for _, c := range m.ToolCalls {
			for _, raw := range []json.RawMessage{c.Arguments, c.Result} {
				if len(raw) > 0 && !json.Valid(raw) {
					t.Fatalf("a call with %q, which is no JSON", raw)
				}
			}
		}
		if m.Content == "" && m.Reasoning == "" && len(m.ToolCalls) == 0 {
			t.Fatalf("an empty message: %+v", m)
		}
	}
	for kind := range found.Unknown {
		if len(kind) > maxKindBytes+len("…") || strings.ContainsAny(kind, "\n\r\x00") {
			t.Fatalf("kind %q", kind)
		}
	}
}

// readAll reads lines with a parser, and restarts the parser from its own state at the lines where
// at is 1 and nothing is pending.
func readAll(t *testing.T, s format, log []byte, restart []byte) *Found {
	t.Helper()
	found := newFound()
	p := s.lines(hint{session: "file"})
	for i, line := range bytes.Split(log, []byte("\n")) {
		found.line = i + 1
		p.line(line, i+1, found)
		if len(restart) > 0 && restart[i%len(restart)]&1 == 1 && !p.waits() {
			state, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			p = s.lines(hint{session: "file"})
			if err := json.Unmarshal(state, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.flush(found)
	if p.waits() {
		t.Fatal("something waits behind a flush")
	}
	return found
}

// FuzzLines reads arbitrary input as a log of each source with line-based logs: reading must not
// fail, and resuming from a stored state must give the same messages.
func FuzzLines(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.log), []byte{1, 0, 1})
	}
	f.Add([]byte("# aider chat started at 2026-10-01 10:00:00\n\n#### a\n```\n> b\n```\n> c\n"), []byte{1})
	f.Fuzz(func(t *testing.T, log, restart []byte) {
		for _, s := range append(slices.Clip(sources), &source{name: Cursor, format: cursorTranscripts}) {
			if s.lines == nil {
				continue
			}
			whole := readAll(t, s.format, log, nil)
			checkFound(t, whole)
			parted := readAll(t, s.format, log, restart)
			if a, b := describe(whole), describe(parted); a != b && s.name != ClaudeCode {
				t.Fatalf("%s: restarted finds\n%s\nnot\n%s", s.name, b, a)
			}
		}
	})
}

// FuzzDocuments reads arbitrary input as a log that is replaced whole.
func FuzzDocuments(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.log))
	}
	f.Add([]byte("_**User**_\n\nHi\n\n---\n\n_**Agent (m 2026-10-01 10:00:00Z)**_\n<tool-use data-tool-type=\"a\" data-tool-name=\"b\">\nx</tool-use>\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, s := range sources {
			if s.document == nil {
				continue
			}
			found, again := newFound(), newFound()
			s.document(bytes.NewReader(log), hint{session: "file"}, found)
			checkFound(t, found)
			s.document(bytes.NewReader(log), hint{session: "file"}, again)
			if a, b := describe(found), describe(again); a != b {
				t.Fatalf("%s: the same document gives\n%s\nand\n%s", s.name, a, b)
			}
			seen := map[string]bool{}
			for _, m := range found.Messages {
				if seen[m.Session+"\x00"+m.ID] && (s.name == Cline || s.name == Roo || s.name == SpecStory) && !strings.Contains(string(log), `"id"`) {
					t.Fatalf("%s: two messages %q", s.name, m.ID)
				}
				seen[m.Session+"\x00"+m.ID] = true
			}
		}
	})
}

// FuzzRows reads arbitrary input as the rows of a host's database.
func FuzzRows(f *testing.F) {
	f.Add(`{"role":"user"}`, `{"type":"text","text":"Hi"}`)
	f.Add(`{"type":2,"text":"Look.","toolFormerData":{"name":"grep","rawArgs":"{\"q\":1}"}}`, `{"type":"tool","state":{"input":{}}}`)
	f.Fuzz(func(t *testing.T, message, part string) {
		found := newFound()
		opencodeSession{id: "s"}.message("m", message, []string{part, part}, found)
		for _, kind := range []string{"user", "assistant", "shell", "compaction", part} {
			opencodeSession{id: "s"}.entry("n", kind, message, found)
		}
		var b cursorBubble
		if json.Unmarshal([]byte(message), &b) == nil {
			b.add("s", true, found)
		}
		checkFound(t, found)
	})
}

// describe formats what was found.
func describe(found *Found) string {
	var b strings.Builder
	for _, m := range found.Messages {
		b.WriteString(m.Session + " " + m.ID + " " + messageLine(m.Message))
	}
	return b.String()
}
