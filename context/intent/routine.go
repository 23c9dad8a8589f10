package intent

import (
	"slices"
	"strings"
)

// routineWords are words of orders that need no context, such as "commit this" and "run the tests".
var routineWords = strings.Fields(`add again all amend branch build change changes check commit continue create deploy done everything fine
	fix format go good great keep lint linter looks main master merge next ok okay open perfect please pr proceed project pull push rebase redo
	release request retry revert run server ship start status stop sure test tests thank thanks undo yes`)

// Routine reports whether topic words are those of an order that needs no context; also where there are none.
func Routine(keywords []string) bool {
	return !slices.ContainsFunc(keywords, func(word string) bool { return !slices.Contains(routineWords, strings.ToLower(word)) })
}
