package conversation

import (
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// madePrefix begins the generated ids of messages.
const madePrefix = "auto-"

func madeID(index int) string { return madePrefix + strconv.Itoa(index) }

// madeIndex returns the index in a generated id; ok is false for other ids.
func madeIndex(id string) (index int, ok bool) {
	digits, found := strings.CutPrefix(strings.TrimRight(id, "'"), madePrefix)
	if !found {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || strconv.FormatUint(n, 10) != digits {
		return 0, false
	}
	return int(n), true
}

// find returns the index of the message that m repeats, by its id.
func (g *appender) find(m dialogue.Message) (index int, found bool, err error) {
	if m.ID == "" {
		return 0, false, nil
	}
	if index, found, err = g.findGiven(m.ID); found || err != nil {
		return index, found, err
	}
	return g.findMade(m)
}

// findMade returns the index of the message with the generated id of m, if it has the same content.
func (g *appender) findMade(m dialogue.Message) (index int, found bool, err error) {
	index, ok := madeIndex(m.ID)
	if !ok || index >= g.info.Messages {
		return 0, false, nil
	}
	if k := index - g.added.First; k >= 0 { // an equal id that was given here names the same message too
		return index, sameMessage(g.added.Messages[k], m), nil
	}
	e, err := readEntry(g.tx.View, g.info, index)
	return index, err == nil && e.made && sameMessage(e.Message, m), err
}

func sameMessage(a, b dialogue.Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content
}

// findGiven returns the index of the message with an id that was given, not generated.
func (g *appender) findGiven(id string) (index int, found bool, err error) {
	if index, found = g.given[id]; found || g.added.New {
		return index, found, nil
	}
	return givenIndex(g.tx.View, g.was, id)
}
