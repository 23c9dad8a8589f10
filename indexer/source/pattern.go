package source

import (
	"bytes"
	"strings"
)

// A pattern is one line of a rule file, parsed as Git's dir.c does.
type pattern struct {
	raw      string // as written, without trailing blanks and line end
	line     int    // from 1
	negative bool   // "!": re-includes
	dirOnly  bool   // trailing slash: folders only
	baseOnly bool   // no other slash: compared with the last path segment

	form formKind
	lit  string // the literal part of form
	ops  []op   // what follows lit, for formWild and formPath
}

// formKind is the way in which a pattern is compared; most need no wildcard matching.
type formKind uint8

const (
	formName   formKind = iota // the segment or path is lit
	formSuffix                 // the segment ends in lit ("*.o")
	formWild                   // the segment matches ops
	formPath                   // the path starts with lit, and its rest matches ops
)

// named reports whether the pattern names one file or folder and does not match any name: a
// folder's last segment must be literal, a file's must contain literal characters.
func (p *pattern) named(isDir bool) bool {
	last := baseName(strings.TrimSuffix(p.raw, "/"))
	if isDir {
		return !strings.ContainsAny(last, `*?[\`)
	}
	return strings.Trim(last, "!*?.") != ""
}

// ruleList is one rule file. It is immutable.
type ruleList struct {
	source     string // as a Rule names it
	base       int    // length of the part of a full path before the rule file's folder
	contexture bool   // a .contextureignore

	patterns []pattern
	// The patterns by how they are found, each as ascending indices:
	names  map[string][]int32 // baseOnly formName, by name
	exts   map[string][]int32 // baseOnly formSuffix with one dot, by ".ext"
	others []int32            // all the rest
}

// parseRules reads a rule file. With fold, patterns are compared with
// lower-case text.
func parseRules(data []byte, fold bool) *ruleList {
	list := &ruleList{names: map[string][]int32{}, exts: map[string][]int32{}}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := 1; len(data) > 0; line++ {
		text := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			text, data = data[:end], data[end+1:]
		} else {
			data = nil
		}
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		text = bytes.TrimSuffix(text, []byte("\r"))
		if end := bytes.IndexByte(text, 0); end >= 0 {
			text = text[:end]
		}
		if p, ok := parsePattern(trimBlanks(string(text)), fold); ok {
			p.line = line
			list.add(p)
		}
	}
	return list
}

// trimBlanks removes trailing spaces that are not escaped by a backslash.
func trimBlanks(s string) string {
	blanks := -1 // where the run of spaces at the end starts
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if blanks < 0 {
				blanks = i
			}
			continue
		case '\\':
			i++
		}
		blanks = -1
	}
	if blanks >= 0 {
		return s[:blanks]
	}
	return s
}

// parsePattern parses one line; false if the line can match nothing.
func parsePattern(raw string, fold bool) (pattern, bool) {
	p := pattern{raw: raw}
	text, negative := strings.CutPrefix(raw, "!")
	p.negative = negative
	text, p.dirOnly = strings.CutSuffix(text, "/")
	if text == "" {
		return p, false
	}
	p.baseOnly = strings.IndexByte(text, '/') < 0
	if !p.baseOnly {
		text = strings.TrimPrefix(text, "/")
	}
	plain := strings.IndexAny(text, `*?[\`)
	if plain < 0 {
		plain = len(text)
	}
	p.lit = text[:plain]
	rest := text[plain:]
	switch {
	case rest == "":
		p.form = formName
	case !p.baseOnly:
		p.form = formPath
		p.ops = compileWild(rest, true, fold)
	case text[0] == '*' && !strings.ContainsAny(text[1:], `*?[\`):
		p.form = formSuffix
		p.lit = text[1:]
	default:
		p.form = formWild
		p.ops = compileWild(text, false, fold)
	}
	if fold {
		p.lit = lowerASCII(p.lit)
	}
	return p, text != ""
}

func (l *ruleList) add(p pattern) {
	at := int32(len(l.patterns))
	l.patterns = append(l.patterns, p)
	switch {
	case p.baseOnly && p.form == formName:
		l.names[p.lit] = append(l.names[p.lit], at)
	case p.baseOnly && p.form == formSuffix && strings.LastIndexByte(p.lit, '.') == 0:
		l.exts[p.lit] = append(l.exts[p.lit], at)
	default:
		l.others = append(l.others, at)
	}
}

// match returns the last pattern that matches a path, or nil. full is the path from the top of the
// rules' scope, name its last segment; both are in lower case if the list folds case.
func (l *ruleList) match(full, name string, isDir bool) *pattern {
	best := int32(-1)
	latest := func(at []int32) {
		for i := len(at) - 1; i >= 0 && at[i] > best; i-- {
			if isDir || !l.patterns[at[i]].dirOnly {
				best = at[i]
			}
		}
	}
	if len(l.names) > 0 {
		latest(l.names[name])
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && len(l.exts) > 0 {
		latest(l.exts[name[dot:]])
	}
	for i := len(l.others) - 1; i >= 0 && l.others[i] > best; i-- {
		p := &l.patterns[l.others[i]]
		if (isDir || !p.dirOnly) && p.fits(full[l.base:], name) {
			best = l.others[i]
		}
	}
	if best < 0 {
		return nil
	}
	return &l.patterns[best]
}

// fits reports whether the pattern matches a path relative to the rule file's folder.
func (p *pattern) fits(rel, name string) bool {
	switch p.form {
	case formName:
		if p.baseOnly {
			return name == p.lit
		}
		return rel == p.lit
	case formSuffix:
		return strings.HasSuffix(name, p.lit)
	case formWild:
		return matchWild(p.ops, name)
	default:
		return strings.HasPrefix(rel, p.lit) && matchWild(p.ops, rel[len(p.lit):])
	}
}

// lowerASCII folds case as Git does: letters beyond ASCII keep their case.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}
