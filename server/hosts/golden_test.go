package hosts

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// golden is a home directory before an installation and after it.
type golden struct {
	path          string
	archive       *txtar.Archive
	hosts         []string
	variables     map[string]string
	before, after map[string]string
}

func readGolden(t *testing.T, path, home string) *golden {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{path: path, archive: a, variables: map[string]string{}, before: map[string]string{}, after: map[string]string{}}
	g.hosts = []string{strings.TrimSuffix(filepath.Base(path), ".txtar")}
	crlf := false
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		if list, ok := strings.CutPrefix(line, "hosts: "); ok {
			g.hosts = strings.Fields(list)
		}
		if setting, ok := strings.CutPrefix(line, "env: "); ok {
			name, value, _ := strings.Cut(setting, "=")
			g.variables[name] = strings.ReplaceAll(value, "$HOME", home)
		}
		crlf = crlf || line == "crlf"
	}
	for _, f := range a.Files {
		text := string(f.Data)
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
			g.before[name] = text
		}
		if name, ok := strings.CutPrefix(f.Name, "after/"); ok {
			g.after[name] = text
		}
	}
	return g
}

// TestGoldens installs into a home of each host, compares the result, and uninstalls: every file
// that existed before is then the same, byte for byte. With UPDATE_GOLDENS=1 in the environment it
// rewrites the goldens.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) < 11 {
		t.Fatalf("%d goldens, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			home := t.TempDir()
			g := readGolden(t, path, home)
			writeTree(t, home, g.before)
			was := readTree(t, home)
			m := machineAt(t, home, g.variables)
			install(t, m, opt, g.hosts...)
			got := readTree(t, home)
			for name, text := range got {
				if strings.HasSuffix(name, "/") {
					delete(got, name)
				} else if original, is := strings.CutSuffix(name, Backup); is {
					if text != g.before[original] {
						t.Errorf("the copy of %s is not what it was", original)
					}
					delete(got, name)
				}
			}
			if os.Getenv("UPDATE_GOLDENS") != "" {
				g.update(t, got)
			} else if !maps.Equal(got, g.after) {
				for _, name := range slices.Sorted(maps.Keys(got)) {
					if got[name] != g.after[name] {
						t.Errorf("%s is\n%s\nwant\n%s", name, got[name], g.after[name])
					}
				}
				t.Errorf("there are %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(g.after)))
			}
			g.again(t, m, home)
			g.removed(t, m)
			uninstall(t, m, g.hosts...)
			if back := readTree(t, home); !maps.Equal(back, was) {
				t.Errorf("back is\n%v, was\n%v", back, was)
			}
		})
	}
}

// update writes the files found as the wanted ones.
func (g *golden) update(t *testing.T, got map[string]string) {
	t.Helper()
	g.archive.Files = slices.DeleteFunc(g.archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "after/") })
	for _, name := range slices.Sorted(maps.Keys(got)) {
		g.archive.Files = append(g.archive.Files, txtar.File{Name: "after/" + name, Data: []byte(strings.ReplaceAll(got[name], "\r\n", "\n"))})
	}
	if err := os.WriteFile(g.path, txtar.Format(g.archive), 0o600); err != nil {
		t.Fatal(err)
	}
}

// again checks that a second installation writes nothing.
func (g *golden) again(t *testing.T, m *Machine, home string) {
	t.Helper()
	before := readTree(t, home)
	for _, name := range g.hosts {
		plan, err := m.PlanInstall(host(t, name), opt)
		if err != nil || plan.Changed() {
			t.Errorf("%s: a second plan has changes, %v", name, err)
		}
	}
	install(t, m, opt, g.hosts...)
	if after := readTree(t, home); !maps.Equal(before, after) {
		t.Error("a second installation changes files")
	}
}

// removed checks that the writers alone, without the backups, restore the former files.
func (g *golden) removed(t *testing.T, m *Machine) {
	t.Helper()
	for _, name := range g.hosts {
		for _, f := range host(t, name).files(m.Env, opt) {
			now, err := m.read(f.path)
			if err != nil {
				t.Fatal(err)
			}
			short := filepath.ToSlash(strings.TrimPrefix(f.path, m.Env.Home+string(filepath.Separator)))
			before, was := g.before[short]
			var original []byte
			if was {
				original = []byte(before)
			}
			out, err := f.write.remove(now.data, original)
			if err != nil || string(out) != before && (was || !f.write.blank(out)) {
				t.Errorf("%s: %v, without the program's parts it is\n%q, was\n%q", short, err, out, before)
			}
		}
	}
}
