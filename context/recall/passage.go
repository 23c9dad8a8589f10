package recall

import "strings"

const (
	// passageBytes is the length to which what was said is cut: about what a person says on one
	// matter. shownBytes is how much of a passage is shown around what matched; on questions about
	// recorded sessions 350 of 700 bytes answered most in an answer of 1,000 tokens.
	passageBytes, shownBytes = 700, 350
	// windowParts is how many parts of a passage are shown together.
	windowParts = 4
)

// omission replaces what is left out.
const omission = "…"

// cut splits a text into pieces of at most about size bytes: at the ends of lines, of a long line
// at the ends of sentences, or else at a space.
func cut(text string, size int) (pieces []string) {
	var piece strings.Builder
	flush := func() {
		if s := strings.TrimSpace(piece.String()); s != "" {
			pieces = append(pieces, s)
		}
		piece.Reset()
	}
	for line := range strings.Lines(text) {
		for len(line) > size {
			end := endWithin(line, size)
			if piece.Len()+end > size {
				flush()
			}
			piece.WriteString(line[:end])
			flush()
			line = line[end:]
		}
		if piece.Len()+len(line) > size {
			flush()
		}
		piece.WriteString(line)
	}
	flush()
	return pieces
}

// endWithin returns where to end a piece of at most size bytes of a longer line.
func endWithin(line string, size int) int {
	for _, end := range []string{". ", "。", " "} {
		if i := strings.LastIndex(line[:size], end); i > size/2 {
			return i + len(end)
		}
	}
	for end := size; end > 0; end-- {
		if line[end]&0xC0 != 0x80 { // a rune begins here
			return end
		}
	}
	return size
}

// window returns the part of a passage to show: of a long one the adjacent pieces, of room bytes,
// that contain most of the query.
func (q *query) window(text string, room int, terms func(text string, yield func(term string))) string {
	if len(text) <= room {
		return text
	}
	pieces := cut(text, max(1, room/windowParts))
	if len(pieces) == 0 {
		return text
	}
	held := make([]counts, len(pieces))
	for i, p := range pieces {
		held[i] = q.count(p, terms)
	}
	best, from, to := -1.0, 0, 1
	for i := range pieces {
		size, end := 0, i
		times := make([]float64, len(q.terms))
		for end < len(pieces) && (end == i || size+len(pieces[end]) < room) {
			size += len(pieces[end]) + 1
			for t, n := range held[end].times {
				times[t] += n
			}
			end++
		}
		if covered := q.covered(times); covered > best {
			best, from, to = covered, i, end
		}
	}
	shown := strings.Join(pieces[from:to], " ")
	if from > 0 {
		shown = omission + " " + shown
	}
	if to < len(pieces) {
		shown += " " + omission
	}
	return shown
}
