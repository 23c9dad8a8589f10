package capture

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// lineParser reads a log that grows line by line. It is for one goroutine. Its exported fields are
// its state between lines where nothing waits; they hold no text of a conversation.
type lineParser interface {
	// line reads one line, without its end. at is its number in the log, from 1.
	line(text []byte, at int, out *Found)
	// flush adds what waits for something that may never come.
	flush(out *Found)
	// waits reports whether something was read that is not in a Found yet.
	waits() bool
}

// hint is what a log's place says of it.
type hint struct {
	session string // by the file's name
	cwd     string
	title   string
}

// values calls read for each JSON value of a line: two processes that write at a time leave two on
// one line. read reports whether it could decode the value, and adds nothing where it could not.
// What is left is counted as unknown.
func values(line []byte, at int, out *Found, read func(raw []byte) bool) {
	line = bytes.Trim(line, " \t\r\n\x00") // a crash of the machine leaves zeros
	if len(line) == 0 {
		return
	}
	if read(line) {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	for dec.More() {
		var raw json.RawMessage
		switch {
		case dec.Decode(&raw) != nil:
			out.unknown("broken line", at)
			return
		case !read(raw):
			out.unknown(malformed(raw), at)
		}
	}
}

// malformed names a JSON value that has not the form of its source's records.
func malformed(raw []byte) string {
	switch {
	case len(raw) > 0 && raw[0] == '{':
		return "record with a field of another type"
	case len(raw) > 0 && raw[0] == '[':
		return "array in place of a record"
	}
	return "value in place of a record"
}

// partNumber names a part of a message.
func partNumber(n int) string { return strconv.Itoa(n) }
