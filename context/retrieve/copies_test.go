package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// bundled returns three sources and the file that a bundler built from them, which has a helper of
// its own.
func bundled() map[string]string {
	files, whole := map[string]string{}, "var Harbour = (() => {\n  function __export(target, all) {\n    return Object.assign(target, all);\n  }\n"
	for _, module := range []string{"channel", "socket", "presence"} {
		source := ""
		for _, verb := range []string{"open", "close", "retry", "count"} {
			name := verb + strings.ToUpper(module[:1]) + module[1:]
			body := fmt.Sprintf("function %s(%s, options) {\n  // the %s is used to %s it\n  return %s.%s(options.timeout);\n}\n", name, module, module, verb, module, verb)
			source += "export " + body + "\n"
			whole += body + "\n"
		}
		files["assets/js/"+module+".js"] = source
	}
	files["priv/static/harbour.js"] = whole + "})();\n"
	for i := range 12 {
		files[fmt.Sprintf("lib/part%d.js", i)] = fmt.Sprintf("export function step%d(input) {\n  return input + %d;\n}\n", i, i)
	}
	return files
}

// TestCopiesBelowSources checks that what a bundler built is below its source, and that variants of
// a file stay where they are.
func TestCopiesBelowSources(t *testing.T) {
	s := index(t, bundled())
	for _, prompt := range []string{"where is a channel retried with its timeout?", "retryChannel", "which function closes the socket?", "countPresence options timeout", "how does harbour retry a channel?", "where does harbour count who is present?"} {
		var paths []string
		for _, c := range ask(s, prompt).Candidates {
			paths = append(paths, s.Chunk(c.Chunk).Path)
		}
		built, source := slices.Index(paths, "priv/static/harbour.js"), slices.IndexFunc(paths, func(p string) bool { return strings.HasPrefix(p, "assets/") })
		if source < 0 || built >= 0 && built < source {
			t.Errorf("%q: %q", prompt, paths)
		}
	}
	variants := map[string]string{}
	for _, system := range []string{"linux", "windows"} {
		text := "package lock\n\n"
		for _, name := range []string{"acquire", "release", "holder"} {
			text += fmt.Sprintf("// %s is for %s.\nfunc %s(path string) error { return %sCall(path, %q) }\n\n", name, system, name, system, name)
		}
		variants["lock/lock_"+system+".go"] = text
	}
	variants["lock/lock_windows.go"] += "// overlapped is only for windows.\nfunc overlapped() {}\n"
	v := index(t, variants)
	if c := ask(v, "how does windows acquire the lock of a path?").Candidates; len(c) == 0 || v.Chunk(c[0].Chunk).Path != "lock/lock_windows.go" {
		t.Errorf("%v", c)
	}
}
