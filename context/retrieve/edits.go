package retrieve

// Edits returns how many letters must be added, left out, replaced, or swapped with their neighbour
// to make one text of the other (the distance of Damerau and Levenshtein without swaps of what was
// changed); most+1 where that takes more than most.
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
