package settings

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlLines returns the line, from 1, of each key and table in a valid TOML document. Keys are
// joined by dots.
func tomlLines(data []byte) map[string]int {
	var l locator
	l.lines = map[string]int{}
	for i, c := range data {
		if c == '\n' {
			l.ends = append(l.ends, uint32(i))
		}
	}
	p := &unstable.Parser{}
	p.Reset(data)
	prefix := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			prefix = l.note(e, "") + "."
		case unstable.KeyValue:
			l.noteValue(e, prefix)
		}
	}
	return l.lines
}

// locator finds the lines of keys. It counts line ends once: the parser's own Shape counts them
// from the beginning for every key, which is quadratic.
type locator struct {
	ends  []uint32 // offsets of the line ends
	lines map[string]int
}

func (l *locator) noteValue(e *unstable.Node, prefix string) {
	key := l.note(e, prefix)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			l.noteValue(it.Node(), key+".")
		}
	}
}

// note records the line of the key of e and of every table on the way to it, and returns the key.
func (l *locator) note(e *unstable.Node, prefix string) string {
	var parts []string
	key := ""
	for it := e.Key(); it.Next() && len(parts) < maxParts; {
		parts = append(parts, string(it.Node().Data))
		key = prefix + strings.Join(parts, ".")
		if _, ok := l.lines[key]; !ok {
			before, _ := slices.BinarySearch(l.ends, it.Node().Raw.Offset)
			l.lines[key] = before + 1
		}
	}
	return key
}
