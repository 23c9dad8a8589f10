package hosts

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// hasTOMLHooks reports whether a TOML file has hooks.
func hasTOMLHooks(data []byte) bool {
	var all struct {
		Hooks map[string]any `toml:"hooks"`
	}
	if toml.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &all) != nil {
		return false
	}
	for event := range all.Hooks {
		if event != "state" { // Codex keeps there which hooks are trusted
			return true
		}
	}
	return false
}

// installHooks returns data with the program's hooks.
func (f tomlFile) installHooks(data []byte) []byte {
	newline := layoutOf(data).newline
	if len(f.ownHooks(data)) == len(f.hooks) && f.current(data) {
		return data
	}
	data = f.removeHooks(data)
	var b bytes.Buffer
	b.Write(data)
	if !bytes.HasSuffix(data, []byte("\n")) {
		b.WriteString(newline)
	}
	for _, h := range f.hooks {
		name := "hooks." + h.event
		head := []string{"", "[[" + name + "]]"}
		if m := matchers[Codex][h.event]; m != "" {
			head = append(head, "matcher = "+tomlString(m))
		}
		for _, line := range append(head, "", "[["+name+".hooks]]", `type = "command"`, "command = "+tomlString(h.command.String()), "timeout = "+strconv.Itoa(hookSeconds)) {
			b.WriteString(line + newline)
		}
	}
	return b.Bytes()
}

// current reports whether the program's hooks are written as they are now.
func (f tomlFile) current(data []byte) bool {
	for _, h := range f.hooks {
		if !bytes.Contains(data, []byte("command = "+tomlString(h.command.String()))) {
			return false
		}
	}
	return true
}

// ownHooks returns the ranges of the program's hooks: a group that holds nothing but its command.
func (f tomlFile) ownHooks(data []byte) (out [][2]int) {
	heads := tomlHeaders(data)
	for i := 0; i+1 < len(heads); i++ {
		group, inner := heads[i].keys, heads[i+1].keys
		if len(group) != 2 || group[0] != "hooks" || strings.Join(inner, ".") != strings.Join(group, ".")+".hooks" {
			continue
		}
		end := len(data)
		if i+2 < len(heads) {
			if strings.Join(heads[i+2].keys, ".") == strings.Join(inner, ".") {
				continue // the person has added a command to the group
			}
			end = beforeComments(data, heads[i+1].start, heads[i+2].start)
		}
		var body struct {
			Command string `toml:"command"`
		}
		_, rest, _ := bytes.Cut(data[heads[i+1].start:end], []byte("\n"))
		if toml.Unmarshal(rest, &body) == nil && (hookCommand{f.program, Codex, group[1]}).isOurs(body.Command) {
			out = append(out, [2]int{heads[i].start, end})
		}
	}
	return out
}

// removeHooks returns data without the program's hooks.
func (f tomlFile) removeHooks(data []byte) []byte {
	own := f.ownHooks(data)
	for i := len(own) - 1; i >= 0; i-- {
		data = splice(data, own[i][0], own[i][1], "")
	}
	return data
}
