package chunk

import "bytes"

// branches returns a source without the directives of a preprocessor and without what follows an
// #else or #elif: the grammar reads the parts of two branches as one text, and fails. Blanks are in
// their place. The second text has the other branches in place of the first ones; it is nil when
// there are none.
func branches(src []byte) (first, others []byte) {
	if !bytes.Contains(src, []byte("#")) {
		return src, nil
	}
	first, others = bytes.Clone(src), bytes.Clone(src)
	hasOthers := false
	type branch struct{ from, to int } // the first branch of an #if; to is 0 in it
	var open []branch
	outside := 0 // how many of them are in another branch
	for at := 0; at < len(src); {
		end := len(src)
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := bytes.TrimSpace(src[at:end])
		if !bytes.HasPrefix(line, []byte("#")) {
			if outside > 0 {
				blank(first[at:end])
			}
			at = end
			continue
		}
		blank(first[at:end])
		blank(others[at:end])
		word := bytes.TrimLeft(line[1:], " \t")
		last := len(open) - 1
		switch {
		case bytes.HasPrefix(word, []byte("if")):
			open = append(open, branch{from: end})
		case last < 0:
		case bytes.HasPrefix(word, []byte("el")):
			if open[last].to == 0 {
				open[last].to = at
				blank(others[open[last].from:at])
				outside++
				hasOthers = true
			}
		case bytes.HasPrefix(word, []byte("endif")):
			if open[last].to > 0 {
				outside--
			}
			open = open[:last]
		}
		at = end
	}
	if !hasOthers {
		others = nil
	}
	return first, others
}

// blank replaces all of a text but its line ends.
func blank(text []byte) {
	for i, b := range text {
		if b != '\n' && b != '\r' {
			text[i] = ' '
		}
	}
}

// merge adds to an outline what one of other branches has where the first ones are blank.
func (out *Outline) merge(other *Outline, first []byte) {
	if other == nil {
		return
	}
	isOther := func(at int) bool { return at < len(first) && first[at] == ' ' }
	for _, u := range other.Uses {
		if isOther(u.Start) {
			out.Uses = append(out.Uses, u)
		}
	}
	for _, b := range other.Bindings {
		if isOther(max(b.From-1, 0)) {
			out.Bindings = append(out.Bindings, b)
		}
	}
}
