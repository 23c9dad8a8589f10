package hosts

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// putBlock writes the program's block to a file, or takes it out.
func putBlock(t *testing.T, m *Machine, path string, in bool) *Plan {
	t.Helper()
	plan, err := m.PlanBlock(path, in)
	if err == nil {
		err = plan.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestBlockRoundTrip checks that a file with the block keeps the person's text, that a second
// installation changes nothing, and that removing the block restores the file byte for byte.
func TestBlockRoundTrip(t *testing.T) {
	block := agentsBlock()
	windows := strings.ReplaceAll(block, "\n", "\r\n")
	for name, c := range map[string]struct{ before, after string }{
		"a text":            {"# Rules\n\nBe brief.\n", "# Rules\n\nBe brief.\n\n" + block + "\n"},
		"CRLF":              {"# Rules\r\nBe brief.\r\n", "# Rules\r\nBe brief.\r\n\r\n" + windows + "\r\n"},
		"no final newline":  {"a\nb", "a\nb\n\n" + block},
		"CRLF and none":     {"a\r\nb", "a\r\nb\r\n\r\n" + windows},
		"one line":          {"a", "a\n\n" + block},
		"nothing":           {"", block},
		"a newline":         {"\n", "\n\n" + block + "\n"},
		"blank lines":       {"a\n\n\n", "a\n\n\n\n" + block + "\n"},
		"a byte order mark": {"\uFEFFa\r\n", "\uFEFFa\r\n\r\n" + windows + "\r\n"},
		"mixed newlines":    {"a\nb\r\n", "a\nb\r\n\n" + block + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			writeTree(t, home, map[string]string{"p/AGENTS.md": c.before})
			was := readTree(t, home)
			m, path := machineAt(t, home, nil), filepath.Join(home, "p", "AGENTS.md")
			must(t, os.Chmod(path, 0o640))
			putBlock(t, m, path, true)
			if now := readTree(t, home); now["p/AGENTS.md"] != c.after || len(now) != len(was) {
				t.Errorf("files are %q, want %q", now, c.after)
			}
			if again := putBlock(t, m, path, true); again.Changed() || !m.HasBlock(path) {
				t.Error("a second installation changes the file")
			}
			m.StateDir = filepath.Join(t.TempDir(), "another") // the person may be another one
			putBlock(t, m, path, false)
			if now := readTree(t, home); !maps.Equal(was, now) {
				t.Errorf("back is %q, was %q", now, was)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// TestBlockInANewFile checks that a file which was created for the block is removed with it, unless
// the person has written to it since.
func TestBlockInANewFile(t *testing.T) {
	home := t.TempDir()
	m, path := machineAt(t, home, nil), filepath.Join(home, "AGENTS.md")
	putBlock(t, m, path, true)
	data, err := os.ReadFile(path)
	if info, stat := os.Stat(path); err != nil || stat != nil || info.Mode().Perm() != 0o644 || string(data) != agentsBlock()+"\n" {
		t.Fatalf("%v, %v, %s", err, info.Mode(), data)
	}
	putBlock(t, m, path, false)
	if left := readTree(t, home); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if plan := putBlock(t, m, path, false); plan.Changed() {
		t.Error("removing it again changes something")
	}
	putBlock(t, m, path, true)
	writeTree(t, home, map[string]string{"AGENTS.md": agentsBlock() + "\nBe brief.\n"})
	putBlock(t, m, path, false)
	if left := readTree(t, home); len(left) != 1 || left["AGENTS.md"] != "Be brief.\n" {
		t.Errorf("left are %q", left)
	}
}

// TestBlockIsReplaced checks that another text between the markers, such as that of another
// version, is replaced where it is.
func TestBlockIsReplaced(t *testing.T) {
	f := blockFile{agentsBlock()}
	old := "a\n\n" + blockOpen + "\nold\n" + blockClose + "\n\nb\n"
	out, _, err := f.install([]byte(old), nil)
	if want := "a\n\n" + agentsBlock() + "\n\nb\n"; err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
	if out, err = f.remove(out, nil); err != nil || string(out) != "a\n\nb\n" {
		t.Errorf("%v, %q", err, out)
	}
}

// TestBlockErrors checks that a file whose markers do not make one block, or that must not be
// written, is named and left as it is.
func TestBlockErrors(t *testing.T) {
	for want, text := range map[string]string{
		"without <!-- /contexture --> after it": "a\n" + blockOpen + "\nb\n",
		"without <!-- contexture --> before it": "a\n" + blockClose + "\n",
		"two lines <!-- contexture -->":         agentsBlock() + "\n" + agentsBlock() + "\n",
		"is not UTF-8":                          "\xff\xfe",
		"is read-only":                          "a\n",
	} {
		home := t.TempDir()
		m, path := machineAt(t, home, nil), filepath.Join(home, "AGENTS.md")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if strings.HasPrefix(want, "is read") {
			must(t, os.Chmod(path, 0o400))
		}
		if _, err := m.PlanBlock(path, true); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if now := readTree(t, home); now["AGENTS.md"] != text {
			t.Errorf("the file is %q", now)
		}
	}
	m := machineAt(t, t.TempDir(), nil)
	plan, err := m.PlanBlock(filepath.Join(m.Env.Home, "gone", "AGENTS.md"), true)
	must(t, err)
	if err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// TestBlockNamesTheProgramInPath checks that the block has what the skill tells a model, without
// the path of the program on this machine.
func TestBlockNamesTheProgramInPath(t *testing.T) {
	text := agentsBlock()
	for _, want := range []string{"- `contexture search WORDS`", "- `contexture recall WORDS`", "- `contexture blame FILE`", "Exit status 1", "quicker"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, text)
		}
	}
	if strings.Contains(text, wholeMark) || strings.Contains(text, "---") {
		t.Errorf("the skill's frame is in\n%s", text)
	}
}

// FuzzBlock checks that a file gets one block, once, and is restored by removing it.
func FuzzBlock(f *testing.F) {
	for _, text := range []string{"", "a", "a\n", "a\r\n", "a\r", "\r", "\n\n", "\uFEFF", "a\nb\r\nc\r", "<!-- contexture -->\n<!-- /contexture -->", " <!-- contexture --> \r\nx\r\n<!-- /contexture --> \r"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := blockFile{agentsBlock()}
		out, _, err := b.install(data, nil)
		if err != nil {
			return
		}
		if start, end, err := findBlock(out); err != nil || start < 0 || strings.ReplaceAll(string(out[start:end]), "\r\n", "\n") != b.text {
			t.Fatalf("%v: no block in %q", err, out)
		}
		if again, _, err := b.install(out, nil); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%v: a second time it is %q, not %q", err, again, out)
		}
		back, err := b.remove(out, nil)
		if err != nil || back == nil && data == nil {
			t.Fatalf("%v: nothing is back of %q", err, data)
		}
		if start, _, _ := findBlock(data); start < 0 && !bytes.Equal(back, data) {
			t.Fatalf("back is %q, was %q", back, data)
		}
	})
}
