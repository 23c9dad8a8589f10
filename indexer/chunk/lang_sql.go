package chunk

import "bytes"

var sqlSpec = spec{
	defs: map[string]definition{
		"create_table":             {kind: "struct", name: ".object_reference"},
		"create_view":              {kind: "struct", name: ".object_reference"},
		"create_materialized_view": {kind: "struct", name: ".object_reference"},
		"create_function":          {kind: "function", name: ".object_reference"},
		"create_trigger":           {kind: "function", name: ".object_reference"},
		"create_type":              {kind: "type", name: ".object_reference"},
		"create_index":             {kind: "key", name: "column"},
		"create_schema":            {kind: "module", name: ".identifier"},
		"create_sequence":          {kind: "var", name: ".object_reference"},
	},
	names:    []string{"identifier"},
	toward:   map[string]string{"object_reference": "name"},
	calls:    map[string]string{"object_reference": "name"},
	comments: []string{"comment", "marginalia"},
}

var (
	sqlQuote = patternOf(`\$\w*\$`) // around the body of a routine
	sqlBlock = patternOf(`(?i)\b(?:BEGIN|CASE|END(?:[ \t]+(?:IF|LOOP|WHILE|REPEAT|FOR))?)\b`)
	sqlOther = patternOf(`(?i)^[ \t]*(?:GO[ \t]*$|CREATE[ \t]|ALTER[ \t])`) // begins another statement
)

// sqlEnd returns the last line of a routine whose first is n: the one with the end of its body, in
// dollars or between BEGIN and END, or that of its only statement.
func sqlEnd(x *extractor, n int) int {
	quote, end := "", n
	var open []byte // the first letters of what is open: BEGIN or CASE
	for at := n; at < x.lines.count(); at++ {
		text := trimBlank(x.line(at))
		if at > n && quote == "" && len(open) == 0 && sqlOther().Match(text) {
			return end
		}
		if len(text) > 0 {
			end = at
		}
		for _, mark := range sqlQuote().FindAll(text, -1) {
			switch quote {
			case "":
				quote = string(mark)
			case string(mark):
				quote = ""
			}
		}
		if quote != "" {
			continue
		}
		closed := false
		if text, _, _ = bytes.Cut(text, []byte("--")); len(text) == 0 {
			continue
		}
		for _, word := range sqlBlock().FindAll(text, -1) {
			switch first, top := word[0]|0x20, len(open)-1; {
			case first != 'e':
				open = append(open, first)
			case top >= 0 && len(word) == len("END"):
				closed = top == 0 && open[top] == 'b'
				open = open[:top]
			}
		}
		if last := trimBlank(text); closed || len(open) == 0 && len(last) > 0 && last[len(last)-1] == ';' {
			return at
		}
	}
	return end
}
