package intent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// traceFormat matches one kind of line that names a location in the code. re captures the groups
// file, line and func.
type traceFormat struct {
	name string
	gate string // a line without it is skipped: cheaper than the expression
	re   *regexp.Regexp
	// caller returns the function from the previous line.
	caller func(previous string) string
	// position is a location without a stack: a compiler's line, or one in a sentence. The rest of
	// its line is ordinary text.
	position bool
}

// traceFormats are tried in order, the first that fits wins.
var traceFormats = sync.OnceValue(func() []traceFormat {
	return []traceFormat{
		{name: "go", gate: ".go:", re: regexp.MustCompile(`^\s+(?P<file>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$`), caller: goCaller},
		{name: "python", gate: `File "`, re: regexp.MustCompile(`^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<func>\S+))?`)},
		{
			name: "c#", gate: ":line ",
			re: regexp.MustCompile(`^\s*at (?P<func>\S+?)\s?\(.*\) in (?P<file>.+):line (?P<line>\d+)`),
		},
		{
			name: "js call", gate: "at ",
			re: regexp.MustCompile(`^\s*at (?:async |new )?(?P<func>[^()]+?)(?: \[as [^\]]+\])? \((?P<file>[^()]+?):(?P<line>\d+):\d+\)$`),
		},
		{
			name: "java", gate: "at ",
			re: regexp.MustCompile(`^\s*at (?:[\w.@-]*/)*(?P<func>[\w.$<>]+)\((?P<file>[\w$-]+\.\w+):(?P<line>\d+)\)`),
		},
		{name: "js", gate: "at ", re: regexp.MustCompile(`^\s*at (?:async )?(?P<file>[^()\s][^()]*?):(?P<line>\d+):\d+$`), caller: rustCaller},
		{name: "firefox", gate: "@", re: regexp.MustCompile(`^(?P<func>[\w$./<>*]*)@(?P<file>\S+?):(?P<line>\d+):\d+$`)},
		{name: "rust panic", gate: "panicked at ", re: regexp.MustCompile(`panicked at (?:'.*', )?(?P<file>[^\s']+?):(?P<line>\d+):\d+`)},
		{name: "rust compiler", gate: "--> ", re: regexp.MustCompile(`^\s*--> (?P<file>\S+?):(?P<line>\d+):\d+$`), position: true},
		{
			name: "ruby", gate: ":in ",
			re: regexp.MustCompile("^\\s*(?:from |\\d+: from )?(?P<file>[^\\s:]+):(?P<line>\\d+):in [`'](?P<func>[^']+)'"),
		},
		{name: "gdb", gate: "#", re: regexp.MustCompile(`^\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<func>[^\s(]+) ?\(.*\) at (?P<file>\S+?):(?P<line>\d+)`)},
		{name: "sanitizer", gate: "#", re: regexp.MustCompile(`^\s*#\d+ 0x[0-9a-f]+ in (?P<func>.+?) (?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?$`)},
		{name: "php", gate: "#", re: regexp.MustCompile(`^\s*#\d+ (?P<file>\S+?)\((?P<line>\d+)\): (?P<func>[\w\\:>-]+)`)},
		{name: "php error", gate: " on line ", re: regexp.MustCompile(`(?:^| )in (?P<file>\S+\.\w+) on line (?P<line>\d+)`), position: true},
		{name: "perl, terraform", gate: " line ", re: regexp.MustCompile(`(?:^| )(?:at|on) (?P<file>\S+\.\w+),? line (?P<line>\d+)`), position: true},
		{name: "lua", gate: ".lua:", re: regexp.MustCompile(`^\s*(?P<file>[^\s:]+\.lua):(?P<line>\d+): in (?:function |method |upvalue |local )?(?P<func>.+)$`)},
		{name: "dart", gate: "#", re: regexp.MustCompile(`^\s*#\d+\s+(?P<func>\S+) \((?:package:)?(?P<file>[^():]+):(?P<line>\d+)(?::\d+)?\)$`)},
		{name: "haskell range", gate: ":(", re: regexp.MustCompile(`(?:^|\s)(?P<file>[^\s:]+\.l?hs):\((?P<line>\d+),\d+\)-\(`), position: true},
		{name: "msvc", gate: "): ", re: regexp.MustCompile(`^\s*(?P<file>[^\s():]?:?[^\s():]+\.\w+)\((?P<line>\d+)(?:,\d+)?\): `), position: true},
		{name: "position", gate: ":", re: regexp.MustCompile(`(?:^|[\s("'\x60\[])(?P<file>(?:[A-Za-z]:)?[\w./\\@+~-]*[\w-]\.[A-Za-z]\w{0,9}):(?P<line>\d+)(?::\d+)?(?:[\s:;,.)"'\x60\]]|$)`), position: true},
	}
})

// maxTraceLine bounds the part of a line that the expressions see.
const maxTraceLine = 400

// traces is what was found in the lines that name locations.
type traces struct {
	frames  []StackFrame
	isTrace bool // at least one line is of a stack, not only a position
}

