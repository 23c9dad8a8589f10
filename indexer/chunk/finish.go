package chunk

import (
	"path"
	"unicode/utf8"
)

// finish packs the pieces and turns the drafts into the file's chunks.
func (c *cutter) finish(file string) {
	c.pack()
	if n := len(c.drafts); n > 0 {
		c.file.Chunks = make([]Chunk, 0, n)
	}
	for _, d := range c.drafts {
		c.emit(d)
	}
	c.number()
	if len(c.file.Chunks) == 1 {
		only := &c.file.Chunks[0]
		only.Kind = KindFile
		if len(only.Symbols) == 0 {
			only.Title = oneLine([]byte(path.Base(file)))
		}
	}
}

// emit adds the chunk of d, or several when it is over the hard limit.
func (c *cutter) emit(d draft) {
	span := c.lines.span(d.from, d.to)
	tokens := c.options.Count(c.src[span.Start:span.End])
	hard := c.options.TargetTokens * hardFactor
	if tokens <= hard {
		ch := Chunk{Start: span.Start, End: span.End, StartLine: d.from, EndLine: d.to, Tokens: tokens}
		c.name(&ch, d)
		c.file.Chunks = append(c.file.Chunks, ch)
		return
	}
	for _, span := range c.pare(span, tokens, hard) {
		ch := Chunk{Start: span.Start, End: span.End, StartLine: c.lines.of(span.Start), EndLine: c.lines.of(span.End - 1)}
		ch.Tokens = c.options.Count(c.src[ch.Start:ch.End])
		c.name(&ch, d)
		c.file.Chunks = append(c.file.Chunks, ch)
	}
}

// pare cuts a span that is over the hard limit at line ends, and single lines that are too long at
// rune boundaries.
func (c *cutter) pare(span Span, tokens, hard int) []Span {
	var out []Span
	// The bytes that hold about nine tenths of the limit, at this text's density.
	room := max((span.End-span.Start)*hard/tokens*9/10, utf8.UTFMax)
	for at := span.Start; at < span.End; {
		end := min(at+room, span.End)
		if end < span.End {
			end = c.border(at, end)
		}
		for end-at > utf8.UTFMax && c.options.Count(c.src[at:end]) > hard {
			end = c.border(at, at+max((end-at)/2, utf8.UTFMax))
		}
		if len(trimBlank(c.src[at:end])) > 0 {
			out = append(out, Span{at, end})
		}
		at = end
	}
	return out
}

// border returns the best position to cut at or before end: after a newline in the second half,
// else after a blank in the last tenth, else before a rune.
func (c *cutter) border(at, end int) int {
	for i := end; i > at+(end-at)/2; i-- {
		if c.src[i-1] == '\n' {
			return i
		}
	}
	for i := end; i > end-(end-at)/10 && i > at+1; i-- {
		if isBlank(c.src[i-1]) {
			return i
		}
	}
	for i := end; i > at+1 && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(c.src[i]) {
			return i
		}
	}
	return end
}
