package capture

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// lineParser parses a log that grows line by line. It is not safe for concurrent use. Its exported
// fields are its state between lines if nothing is waiting; they hold no text of a conversation.
type lineParser interface {
	// line parses one line, without its end. at is its number in the log, from 1.
	line(text []byte, at int, out *Found)
	// flush adds everything that waits for later lines, which may never come.
	flush(out *Found)
	// waits reports whether something was read that is not yet in a Found.
	waits() bool
}

// hint holds what a log's path and the files beside it reveal about it.
type hint struct {
	session string // from the file's name
	cwd     string
	title   string
	side    bool   // the work of a subagent
	hash    string // of the working directory, if it is known by that only
}

// values calls read for each JSON value of a line: two processes that write concurrently may leave
// two values on one line. read reports whether it could decode the value, and adds nothing if it
// could not. The rest of such a line is counted as unknown.
func values(line []byte, at int, out *Found, read func(raw []byte) bool) {
	line = bytes.Trim(line, " \t\r\n\x00") // a crash of the machine may leave zero bytes
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

// malformed returns the kind of a JSON value that does not have the form of its source's records.
func malformed(raw []byte) string {
	switch {
	case len(raw) > 0 && raw[0] == '{':
		return "record with a field of another type"
	case len(raw) > 0 && raw[0] == '[':
		return "array in place of a record"
	}
	return "value in place of a record"
}

// partNumber returns the name of a message's part by its number.
func partNumber(n int) string { return strconv.Itoa(n) }
