package knowledge

import "strings"

// sentence is a sentence or a list's item of a message.
type sentence struct {
	tokens []token
	asked  bool // it ends with a question mark
	listed bool // it stands in a list
	block  int  // sentences of one paragraph or list with its heading share it
}

// Bounds of what is read of one message, in bytes: rules stand in what people write, not in what they paste.
const (
	maxProse = 64 << 10
	maxLine  = 4 << 10
)

// sentences gives the prose of a message: no code blocks, no quoted lines, no lines that are longer than a person's.
func sentences(text string) []sentence {
	if len(text) > maxProse {
		text = strings.ToValidUTF8(text[:maxProse/2]+"\n"+text[len(text)-maxProse/2:], "")
	}
	var out []sentence
	fence, block := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
			continue
		case line == "":
			if len(out) == 0 || !endsInColon(out[len(out)-1].tokens) {
				block++
			}
			continue
		case line[0] == '>' || len(line) > maxLine:
			continue
		}
		line, listed := unlist(line)
		if !listed && len(out) > 0 && out[len(out)-1].listed {
			block++
		}
		for _, s := range split(tokenize(line)) {
			s.listed, s.block = listed, block
			out = append(out, s)
		}
	}
	return out
}

func endsInColon(ts []token) bool { return len(ts) > 0 && ts[len(ts)-1].text == ":" }

// unlist takes a list's bullet or number, a heading's marks and emphasis off a line.
func unlist(line string) (rest string, listed bool) {
	line = strings.ReplaceAll(line, "**", "")
	rest = strings.TrimLeft(line, "#")
	if len(rest) < len(line) {
		return strings.TrimSpace(rest), false
	}
	for _, bullet := range []string{"- ", "* ", "• ", "+ ", "– "} {
		if r, ok := strings.CutPrefix(line, bullet); ok {
			r = strings.TrimPrefix(strings.TrimPrefix(r, "[ ] "), "[x] ")
			return strings.TrimSpace(r), true
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < 4 && len(line) > digits+1 && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ' {
		return strings.TrimSpace(line[digits+2:]), true
	}
	return line, false
}

// split cuts a line's tokens into sentences. Speech in quotes is taken out, but for a line that is one quotation.
func split(ts []token) []sentence {
	ts = unquote(ts)
	var out []sentence
	from := 0
	for i, t := range ts {
		last := i == len(ts)-1
		if t.class == mark && strings.Contains(".!?", t.text) && (last || ts[i+1].space || ts[i+1].class == mark) && !short(ts, i) || last {
			if i > from || t.class != mark {
				out = append(out, sentence{tokens: ts[from : i+1], asked: t.text == "?"})
			}
			from = i + 1
		}
	}
	return out
}

// short reports whether the full stop at i belongs to an abbreviation within a sentence.
func short(ts []token, i int) bool {
	if i == 0 || ts[i].text != "." {
		return false
	}
	switch ts[i-1].low {
	case "e.g", "i.e", "eg", "ie", "vs", "etc", "dr", "mr", "mrs", "ms", "st":
		return i+1 < len(ts) && (ts[i-1].low != "etc" || ts[i+1].text == strings.ToLower(ts[i+1].text))
	}
	return false
}

// unquote removes speech in double quotes and, where a line is quoted as a whole, only the quotation marks.
func unquote(ts []token) []token {
	open := -1
	out := make([]token, 0, len(ts))
	for i, t := range ts {
		if t.class != mark || !strings.Contains("\"“”", t.text) {
			out = append(out, t)
			continue
		}
		if open < 0 {
			open = len(out)
			continue
		}
		said := len(out) - open
		if open > 0 && said > 0 && i+1 < len(ts) || open > 0 && saying(out[:open]) {
			out = append(out[:open], token{text: "…", low: "…", class: mark, space: true})
		}
		open = -1
	}
	return out
}

// saying reports whether what comes before a quotation tells that someone said it.
func saying(ts []token) bool {
	for _, t := range ts[max(0, len(ts)-4):] {
		switch t.low {
		case "said", "says", "say", "told", "wrote", "quote", "quoting", "reads", "like", "titled", "called", "goes", ":":
			return true
		}
	}
	return false
}
