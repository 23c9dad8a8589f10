package bundle

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/zeebo/xxh3"
)

const (
	// minQuotedLines is how many distinctive lines a piece needs to be recognised.
	minQuotedLines = 2
	// distinctiveBytes is the length from which a line identifies where it comes from; braces and
	// the like do not.
	distinctiveBytes = 6
	// elidedBytes is the smallest text worth replacing with a mark.
	elidedBytes = 60
)

// shownLines holds the lines that the conversation shows already, so that ranges and files quoted
// in it are not sent again. A line that has changed on disk since is a different line, and is sent.
type shownLines struct {
	lines map[uint64]struct{}
	pairs map[linePair]struct{}
}

// linePair holds the hashes of two consecutive lines, blank ones not counted.
type linePair struct{ first, second uint64 }

func newQuoted() shownLines {
	return shownLines{lines: map[uint64]struct{}{}, pairs: map[linePair]struct{}{}}
}

// add records the lines of a message, a tool's result or any other text of the conversation.
func (q shownLines) add(text string) {
	before, first := uint64(0), true
	for line := range strings.Lines(text) {
		if line = bare(line); line == "" {
			continue
		}
		hash := xxh3.HashString(line)
		q.lines[hash] = struct{}{}
		if !first {
			q.pairs[linePair{before, hash}] = struct{}{}
		}
		before, first = hash, false
	}
}

// codeLine is a line of a piece that is not blank.
type codeLine struct {
	at          int // index among all lines
	bytes       int
	hash        uint64
	known       bool // the conversation shows it
	distinctive bool
}

func (q shownLines) look(text string) []codeLine {
	var out []codeLine
	at := -1
	for line := range strings.Lines(text) {
		at++
		if line = bare(line); line == "" {
			continue
		}
		l := codeLine{at: at, bytes: len(line), hash: xxh3.HashString(line), distinctive: len(line) >= distinctiveBytes}
		_, l.known = q.lines[l.hash]
		out = append(out, l)
	}
	return out
}

// covers reports whether the conversation shows a piece of code. An unknown line between known ones
// means that the piece has changed since, so it is not covered.
func (q shownLines) covers(text string) bool {
	if len(q.lines) == 0 {
		return false
	}
	list := slices.DeleteFunc(q.look(text), func(l codeLine) bool { return !l.distinctive })
	known := func(l codeLine) bool { return l.known }
	from := slices.IndexFunc(list, known)
	if len(list) < minQuotedLines || from < 0 {
		return false
	}
	n := 0
	for n < len(list)-from && list[from+n].known {
		n++
	}
	return n >= minQuotedLines && float64(n) >= duplicateShare*float64(len(list)) && !slices.ContainsFunc(list[from+n:], known)
}

// elidedRun is a run of a piece's lines that the conversation shows, by index, inclusive.
type elidedRun struct{ from, to int }

// runs returns the parts of a piece that the conversation shows in the same order, and the share of
// the piece's bytes that remains without them.
func (q shownLines) runs(text string) (out []elidedRun, left float64) {
	if len(q.lines) == 0 {
		return nil, 1
	}
	list := q.look(text)
	all, gone := 0, 0
	for i := 0; i < len(list); {
		j, size, distinctive := i, 0, 0
		for ; j < len(list) && list[j].known; j++ {
			if _, adjacent := q.pairs[linePair{list[max(j-1, 0)].hash, list[j].hash}]; j > i && !adjacent {
				break
			}
			size += list[j].bytes
			if list[j].distinctive {
				distinctive++
			}
		}
		if j == i {
			all += list[i].bytes
			i++
			continue
		}
		all += size
		if size >= elidedBytes && distinctive > 0 {
			out = append(out, elidedRun{list[i].at, list[j-1].at})
			gone += size
		}
		i = j
	}
	return out, 1 - float64(gone)/float64(max(all, 1))
}

// bare strips from a line what assistants and tools put around it: indentation, a line number, a
// diff's or a quotation's sign, and the signs at its end that formatters add and remove.
func bare(line string) string {
	return strings.TrimRight(unframed(strings.TrimSpace(line)), ";, \t")
}

func unframed(line string) string {
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

// dropShown removes the places that the bundle shows in the conversation, and elides the shown part
// of those that it shows in part.
func (b *build) dropShown() {
	for _, it := range b.memory.all() {
		b.quoted.add(usual(it).Body)
	}
	b.places = slices.DeleteFunc(slices.Clone(b.places), func(p *place) bool {
		if b.isCovered(p) {
			b.dropPlaces(p.all(), item.Duplicate)
			return true
		}
		b.elide(p)
		return false
	})
}
