package main

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/context/translate"
	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// page is a document for people: a help topic or a page of the repository.
type page struct{ path, text string }

// moduleRoot is the repository's root, relative to these tests.
const moduleRoot = "../.."

// pages returns the topics and the repository's own pages.
func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	for _, topic := range topics() {
		out = append(out, page{"cmd/contexture/topics/" + topic.name + ".md", topic.text})
	}
	for _, name := range []string{"README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(moduleRoot, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, page{name, string(text)})
	}
	return out
}

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	commandLine = regexp.MustCompile(`^(?:\$ )?(?:\./bin/|go run \./cmd/)?contexture( |$)`)
	settingSpan = regexp.MustCompile(`^[a-z]+\.[a-z][A-Za-z]+$`)
	contractID  = regexp.MustCompile(`(?:^|[^./\w])contexture\.([a-z]+(?:\.[a-zA-Z]+)*)`)
	flagOnly    = regexp.MustCompile(`^--[a-z-]+`)
	makeTarget  = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*make ([a-z-]+)`)
	pageLink    = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	ownPath     = regexp.MustCompile(`^(?:\./)?((?:cmd|server|context|indexer|memory|editors|testdata)/[\w./-]+)$`)
	namedTest   = regexp.MustCompile(`^(?:Test|Fuzz)[A-Z]\w+$`)
)

// code returns the code spans of a page and the lines of its fenced code.
func (p page) code() []string {
	var out []string
	fenced := false
	for line := range strings.Lines(p.text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced:
			out = append(out, strings.TrimSpace(line))
		default:
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// unknown returns the things that a page mentions and that do not exist: commands, flags, topics,
// settings, commands of the contract, targets of the Makefile, linked files, tests.
func (p page) unknown(t *testing.T, root *cobra.Command) []string {
	t.Helper()
	var out []string
	for _, code := range p.code() {
		if wrong := unknownInCode(t, root, code); wrong != "" {
			out = append(out, wrong)
		}
		for _, m := range contractID.FindAllStringSubmatch(code, -1) {
			if !slices.Contains(command.Names, "contexture."+m[1]) {
				out = append(out, m[0])
			}
		}
	}
	for _, m := range pageLink.FindAllStringSubmatch(p.text, -1) {
		if !strings.Contains(m[1], "://") && !exists(path.Join(path.Dir(p.path), m[1])) {
			out = append(out, m[1])
		}
	}
	return out
}

// unknownInCode returns what a code span or a line of code names that does not exist, or "".
func unknownInCode(t *testing.T, root *cobra.Command, code string) string {
	t.Helper()
	group, _, _ := strings.Cut(code, ".")
	isKey := func(key string) bool { return strings.HasPrefix(key, group+".") }
	known := true
	switch {
	case commandLine.MatchString(code):
		return unknownInCommand(root, code)
	case flagOnly.MatchString(code):
		known = anyFlag(root, strings.TrimPrefix(flagOnly.FindString(code), "--"))
	case settingSpan.MatchString(code) && !strings.HasSuffix(code, ".md") && slices.ContainsFunc(settingKeys(t), isKey):
		known = slices.Contains(settingKeys(t), code)
	case makeTarget.MatchString(code):
		known = fileHas(t, "Makefile", `(?m)^`+makeTarget.FindStringSubmatch(code)[1]+`:`)
	case ownPath.MatchString(code) && !strings.Contains(code, "NAME"):
		known = exists(ownPath.FindStringSubmatch(code)[1])
	case namedTest.MatchString(code):
		known = isTest(t, code)
	}
	if known {
		return ""
	}
	return code
}

// unknownInCommand returns what is wrong with a command line of the program, up to a comment after
// two blanks, or "".
func unknownInCommand(root *cobra.Command, line string) string {
	_, line, _ = strings.Cut(line, "contexture")
	line, _, _ = strings.Cut(strings.TrimLeft(line, " "), "  ")
	at := root
	words := strings.Fields(line)
	for i, word := range words {
		word = strings.TrimRight(word, ".,;:)")
		name, isFlag := strings.CutPrefix(word, "--")
		switch {
		case slices.Contains([]string{"|", ">", "<", "#"}, word):
			return ""
		case isFlag:
			name, _, _ = strings.Cut(name, "=")
			if at.Flags().Lookup(name) == nil && at.InheritedFlags().Lookup(name) == nil {
				return "--" + name + " of " + at.CommandPath()
			}
		case at.HasSubCommands() && word != "" && word != strings.ToUpper(word):
			sub, _, err := at.Find([]string{word})
			if err != nil || sub == at {
				return strings.Join(words[:i+1], " ")
			}
			at = sub
		case at.Name() == "help" && word != strings.ToUpper(word):
			_, isTopic := topicNamed(word)
			if c, _, err := root.Find([]string{word}); (err != nil || c == root) && !isTopic {
				return "help " + word
			}
		}
	}
	return ""
}

// anyFlag reports whether any command has a flag.
func anyFlag(c *cobra.Command, name string) bool {
	return c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil ||
		slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return anyFlag(sub, name) })
}

func fileHas(t *testing.T, name, pattern string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(pattern).Match(text)
}

var testDeclaration = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w+)\(`)

