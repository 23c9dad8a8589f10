package intent

import (
	"slices"
	"strings"
)

// routineWords are words of orders that need no context, such as "commit this" and "run the tests".
var routineWords = strings.Fields(`add again all amend branch build change changes check commit continue create deploy done everything fine
	fix format git go good great keep lint linter looks main master merge next ok okay open origin perfect please pr proceed project pull push rebase redo
	release request retry revert run server ship start status stop sure test tests thank thanks undo upstream yes`)

// Routine reports whether topic words are those of an order that needs no context; it reports true
// for none.
func Routine(keywords []string) bool {
	return !slices.ContainsFunc(keywords, func(word string) bool { return !slices.Contains(routineWords, strings.ToLower(word)) })
}

// bareOrders are orders by themselves, even if something in the code has that name.
var bareOrders = strings.Fields("commit continue proceed push rebase redo retry stop undo")

// committing is the largest number of words in an order to commit that includes instructions.
const committing = 10

// Orders reports whether a whole prompt is an order that needs no context, by its first word:
// "push", "commit this with a short message".
func Orders(prompt string) bool {
	words := strings.Fields(strings.ToLower(prompt))
	if len(words) == 1 {
		return slices.Contains(bareOrders, words[0])
	}
	return len(words) > 1 && len(words) <= committing && words[0] == "commit"
}
