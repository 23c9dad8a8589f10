package intent

import (
	"regexp"
	"strings"
	"sync"
)

// The expressions of this package are compiled at the first prompt: a process for a hook, which
// asks a running server, is not to wait for them.

type importFormat struct {
	gate  string
	loose bool // counts only in code: a sentence of prose may also begin with "import"
	re    *regexp.Regexp
}

// importFormats match a line that imports and capture the module.
var importFormats = sync.OnceValue(func() []importFormat {
	return []importFormat{
		{"import", false, regexp.MustCompile(`^\s*from\s+([\w.]+)\s+import\s+\S`)},
		{"from", false, regexp.MustCompile(`^\s*(?:import|export)\b.*\bfrom\s+['"]([^'"]+)['"]`)},
		{"import", false, regexp.MustCompile(`^\s*import\s+(?:[\w.]+\s+)?['"]([^'"]+)['"]`)},
		{"import", false, regexp.MustCompile(`^\s*import\s+(?:static\s+)?([\w.]+(?:\.\*)?);$`)},
		{"import", false, regexp.MustCompile(`^\s*import\s+(\w+(?:\.\w+)+)(?:\s+as\s+\w+)?$`)},
		{"import", true, regexp.MustCompile(`^\s*import\s+([\w.]+)(?:\s+as\s+\w+)?(?:\s*,.*)?$`)},
		{"require", false, regexp.MustCompile(`\brequire(?:_relative)?\s*\(?\s*['"]([^'"]+)['"]`)},
		{"use ", false, regexp.MustCompile(`^\s*(?:pub\s+)?use\s+([\w:\\]+(?:::|\\)[\w:\\]+)`)},
		{"#include", false, regexp.MustCompile(`^\s*#include\s+[<"]([^>"]+)[>"]`)},
		{"using ", false, regexp.MustCompile(`^\s*using\s+(?:static\s+)?([A-Z][\w.]*);`)},
		{`"`, true, regexp.MustCompile(`^\s+(?:[\w.]+\s+)?"([\w.-]+(?:/[\w.-]+)+|[a-z]+)"$`)},
	}
})

type signatureFormat struct {
	gate string
	re   *regexp.Regexp
}

// signatureFormats match declarations; the group is the declared name.
var signatureFormats = sync.OnceValue(func() []signatureFormat {
	return []signatureFormat{
		{"func ", regexp.MustCompile(`^\s*func\s+(?:\([^)]*\)\s*)?([\w]+)\s*[(\[<]`)},
		{"def ", regexp.MustCompile(`^\s*(?:async\s+)?def\s+([\w.?!]+)\s*(?:\(|:|$)`)},
		{"class ", regexp.MustCompile(`^\s*(?:(?:export|default|abstract|public|private|protected|internal|static|final|sealed|data|partial|open)\s+)*class\s+([A-Z]\w*)\s*(?:[({:<]|extends|implements|$)`)},
		{"function", regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s+(\w+)\s*[(<]`)},
		{"=>", regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]+)?=>`)},
		{"fn ", regexp.MustCompile(`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:extern\s+"[^"]*"\s+)?fn\s+(\w+)\s*[(<]`)},
		{"impl", regexp.MustCompile(`^\s*impl(?:<[^>]*>)?\s+(?:[\w:<>]+\s+for\s+)?(\w+)[\w:<>, ']*\s*\{?$`)},
		{"struct ", regexp.MustCompile(`^\s*(?:pub(?:\([^)]*\))?\s+|typedef\s+)?struct\s+(\w+)\s*(?:[<{(;]|$)`)},
		{"type ", regexp.MustCompile(`^\s*(?:export\s+)?type\s+(\w+)(?:\[[^\]]*\]|<[^>]*>)?\s*(?:struct\b|interface\b|func\b|=)`)},
		{"interface ", regexp.MustCompile(`^\s*(?:export\s+|public\s+)?interface\s+([A-Z]\w*)(?:<[^>]*>)?\s*(?:(?:extends|:)\s+[\w, <>]+)?\{?$`)},
		{"trait ", regexp.MustCompile(`^\s*(?:pub\s+)?trait\s+([A-Z]\w*)(?:<[^>]*>)?\s*(?:[:{].*)?$`)},
		{"enum ", regexp.MustCompile(`^\s*(?:pub\s+|export\s+|public\s+)?enum\s+(?:class\s+)?([A-Z]\w*)\s*(?:[{:(].*)?$`)},
		{"(", regexp.MustCompile(`^\s*(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized|inline|extern|const)\s+)+(?:[\w<>\[\].?*&:]+(?:,\s*[\w<>\[\].?*&:]+)*\s+)?(\w+)\([^)]*\)?[^;]*$`)},
	}
})

// readDeclarations collects imports and signatures, and the declared names, which are identifiers
// even when they look like plain words. Such a line is code, in a fence or not.
func readDeclarations(d *document, s *Signals) {
	for i, l := range d.lines {
		if l.trace || l.text == "" || len(l.text) > maxTraceLine {
			continue
		}
		text := l.text
		if m := readImport(text, l.code || i > 0 && d.lines[i-1].code || i+1 < len(d.lines) && readImport(d.lines[i+1].text, false) != ""); m != "" {
			s.Imports = appendNew(s.Imports, m, maxFiles)
			d.lines[i].code = true
			continue
		}
		for _, f := range signatureFormats() {
			if !strings.Contains(text, f.gate) {
				continue
			}
			if m := f.re.FindStringSubmatch(text); m != nil {
				s.Signatures = appendNew(s.Signatures, clip(strings.TrimRight(strings.TrimSpace(text), " {:;"), maxMessage), maxFiles)
				if len(m[1]) > 1 && !everydayCalls[m[1]] {
					s.Identifiers = appendNew(s.Identifiers, m[1], maxIdentifiers)
				}
				d.lines[i].code = true
				break
			}
		}
	}
}

// readImport returns the module that a line imports, or "".
func readImport(text string, inCode bool) string {
	for _, f := range importFormats() {
		if f.loose && !inCode || !strings.Contains(text, f.gate) {
			continue
		}
		if m := f.re.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}
