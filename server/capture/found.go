package capture

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Message is one message of a session. Its ID is unique within the session: reading the same log
// twice yields the same ids.
type Message struct {
	Session string
	dialogue.Message
	// open is how long the log must be unchanged before the message counts as complete; 0 if the
	// host does not change it.
	open time.Duration
}

// How long a message is held back that the host may rewrite.
const (
	textSettles = 700 * time.Millisecond
	callSettles = time.Hour // the person may take that long to approve the call
)

// Session is what a log states about a session as a whole. A later value replaces an earlier one,
// except for Cwd.
type Session struct {
	Cwd   string // working directory in which the session began, absolute; "" if the log has none
	Title string
	// ForkOf is the session that this one continues, ForkAt the id of the last message that both
	// contain; "" for none.
	ForkOf, ForkAt string
	// Unplaced is LeftUnplaced for a session that cannot be stored yet, "" for others.
	Unplaced string
}

// Found is the result of parsing a part of a log. It contains nothing of the log except what memory
// is to store.
type Found struct {
	Messages []Message
	Sessions map[string]Session
	// Unknown counts what the parser could not read, by kind; Skipped counts known records that it
	// leaves out.
	Unknown map[string]UnknownRecords
	Skipped map[string]int
	Unread  []Unread // tables

	line, counted int // the line that is being read, and the last line whose records were counted before
}

// UnknownRecords counts the records of a kind that a parser does not know.
type UnknownRecords struct {
	Count int    `json:"count"`
	File  string `json:"file"`           // of the first one
	Line  int    `json:"line,omitempty"` // from 1; 0 in a log without lines
}

func newFound() *Found {
	return &Found{Sessions: map[string]Session{}, Unknown: map[string]UnknownRecords{}, Skipped: map[string]int{}}
}

// add appends a message, unless it is empty.
func (f *Found) add(session string, m dialogue.Message) {
	if isBlank(m.Content) && m.Reasoning == "" && len(m.ToolCalls) == 0 {
		return
	}
	f.Messages = append(f.Messages, Message{Session: session, Message: m})
}

// say adds a message that a host logged as the person's: what its parts contain of the person's
// words, or what others said in their place, see words.
func (f *Found) say(source, session string, m dialogue.Message, parts ...string) {
	if m.Role, m.Content = words(source, parts...); m.Role == "" {
		f.skip("host's note")
		return
	}
	f.add(session, m)
}

// about merges information about a session.
func (f *Found) about(session string, s Session) {
	known := f.Sessions[session]
	if known.Cwd == "" {
		known.Cwd = s.Cwd
	}
	if s.Title != "" {
		known.Title = s.Title
	}
	if s.ForkOf != "" {
		known.ForkOf, known.ForkAt = s.ForkOf, s.ForkAt
	}
	known.Unplaced = cmp.Or(s.Unplaced, known.Unplaced)
	f.Sessions[session] = known
}

// unknown counts a record that the parser does not know. kind is a name, never text of a
// conversation.
func (f *Found) unknown(kind string, line int) {
	if f.line > 0 && f.line <= f.counted {
		return
	}
	kind = kindName(kind)
	u := f.Unknown[kind]
	if u.Count++; u.Count == 1 {
		u.Line = line
	}
	f.Unknown[kind] = u
}

// count adds what another result counted.
func (f *Found) count(other *Found) {
	for kind, u := range other.Unknown {
		for range u.Count {
			f.unknown(kind, u.Line)
		}
	}
	for kind, n := range other.Skipped {
		f.Skipped[kind] += n
	}
}

// skip counts a record that the parser knows and that is not a message.
func (f *Found) skip(kind string) {
	if f.line == 0 || f.line > f.counted {
		f.Skipped[kind]++
	}
}

// maxKindBytes limits the name of a kind, which comes from the log.
const maxKindBytes = 80

// kindName makes the name of a kind safe to display.
func kindName(kind string) string {
	kind = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(kind, ""))
	if len(kind) > maxKindBytes {
		kind = strings.ToValidUTF8(kind[:maxKindBytes], "") + "…"
	}
	return kind
}

// timeOf parses a time in the forms that logs use: RFC 3339, or seconds or milliseconds since 1970.
// It returns the zero time for anything else.
func timeOf(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return timeOfText(text)
	}
	var n float64
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil || n <= 0 || n > 1e14 {
		return time.Time{}
	}
	if n > 1e11 { // seconds reach this in the year 5138
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.Unix(int64(n), 0).UTC()
}

func timeOfText(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 {
		return time.Time{}
	}
	return t.UTC()
}

// textOf returns the texts of textsOf as one.
func textOf(raw json.RawMessage) (text string, ok bool) {
	texts, ok := textsOf(raw)
	return strings.Join(texts, "\n\n"), ok
}

// textsOf returns the text of a value that is a string, or the texts of an array of parts. Parts
// without a text are replaced by their names in brackets, such as [image]. ok is false for any
// other value.
func textsOf(raw json.RawMessage) (texts []string, ok bool) {
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		parts = []part{{Text: text}}
	}
	for _, p := range parts {
		switch {
		case p.Text != "":
			texts = append(texts, p.Text)
		case p.Type != "" && p.Type != "text" && p.Type != "input_text" && p.Type != "output_text":
			texts = append(texts, "["+strings.TrimPrefix(p.Type, "input_")+"]")
		}
	}
	return texts, true
}

// part is a part of a message's content. A part may also be a string.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *part) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		p.Type = "text"
		return json.Unmarshal(raw, &p.Text)
	}
	type plain part
	return json.Unmarshal(raw, (*plain)(p))
}

// jsonText returns a text as a JSON string.
func jsonText(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // never fails for a string
	return raw
}

// jsonValue returns a text that is valid JSON as that value, and any other text as a JSON string.
func jsonValue(text string) json.RawMessage {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	return jsonText(text)
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
