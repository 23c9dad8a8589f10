package cut

import "strconv"

// Range is a range of a file's lines, from 0, inclusive.
type Range struct{ First, Last int }

// Lines returns the number of lines.
func (r Range) Lines() int { return r.Last - r.First + 1 }

func (r Range) holds(n int) bool { return r.First <= n && n <= r.Last }

// String returns the lines as a person counts them, from 1: 12-18, or 12.
func (r Range) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First + 1)
	}
	return strconv.Itoa(r.First+1) + "-" + strconv.Itoa(r.Last+1)
}

// Definition is what lines of a file define. Named is the line with its name: decorators,
// attributes and annotations may stand before it.
type Definition struct {
	Range
	Named int
}
