package hosts

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"strings"
)

// writer changes the bytes of one configuration file. It does no I/O and changes only the program's
// own parts. original is the content of the file before the program first wrote to it, nil if there
// was no file: everything in it is the person's, even if it bears the program's name.
type writer interface {
	// install returns data with the program's parts; data itself if it already contains them. kept
	// names parts that the person had created and that remain unchanged.
	install(data, original []byte) (out []byte, kept []string, err error)
	// remove returns data without the program's parts, and without objects that become empty.
	remove(data, original []byte) ([]byte, error)
	// blank reports whether nothing is left that the program did not create.
	blank(data []byte) bool
}

// jsonFile writes entries and hooks to a JSON file, with comments or without.
type jsonFile struct {
	entries []jsonEntry
	hooks   []jsonHook
}

// jsonEntry is a member of the object at a path.
type jsonEntry struct {
	path []string
	key  string
	// value is written if the file has no such member. A member that has all fields of value is
	// left unchanged.
	value any
	// frame marks a member that the file's format requires: an existing one may have any value, and
	// it stays while any other member does.
	frame bool
}

// jsonHook is an element of the list hooks.<event>.
type jsonHook struct {
	event   string
	command hookCommand
	value   any // contains the command
}

func (f jsonFile) install(data, original []byte) (out []byte, kept []string, err error) {
	before, err := rootObject(original)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range f.entries {
		root, err := rootObject(data)
		if err != nil {
			return nil, nil, err
		}
		now := root.at(e.path...).member(e.key)
		switch {
		case e.frame && now != nil, now != nil && covers(data, now, e.value):
			continue
		case before.at(e.path...).member(e.key) != nil:
			kept = append(kept, strings.Join(append(e.path[:len(e.path):len(e.path)], e.key), "."))
			continue
		}
		if data, err = setMember(data, e.path, e.key, e.value); err != nil {
			return nil, nil, err
		}
	}
	for _, h := range f.hooks {
		if data, err = h.install(data); err != nil {
			return nil, nil, err
		}
	}
	_, err = rootObject(data)
	return data, kept, err
}

// covers reports whether a value has all fields of another.
func covers(data []byte, have *jsonNode, want any) bool {
	if f, is := want.(fields); is {
		for _, field := range f {
			if m := have.member(field.key); m == nil || !covers(data, m, field.value) {
				return false
			}
		}
		return true
	}
	var a, b any
	text := layout{}.oneLine(want, false)
	return json.Unmarshal(data[have.start:have.end], &a) == nil && json.Unmarshal([]byte(text), &b) == nil && reflect.DeepEqual(a, b)
}

func (h jsonHook) install(data []byte) ([]byte, error) {
	root, err := rootObject(data)
	if err != nil {
		return nil, err
	}
	for _, c := range hookCommands(root.at("hooks", h.event)) {
		if !h.command.isOurs(c.text) {
			continue
		}
		if c.text == h.command.String() {
			return data, nil
		}
		return splice(data, c.start, c.end, layout{}.write(h.command.String(), "")), nil // the program has moved
	}
	return addElement(data, []string{"hooks", h.event}, h.value)
}

// hookCommands returns the commands in a list of hooks: `{"command": …}`, or groups of them,
// `{"hooks": [{"command": …}]}`.
func hookCommands(list *jsonNode) (out []*jsonNode) {
	if list == nil {
		return nil
	}
	for _, e := range list.elements {
		if c := e.member("command"); c != nil {
			out = append(out, c)
		}
		out = append(out, hookCommands(e.member("hooks"))...)
	}
	return out
}

func (f jsonFile) remove(data, original []byte) ([]byte, error) {
	out, err := f.takeOut(data, original)
	if err == nil && original != nil && (sameTokens(out, original) || f.blank(out) && len(bytes.TrimSpace(original)) == 0) {
		return original, nil // only blanks differ
	}
	return out, err
}