// readTraces finds the locations, and marks the lines of stacks.
func readTraces(d *document) traces {
	var found traces
	previous := ""
	for i := range d.lines {
		l := &d.lines[i]
		if len(found.frames) >= maxFrames {
			return found
		}
		text := clip(l.text, maxTraceLine)
		if f, format := readFrame(text, previous); format != nil {
			found.frames = appendFrame(found.frames, f)
			if format.position {
				l.position = f.File
			} else {
				found.isTrace = true
				l.trace = format.name != "rust panic"
				if format.caller != nil && f.Function != "" && i > 0 {
					d.lines[i-1].trace = true
				}
				if format.name == "python" && i+1 < len(d.lines) && !strings.HasPrefix(strings.TrimSpace(d.lines[i+1].text), "File ") &&
					strings.HasPrefix(d.lines[i+1].text, "    ") {
					d.lines[i+1].trace = true // the source line
				}
			}
		} else if isTraceNoise(text) {
			l.trace = true
		}
		previous = text
	}
	return found
}

func appendFrame(frames []StackFrame, f StackFrame) []StackFrame {
	for _, have := range frames {
		if have == f {
			return frames
		}
	}
	return append(frames, f)
}

// readFrame parses one line; the format is nil when it names no location.
func readFrame(text, previous string) (StackFrame, *traceFormat) {
	if !mayHaveLine(text) {
		return StackFrame{}, nil
	}
	formats := traceFormats()
	for i := range formats {
		format := &formats[i]
		if !strings.Contains(text, format.gate) {
			continue
		}
		m := format.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		line, err := strconv.Atoi(m[format.re.SubexpIndex("line")])
		if err != nil || line == 0 {
			continue
		}
		f := StackFrame{File: cleanPath(m[format.re.SubexpIndex("file")]), Line: line}
		if format.position && !hasCodeExtension(f.File) {
			continue
		}
		if k := format.re.SubexpIndex("func"); k >= 0 {
			f.Function = m[k]
		} else if format.caller != nil {
			f.Function = format.caller(previous)
		}
		return f, format
	}
	return StackFrame{}, nil
}

// mayHaveLine reports whether text can contain a line number in any of the formats: after ':', '('
// or "line ".
func mayHaveLine(text string) bool {
	for i := 1; i < len(text); i++ {
		if isDigit(text[i]) && strings.IndexByte(":( ", text[i-1]) >= 0 {
			return text[i-1] != ' ' || strings.Contains(text, "line ") || mayHaveLine(text[i:])
		}
	}
	return false
}

// isTraceNoise reports whether a line belongs to a stack but names no location.
func isTraceNoise(text string) bool {
	t := strings.TrimSpace(text)
	for _, p := range []string{"goroutine ", "Traceback (most recent", "... ", "stack backtrace:", "created by ", "[signal "} {
		if strings.HasPrefix(t, p) {
			return p != "... " || strings.HasSuffix(t, " more")
		}
	}
	return strings.HasPrefix(t, "at ") && (strings.HasSuffix(t, "(Native Method)") || strings.HasSuffix(t, "(Unknown Source)") ||
		strings.HasSuffix(t, "(native)") || strings.HasSuffix(t, "(<anonymous>)"))
}

// goCaller returns the function from the line above a location in a Go trace:
// "main.(*T).Run(0xc000010000, {0x1, 0x2})", "created by main.main in goroutine 1".
func goCaller(previous string) string {
	name := strings.TrimPrefix(strings.TrimSpace(previous), "created by ")
	name, _, _ = strings.Cut(name, " in goroutine ")
	if strings.HasSuffix(name, ")") {
		if i := strings.LastIndex(name, "("); i > 0 {
			name = name[:i]
		}
	}
	if strings.ContainsAny(name, " \t") || !strings.Contains(name, ".") {
		return ""
	}
	return name
}

var rustFrame = regexp.MustCompile(`^\s*\d+: +(?:0x[0-9a-f]+ - )?(\S.*)$`)

// rustCaller returns the function from the line above a location in a Rust backtrace: "   3:
// myapp::parse::h1234".
func rustCaller(previous string) string {
	if m := rustFrame.FindStringSubmatch(previous); m != nil {
		return m[1]
	}
	return ""
}

// cleanPath returns a path as the workspace would spell it: no scheme, no query,
// slashes.
func cleanPath(path string) string {
	if !strings.ContainsAny(path, `:?\ `) {
		return path
	}
	for _, scheme := range []string{"file://", "webpack:///", "webpack-internal:///", "async "} {
		path = strings.TrimPrefix(path, scheme)
	}
	if scheme, rest, ok := strings.Cut(path, "://"); ok && (scheme == "http" || scheme == "https") {
		if _, p, ok := strings.Cut(rest, "/"); ok {
			path = p
		}
	}
	path, _, _ = strings.Cut(path, "?")
	return strings.ReplaceAll(path, `\`, "/")
}
