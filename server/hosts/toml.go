package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlFile writes the table mcp_servers.contexture of a TOML file, as Codex reads it.
type tomlFile struct {
	program Program
	hooks   []jsonHook // if the person keeps hooks in this file
}

// tomlTable is the table's name as a list of keys.
var tomlTable = []string{"mcp_servers", programName}

func (f tomlFile) install(data, original []byte) (out []byte, kept []string, err error) {
	if out, kept, err = f.installServer(data, original); err != nil || len(f.hooks) == 0 {
		return out, kept, err
	}
	out = f.installHooks(out)
	if _, err := f.server(out); err != nil {
		return nil, nil, errors.New("defines hooks as a value on one line: write them as tables, [[hooks.EVENT]], and try again")
	}
	return out, kept, nil
}

func (f tomlFile) installServer(data, original []byte) (out []byte, kept []string, err error) {
	now, err := f.server(data)
	if err != nil {
		return nil, nil, err
	}
	command, args := f.program.command("mcp")
	if now != nil {
		if list, _ := now["args"].([]any); now["command"] == command && fmt.Sprint(list) == fmt.Sprint(args) {
			return data, nil, nil
		}
		if mine, err := f.server(original); err == nil && mine != nil {
			return data, []string{strings.Join(tomlTable, ".")}, nil
		}
		if data, err = f.removeServer(data, original); err != nil {
			return nil, nil, err
		}
	}
	newline := layoutOf(data).newline
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = tomlString(a.(string))
	}
	var b bytes.Buffer
	b.Write(data)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		b.WriteString(newline)
	}
	if len(data) > 0 {
		b.WriteString(newline)
	}
	for _, line := range []string{"[" + strings.Join(tomlTable, ".") + "]", "command = " + tomlString(command), "args = [" + strings.Join(words, ", ") + "]"} {
		b.WriteString(line + newline)
	}
	if now, err = f.server(b.Bytes()); err != nil || now == nil {
		return nil, nil, errors.New("defines mcp_servers as a value on one line: write it as tables, [mcp_servers.NAME], and try again")
	}
	return b.Bytes(), nil, nil
}

// server returns the program's table; nil if there is none.
func (f tomlFile) server(data []byte) (map[string]any, error) {
	var all map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, fmt.Errorf("line %d: %s", line, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	servers, _ := all[tomlTable[0]].(map[string]any)
	table, _ := servers[tomlTable[1]].(map[string]any)
	return table, nil
}

func (f tomlFile) remove(data, original []byte) ([]byte, error) {
	return f.removeServer(f.removeHooks(data), original)
}

func (f tomlFile) removeServer(data, original []byte) ([]byte, error) {
	now, err := f.server(data)
	if err != nil || now == nil {
		return data, err
	}
	if mine, err := f.server(original); err == nil && mine != nil {
		return data, nil
	}
	heads := tomlHeaders(data)
	out := data
	for i := len(heads) - 1; i >= 0; i-- {
		if !heads[i].below(tomlTable) {
			continue
		}
		end := len(out)
		if i+1 < len(heads) {
			end = beforeComments(out, heads[i].start, heads[i+1].start)
		}
		start := heads[i].start
		if rest := bytes.TrimRight(out[:start], " \t\r\n"); end == len(out) || len(rest) == 0 {
			start = len(rest)
			if start > 0 { // the line break that ends the last line is kept
				start += 1 + bytes.IndexByte(out[start:], '\n')
			}
		}
		out = splice(out, min(start, heads[i].start), end, "")
	}
	if now, err = f.server(out); err != nil || now != nil {
		return nil, errors.New("the table mcp_servers.contexture is written in a form that cannot be removed automatically: remove it by hand")
	}
	return out, nil
}

func (f tomlFile) blank(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

// tomlHeader is the header of a table, at the beginning of its line.
type tomlHeader struct {
	start int
	keys  []string
}

// below reports whether the table is the one of these keys or one inside it.
func (h tomlHeader) below(keys []string) bool {
	if len(h.keys) < len(keys) {
		return false
	}
	for i, key := range keys {
		if h.keys[i] != key {
			return false
		}
	}
	return true
}

// tomlHeaders finds the headers of tables in a valid TOML text.
func tomlHeaders(data []byte) (out []tomlHeader) {
	depth, fresh := 0, true // of brackets in a value; whether only blanks precede on the line
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '\n':
			fresh = true
			i++
		case c == '#':
			i += until(data[i:], "\n", 0)
		case bytes.HasPrefix(data[i:], []byte(`"""`)), bytes.HasPrefix(data[i:], []byte(`'''`)):
			i += 3 + until(data[i+3:], string(data[i:i+3]), 3)
			for i < len(data) && data[i] == c { // up to two more are part of the text
				i++
			}
			fresh = false
		case c == '"', c == '\'':
			i += 1 + until(data[i+1:], string(c), 1)
			fresh = false
		case c == '[' && fresh && depth == 0:
			line := data[i : i+until(data[i:], "\n", 0)]
			out = append(out, tomlHeader{i, tomlKeys(string(line))})
			i += len(line)
		default:
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			fresh = fresh && (c == ' ' || c == '\t')
			i++
		}
	}
	return out
}

// until returns the offset of an end mark in data, plus more; the length of data if there is none.
// Within double quotation marks, a backslash escapes the next byte.
func until(data []byte, mark string, more int) int {
	for i := 0; i < len(data); i++ {
		if data[i] == '\\' && mark[0] == '"' {
			i++
			continue
		}
		if bytes.HasPrefix(data[i:], []byte(mark)) {
			return i + more
		}
	}
	return len(data)
}

// tomlKeys splits the header of a table, [a."b c"], into its keys.
func tomlKeys(header string) (keys []string) {
	header = strings.TrimLeft(header, "[ \t")
	for header != "" && header[0] != ']' {
		var key string
		switch q := header[0]; q {
		case '"', '\'':
			n := 1 + until([]byte(header[1:]), string(q), 1)
			key = strings.Trim(header[:n], string(q))
			if text, err := strconv.Unquote(header[:n]); err == nil && q == '"' {
				key = text
			}
			header = header[n:]
		default:
			n := strings.IndexAny(header, ". \t]")
			if n < 0 {
				n = len(header)
			}
			key, header = header[:n], header[n:]
		}
		keys = append(keys, key)
		header = strings.TrimLeft(header, ". \t")
	}
	return keys
}

// beforeComments returns where the comments begin that precede the header at next and belong to it.
func beforeComments(data []byte, least, next int) int {
	at := next
	for at > least {
		begin := bytes.LastIndexByte(data[:at-1], '\n') + 1
		line := bytes.TrimSpace(data[begin:at])
		if begin <= least || len(line) > 0 && line[0] != '#' {
			break
		}
		at = begin
	}
	return next - len(bytes.TrimLeft(data[at:next], " \t\r\n"))
}

// tomlString formats a basic string.
func tomlString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
