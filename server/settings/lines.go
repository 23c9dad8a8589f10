package settings

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlLines returns the line, from 1, of each key and table in a TOML document that is known to be valid. Keys are
// joined by dots.
func tomlLines(data []byte) map[string]int {
	lines := map[string]int{}
	p := &unstable.Parser{}
	p.Reset(data)
	prefix := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			prefix = note(p, e, "", lines) + "."
		case unstable.KeyValue:
			noteValue(p, e, prefix, lines)
		}
	}
	return lines
}

func noteValue(p *unstable.Parser, e *unstable.Node, prefix string, lines map[string]int) {
	key := note(p, e, prefix, lines)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			noteValue(p, it.Node(), key+".", lines)
		}
	}
}

// note records the line of the key of e and of every table on the way to it, and returns the key.
func note(p *unstable.Parser, e *unstable.Node, prefix string, lines map[string]int) string {
	var parts []string
	key := ""
	for it := e.Key(); it.Next() && len(parts) < maxParts; {
		parts = append(parts, string(it.Node().Data))
		key = prefix + strings.Join(parts, ".")
		if _, ok := lines[key]; !ok {
			lines[key] = p.Shape(it.Node().Raw).Start.Line
		}
	}
	return key
}
