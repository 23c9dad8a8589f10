package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlFile writes an item of the list mcpServers in a YAML file, as Continue reads it.
type yamlFile struct {
	program Program
	// head is the beginning of a new file.
	head []string
}

// yamlList is the key of the list of servers.
const yamlList = "mcpServers"

func (f yamlFile) install(data, original []byte) (out []byte, kept []string, err error) {
	d, err := readYAML(data)
	if err != nil {
		return nil, nil, err
	}
	command, args := f.program.command("mcp")
	if now := d.server(); now != nil {
		if now.Command == command && fmt.Sprint(now.Args) == fmt.Sprint(args) {
			return data, nil, nil
		}
		if before, err := readYAML(original); err == nil && before.server() != nil {
			return data, []string{yamlList + ": " + programName}, nil
		}
		if data, err = f.remove(data, original); err != nil {
			return nil, nil, err
		}
		if d, err = readYAML(data); err != nil {
			return nil, nil, err
		}
	}
	out, err = f.insert(data, d)
	if err != nil {
		return nil, nil, err
	}
	if d, err = readYAML(out); err != nil || d.server() == nil || len(data) > 0 && !reflect.DeepEqual(others(data), others(out)) {
		return nil, nil, errors.New("has a layout that cannot be extended: end it with a line break, or add the server by hand")
	}
	return out, nil, nil
}

// others returns the contents of a text without the program's server.
func others(data []byte) any {
	var all map[any]any
	if err := yaml.Unmarshal(data, &all); err != nil {
		return err.Error()
	}
	list, _ := all[yamlList].([]any)
	delete(all, yamlList)
	var rest []any
	for _, e := range list {
		if s, is := e.(map[string]any); !is || s["name"] != programName {
			rest = append(rest, e)
		}
	}
	if len(all) == 0 {
		all = nil
	}
	return []any{all, rest}
}

// item returns the lines of the program's item, the first with its dash, indented by indent.
func (f yamlFile) item(indent string) []string {
	command, args := f.program.command("mcp")
	lines := []string{indent + "- name: " + programName, indent + "  command: " + yamlString(command), indent + "  args:"}
	for _, a := range args {
		lines = append(lines, indent+"    - "+yamlString(a.(string)))
	}
	return lines
}

func (f yamlFile) insert(data []byte, d *yamlText) ([]byte, error) {
	newline := layoutOf(data).newline
	write := func(lines []string) string { return strings.Join(lines, newline) + newline }
	if d.list == nil {
		var b bytes.Buffer
		b.Write(data)
		if len(data) == 0 && len(f.head) > 0 {
			b.WriteString(write(f.head))
		} else if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			b.WriteString(newline)
		}
		if d.key == nil {
			b.WriteString(yamlList + ":" + newline)
			b.WriteString(write(f.item("  ")))
			return b.Bytes(), nil
		}
	}
	at := lineStart(data, d.key.Line+1)
	switch {
	case d.list == nil || len(d.list.Content) == 0 && d.list.Style&yaml.FlowStyle != 0:
		// The key is followed by nothing, null or [] on its own line.
		head := bytes.TrimRight(data[lineStart(data, d.key.Line):at], " \t\r\n")
		head, empty := bytes.CutSuffix(head, []byte("[]"))
		head = bytes.TrimRight(head, " \t")
		if !empty && !bytes.HasSuffix(head, []byte(":")) {
			return nil, fmt.Errorf("line %d: the value of %s cannot be extended: write it as a list of lines that begin with dashes", d.key.Line, yamlList)
		}
		return splice(data, lineStart(data, d.key.Line), at, string(head)+newline+write(f.item("  "))), nil
	case d.list.Style&yaml.FlowStyle != 0 || d.list.Line == d.key.Line:
		return nil, fmt.Errorf("line %d: the value of %s is on one line: write it as a list of lines that begin with dashes", d.key.Line, yamlList)
	}
	return splice(data, at, at, write(f.item(strings.Repeat(" ", d.list.Column-1)))), nil
}

func (f yamlFile) remove(data, original []byte) ([]byte, error) {
	d, err := readYAML(data)
	if err != nil || d.server() == nil {
		return data, err
	}
	before, err := readYAML(original)
	if err == nil && before.server() != nil {
		return data, nil
	}
	if d.list.Style&yaml.FlowStyle != 0 {
		return nil, fmt.Errorf("line %d: the server is in a list on one line: remove it by hand", d.list.Line)
	}
	from := lineStart(data, d.list.Content[d.at].Line)
	to := blockEnd(data, from, d.list.Column-1)
	if len(d.list.Content) == 1 && (err != nil || before.key == nil) { // the key is removed too
		from = lineStart(data, d.key.Line)
	}
	out := splice(data, from, to, "")
	if original == nil && strings.TrimSpace(string(out)) == strings.Join(f.head, layoutOf(data).newline) {
		return nil, nil
	}
	if d, err = readYAML(out); err != nil || d.server() != nil {
		return nil, errors.New("the server contexture has a layout that cannot be removed automatically: remove it by hand")
	}
	return out, nil
}

func (f yamlFile) blank(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

// yamlText is a parsed YAML text with its list of servers.
type yamlText struct {
	key, list *yaml.Node // of mcpServers; nil if missing
	at        int        // of the program's item in list, -1 for none
	item      yamlServer
}

// yamlServer is an item of mcpServers.
type yamlServer struct {
	Name    string
	Command string
	Args    []string
}

// server returns the program's item, nil if there is none.
func (d *yamlText) server() *yamlServer {
	if d.at < 0 {
		return nil
	}
	return &d.item
}

// readYAML parses a text of one document, whose value is a mapping or nothing.
func readYAML(data []byte) (*yamlText, error) {
	d := &yamlText{at: -1}
	if lines := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")); bytes.ContainsAny(lines, "\r\u0085\u2028\u2029") {
		return nil, errors.New("has line breaks that are not line feeds: replace them")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return d, nil
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("holds more than one document")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return d, nil
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, errors.New("is not a mapping with one key a line")
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != yamlList {
			continue
		}
		d.key = root.Content[i]
		switch v := root.Content[i+1]; {
		case v.Kind == yaml.SequenceNode:
			d.list = v
		case v.Kind != yaml.ScalarNode || v.Tag != "!!null":
			return nil, fmt.Errorf("line %d: %s is not a list", v.Line, yamlList)
		}
	}
	if d.list == nil {
		return d, nil
	}
	for i, n := range d.list.Content {
		var s yamlServer
		if err := n.Decode(&s); err == nil && s.Name == programName {
			d.at, d.item = i, s
		}
	}
	return d, nil
}

// lineStart returns where a line, counted from 1, begins; the end of data if there is no such line.
func lineStart(data []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			return len(data)
		}
		at += n + 1
	}
	return at
}

// blockEnd returns the end of the item that begins on the line at from, with its dash indented by
// indent: before the next line that is not indented further.
func blockEnd(data []byte, from, indent int) int {
	at := from
	for first := true; at < len(data); first = false {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			n = len(data) - at - 1
		}
		line := data[at : at+n+1]
		text := bytes.TrimLeft(line, " ")
		if blank := len(bytes.TrimSpace(text)) == 0; !first && (blank || len(line)-len(text) <= indent) {
			return at
		}
		at += n + 1
	}
	return at
}

// yamlString formats a plain scalar if that is safe, else a quoted one.
func yamlString(text string) string {
	var back any
	if err := yaml.Unmarshal([]byte(text), &back); err == nil && back == text && !strings.ContainsAny(text, "#:{}[],&*!|>'\"%@`\n") {
		return text
	}
	return tomlString(text) // the same escapes
}
