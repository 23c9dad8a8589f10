package retrieve

import "github.com/contexture-dev/contexture/context/cut"

// CommentLines returns which lines of a range are comments or imports.
func CommentLines(lines [][]byte, language string, in cut.Range) map[int]bool {
	out := map[int]bool{}
	skip := lineFilter{language: language, marks: commentsOf(language)}
	for n := max(in.First, 0); n <= min(in.Last, len(lines)-1); n++ {
		if skip.over(string(lines[n])) {
			out[n] = true
		}
	}
	return out
}
