package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	s := Defaults()
	if !s.Enabled || s.Order != "cache" || s.Budget.Default != 12000 || s.Budget.Encoding != "o200k_base" || s.Index.MaxFileBytes != 1<<20 ||
		s.Ticklers.Max != 5 || len(s.Preferences.Files) != 5 || s.Ollama.Prefixes == nil || s.Secrets.Allow == nil {
		t.Errorf("%+v", s)
	}
	resolved, problems := Resolve()
	if len(problems) > 0 {
		t.Error(problems)
	}
	for _, e := range resolved.Explain() {
		raw, err := json.Marshal(e.Value)
		if e.Source != DefaultSource || err != nil || string(raw) == "null" {
			t.Errorf("%+v: %s, %v", e, raw, err)
		}
	}
	// Every default is valid for its setting.
	for key, spec := range specs {
		for _, e := range s.Explain() {
			if e.Key != key || spec.typ.Kind() == reflect.Map {
				continue
			}
			raw, _ := json.Marshal(map[string]any{key: e.Value})
			if l := EditorJSON("editor", raw); len(l.Problems()) > 0 || len(l.values) != 1 {
				t.Errorf("default of %s: %v", key, l.Problems())
			}
		}
	}
}

func TestLayers(t *testing.T) {
	user := UserTOML("/home/ann/.config/contexture/config.toml", []byte(`
order = "primed"
budget.default = 8000
[ollama]
url = "http://127.0.0.1:9999"
allowRemote = ["gpu.lan"]
[ollama.prefixes.nomic-embed-text]
query = "q: "
[identity]
file = "me.md"
`))
	workspace := repositoryLayer("/srv/app/.contexture.toml", []byte(`
[budget]
default = 9000
[index]
exclude = ["*.gen.go", "!keep.gen.go"]
maxFileBytes = 2_000_000
`))
	editor := EditorJSON("editor", []byte(`{"budget": {"default": 10000.0}, "index.paused": true, "ticklers": {"max": 0}, "order": null}`))
	s, problems := Resolve(user, workspace, editor)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if s.Order != "primed" || s.Budget.Default != 10000 || s.Ollama.URL != "http://127.0.0.1:9999" || !s.Index.Paused || s.Ticklers.Max != 0 ||
		s.Index.MaxFileBytes != 2_000_000 || len(s.Index.Exclude) != 2 || s.Ollama.Prefixes["nomic-embed-text"].Query != "q: " {
		t.Errorf("%+v", s)
	}
	if filepath.ToSlash(s.Identity.File) != "/home/ann/.config/contexture/me.md" {
		t.Errorf("identity.file is %s", s.Identity.File)
	}
	for key, want := range map[string]string{
		"order": user.Source, "budget.default": "editor", "index.exclude": workspace.Source, "index.followLinks": DefaultSource,
	} {
		if got := s.Source(key); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
	var keys []string
	for _, e := range s.Explain() {
		keys = append(keys, e.Key)
		if e.Key == "budget.default" && (e.Value != 10000 || e.Source != "editor") {
			t.Errorf("%+v", e)
		}
	}
	if !reflect.DeepEqual(keys, sorted) {
		t.Errorf("keys %v", keys)
	}
}

func TestExplainHidesPasswords(t *testing.T) {
	s, _ := Resolve(EditorJSON("editor", []byte(`{"ollama.url":"http://ann:hunter2@127.0.0.1:1"}`)))
	for _, e := range s.Explain() {
		if strings.Contains(fmt.Sprint(e.Value), "hunter2") {
			t.Errorf("%+v", e)
		}
	}
	if !strings.Contains(s.Ollama.URL, "hunter2") {
		t.Error("the setting itself has lost its password")
	}
}

// TestProblems checks that what is wrong is named and the rest applies: each layer also sets order.
func TestProblems(t *testing.T) {
	tests := []struct {
		toml, key string
		line      int
	}{
		{"order = \"primed\"\nbudget.defualt = 1", "budget.defualt", 2},
		{"order = \"primed\"\n[budget]\n\ndefault = \"much\"", "budget.default", 4},
		{"order = \"primed\"\n[budget]\ndefault = 255", "budget.default", 3},
		{"order = \"primed\"\nbudget = 5", "budget", 2},
		{"order = \"primed\"\nindex = {paused = 1}", "index.paused", 2},
		{"order = \"primed\"\nenabled = \"yes\"", "enabled", 2},
		{"order = \"primed\"\nEnabled = false", "Enabled", 2},
		{"order = \"primed\"\n[enabled]\nx = 1", "enabled", 2},
		{"order = \"primed\"\nhistory.strategy = \"fast\"", "history.strategy", 2},
		{"order = \"primed\"\nticklers.max = 21", "ticklers.max", 2},
		{"order = \"primed\"\nticklers.max = 1.5", "ticklers.max", 2},
		{"order = \"primed\"\nticklers.max = 2026-10-31", "ticklers.max", 2},
		{"order = \"primed\"\nindex.exclude = \"*.go\"", "index.exclude", 2},
		{"order = \"primed\"\nindex.exclude = [1]", "index.exclude", 2},
		{"order = \"primed\"\nindex.exclude = [\"a\\nb\"]", "index.exclude", 2},
		{"order = \"primed\"\nsecrets.allow = [\"(\"]", "secrets.allow", 2},
		{"order = \"primed\"\nollama.prefixes.m = 1", "ollama.prefixes", 2},
		{"order = \"primed\"\nollama.prefixes.m.queries = \"x\"", "ollama.prefixes", 2},
		{"order = \"primed\"\nollama.url = \"localhost:11434\"", "ollama.url", 2},
		{"order = \"primed\"\nollama.url = \"http://h:99999\"", "ollama.url", 2},
		{"order = \"primed\"\nollama.allowRemote = [\"http://gpu\"]", "ollama.allowRemote", 2},
		{"order = \"primed\"\nmetrics.listen = \":9477\"", "metrics.listen", 2},
		{"order = \"primed\"\nmetrics.listen = \"0.0.0.0:9477\"", "metrics.listen", 2},
		{"order = \"primed\"\n[[extra]]\na = 1", "extra", 2},
		{"order = \"primed\"\n[server]\npath = \"/x\"", "server.path", 3},
	}
	for _, test := range tests {
		l := UserTOML("/c/config.toml", []byte(test.toml))
		s, problems := Resolve(l)
		if len(problems) != 1 || problems[0].Key != test.key || problems[0].Line != test.line || problems[0].Source != "/c/config.toml" {
			t.Errorf("%q: %+v; want %s in line %d", test.toml, problems, test.key, test.line)
		}
		if s.Order != "primed" {
			t.Errorf("%q: the rest does not hold", test.toml)
		}
	}
}

func TestBrokenFile(t *testing.T) {
	for _, text := range []string{"order = \"primed\"\n[budget\n", "order = \"primed\"\norder = \"cache\"", "order = \"primed\"\nx = \xff"} {
		s, problems := Resolve(UserTOML("/c/config.toml", []byte(text)))
		if len(problems) != 1 || problems[0].Line != 2 || problems[0].Key != "" || s.Order != "cache" {
			t.Errorf("%q: %+v, order %s", text, problems, s.Order)
		}
		if got := problems[0].String(); !strings.HasPrefix(got, "/c/config.toml:2: ") {
			t.Errorf("%q", got)
		}
	}
	if _, problems := Resolve(UserTOML("c", make([]byte, maxBytes+1))); len(problems) != 1 {
		t.Errorf("a huge file: %v", problems)
	}
	if s, problems := Resolve(UserTOML("c", []byte("\xEF\xBB\xBForder = \"primed\"\r\n"))); len(problems) != 0 || s.Order != "primed" {
		t.Errorf("a file with a byte order mark: %v", problems)
	}
}

func TestEditor(t *testing.T) {
	tests := []struct {
		section string
		budget  int
		keys    []string
	}{
		{``, 12000, nil},
		{`null`, 12000, nil},
		{`{}`, 12000, nil},
		{`{"budget":{"default":300}}`, 300, nil},
		{`{"budget.default":300}`, 300, nil},
		{`{"contexture":{"budget.default":300}}`, 300, nil},
		{`{"budget":{"default":null},"judge":null}`, 12000, nil},
		{`{"budget":{"default":300},"budget.default":400}`, 300, []string{"budget.default"}},
		{`{"budget":{"default":"300"},"enabled":1}`, 12000, []string{"budget.default", "enabled"}},
		{`{"budget":{"default":1e400}}`, 12000, []string{"budget.default"}},
		{`{"trace":{"server":"off"},"budget.default":300}`, 300, []string{"trace.server"}},
		{`[]`, 12000, []string{""}},
		{`{} {}`, 12000, []string{""}},
		{`{"a"`, 12000, []string{""}},
	}
	for _, test := range tests {
		s, problems := Resolve(EditorJSON("editor", []byte(test.section)))
		var keys []string
		for _, p := range problems {
			keys = append(keys, p.Key)
		}
		if s.Budget.Default != test.budget || !reflect.DeepEqual(keys, test.keys) {
			t.Errorf("%s: budget %d, problems %v", test.section, s.Budget.Default, problems)
		}
	}
}

// TestWorkspaceIsConfined checks that a repository's own file decides nothing that reaches outside
// it, while the same lines apply in the user's file.
func TestWorkspaceIsConfined(t *testing.T) {
	relative := !filepath.IsAbs("/etc/passwd") // to a drive: it is joined to the root
	for text, allowed := range map[string]bool{
		`ollama.url = "http://evil.example"`:                   false,
		`ollama.url = "http://127.0.0.1:11434"`:                false,
		`ollama.allowRemote = ["evil.example"]`:                false,
		`ollama.allowRemote = true`:                            false,
		`metrics.listen = "127.0.0.1:1"`:                       false,
		`index.followLinks = true`:                             false,
		`identity.file = "../../home/ann/.ssh/id_rsa"`:         false,
		`identity.file = "/etc/passwd"`:                        relative,
		`identity.file = "~/.ssh/id_rsa"`:                      false,
		`identity.file = "docs/../../x"`:                       false,
		`identity.file = "docs/me.md"`:                         true,
		`identity.file = "/srv/app/me.md"`:                     true,
		`preferences.files = ["AGENTS.md", "../x"]`:            false,
		`preferences.files = ["AGENTS.md", "docs/../y.md"]`:    true,
		`index.maxFileBytes = 5`:                               true,
		`order = "primed"`:                                     true,
		`memory.enabled = false`:                               true,
		`memory.enabled = true`:                                false,
		`memory.learn = true`:                                  false,
		`memory.learn = false`:                                 false,
		`secrets.allow = [".*"]`:                               false,
		`secrets = {allow = [".*"]}`:                           false,
		"[secrets]\nallow = [\".*\"]":                          false,
		`"secrets"."allow" = [".*"]`:                           false,
		`'secrets.allow' = [".*"]`:                             false,
		`"\u0073ecrets".allow = [".*"]`:                        false,
		"[ secrets ]\n'allow' = ['rule:github-pat']":           false,
		`ollama = {embedModel = "nomic-embed-text"}`:           false,
		`ollama.chatModel = "gpt-oss:120b-cloud"`:              false,
		"[ollama]\nurl = \"http://evil.example\"":              false,
		`"ollama"."url" = "http://evil.example"`:               false,
		`ollama.prefixes = {m = {query = "a", document = ""}}`: false,
		"[ollama.prefixes.m]\nquery = \"a\"":                   false,
		`identity.file = "~ann/.ssh/id_rsa"`:                   false,
		`identity.file = ".."`:                                 false,
		`preferences.files = ["~/x"]`:                          false,
		`preferences.files = ["/etc/passwd"]`:                  relative,
	} {
		l := repositoryLayer("/srv/app/.contexture.toml", []byte(text))
		if ok := len(l.Problems()) == 0; ok != allowed || (len(l.values) == 1) != allowed {
			t.Errorf("%s: %v", text, l.Problems())
		}
		if l := UserTOML("/c/config.toml", []byte(text)); len(l.Problems()) > 0 || len(l.values) != 1 {
			t.Errorf("%s in the user's file: %v", text, l.Problems())
		}
	}
}

// TestRefusalIsReportedOnce checks that a setting that a repository may not set is refused once, in
// any spelling and with any value, in a sentence that says what to do, and that the rest of the
// file applies.
func TestRefusalIsReportedOnce(t *testing.T) {
	for _, text := range []string{
		"'secrets.allow' = ['.*']\nsecrets.allow = ['.*']\norder = 'primed'",
		"order = 'primed'\n'secrets.allow' = ['.*']\n[secrets]\nallow = ['.*']",
		"order = 'primed'\nsecrets.allow = 'not a list'",
		"order = 'primed'\nsecrets.allow = ['(']",
	} {
		s, problems := Resolve(repositoryLayer("/srv/app/.contexture.toml", []byte(text)))
		var refused []string
		for _, p := range problems {
			if strings.Contains(p.Message, "may not be set by a repository's file") {
				refused = append(refused, p.String())
			}
		}
		if len(refused) != 1 || len(s.Secrets.Allow) != 0 || s.Order != "primed" {
			t.Errorf("%q: %v; %+v", text, problems, s.Secrets)
			continue
		}
		for _, part := range []string{"/srv/app/.contexture.toml:", "secrets.allow", "your own config.toml"} {
			if !strings.Contains(refused[0], part) {
				t.Errorf("%q does not say %q", refused[0], part)
			}
		}
	}
}

// TestWorkspaceFollowsNoLinkOut checks that neither a root's file nor a path in it leads out of the
// root through a link.
func TestWorkspaceFollowsNoLinkOut(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, "secret", "key")
	write(root, "me.md", "I help.")
	link(filepath.Join(outside, "secret"), "absolute")
	rel, err := filepath.Rel(root, outside)
	if err != nil {
		t.Fatal(err)
	}
	link(rel, "folder")
	link("me.md", "within")
	for text, allowed := range map[string]bool{
		`identity.file = "me.md"`:                   true,
		`identity.file = "within"`:                  true,
		`identity.file = "not/there/yet.md"`:        true,
		`identity.file = "absolute"`:                false,
		`identity.file = "folder/secret"`:           false,
		`identity.file = "folder/gone"`:             false,
		`preferences.files = ["me.md", "folder/x"]`: false,
		`preferences.files = ["me.md", "within"]`:   true,
	} {
		write(root, WorkspaceFile, "order = \"primed\"\n"+text)
		s, problems := Resolve(ReadWorkspace(root))
		if ok := len(problems) == 0; ok != allowed || s.Order != "primed" {
			t.Errorf("%s: %v", text, problems)
		}
		if !allowed && s.Source("identity.file") != DefaultSource {
			t.Errorf("%s holds: %s", text, s.Identity.File)
		}
	}
	write(outside, "their.toml", `order = "primed"`)
	for _, to := range []string{filepath.Join(outside, "their.toml"), filepath.Join(rel, "their.toml")} {
		if err := os.Remove(filepath.Join(root, WorkspaceFile)); err != nil {
			t.Fatal(err)
		}
		link(to, WorkspaceFile)
		s, problems := Resolve(ReadWorkspace(root))
		if len(problems) != 1 || s.Order != "cache" || !strings.Contains(problems[0].Message, "a link that is absolute or leads out of the repository") {
			t.Errorf("a link to %s: %v, order %s", to, problems, s.Order)
		}
	}
}