// testNames returns the names of all tests of the repository.
var testNames = sync.OnceValues(func() (out []string, _ error) {
	for _, dir := range []string{"cmd", "server", "context", "indexer", "memory"} {
		err := filepath.WalkDir(filepath.Join(moduleRoot, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range testDeclaration.FindAllSubmatch(text, -1) {
				out = append(out, string(m[1]))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
})

// exists reports whether a file or folder exists in the repository, or is made by a build.
func exists(path string) bool {
	_, err := os.Stat(filepath.Join(moduleRoot, filepath.FromSlash(path)))
	return err == nil || path == "editors/vscode/contexture.vsix"
}

func isTest(t *testing.T, name string) bool {
	t.Helper()
	names, err := testNames()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Contains(names, name)
}

// settingKeys returns the keys of all settings, from the extension's generated package file.
func settingKeys(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot, "editors/vscode/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Configuration struct{ Properties map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(manifest.Contributes.Configuration.Properties)) {
		if key := strings.TrimPrefix(name, "contexture."); !strings.HasPrefix(key, "client.") { // those are the extension's own
			keys = append(keys, key)
		}
	}
	return keys
}

func commandTree() *cobra.Command {
	root := newRoot(&environment{getenv: func(string) string { return "" }})
	root.InitDefaultHelpCmd()
	return root
}

// TestPagesNameWhatExists checks that no topic and no page mentions a command, a flag, a setting, a
// target, a file or a test that does not exist.
func TestPagesNameWhatExists(t *testing.T) {
	root := commandTree()
	for _, p := range pages(t) {
		for _, wrong := range p.unknown(t, root) {
			t.Errorf("%s mentions %s, which does not exist", p.path, wrong)
		}
	}
}

var (
	countedLanguages = regexp.MustCompile(`(\d+)\s+languages\b(?:\s+(are\s+split|besides\s+English))?`)
	dialogueLanguage = regexp.MustCompile(`(?m)^==.* lang=(\S+)`)
)

// TestLanguagesAreCounted checks that the doctor tries every language that is cut by its syntax,
// and that every page that counts them has their number.
func TestLanguagesAreCounted(t *testing.T) {
	var tried []string
	for name, text := range samples {
		tried = append(tried, chunk.Language(name, []byte(text)))
	}
	slices.Sort(tried)
	if want := chunk.Languages(); !slices.Equal(tried, want) {
		t.Errorf("the doctor tries %v, want %v", tried, want)
	}
	count := map[string]int{"are split": len(chunk.Languages()), "besides English": len(translate.Languages()) - 1, "": dialogueLanguages(t)}
	counted := map[string]int{}
	for _, p := range pages(t) {
		for _, m := range countedLanguages.FindAllStringSubmatch(p.text, -1) {
			of := strings.Join(strings.Fields(m[2]), " ")
			if counted[of]++; m[1] != strconv.Itoa(count[of]) {
				t.Errorf("%s: %q should be %d", p.path, m[0], count[of])
			}
		}
	}
	for of := range count {
		if counted[of] < 2 {
			t.Errorf("%d pages count the languages %s", counted[of], of)
		}
	}
}

// dialogueLanguages returns the number of languages of the dialogues to which the model that reads
// sentences is fitted.
func dialogueLanguages(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(moduleRoot, "testdata", "utterances", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range dialogueLanguage.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
	}
	return len(names)
}

// TestUnknownIsFound checks that TestPagesNameWhatExists can fail.
func TestUnknownIsFound(t *testing.T) {
	root := commandTree()
	for text, want := range map[string]string{
		"`contexture bundel x`":                          "bundel",
		"`contexture memory frobnicate`":                 "memory frobnicate",
		"`contexture bundle --budgt 1`":                  "--budgt of contexture bundle",
		"`contexture help nothing`":                      "help nothing",
		"`--nonesuch`":                                   "--nonesuch",
		"`budget.defualt`":                               "budget.defualt",
		"```\n{\"command\": \"contexture.bundel\"}\n```": "\"contexture.bundel",
		"`make nonesuch`":                                "make nonesuch",
		"[here](nonesuch.md)":                            "nonesuch.md",
		"`server/nonesuch/a.go`":                         "server/nonesuch/a.go",
		"`TestNonesuch`":                                 "TestNonesuch",
		"```\ngit diff | x\ncontexture frobnicate\n```":  "frobnicate",
	} {
		if got := (page{"README.md", text}).unknown(t, root); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"`contexture bundle --explain \"a b\"`", "`contexture help budget`", "`contexture rules why ID  the words`", "`budget.default`", "`.contexture.toml`",
		"`make check`", "[x](LICENSE)", "`TestUnknownIsFound`", "`contexture memory export > x.jsonl`", "`README.md`", "`go test ./server`",
	} {
		if got := (page{"README.md", text}).unknown(t, root); len(got) > 0 {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestTopics checks that every topic can be shown in any width, without Markdown's marks.
func TestTopics(t *testing.T) {
	marks := regexp.MustCompile("(?m)^#|^```|`|\\*\\*|^\\|")
	for _, topic := range topics() {
		if !strings.HasPrefix(topic.text, "# "+topic.name+": ") || topic.title == "" {
			t.Errorf("%s begins with no heading of its name and title", topic.name)
		}
		if c, _, err := commandTree().Find([]string{topic.name}); err == nil && c.HasParent() {
			t.Errorf("%s is a command, whose help would be hidden", topic.name)
		}
		for _, width := range []int{40, 80, 100} {
			if got := markdownText(topic.text, width, palette{}); marks.MatchString(got) {
				t.Errorf("%s in %d columns has the mark %q", topic.name, width, marks.FindString(got))
			}
		}
	}
	if text, _ := topicNamed("configuration"); text.text != "" {
		if n := len(settingKeys(t)); n < 20 {
			t.Errorf("%d settings", n)
		}
		for _, key := range settingKeys(t) {
			if !strings.Contains(text.text, "| `"+key+"` |") {
				t.Errorf("the topic configuration does not list %s", key)
			}
		}
	}
}

// TestManual checks that every command and every topic has a manual page.
func TestManual(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	root := commandTree()
	if err := writeManual(root, dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	n := 0
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		n++
		if name := strings.ReplaceAll(c.CommandPath(), " ", "-"); !strings.Contains(read(name+".1"), name) {
			t.Errorf("%s.1 does not name its command", name)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				each(sub)
			}
		}
	}
	each(root)
	if n < 40 {
		t.Errorf("%d commands", n)
	}
	for _, topic := range topics() {
		if text := read("contexture-" + topic.name + ".7"); !strings.Contains(text, topic.title) || !strings.Contains(text, ".TH \"CONTEXTURE-"+strings.ToUpper(topic.name)+"\" \"7\"") {
			t.Errorf("contexture-%s.7: %.100q", topic.name, text)
		}
	}
}
