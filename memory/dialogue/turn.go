package dialogue

import (
	"fmt"
	"strconv"
	"strings"
)

// Turn is a user message and everything up to the next one. Messages before the first user message
// form a turn of their own.
type Turn struct {
	Number   int // from 1
	First    int // index of its first message in the conversation, from 0
	Messages []Message
}

// TurnID returns the id of a turn: T-7.
func TurnID(number int) string { return "T-" + strconv.Itoa(number) }

// ParseTurn returns the number of a turn from its id, T-7, or from 7 alone. It fails unless the
// number is a whole number from 1.
func ParseTurn(id string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "T-"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a turn: turns are T-1, T-2, …", id)
	}
	return n, nil
}
