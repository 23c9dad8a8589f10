//go:build linux || darwin

package main

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
	"golang.org/x/tools/txtar"
)

// TestDay plays a day of each host that has hooks, as testdata/day has it: with the commands that
// the installation wrote, the host's documented events, and its log, which grows between them. It
// compares every word that the model is given, and the receipts with what was counted by hand. With
// UPDATE_GOLDENS=1 in the environment it rewrites the words, but not what was counted.
func TestDay(t *testing.T) {
	t.Parallel()
	shop, err := txtar.ParseFile("testdata/day/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts.Hooked() {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "day", host+".txtar")
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			d := newDay(t, host, shop)
			played := d.play(archive)
			if os.Getenv("UPDATE_GOLDENS") != "" {
				if err := os.WriteFile(path, txtar.Format(played), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, f := range played.Files {
				if i >= len(archive.Files) || archive.Files[i].Name != f.Name || string(archive.Files[i].Data) != string(f.Data) {
					t.Fatalf("after %q there is %q:\n%s", played.Files[max(0, i-1)].Name, f.Name, f.Data)
				}
			}
		})
	}
}

// day is a day of a host that is being played.
type day struct {
	*stranger
	host, root string
	texts      map[string]string // that a host's file may name
	arrays     map[string]string // the elements of logs that are one array
	said       time.Time         // of the last prompt, in the log
	played     []string          // events
	prompts    int
	turns      []*dayTurn
}

// dayTurn is what was given since a prompt, and to the first also what was given before it.
type dayTurn struct {
	given   []givenText
	counted map[string][]string // by hand
}

// givenText is a text that a model is given.
type givenText struct{ moment, text string }