func TestAllows(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"gpu.lan": true, "GPU.lan.": true, "10.0.0.7": true,
		"0.0.0.0": false, "lan": false, "xgpu.lan": false, "127.0.0.1.evil.example": false, "localhost.evil.example": false, "": false,
	} {
		if got := (Ollama{AllowRemote: []string{"gpu.lan", "10.0.0.7"}}).Allows(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	s, problems := Resolve(EditorJSON("editor", []byte(`{"ollama.allowRemote":true}`)))
	if len(problems) > 0 || !s.Ollama.Allows("anything.example") {
		t.Errorf("true does not allow the configured host: %v", problems)
	}
	if s, problems := Resolve(EditorJSON("editor", []byte(`{"hooks":{"beforeEdit":false,"atStart":true}}`))); !s.Hooks.BeforeEdit || len(problems) != 1 || problems[0].Key != "hooks.beforeEdit" {
		t.Errorf("an editor sets what it does not run: %v, %v", s.Hooks, problems)
	}
	s, problems = Resolve(EditorJSON("editor", []byte(`{"ollama.allowRemote":false}`)))
	if len(problems) > 0 || s.Ollama.Allows("anything.example") {
		t.Errorf("false allows a remote host: %v", problems)
	}
}

func TestFiles(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	elsewhere := t.TempDir()
	for _, test := range []struct {
		goos string
		env  func(string) string
		want string
	}{
		{"linux", env("HOME", "/home/ann"), "/home/ann/.config/contexture"},
		{"linux", env("HOME", "/home/ann", "XDG_CONFIG_HOME", elsewhere), filepath.ToSlash(elsewhere) + "/contexture"},
		{"linux", env("HOME", "/home/ann", "XDG_CONFIG_HOME", "x"), "/home/ann/.config/contexture"},
		{"linux", env(), ""},
		{"darwin", env("HOME", "/Users/ann", "XDG_CONFIG_HOME", "/x"), "/Users/ann/Library/Application Support/contexture"},
	} {
		if got := filepath.ToSlash(configDir(test.goos, test.env)); got != test.want {
			t.Errorf("%s: %q, want %q", test.goos, got, test.want)
		}
	}
	if got := UserFile(env()); got != "" {
		t.Errorf("without a home the user's file is %q", got)
	}
}

func TestRead(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, WorkspaceFile)
	if l := ReadWorkspace(root); len(l.Problems()) > 0 || l.Source != path {
		t.Errorf("no file: %+v", l)
	}
	if l := ReadUser(path, false); len(l.Problems()) > 0 {
		t.Errorf("no file: %v", l.Problems())
	}
	if l := ReadUser(os.DevNull, true); len(l.Problems()) > 0 {
		t.Errorf("no file at all: %v", l.Problems())
	}
	if l := ReadUser(path, true); len(l.Problems()) != 1 {
		t.Errorf("a named file that does not exist: %v", l.Problems())
	}
	if err := os.WriteFile(path, []byte("order = \"primed\"\nollama.url = \"http://x\""), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, problems := Resolve(ReadWorkspace(root)); s.Order != "primed" || len(problems) != 1 {
		t.Errorf("workspace: %s, %v", s.Order, problems)
	}
	if s, problems := Resolve(ReadUser(path, true)); s.Ollama.URL != "http://x" || len(problems) != 0 {
		t.Errorf("user: %+v, %v", s.Ollama, problems)
	}
}

func FuzzTOML(f *testing.F) {
	f.Add("order = \"primed\"\n[budget]\ndefault = 300\n[ollama.prefixes.m]\nquery = \"q\"")
	f.Add("[[a]]\nb = {c = [1, {d = 2}]}\n[a.e]\nf = 1979-05-27T07:32:00Z")
	f.Add("a.a.a.a.a.a.a.a.a.a.a.a=1")
	f.Add("'secrets.allow' = ['.*']\n[secrets]\nallow = ['.*']\n[ollama]\nurl = 'http://x'")
	f.Fuzz(func(t *testing.T, text string) {
		repository := repositoryLayer("/r/.contexture.toml", []byte(text))
		for _, l := range []Layer{UserTOML("/c/config.toml", []byte(text)), repository} {
			checkLayer(t, l, strings.Count(text, "\n")+1)
		}
		for key := range repository.values {
			if specs[key].trust == never {
				t.Fatalf("a repository sets %s", key)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"budget":{"default":300},"ollama.prefixes":{"m":{"query":"q"}},"contexture":{}}`)
	f.Add(`{"contexture":{"order":"primed","index":{"exclude":["a",null]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		checkLayer(t, EditorJSON("editor", []byte(text)), 0)
	})
}

// checkLayer checks what holds for every layer: it resolves to settings that can be displayed, its
// problems are bounded and have a text, and the values it sets are accepted again.
func checkLayer(t *testing.T, l Layer, lines int) {
	s, problems := Resolve(l)
	if len(problems) > maxProblems {
		t.Fatalf("%d problems", len(problems))
	}
	for _, p := range problems {
		if p.Message == "" || p.Source != l.Source || p.Line > lines || p.Line < 0 {
			t.Fatalf("%+v", p)
		}
	}
	values := map[string]any{}
	for _, e := range s.Explain() {
		values[e.Key] = e.Value
	}
	raw, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	if again := EditorJSON("editor", raw); len(again.Problems()) > 0 {
		t.Fatalf("%s\n%v", raw, again.Problems())
	}
}

// repositoryLayer parses the settings file of a root; no link leads out of it.
func repositoryLayer(path string, data []byte) Layer { return workspaceTOML(path, data, nil) }
