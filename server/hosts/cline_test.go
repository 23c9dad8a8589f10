package hosts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClineHooksRun checks that the hooks are executable, that a person's own one stays and is
// named, and that a hook whose program has gone succeeds.
func TestClineHooksRun(t *testing.T) {
	home := t.TempDir()
	const mine = "Documents/Cline/Hooks/PreToolUse"
	writeTree(t, home, map[string]string{mine: "#!/bin/sh\n"})
	m := machineAt(t, home, nil)
	plan, err := m.PlanInstall(host(t, Cline), Program{Path: filepath.Join(home, "it's gone")})
	must(t, err)
	must(t, plan.Apply())
	hooks := 0
	for _, c := range plan.Changes {
		if c.What != whatHooks {
			continue
		}
		hooks++
		own := c.Path == filepath.Join(home, filepath.FromSlash(mine))
		info, err := os.Stat(c.Path)
		if err != nil || (info.Mode().Perm() == 0o700) == own || (len(c.Kept) > 0) != own {
			t.Errorf("%s: %v, %v, kept %v", c.Path, err, info.Mode(), c.Kept)
		}
		if out, err := exec.Command(c.Path).CombinedOutput(); err != nil && !own || len(out) > 0 {
			t.Errorf("%s: %v, %s", c.Path, err, out)
		}
	}
	if hooks != len(EventNames(Cline)) {
		t.Errorf("%d hooks for %v", hooks, EventNames(Cline))
	}
	// The person removes the hook, and the program takes its place.
	must(t, os.Remove(filepath.Join(home, filepath.FromSlash(mine))))
	install(t, m, opt, Cline)
	if !strings.Contains(readTree(t, home)[mine], " hook cline PreToolUse\n") {
		t.Error("it is not written")
	}
	uninstall(t, m, Cline)
	if left := readTree(t, home); len(left) != 3 { // the folders that were there
		t.Errorf("left are %v", left)
	}
}

// TestClineHooksMoved checks that hooks are removed from the folder into which they were written,
// also after the person's folder of documents has moved.
func TestClineHooksMoved(t *testing.T) {
	home := t.TempDir()
	m := machineAt(t, home, nil)
	install(t, m, opt, Cline)
	m.Env.InPath = func(name string) bool { return name == "xdg-user-dir" }
	uninstall(t, m, Cline)
	if left := readTree(t, home); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

func TestDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		system, dirs, variable string
		lacks                  bool // the program xdg-user-dir
		want                   string
	}{
		"in the person's language": {system: "linux", dirs: "# x\nXDG_DESKTOP_DIR=\"$HOME/Desktop\"\nXDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n", want: "/h/Dokumente"},
		"elsewhere":                {system: "linux", dirs: "XDG_DOCUMENTS_DIR=\"/data/docs\"\n", variable: "/other", want: "/data/docs"},
		"by a variable":            {system: "linux", variable: "/other", want: "/other"},
		"not set":                  {system: "linux", want: "/h"},
		"no such program":          {system: "linux", dirs: "XDG_DOCUMENTS_DIR=\"/data/docs\"\n", lacks: true, want: "/h/Documents"},
		"macOS":                    {system: "darwin", dirs: "XDG_DOCUMENTS_DIR=\"/data/docs\"\n", want: "/h/Documents"},
	} {
		env := Environment{OS: c.system, Home: "/h", InPath: func(string) bool { return !c.lacks },
			Getenv: func(name string) string { return map[string]string{"XDG_DOCUMENTS_DIR": c.variable}[name] },
			Read: func(path string) []byte {
				if path != "/h/.config/user-dirs.dirs" {
					t.Errorf("%s is read", path)
				}
				return []byte(c.dirs)
			}}
		if got := documents(env); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
