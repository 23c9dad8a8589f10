package retrieve

// Edits returns the number of letters that must be inserted, deleted, replaced, or swapped with
// their neighbour to turn one text into the other (the Damerau–Levenshtein distance, restricted to
// swaps of unedited letters); most+1 when it exceeds most.
func Edits(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	// The three last rows of the table.
	before, above, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i, r := range x {
		row[0] = i + 1
		least := row[0]
		for j, s := range y {
			d := above[j]
			if r != s {
				d++
			}
			d = min(d, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && r == y[j-1] && x[i-1] == s {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
			least = min(least, d)
		}
		if least > most {
			return most + 1
		}
		before, above, row = above, row, before
	}
	return min(above[len(y)], most+1)
}
