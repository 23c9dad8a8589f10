package arc

import (
	"cmp"
	"slices"
	"strings"
)

// mostFocused is the largest number of names in a focus.
const mostFocused = 3

// focus returns what the last turns are about: the person's last request, in their words, with the
// files and symbols that these turns mention most.
func (f *Folder) focus() string {
	text := ""
	uses := map[string]float64{}
	var names []string
	for i, weight := len(f.turns)-1, 1.0; i >= max(0, len(f.turns)-focusBack); i, weight = i-1, weight/2 {
		if text == "" {
			text = f.turns[i].intent
		}
		for k, name := range f.turns[i].names {
			if uses[name] == 0 {
				names = append(names, name)
			}
			uses[name] += weight / float64(k+2)
		}
	}
	for i := len(f.turns) - 1 - focusBack; i >= max(0, len(f.turns)-looked) && text == ""; i-- {
		text = f.turns[i].intent
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(uses[b], uses[a]) })
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(text, name) })
	list := strings.Join(names[:min(len(names), mostFocused)], ", ")
	if text == "" || list == "" {
		return text + list
	}
	return strings.TrimRight(text, ".") + " (" + list + ")"
}

// order sorts by turn a list that was collected from the newest turn back, and keeps the order
// within a turn.
func order[T any](list []T, turn func(T) int) {
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(turn(a), turn(b)) })
}
