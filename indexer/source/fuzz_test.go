package source

import (
	"strings"
	"testing"
	"time"
)

// FuzzPattern compares the matcher with a plain version of wildmatch.c, and bounds its time
// linearly.
func FuzzPattern(f *testing.F) {
	for _, c := range hard {
		for _, rules := range c.rules {
			for line := range strings.SplitSeq(rules, "\n") {
				f.Add(line, "a/b/c.o", false)
			}
		}
	}
	f.Add("**/a/**/b/**/c", "x/a/y/b/z/a/b/c", true)
	f.Add("/**/*a*/**/[!b]?", "a/a/a/a/b", true)
	f.Fuzz(func(t *testing.T, line, path string, fold bool) {
		if len(line) > 40 || len(path) > 60 {
			return // the plain matcher takes exponential time
		}
		for _, rules := range []string{line, "x\n" + line + "\r\n"} {
			list := parseRules([]byte(rules), fold)
			list.match(path, baseName(path), false)
		}
		for _, pathname := range []bool{true, false} {
			text, pat := path, strings.ReplaceAll(line, "\x00", "")
			text = strings.ReplaceAll(text, "\x00", "")
			if !pathname {
				text = strings.ReplaceAll(text, "/", "")
			}
			if fold {
				text = lowerASCII(text)
			}
			if got, want := matchWild(compileWild(pat, pathname, fold), text), model(pat, 0, text, pathname, fold); got != want {
				t.Errorf("%q on %q (pathname %t, fold %t): %t, want %t", pat, text, pathname, fold, got, want)
			}
		}
	})
}

// model is the definition: it tries every choice.
func model(p string, i int, s string, pathname, fold bool) bool {
	if i == len(p) {
		return s == ""
	}
	one := func(ok bool, next int) bool { return s != "" && ok && model(p, next, s[1:], pathname, fold) }
	switch c := p[i]; c {
	case '*':
		end := i
		for end < len(p) && p[end] == '*' {
			end++
		}
		cross := !pathname
		if pathname && end-i > 1 && (i == 0 || p[i-1] == '/') {
			switch rest := p[end:]; {
			case strings.HasPrefix(rest, "/"):
				if model(p, end+1, s, pathname, fold) {
					return true
				}
				cross = true
			case rest == "", strings.HasPrefix(rest, `\/`):
				cross = true
			}
		}
		for n := 0; n <= len(s); n++ {
			if n > 0 && s[n-1] == '/' && !cross {
				return false
			}
			if model(p, end, s[n:], pathname, fold) {
				return true
			}
		}
		return false
	case '?':
		return one(s != "" && s[0] != '/', i+1)
	case '\\':
		return i+1 < len(p) && one(s != "" && s[0] == p[i+1], i+2)
	case '[':
		if s == "" {
			return false
		}
		in, end := classHas(p, i, s[0], fold)
		return end >= 0 && one(in && s[0] != '/', end+1)
	default:
		if fold {
			c = lower(c)
		}
		return one(s != "" && s[0] == c, i+1)
	}
}

func TestPathologicalPatterns(t *testing.T) {
	long := strings.Repeat("a", 4000)
	folders := strings.Repeat("a/", 1500)
	for _, c := range []struct{ pattern, text string }{
		{strings.Repeat("*a", 50) + "b", long},
		{strings.Repeat("**/a/", 50) + "b", folders + "c"},
		{strings.Repeat("**/*a*/", 50) + "b", folders + "c"},
		{strings.Repeat("[a-z]*", 50) + "!", long},
		{strings.Repeat("?*", 1000) + "b", long},
		{strings.Repeat("*", 4000) + "b", long},
		{strings.Repeat("**/", 1000) + "b", folders + "c"},
	} {
		start := time.Now()
		if matchWild(compileWild(c.pattern, true, false), c.text) {
			t.Errorf("%.20q matches", c.pattern)
		}
		// An exponential algorithm would take longer than anybody's life.
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%.20q took %v", c.pattern, d)
		}
	}
}