func (f jsonFile) takeOut(data, original []byte) ([]byte, error) {
	before, err := rootObject(original)
	if err != nil {
		before = nil // the original is unreadable: everything with the program's name is removed
	}
	for _, h := range f.hooks {
		if data, err = h.remove(data, before); err != nil {
			return nil, err
		}
	}
	for _, e := range f.entries {
		if e.frame || before.at(e.path...).member(e.key) != nil {
			continue
		}
		if data, err = dropMember(data, e.path, e.key, before); err != nil {
			return nil, err
		}
	}
	root, err := rootObject(data)
	if err != nil || before != nil || !f.framesOnly(root) {
		return data, err
	}
	for _, e := range f.entries {
		if e.frame {
			if data, err = dropMember(data, e.path, e.key, before); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}

// framesOnly reports whether an object has only members that the format requires.
func (f jsonFile) framesOnly(root *jsonNode) bool {
	if root == nil {
		return true
	}
	for _, m := range root.members {
		frame := false
		for _, e := range f.entries {
			frame = frame || e.frame && len(e.path) == 0 && e.key == m.key
		}
		if !frame {
			return false
		}
	}
	return true
}

func (f jsonFile) blank(data []byte) bool {
	root, err := rootObject(data)
	return err == nil && (root == nil && len(bytes.TrimSpace(data)) == 0 ||
		root != nil && len(root.members) == 0 && bytes.Equal(bytes.TrimSpace(data), []byte("{}")))
}

// remove removes the program's command from a list of hooks, and what becomes empty by that.
func (h jsonHook) remove(data []byte, before *jsonNode) ([]byte, error) {
	for {
		root, err := rootObject(data)
		if err != nil {
			return nil, err
		}
		list := root.at("hooks", h.event)
		next, found := h.removeOne(data, list)
		if !found {
			return data, nil
		}
		data = next
		if data, err = prune(data, []string{"hooks", h.event}, before); err != nil {
			return nil, err
		}
	}
}

// removeOne removes the first of the program's commands from a list.
func (h jsonHook) removeOne(data []byte, list *jsonNode) (out []byte, found bool) {
	if list == nil {
		return data, false
	}
	for i, e := range list.elements {
		if c := e.member("command"); c != nil && h.command.isOurs(c.text) {
			return removeAt(data, list, i), true
		}
		group := e.member("hooks")
		for k, inner := range groupElements(group) {
			if c := inner.member("command"); c == nil || !h.command.isOurs(c.text) {
				continue
			}
			if len(group.elements) == 1 {
				return removeAt(data, list, i), true
			}
			return removeAt(data, group, k), true
		}
	}
	return data, false
}

func groupElements(group *jsonNode) []*jsonNode {
	if group == nil {
		return nil
	}
	return group.elements
}

// dropMember removes a member, and the objects that become empty by that.
func dropMember(data []byte, in []string, key string, before *jsonNode) ([]byte, error) {
	root, err := rootObject(data)
	if err != nil {
		return nil, err
	}
	object := root.at(in...)
	if object == nil {
		return data, nil
	}
	for i := len(object.members) - 1; i >= 0; i-- {
		if object.members[i].key == key {
			return prune(removeAt(data, object, i), in, before)
		}
	}
	return data, nil
}

// prune removes the object or list at a path if it is empty and was not there before, and likewise
// those that contain it.
func prune(data []byte, at []string, before *jsonNode) ([]byte, error) {
	if len(at) == 0 || before.at(at...) != nil {
		return data, nil
	}
	root, err := rootObject(data)
	if err != nil {
		return nil, err
	}
	n := root.at(at...)
	if n == nil || n.kind != jsonObject && n.kind != jsonArray || strings.Trim(string(data[n.start+1:n.end-1]), " \t\r\n") != "" {
		return data, nil
	}
	return dropMember(data, at[:len(at)-1], at[len(at)-1], before)
}

// hookCommand is the command line that a host runs for an event.
type hookCommand struct {
	program Program
	host    string
	event   string
}

func (c hookCommand) String() string { return c.program.shell("hook", c.host, c.event) }

// isOurs reports whether a command line runs this program, from any path, for the same host and
// event.
func (c hookCommand) isOurs(line string) bool {
	line, ok := strings.CutSuffix(line, " hook "+c.host+" "+c.event)
	if !ok {
		return false
	}
	var name, rest string
	switch {
	case strings.HasPrefix(line, `'`):
		name, rest, _ = strings.Cut(line[1:], `'`)
	case strings.HasPrefix(line, `"`):
		name, rest, _ = strings.Cut(line[1:], `"`)
	default:
		name, rest, _ = strings.Cut(line, " ")
	}
	rest = strings.TrimSpace(rest)
	name = baseName(name)
	return (strings.HasPrefix(name, programName) || name == baseName(c.program.Path)) && (rest == "" || strings.HasPrefix(rest, "--"))
}

// baseName returns the name of a program's file.
func baseName(name string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".exe")
}

// programName is the name of the program, and of its entry in hosts' lists of servers.
const programName = "contexture"

// Program describes how hosts start this program.
type Program struct {
	Path string   // absolute
	Args []string // that precede the command, such as --state-dir DIR
	// Windows selects command lines for cmd.exe.
	Windows bool
}

// command returns the program and its arguments as separate words, such as for an MCP server.
func (p Program) command(words ...string) (string, []any) {
	args := []any{}
	for _, a := range append(p.Args[:len(p.Args):len(p.Args)], words...) {
		args = append(args, a)
	}
	return p.Path, args
}

// shell returns a command line.
func (p Program) shell(words ...string) string {
	all := append([]string{p.Path}, p.Args...)
	for i, word := range all {
		all[i] = p.quote(word)
	}
	return strings.Join(append(all, words...), " ")
}

// quote quotes a word for the shell if needed.
func (p Program) quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=+@%,", r) || r == '\\' && p.Windows
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	if p.Windows {
		return `"` + word + `"`
	}
	return `'` + strings.ReplaceAll(word, `'`, `'\''`) + `'`
}
