package profile

import (
	"cmp"
	"maps"
	"slices"
)

// sortedAtOnce is the number of elements sorted between two calls of Pause.
const sortedAtOnce = 1 << 11

// keysOf returns the keys of a map in order, like slices.Sorted, and calls Pause in between.
func keysOf[V any](f *finder, m map[string]V) ([]string, error) {
	return ordered(f, slices.Collect(maps.Keys(m)), cmp.Compare[string])
}

// ordered sorts a list like slices.SortStableFunc, and calls Pause in between.
func ordered[T any](f *finder, list []T, compare func(a, b T) int) ([]T, error) {
	for at := 0; at < len(list); at += sortedAtOnce {
		slices.SortStableFunc(list[at:min(len(list), at+sortedAtOnce)], compare)
		if err := f.did(sortedAtOnce / 16); err != nil {
			return nil, err
		}
	}
	other := make([]T, 0, len(list))
	for size := sortedAtOnce; size < len(list); size *= 2 {
		other = other[:0]
		for at := 0; at < len(list); at += 2 * size {
			a := list[at:min(len(list), at+size)]
			b := list[min(len(list), at+size):min(len(list), at+2*size)]
			for len(a)+len(b) > 0 {
				if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
					other, a = append(other, a[0]), a[1:]
				} else {
					other, b = append(other, b[0]), b[1:]
				}
				if len(other)%sortedAtOnce == 0 {
					if err := f.did(sortedAtOnce / 32); err != nil {
						return nil, err
					}
				}
			}
		}
		list, other = other, list
	}
	return list, nil
}
