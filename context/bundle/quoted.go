package bundle

import (
	"strings"

	"github.com/zeebo/xxh3"
)

const (
	// quotedShare of a piece's distinctive lines must stand in the conversation for the piece to be left out; the rest
	// is what cutting at other borders loses.
	quotedShare = .9
	// quotedLeast is how many distinctive lines a piece needs to be recognised by.
	quotedLeast = 2
	// distinctiveBytes is the length from which a line says where it is from; braces and the like do not.
	distinctiveBytes = 6
)

// quoted holds the lines that the conversation shows already, so that ranges and files quoted in it are not sent
// again. A line that has changed on disk since is another line: the piece is sent then.
type quoted map[uint64]struct{}

// add takes in a message, a tool's result or any other text of the conversation.
func (q quoted) add(text string) {
	for line := range strings.Lines(text) {
		if line = bare(line); len(line) >= distinctiveBytes {
			q[xxh3.HashString(line)] = struct{}{}
		}
	}
}

// covers reports whether the conversation shows a piece of code.
func (q quoted) covers(text string) bool {
	if len(q) == 0 {
		return false
	}
	all, known := 0, 0
	for line := range strings.Lines(text) {
		if line = bare(line); len(line) < distinctiveBytes {
			continue
		}
		all++
		if _, ok := q[xxh3.HashString(line)]; ok {
			known++
		}
	}
	return all >= quotedLeast && float64(known) >= quotedShare*float64(all)
}

// bare takes off a line what assistants and tools put around it: indentation, a line number, a diff's or a quotation's
// sign.
func bare(line string) string {
	line = strings.TrimSpace(line)
	if rest := strings.TrimLeft(line, "0123456789"); len(rest) < len(line) {
		for _, sep := range []string{"\t", ":", "|", "→", " "} {
			if after, ok := strings.CutPrefix(rest, sep); ok {
				return strings.TrimSpace(after)
			}
		}
	}
	if len(line) > 1 && strings.IndexByte("+->", line[0]) >= 0 {
		return strings.TrimSpace(line[1:])
	}
	return line
}