// newDay returns the beginning of a day in a new home, with the workspace.
func newDay(t *testing.T, host string, shop *txtar.Archive) *day {
	d := &day{stranger: newStranger(t), host: host, texts: map[string]string{}, arrays: map[string]string{}, turns: []*dayTurn{{}}}
	files := map[string]string{}
	for _, f := range shop.Files {
		if name, ok := strings.CutPrefix(f.Name, "work/"); ok {
			files[name] = string(f.Data)
		} else {
			d.texts[strings.TrimPrefix(f.Name, "said/")] = strings.TrimSuffix(string(f.Data), "\n")
		}
	}
	d.root = servertest.Tree(t, files)
	d.texts["root"], d.texts["home"] = d.root, d.home
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "pay: retry what the bank does not take"}} {
		c := exec.CommandContext(t.Context(), "git", append([]string{"-C", d.root, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return d
}

// play plays the sections of a day and returns them with what was given in them.
func (d *day) play(archive *txtar.Archive) *txtar.Archive {
	d.t.Helper()
	out := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		what, name, _ := strings.Cut(f.Name, " ")
		switch what {
		case "given", "receipts":
			continue
		case "text":
			d.texts[name] = strings.ReplaceAll(strings.TrimSuffix(string(f.Data), "\n"), "$root", d.root)
		case "home":
			servertest.WriteFile(d.t, filepath.Join(d.home, name), d.filled(string(f.Data), ""))
		case "log":
			d.log(name, string(f.Data))
		case "install":
			d.done("install", "--capture", d.host)
		case "learn":
			d.done("capture", "import", d.host)
			d.done("knowledge", "process", "--root", d.root)
			d.done("index", "--root", d.root)
		case "kept":
			d.await(name)
		case "counted":
			d.count(name, string(f.Data))
		case "hook":
			out.Files = append(out.Files, f)
			if g := d.fire(name, string(f.Data)); g.text != "" {
				out.Files = append(out.Files, txtar.File{Name: "given " + g.moment, Data: []byte(strings.ReplaceAll(g.text, d.root, "$root"))})
			}
			continue
		default:
			d.t.Fatalf("section %q", f.Name)
		}
		out.Files = append(out.Files, f)
	}
	for _, name := range hosts.EventNames(d.host) {
		if !slices.Contains(d.played, name) && d.written(d.host, name) != "" {
			d.t.Errorf("the day lacks %s", name)
		}
	}
	out.Files = append(out.Files, txtar.File{Name: "receipts", Data: []byte(d.receipts())})
	return out
}

// dayText matches a name of a text; with two signs it is in JSON that is a text of JSON.
var dayText = regexp.MustCompile(`\$\$?[a-z]+`)

// filled replaces the names of texts by the texts, as JSON has them. quote is written twice.
func (d *day) filled(text, quote string) string {
	return dayText.ReplaceAllStringFunc(text, func(name string) string {
		var value string
		switch bare := strings.TrimLeft(name, "$"); bare {
		case "now":
			return d.said.Format("2006-01-02T15:04:05.000Z07:00")
		case "ms":
			return strconv.FormatInt(d.said.UnixMilli(), 10)
		default:
			var known bool
			if value, known = d.texts[bare]; !known {
				d.t.Fatalf("there is no text %s", name)
			}
		}
		for range strings.Count(name, "$") {
			var quoted strings.Builder
			e := json.NewEncoder(&quoted)
			e.SetEscapeHTML(false)
			if err := e.Encode(value); err != nil {
				d.t.Fatal(err)
			}
			value = strings.TrimSuffix(strings.TrimPrefix(quoted.String(), `"`), "\"\n")
		}
		if quote != "" {
			value = strings.ReplaceAll(value, quote, quote+quote)
		}
		return value
	})
}

// log adds to a log of the host, by the end of its name: statements to a database, elements to an
// array of JSON, else lines.
func (d *day) log(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	switch filepath.Ext(name) {
	case ".db", ".vscdb":
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)")
		if err == nil {
			_, err = db.ExecContext(d.t.Context(), d.filled(text, "'"))
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			d.t.Fatal(err)
		}
	case ".json":
		if d.arrays[name] != "" {
			d.arrays[name] += ",\n"
		}
		d.arrays[name] += strings.TrimSpace(d.filled(text, ""))
		servertest.WriteFile(d.t, path, "["+d.arrays[name]+"]")
	default:
		before, _ := os.ReadFile(path) // the first time there is none
		servertest.WriteFile(d.t, path, string(before)+d.filled(text, ""))
	}
}

// await waits until memory has so many messages of the day's conversation.
func (d *day) await(want string) {
	d.t.Helper()
	got := 0
	if !until(func() bool {
		var list command.ListResult
		if err := json.Unmarshal([]byte(d.done("chats", "list", "--json", "--root", d.root)), &list); err != nil {
			d.t.Fatal(err)
		}
		for _, c := range list.Conversations {
			if c.ID == d.host+"/day" {
				got = c.MessageCount
			}
		}
		return strconv.Itoa(got) == want
	}) {
		d.t.Fatalf("memory has %d messages, want %s", got, want)
	}
}

// logLate is by how much the log has a prompt later than its hook ran: the most that receipts
// accept. What was given before is then surely of the prompt before.
const logLate = 2 * time.Second

// fire has the host run an event's hook, and returns what the model is given.
func (d *day) fire(event, input string) (g givenText) {
	d.t.Helper()
	d.played = append(d.played, event)
	input = d.filled(input, "")
	e, err := hosts.ReadEvent(d.host, event, []byte(input))
	if err != nil {
		d.t.Fatal(err)
	}
	g.moment = e.Moment()
	if e.Kind == hosts.Prompt {
		d.said = time.Now().UTC().Add(logLate)
		if d.prompts++; d.prompts > 1 {
			d.turns = append(d.turns, &dayTurn{})
		}
	}
	out, stderr, code := d.run(input, "sh", "-c", d.hookCommand(d.host, event))
	if code != 0 || stderr != "" {
		d.t.Errorf("%s: %d, %s", event, code, stderr)
	}
	if out == "" {
		return g
	}
	var answer struct {
		Continue, Cancel    *bool
		Context             string
		AdditionalContext   string `json:"additional_context"`
		ContextModification string
		HookSpecificOutput  struct{ HookEventName, AdditionalContext string }
	}
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	err = dec.Decode(&answer)
	held := answer.Continue != nil && !*answer.Continue || answer.Cancel != nil && *answer.Cancel
	if err != nil || held || cmp.Or(answer.HookSpecificOutput.HookEventName, event) != event {
		d.t.Errorf("%s answers %s, %v", event, out, err)
	}
	g.text = answer.Context + answer.AdditionalContext + answer.ContextModification + answer.HookSpecificOutput.AdditionalContext
	if g.text != "" {
		turn := d.turns[len(d.turns)-1]
		turn.given = append(turn.given, g)
	}
	return g
}

// count takes what was counted by hand in a turn: a line for each kind, with the reason after a
// colon. needless and look name the results of look-ups, the others list files or words.
func (d *day) count(turn, text string) {
	n, err := strconv.Atoi(strings.TrimPrefix(turn, "T-"))
	if err != nil || n < 1 || n > len(d.turns) {
		d.t.Fatalf("there is no turn %s", turn)
	}
	counted := map[string][]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), ": ")
		words := strings.Fields(line)
		counted[words[0]] = append(counted[words[0]], words[1:]...)
	}
	d.turns[n-1].counted = counted
}

// tokensOf returns the size of a text in tokens, as receipts count them.
func tokensOf(text string) int { return len(text) / 4 }

// receipt returns the receipt of a turn, from what was given in it and what was counted by hand.
func (d *day) receipt(turn *dayTurn) (r command.Receipt) {
	r.Prompts = 1
	for _, g := range turn.given {
		r.Given += tokensOf(g.text)
		places := 0
		for line := range strings.Lines(g.text) {
			if name, _, _ := strings.Cut(line, ":"); slices.Contains(turn.counted["named"], name) {
				places += len(line)
			}
		}
		r.Places += places / 4
	}
	r.Named, r.Opened = len(turn.counted["named"]), len(turn.counted["opened"])
	r.Words, r.Taken = len(turn.counted["words"]), len(turn.counted["taken"])
	for _, name := range turn.counted["needless"] {
		r.Needless++
		r.Spared += tokensOf(d.texts[name])
	}
	r.Looks, r.LookTokens = r.Needless, r.Spared
	for _, name := range turn.counted["look"] {
		r.Looks++
		r.LookTokens += tokensOf(d.texts[name])
	}
	return r
}

