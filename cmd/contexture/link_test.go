package main

import "testing"

func TestLink(t *testing.T) {
	const uri, path = "file:///w/a%20b.go", "\x1b[36ma b.go\x1b[0m"
	linked := func(address string) string { return "\x1b]8;;" + address + "\x1b\\" + path + "\x1b]8;;\x1b\\" }
	for name, c := range map[string]struct {
		env  map[string]string
		on   bool
		uri  string
		want string
	}{
		"a terminal":            {nil, true, uri, linked("file://here/w/a%20b.go")},
		"kitty":                 {map[string]string{"TERM": "xterm-kitty"}, true, uri, linked("file://here/w/a%20b.go#7")},
		"the console of Linux":  {map[string]string{"TERM": "linux"}, true, uri, path},
		"without colours":       {map[string]string{"NO_COLOR": "1"}, true, uri, path},
		"no terminal":           {nil, false, uri, path},
		"a memory":              {nil, true, "", path},
		"an unsaved document":   {nil, true, "untitled:Untitled-1", path},
		"an address with codes": {nil, true, "file:///w/%1b%5d8;;x", linked("file://here/w/%1B%5D8%3B%3Bx")},
	} {
		e := &environment{getenv: func(name string) string { return c.env[name] }, out: terminal{On: c.on}, host: "here"}
		got := e.link(c.uri, 6, path)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if unlinked(got) != path || columnsOf(got) != len("a b.go") {
			t.Errorf("%s: %q takes %d columns and is %q without links", name, got, columnsOf(got), unlinked(got))
		}
	}
}
