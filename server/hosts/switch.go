package hosts

import "strings"

// hookSwitch is a setting of a host by which the person stops all of its hooks.
type hookSwitch struct {
	file func(Environment) string
	key  []string
	off  string // the value with which no hook runs, as JSON
}

// HooksOff returns the setting with which the person has switched off all hooks of a host, such as
// "disableAllHooks is true", and its file. Both are "" if the hooks run, or if nothing tells.
func (h Host) HooksOff(env Environment) (setting, path string) {
	if h.hooks == nil || env.Read == nil {
		return "", ""
	}
	path = h.hooks.file(env)
	data := env.Read(path)
	root, err := parseJSON(data)
	if err != nil {
		return "", ""
	}
	value := root.at(h.hooks.key...)
	if value == nil || string(data[value.start:value.end]) != h.hooks.off {
		return "", ""
	}
	return strings.Join(h.hooks.key, ".") + " is " + h.hooks.off, path
}
