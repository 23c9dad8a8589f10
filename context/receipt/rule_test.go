package receipt

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// seen is a look-up as a reader of the log sees it.
type seen struct {
	result string
	read   string   // the file of the workspace that it read, "" for none
	search bool     // it searched or listed
	listed []string // the files that it listed, if it has nothing else
}

// pointer is the rule in other words: the tokens of the searches before a read of a file that is
// named, or else before its change, and of the listings of files that are all named.
func pointer(looks []seen, edited string, names []string) (spared int) {
	for i, l := range looks {
		next := edited
		if k := slices.IndexFunc(looks[i+1:], func(o seen) bool { return o.read != "" }); k >= 0 {
			next = looks[i+1+k].read
		}
		all := len(l.listed) > 0
		for _, f := range l.listed {
			all = all && slices.Contains(names, f)
		}
		if l.search && (all || slices.Contains(names, next)) {
			spared += len(l.result) / 4
		}
	}
	return spared
}

// TestRule compares receipts with the rule on logs of each shape that hosts write.
func TestRule(t *testing.T) {
	names := []string{"boat/hull.go", "boat/mast.go", "README.md", "Dockerfile"}
	text := "Found:\n"
	for _, n := range names {
		text += n + ":1\n"
	}
	hits, code := strings.Repeat("boat/hull.go:12:func Seal\n", 9), strings.Repeat("package boat\n", 30)
	const head = "Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n"
	const readme = "README.md\n"
	grepOf := func(dir string) dialogue.ToolCall {
		return call("Grep", mustJSON(map[string]string{"pattern": "Seal", "path": dir}), hits)
	}
	grep := grepOf("/home/a/boat")
	read := func(file string) dialogue.ToolCall { return call("Read", `{"file_path":"`+file+`"}`, code) }
	bash := func(command, result string) dialogue.ToolCall {
		return call("Bash", mustJSON(map[string]string{"command": command, "description": "Find it"}), result)
	}
	codex := func(command, dir, result string) dialogue.ToolCall {
		return call("exec_command", mustJSON(map[string]string{"cmd": command, "workdir": dir}), head+result)
	}
	failing := func(c dialogue.ToolCall) dialogue.ToolCall {
		c.IsError = true
		return c
	}
	search := seen{result: hits, search: true}
	hull := seen{result: code, read: "boat/hull.go"}
	away := seen{result: code}
	for name, row := range map[string]struct {
		calls  []dialogue.ToolCall
		looks  []seen
		edited string
	}{
		"an absolute path": {[]dialogue.ToolCall{grep, read("/home/a/boat/hull.go")}, []seen{search, hull}, ""},
		"another file of the same base name": {
			[]dialogue.ToolCall{grep, read("/home/a/dock/README.md")}, []seen{search, {result: code, read: "dock/README.md"}}, "",
		},
		"files outside the workspace in between": {
			[]dialogue.ToolCall{grep, read("/home/a2/README.md"), bash("cat ~/README.md 2>/dev/null", code), bash("cd /home/b && cat README.md", code), read("boat/hull.go")},
			[]seen{search, away, away, away, hull}, "",
		},
		"a read that failed, and one of a file that is not there": {
			[]dialogue.ToolCall{grep, failing(read("/home/a/dock/pier.go")), bash("cat dock/pier.go 2>/dev/null", ""), read("boat/hull.go")},
			[]seen{search, away, {}, hull}, "",
		},
		"a file without an extension": {
			[]dialogue.ToolCall{grep, bash("sed -n '1,40p' Dockerfile", code)}, []seen{search, {result: code, read: "Dockerfile"}}, "",
		},
		"a script that prints a file reads": {
			[]dialogue.ToolCall{bash("ls boat && cat boat/hull.go", hits+code), grep, bash("rg Seal; head -n 5 boat/hull.go", hits)},
			[]seen{{result: hits + code, read: "boat/hull.go"}, search, {result: hits, read: "boat/hull.go"}}, "",
		},
		"what a pipe feeds does not read": {
			[]dialogue.ToolCall{bash(`rg -n "Seal|Reef; cat x.go" boat | sed -n '1,9p'`, hits), bash("go test ./... | grep Seal", hits), bash("cat boat/hull.go | grep Seal", code)}, []seen{search, hull}, "",
		},
		"files whose names the shell finds out": {
			[]dialogue.ToolCall{grep, bash("cat dock/*.md", code), read("boat/hull.go")}, []seen{search, away, hull}, "",
		},
		"a script for a shell": {[]dialogue.ToolCall{bash(`bash -lc "grep -r Seal . | head"`, hits), read("boat/hull.go")}, []seen{search, hull}, ""},
		"a search of Git": {
			[]dialogue.ToolCall{bash("git grep -n Seal", hits), bash("git ls-files README.md", readme), bash("git log -3", hits), read("boat/keel.go")},
			[]seen{search, {result: readme, search: true, listed: []string{"README.md"}}, {result: code, read: "boat/keel.go"}}, "",
		},
		"a program and a here document are none": {[]dialogue.ToolCall{bash("cat > /tmp/x.go <<'E'\ngrep\nE\ngo run /tmp/x.go", code), grep, read("boat/hull.go")}, []seen{search, hull}, ""},
		"the head of a host":                     {[]dialogue.ToolCall{codex("rg -n Seal", "/home/a", hits), codex("nl -ba hull.go", "/home/a/boat", code)}, []seen{search, hull}, ""},
		"a listing of a host with a head": {
			[]dialogue.ToolCall{codex("rg --files", "/home/a", "./boat/hull.go\nREADME.md\n"), call("Grep", `{"pattern":"x"}`, "Found 2 files\nboat/mast.go\nREADME.md")},
			[]seen{
				{result: "./boat/hull.go\nREADME.md\n", search: true, listed: []string{"boat/hull.go", "README.md"}},
				{result: "Found 2 files\nboat/mast.go\nREADME.md", search: true, listed: []string{"boat/mast.go", "README.md"}},
			}, "",
		},
		"a listing that was cut": {
			[]dialogue.ToolCall{call("Glob", `{"pattern":"**"}`, "/home/a/README.md\n(Results are truncated.)")},
			[]seen{{result: "/home/a/README.md\n(Results are truncated.)", search: true}}, "",
		},
		"a listing of another place": {
			[]dialogue.ToolCall{call("Glob", `{"pattern":"**"}`, "/home/a/README.md\n/home/b/x.md"), bash("cd dock && ls *.md", readme), read("/home/a/go.mod")},
			[]seen{{result: "/home/a/README.md\n/home/b/x.md", search: true}, {result: readme, search: true, listed: []string{"dock/README.md"}}, {result: code, read: "go.mod"}}, "",
		},
		"another checkout": {
			[]dialogue.ToolCall{
				codex("rg -n Seal", "/home/a.trees/fix", hits), codex("cat boat/hull.go", "/home/a.trees/fix", code), codex("rg Reef", "/home/a.trees/fix", hits),
				call("apply_patch", mustJSON("*** Update File: /home/a.trees/fix/boat/mast.go\n"), "Done"), grep,
			},
			[]seen{search, hull, search}, "boat/mast.go",
		},
		"another repository": {
			[]dialogue.ToolCall{codex("rg -n Seal", "/home/b", hits), codex("cat README.md", "/home/b", code), codex("ls", "/home/b", readme), read("/home/a/go.mod")},
			[]seen{search, away, {result: readme, search: true}, {result: code, read: "go.mod"}}, "",
		},
		"a log of another machine": {
			[]dialogue.ToolCall{
				grepOf("/Users/b/boats"), read("/Users/b/boats/boat/hull.go"),
				grepOf("/Users/b/boats"), call("Edit", `{"file_path":"/Users/b/boats/boat/mast.go","new_string":"x"}`, "Done"), grepOf("/Users/b/boats"),
			},
			[]seen{search, hull, search}, "boat/mast.go",
		},
		"what changes nothing here ends nothing": {
			[]dialogue.ToolCall{
				call("Write", `{"file_path":"/tmp/plan.md","content":"x"}`, "Done"), failing(call("Edit", `{"file_path":"boat/mast.go","new_string":"x"}`, "Not found")),
				call("create_document", `{"title":"t","content":"x"}`, "Done"), grep, read("boat/hull.go"),
			},
			[]seen{search, hull}, "",
		},
		"a subagent's answer is no search": {
			[]dialogue.ToolCall{call("Task", `{"description":"Find the hull","prompt":"Look\nfor it","subagent_type":"Explore"}`, hits), read("boat/hull.go")}, []seen{hull}, "",
		},
		"an edit in a shell is no read": {[]dialogue.ToolCall{grep, bash("sed -i 's/a/b/' boat/hull.go", "")}, []seen{search}, ""},
		"the first change": {
			[]dialogue.ToolCall{grep, call("Edit", `{"file_path":"/home/a/boat/hull.go","new_string":"x"}`, "Done"), grep, read("boat/hull.go")}, []seen{search}, "boat/hull.go",
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := 0
			for _, l := range row.looks {
				all += len(l.result) / 4
			}
			r := Read(turn(row.calls...), work).Receipt(give(text))
			if want := pointer(row.looks, row.edited, names); r.Spared != want || r.Looks != len(row.looks) || r.LookTokens != all || r.Given != len(text)/4 {
				t.Errorf("%+v\nwant %d spared, %d look-ups of %d tokens", r, want, len(row.looks), all)
			}
		})
	}
}