// receipts compares the receipts of the day with what was counted by hand, and returns what a
// person reads of them.
func (d *day) receipts() string {
	d.t.Helper()
	var want command.Receipt
	moments := map[string]command.MomentReceipt{}
	byTurn := map[string]command.Receipt{}
	for n, turn := range d.turns {
		if len(turn.given) == 0 {
			continue
		}
		r := d.receipt(turn)
		byTurn["T-"+strconv.Itoa(n+1)] = r
		addReceipts(&want, r)
		for _, g := range turn.given {
			m := moments[g.moment]
			m.Moment, m.Times, m.Given = g.moment, m.Times+1, m.Given+tokensOf(g.text)
			moments[g.moment] = m
		}
	}
	var got command.ReceiptsResult
	if err := json.Unmarshal([]byte(d.done("receipts", "--json", "--root", d.root, d.host+"/day")), &got); err != nil {
		d.t.Fatal(err)
	}
	for _, p := range got.Prompts {
		p.Milliseconds = 0
		if p.Receipt != byTurn[p.TurnID] {
			d.t.Errorf("the receipt of %q is\n%+v, by hand it is\n%+v", p.TurnID, p.Receipt, byTurn[p.TurnID])
		}
	}
	got.Total.Milliseconds = 0
	if got.Total != want || len(got.Prompts) != len(byTurn) || got.Unseen != 0 {
		d.t.Errorf("the receipt of the day, with %d prompts and %d conversations not captured, is\n%+v, by hand it is\n%+v", len(got.Prompts), got.Unseen, got.Total, want)
	}
	for _, m := range got.Moments {
		if m.Milliseconds = 0; m != moments[m.Moment] {
			d.t.Errorf("%+v, by hand it is %+v", m, moments[m.Moment])
		}
	}
	text := d.done("receipts", "--root", d.root) + d.done("receipts", "--root", d.root, d.host+"/day")
	for _, m := range masks {
		text = m.find.ReplaceAllString(text, m.with)
	}
	return strings.ReplaceAll(text, time.Now().UTC().Format(time.DateOnly), "TODAY")
}

// addReceipts adds a receipt to a sum.
func addReceipts(sum *command.Receipt, r command.Receipt) {
	sum.Prompts += r.Prompts
	sum.Given += r.Given
	sum.Places += r.Places
	sum.Named += r.Named
	sum.Opened += r.Opened
	sum.Words += r.Words
	sum.Taken += r.Taken
	sum.Looks += r.Looks
	sum.LookTokens += r.LookTokens
	sum.Needless += r.Needless
	sum.Spared += r.Spared
}

// hookCommand returns the command line that the installation wrote for an event.
func (s *stranger) hookCommand(host, event string) string {
	s.t.Helper()
	line := s.written(host, event)
	if line == "" {
		s.t.Fatalf("no command for %s of %s is written", event, host)
	}
	return line
}

// written is hookCommand, but returns "" if no command was written: a session's end is answered but
// not asked for. OpenCode's plugin builds the command itself.
func (s *stranger) written(host, event string) string {
	s.t.Helper()
	if host == hosts.OpenCode {
		return "contexture hook opencode " + event
	}
	if host == hosts.Cline {
		return filepath.Join(s.home, "Documents", "Cline", "Hooks", event)
	}
	find := regexp.MustCompile(`"command": ("[^"]* hook ` + host + " " + event + `")`)
	for _, name := range []string{".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json", ".copilot/hooks/contexture.json", ".gemini/settings.json"} {
		data, err := os.ReadFile(filepath.Join(s.home, name))
		if err != nil {
			continue
		}
		if m := find.FindSubmatch(data); m != nil {
			var line string
			if err := json.Unmarshal(m[1], &line); err != nil {
				s.t.Fatal(err)
			}
			return line
		}
	}
	return ""
}

// TestOneHostAnswers checks that a prompt gets its context exactly once, whether or not Cursor and
// VS Code also run Claude Code's hooks.
func TestOneHostAnswers(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "pool.go": "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	s.done("install", "claude-code")
	ask := func(session string) string {
		out, _, _ := s.run(`{"conversation_id":"`+session+`","cursor_version":"3.7","workspace_roots":["`+root+`"],"prompt":"who waits in pool.Acquire?"}`,
			"sh", "-c", s.hookCommand("claude-code", "UserPromptSubmit"))
		return out
	}
	if out := ask("a"); !strings.Contains(out, "pool.go:4  func Acquire") {
		t.Errorf("Cursor without hooks of its own gets %q", out)
	}
	s.done("install", "cursor")
	if out := ask("b"); out != "" {
		t.Errorf("Cursor with hooks of its own gets %q", out)
	}
}
