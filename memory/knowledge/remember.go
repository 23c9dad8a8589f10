package knowledge

import "strings"

// Worded returns the item for a person's own words, ready for [Put]: a rule or a lesson under its
// kind, a decision or a note as a reference with that label. Its title is the beginning of the
// text. ok is false for any other kind.
func Worded(kind, text string) (it Item, ok bool) {
	it = Item{Title: titleOf(text), Content: strings.TrimSpace(text), Weight: 1}
	switch kind {
	case string(Rule), string(Lesson):
		it.Kind = Kind(kind)
	case string(Decision), string(Note):
		it.Kind, it.Label = Reference, Label(kind)
	default:
		return Item{}, false
	}
	return it, true
}

// InWords reports whether an item has the form that [Worded] returns: stored on purpose, and its
// title the content's beginning.
func (it *Item) InWords() bool { return !it.Learned && it.Title == titleOf(it.Content) }

// validLabel reports whether an item of a kind may have a label.
func (it *Item) validLabel() bool {
	return it.Label == "" || it.Kind == Reference && (it.Label == Decision || it.Label == Note)
}
