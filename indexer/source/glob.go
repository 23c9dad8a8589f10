package source

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is one alternative of an index.include or index.exclude setting.
type glob struct {
	written string   // the whole setting, for explanations
	text    string   // without braces
	segs    []string // text by segments
}

type globs []glob

// parseGlobs parses the patterns of one setting. They are relative to the root; a leading "/" or
// "./" and a trailing "/" are ignored.
func parseGlobs(setting string, patterns []string) (globs, error) {
	var out globs
	for _, written := range patterns {
		if !doublestar.ValidatePattern(written) {
			return nil, fmt.Errorf("%s: %q is not a valid glob", setting, written)
		}
		for _, text := range expandBraces(written, maxAlternatives) {
			text = strings.TrimPrefix(path.Clean("/"+text), "/")
			if text == "" {
				text = "**" // "/" or ".": the whole root
			}
			out = append(out, glob{written, text, strings.Split(text, "/")})
		}
	}
	return out, nil
}

// maxAlternatives bounds the expansion of nested braces.
const maxAlternatives = 1000

// expandBraces expands "a{b,c/d}" so that segments can be compared individually. Alternatives
// beyond limit are dropped.
func expandBraces(p string, limit int) []string {
	open, depth, start := -1, 0, 0
	var parts []string
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				open, start = i, i+1
			}
		case ',':
			if depth == 1 {
				parts = append(parts, p[start:i])
				start = i + 1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			if depth < 0 {
				return []string{p}
			}
			parts = append(parts, p[start:i])
			var out []string
			for _, part := range parts {
				if len(out) >= limit {
					break
				}
				out = append(out, expandBraces(p[:open]+part+p[i+1:], limit-len(out))...)
			}
			return out
		}
	}
	return []string{p}
}

// find returns the glob that matches rel or a parent folder of rel, or nil. Inside a version
// control folder only a glob that spells the folder's name counts; vcs is "" elsewhere.
func (gs globs) find(rel, vcs string) *glob {
	for i := range gs {
		if vcs != "" && !gs[i].spells(vcs) {
			continue
		}
		for end := len(rel); end > 0; end = strings.LastIndexByte(rel[:end], '/') {
			if doublestar.MatchUnvalidated(gs[i].text, rel[:end]) {
				return &gs[i]
			}
		}
	}
	return nil
}

// findNamed returns a glob that names rel itself, or nil: it matches rel, not only a parent folder,
// and its last segment is more than a wildcard.
func (gs globs) findNamed(rel string) *glob {
	for i := range gs {
		if gs[i].named() && doublestar.MatchUnvalidated(gs[i].text, rel) {
			return &gs[i]
		}
	}
	return nil
}

// reaches reports whether the glob could match something below a folder.
func (g *glob) reaches(dir string) bool {
	if dir == "" {
		return true
	}
	segs := g.segs
	for name := range strings.SplitSeq(dir, "/") {
		if len(segs) == 0 || segs[0] == "**" {
			return true
		}
		if !doublestar.MatchUnvalidated(segs[0], name) {
			return false
		}
		segs = segs[1:]
	}
	return true
}

// named reports whether the last segment contains literal characters: such a glob names a file,
// whereas "**" or "*" matches any file.
func (g *glob) named() bool {
	return strings.Trim(g.segs[len(g.segs)-1], `*?.`) != ""
}

// spells reports whether a segment of the glob is exactly name.
func (g *glob) spells(name string) bool {
	for _, seg := range g.segs {
		if seg == name {
			return true
		}
	}
	return false
}
