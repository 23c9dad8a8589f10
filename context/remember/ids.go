package remember

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// The ids of memories. They stay the same from answer to answer, and recall's `expand` accepts
// them.
const (
	turnsPrefix     = "turn:"
	ticklerPrefix   = "tickler:"
	knowledgePrefix = "knowledge:"
	boardPrefix     = "board:"
	cabinetID       = "cabinet"
)

// TurnsID returns the id of a turn or a run of turns of a conversation: "turn:<conversation>/T-7",
// "turn:<conversation>/T-7-through-9".
func TurnsID(conversation string, from, to int) string {
	tag := dialogue.RangeTag(from, to, dialogue.Raw)
	return turnsPrefix + conversation + "/" + strings.TrimSuffix(tag, "-R")
}

// ParseTurnsID parses the ids of TurnsID, and those of recall for one of several items with the
// same turns.
func ParseTurnsID(id string) (conversation string, from, to int, ok bool) {
	rest, ok := strings.CutPrefix(id, turnsPrefix)
	slash := strings.LastIndex(rest, "/T-")
	if !ok || slash < 0 {
		return "", 0, 0, false
	}
	turns, message, part := strings.Cut(rest[slash+1:], ".")
	if _, err := strconv.ParseUint(message, 10, 32); part && err != nil {
		return "", 0, 0, false
	}
	first, last, several := strings.Cut(turns, "-through-")
	from, err := dialogue.ParseTurn(first)
	if err != nil {
		return "", 0, 0, false
	}
	to = from
	if several {
		if to, err = dialogue.ParseTurn(last); err != nil || to < from {
			return "", 0, 0, false
		}
	}
	return rest[:slash], from, to, true
}

// jsonText returns the text in a JSON value: all of its strings, one a line, as a tool would have
// shown them.
func jsonText(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v)
			b.WriteByte('\n')
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(value)
	return b.String()
}
