package dialogue

import (
	"fmt"
	"strings"
)

// Level is how much of a turn is shown.
type Level byte

// The four levels, from everything to one sentence.
const (
	Raw        Level = 'R'
	Smoothed   Level = 'S'
	Compressed Level = 'C'
	Tiny       Level = 'T'
)

// String returns the level as written in tags.
func (l Level) String() string { return string(rune(l)) }

// Source is the origin of a version of a text.
type Source string

// The sources of the contract.
const (
	FromRaw        Source = "raw"
	FromModel      Source = "model"
	FromExtraction Source = "extractive"
)

// richest lists the levels, from the one that shows the most.
const richest = "RSCT"

// Tells reports whether a level shows everything that another one shows.
func (l Level) Tells(other Level) bool {
	return strings.IndexByte(richest, byte(l)) <= strings.IndexByte(richest, byte(other))
}

// Tag returns the name of a turn's element at a level: T-7-S.
func Tag(number int, level Level) string { return TurnID(number) + "-" + level.String() }

// ParseTag returns the turn number and the level of the tag of one turn. ok is false for the tag of
// several turns and for anything else.
func ParseTag(tag string) (number int, level Level, ok bool) {
	at := len(tag) - len("-S")
	if at < 0 || tag[at] != '-' || strings.IndexByte(richest, tag[at+1]) < 0 || !strings.HasPrefix(tag, "T-") {
		return 0, 0, false
	}
	number, err := ParseTurn(tag[:at])
	return number, Level(tag[at+1]), err == nil
}

// RangeTag returns the name of the element that holds the turns from … to, both included:
// T-50-through-100-C. For one turn it returns Tag.
func RangeTag(from, to int, level Level) string {
	if from == to {
		return Tag(from, level)
	}
	return fmt.Sprintf("%s-through-%d-%s", TurnID(from), to, level)
}
