package bundle

import (
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// shelf is a workspace for prompts that name files.
var shelf = map[string]string{
	"flag_groups.go": "package p\n\nfunc Groups() {}\n", "command.go": "package p\n\nfunc Run() {}\n",
	"src/parser/lexer.py": "def lex():\n    pass\n", "src/parser/grammar.py": "def parse():\n    pass\n", "src/util/strings.py": "def cut():\n    pass\n",
	"web/index.ts": "export const a = 1\n", "web/pages/index.ts": "export const b = 2\n", "web/admin/index.ts": "export const c = 3\n",
	"web/api/index.ts": "export const d = 4\n", "web/shop/index.ts": "export const e = 5\n",
	"config/settings.yaml": "a: 1\n", "docs/guide.md": "# Guide\n\nText.\n", "internal/store/retry.go": "package store\n\nfunc Retry() {}\n",
	"migrations/0001_users.sql": "create table users (id int);\n",
}

// TestMissingFiles checks that the answer names the missing files of a prompt and the nearest
// existing ones, and that words that only look like files, existing files and files to be created
// are not reported.
func TestMissingFiles(t *testing.T) {
	w := newWorkspace(t, shelf)
	w.write(".gitignore", "built/\n")
	w.write("built/out.js", "var a\n")
	s := w.index()
	for _, c := range []struct {
		prompt string
		want   []string // of the notices, each the missing file and the nearest
	}{
		// Mistyped, or in another folder.
		{"look at src/flag_group.go", []string{"src/flag_group.go does not exist in the workspace. Nearest: flag_groups.go"}},
		{"explain flag_group.go please", []string{"flag_group.go does not exist in the workspace. Nearest: flag_groups.go"}},
		{"Was macht src/parser/lexxer.py?", []string{"src/parser/lexxer.py does not exist in the workspace. Nearest: src/parser/lexer.py"}},
		{"¿Qué hace src/parser/gramar.py?", []string{"src/parser/gramar.py does not exist in the workspace. Nearest: src/parser/grammar.py"}},
		{"Que fait lib/strings.py ?", []string{"lib/strings.py does not exist in the workspace. Nearest: src/util/strings.py"}},
		{"请解释 internal/retry.go 的作用", []string{"internal/retry.go does not exist in the workspace. Nearest: internal/store/retry.go"}},
		{"internal/stroe/retry.goは何をしますか？", []string{"internal/stroe/retry.go does not exist in the workspace. Nearest: internal/store/retry.go"}},
		{"Посмотри config/settings.yml", []string{"config/settings.yml does not exist in the workspace. Nearest: config/settings.yaml"}},
		{"o que há em docs/giude.md?", []string{"docs/giude.md does not exist in the workspace. Nearest: docs/guide.md"}},
		{"see comand.go:12", []string{"comand.go does not exist in the workspace. Nearest: command.go"}},
		{"diff src/parser/lexr.py with src/parser/gramar.py", []string{
			"src/parser/lexr.py does not exist in the workspace. Nearest: src/parser/lexer.py",
			"src/parser/gramar.py does not exist in the workspace. Nearest: src/parser/grammar.py",
		}},
		// No file is near: only a question about a folder of the workspace is answered with a
		// notice.
		{"what does src/parser/optimizer.py do?", []string{"src/parser/optimizer.py does not exist in the workspace."}},
		{"wofür ist web/checkout.ts?", []string{"web/checkout.ts does not exist in the workspace."}},
		{"where is backend/worker.rb?", nil},
		// To be created.
		{"add a new file src/parser/optimizer.py with a constant folder", nil},
		{"erstelle bitte metrics.go mit einem Zähler", nil},
		{"crée docs/tutoriel.md", nil},
		{"新建 web/login.ts", nil},
		{"написать migrations/0002_orders.sql", nil},
		{"schreibe migrations/0002_users.sql", nil},
		{"write command_test.go", nil},
		{"ajoute web/cart/index.ts", nil},
		{"generate a Dockerfile", nil},
		// Existing.
		{"look at flag_groups.go", nil},
		{"look at ./flag_groups.go and Command.go", nil},
		{"was macht parser/lexer.py?", nil},
		{"what is in retry.go?", nil},
		{"what is in built/out.js?", nil},
		// Not files of the workspace.
		{"see https://example.com/comand.go", nil},
		{"is example.com/docs/giude.md right?", nil},
		{"upgrade to v1.2.3, e.g. by hand, i.e. slowly", nil},
		{"does node.js or next.js do this better?", nil},
		{"what is in /etc/hosts.conf and ~/.zshrc?", nil},
		{"why does ../other/comand.go work?", nil},
		{"github.com/x/y/comand.go is broken", nil},
		{"call self.log and response.json() then os.Exit", nil},
		{"match *.go and src/**/*.py", nil},
		{"read/write and/or he/she", nil},
		{"panic: boom\n\ngoroutine 1 [running]:\nmain.run()\n\t/usr/lib/go/comand.go:12 +0x1d\nmain.main()\n\t/usr/lib/go/mian.go:3 +0x1d\n\nwhy?", nil},
		{"why?\n```\nimport './comand.go'\n```\n", nil},
		{"one.go two.go three.go comand.go flag_group.go lexr.py gramar.py retri.go: which of them are slow?", nil},
		{"how does the parser work?", nil},
	} {
		r := request(c.prompt, 4000)
		r.Exists = func(path string) bool { return path == "built/out.js" }
		got := notices(made(t, r, sources(s)))
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q: %q, want %q", c.prompt, got, c.want)
		}
	}
}

func notices(b *Bundle) (out []string) {
	for _, it := range b.Items {
		if it.Kind == "notice" {
			if out = append(out, it.Title); !IsMissing(it.ID) || it.Layer != item.L5JIT || !strings.Contains(b.Text, it.Title) {
				out = append(out, "and not in the text")
			}
		}
	}
	return out
}

func TestTypos(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"flag_groups", "flag_group", 1}, {"lexer", "lexxer", 1}, {"guide", "giude", 1}, {"guide", "guide", 0}, {"handler", "sandbox", 0},
		{"users1", "users2", 0}, {"abc", "abd", 0}, {"größe", "grosse", 0}, {"größe", "grüße", 1}, {"", "", 0}, {"", "abcd", 0},
		{"configuration", "cofniguratoin", 2},
	} {
		if got := typos(c.a, c.b); got != c.want {
			t.Errorf("typos(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
