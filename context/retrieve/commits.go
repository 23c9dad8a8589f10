package retrieve

import (
	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/indexer/history"
)

// CommittedLines returns which lines of a range were added by commits whose messages are like the
// prompt, and how probably these are the ones to look at, relative to any line of the workspace. A
// line that the range has several times has its share of it. scores are those of the file in
// [Result.Committed].
func CommittedLines(lines [][]byte, in cut.Range, scores map[uint32]float64) map[int]float64 {
	if len(scores) == 0 {
		return nil
	}
	at := map[uint32][]int{}
	for n := max(in.First, 0); n <= min(in.Last, len(lines)-1); n++ {
		if key, plain := history.LineKey(lines[n]); !plain && scores[key] > 0 {
			at[key] = append(at[key], n)
		}
	}
	out := map[int]float64{}
	for key, list := range at {
		for _, n := range list {
			out[n] = scores[key] / float64(len(list))
		}
	}
	return out
}
