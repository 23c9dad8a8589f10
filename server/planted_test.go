package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// planted holds made-up secrets, a different one for each place, so that a leaked secret shows
// where it came from.
type planted struct {
	random *rand.Rand
	of     map[string]string // by place
}

func newPlanted() *planted {
	return &planted{random: rand.New(rand.NewPCG(5, 18)), of: map[string]string{}}
}

// secret makes up a secret for a place; its kind changes from place to place.
func (p *planted) secret(place string) string {
	const upper, lower, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
	of := func(list string, n int) string {
		out := make([]byte, n)
		for i := range out {
			out[i] = list[p.random.IntN(len(list))]
		}
		return string(out)
	}
	kinds := []func() string{
		func() string { return "AK" + "IA" + of(upper+"234567", 16) },
		func() string { return "gh" + "p_" + of(upper+lower+digits, 36) },
		func() string { return "gl" + "pat-" + of(upper+lower+digits, 20) },
		func() string { return "np" + "m_" + of(upper+lower+digits, 36) },
		func() string { return "sk" + "_live_" + of(upper+lower+digits, 24) },
	}
	s := kinds[len(p.of)%len(kinds)]()
	p.of[place] = s
	return s
}

// found names the places whose secrets occur in a text.
func (p *planted) found(text []byte) []string {
	var out []string
	for place, s := range p.of {
		if tail := s[len(s)-12:]; bytes.Contains(text, []byte(s)) || bytes.Contains(text, []byte(tail)) {
			out = append(out, place)
		}
	}
	slices.Sort(out)
	return out
}

// talker is a model server that answers with a fixed text and records what it receives.
type talker struct {
	URL string

	mu    sync.Mutex // guards all below
	heard bytes.Buffer
	chats int
}

// newTalker starts a talker whose chat model answers with the given text.
func newTalker(t *testing.T, says string) *talker {
	k := &talker{}
	answer := func(w http.ResponseWriter, v any) {
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Log(err)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Log(err)
		}
		k.mu.Lock()
		k.heard.Write(body)
		k.heard.WriteString(r.URL.String())
		k.mu.Unlock()
		switch r.URL.Path {
		case "/api/tags":
			answer(w, args{"models": []args{{"name": "nomic-embed-text:latest", "digest": "d1"}, {"name": "qwen3:latest", "digest": "d2"}}})
		case "/api/show":
			can, family := "embedding", "nomic-bert"
			if bytes.Contains(body, []byte("qwen3")) {
				can, family = "completion", "qwen3"
			}
			answer(w, args{"capabilities": []string{can}, "model_info": args{
				"general.architecture": family, family + ".context_length": 8192, family + ".embedding_length": 32,
			}})
		case "/api/embed":
			var q struct{ Input []string }
			if err := json.Unmarshal(body, &q); err != nil {
				t.Error(err)
			}
			var list [][]float32
			for _, text := range q.Input {
				list = append(list, pseudoVector(text))
			}
			answer(w, args{"model": "nomic-embed-text:latest", "embeddings": list})
		case "/api/chat":
			k.mu.Lock()
			k.chats++
			k.mu.Unlock()
			told, _ := json.Marshal(says) // a string always encodes
			content := `{"smoothed":` + string(told) + `,"compressed":` + string(told) + `,"tiny":` + string(told) + `}`
			answer(w, args{"model": "qwen3:latest", "done": true, "done_reason": "stop", "message": args{"role": "assistant", "content": content}})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	k.URL = s.URL
	return k
}

// told returns what the model server received.
func (k *talker) told() (sent []byte, chats int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return bytes.Clone(k.heard.Bytes()), k.chats
}

// pseudoVector returns a vector made from the words of a text.
func pseudoVector(text string) []float32 {
	v := make([]float32, 32)
	for word := range strings.FieldsSeq(text) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word)) // a hash accepts everything
		v[h.Sum32()%32]++
	}
	v[0] += .1
	return v
}

func git(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}, arguments...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
}

// plantWorkspace plants secrets in files and in a commit.
func plantWorkspace(t *testing.T, p *planted) string {
	root := servertest.Tree(t, map[string]string{
		"pool.go":        "package pool\n\n// Acquire takes a session: token = \"" + p.secret("file") + "\"\nfunc Acquire() int { return 1 }\n",
		"doc.go":         "// Package pool hands out sessions, as the operations handbook says; the deploy key is " + p.secret("introduction") + " for all.\npackage pool\n",
		"README.md":      "# Pool\n\nThe deploy key is " + p.secret("document") + ".\n",
		"AGENTS.md":      "# Rules\n\nUse the key " + p.secret("AGENTS.md") + " for tests.\n",
		".env":           "TOKEN=" + p.secret(".env") + "\n",
		"unsaved.go":     "package pool\n\nfunc Unsaved() {}\n",
		"id_rsa":         p.secret("key file"),
		"lib/a/index.ts": "// The pool of sessions for the editor, as described in the handbook, with " + p.secret("ts") + "\nexport const sessions = 1\n",
	})
	git(t, root, "init", "-q")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "pool: acquire rotates "+p.secret("commit"))
	return root
}

// remember plants secrets in everything that memory takes.
func remember(t *testing.T, e *servertest.Editor, p *planted) {
	t.Helper()
	say(t, e, "c", user("Acquire must wait: the token is "+p.secret("message"), "id", "m1"),
		assistant("We decided to rotate the key "+p.secret("answer")+" in Acquire of pool.go.", "toolCalls", []args{{
			"name": "shell", "arguments": args{"command": "curl -H 'Authorization: token " + p.secret("tool argument") + "'"},
			"result": args{"stdout": "export KEY=" + p.secret("tool result")},
		}}, "reasoning", "the key "+p.secret("reasoning")+" is old"),
		user("Always use "+p.secret("rule")+" in tests. Why does Acquire block?"), assistant("Because the pool is empty."),
	)
	say(t, e, "c", args(garden(0)[0]), args(garden(0)[1]))
	for name, a := range map[string]args{
		"contexture.conversation.append": {"conversationId": "titled", "title": "About " + p.secret("title"), "messages": []args{user("Acquire again"), assistant("yes")}},
		"contexture.cabinet.put":         {"title": "T " + p.secret("cabinet title"), "content": "pool " + p.secret("cabinet"), "note": "N " + p.secret("cabinet note")},
		"contexture.knowledge.put": {"kind": "lesson", "title": "Acquire and " + p.secret("knowledge title"), "content": "Acquire blocks: " + p.secret("knowledge"),
			"topics": []string{"pool"}, "keywords": []string{"acquire"}},
		"contexture.task.complete": {"taskId": "t1", "intent": "fix Acquire with " + p.secret("task"), "validation": args{"success": true, "notes": "used " + p.secret("task notes")}},
		"contexture.task.block":    {"taskId": "t2", "reason": "waits for " + p.secret("blocker")},
		"contexture.board.put":     {"conversationId": "c", "type": "note", "title": "B " + p.secret("board title"), "content": "Acquire " + p.secret("board")},
	} {
		e.MustExecute(name, a, nil)
	}
}

// TestSecretsStayOut plants secrets in every input and searches every output for them: answers, the
// state directory, the log, and what was sent to the model server. Only the prompt is returned
// unchanged, in the text made for it.
func TestSecretsStayOut(t *testing.T) {
	p := newPlanted()
	root, state, config := plantWorkspace(t, p), t.TempDir(), t.TempDir()
	servertest.WriteFile(t, filepath.Join(config, "identity.md"), "I am Ada. My key: "+p.secret("identity")+"\n")
	servertest.WriteFile(t, filepath.Join(config, "preferences.md"), "Be brief. Token "+p.secret("preferences")+"\n")
	model := newTalker(t, "user: the token is "+p.secret("model")+"?")
	var log lockedLog
	v := servertest.NewServer(t, servertest.Options{StateDir: state, ConfigDir: config, ModelHost: model.URL, Log: &log})
	e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, Capabilities: args{}})
	e.Open("untitled:notes", "Acquire notes: "+p.secret("untitled")+"\n")
	e.Open(servertest.URI(filepath.Join(root, "unsaved.go")), "package pool\n\n// Unsaved key "+p.secret("buffer")+"\nfunc Unsaved() {}\n")
	remember(t, e, p)
	imported, err := v.Memory(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var export bytes.Buffer
	if err := exportOf(t, v, root, &export); err != nil {
		t.Fatal(err)
	}
	if _, err := imported.Import(strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(export.String(), "Acquire", "Acquire "+p.secret("import")), `"titled"`, `"other"`))); err != nil {
		t.Logf("import: %v", err) // what cannot be imported is not stored either
	}
	e.AwaitIdle()
	e.Eventually("the model has embedded and written", func() bool {
		var st command.IndexStatusResult
		e.MustExecute("contexture.index.status", nil, &st)
		_, chats := model.told()
		return st.Embedder.Source == "ollama" && st.Embedder.Pending == 0 && chats > 0
	})

	prompt := "Why does Acquire of pool.go block with " + p.secret("prompt") + "?"
	var text string
	for _, q := range everyQuestion(root, prompt) {
		var raw json.RawMessage
		if err := e.Request(q.method, q.params, &raw); err != nil {
			raw = json.RawMessage(err.Error())
		}
		got := p.found(raw)
		if q.echo {
			var b command.BundleResult
			if err := json.Unmarshal(raw, &b); err != nil {
				t.Fatal(err)
			}
			if text = b.Text; !strings.Contains(text, prompt) {
				t.Errorf("the prompt is not in the text as it was")
			}
			b.Text = strings.Replace(text, prompt, "", 1)
			rest, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			got = p.found(rest)
		}
		if len(got) > 0 {
			t.Errorf("%s %.200v answers with the secret of %q", q.method, q.params, got)
		}
	}
	if !strings.Contains(text, "[REDACTED:") {
		t.Errorf("nothing in the bundle was redacted, so nothing was looked at:\n%s", text)
	}
	sent, _ := model.told()
	for what, bytes := range map[string][]byte{"the log": log.bytes(), "what the model server got": sent, "the export": exported(t, v, root)} {
		if got := p.found(bytes); len(got) > 0 {
			t.Errorf("%s holds the secret of %q", what, got)
		}
	}
	if err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if got := p.found(data); len(got) > 0 {
			t.Errorf("%s holds the secret of %q", path, got)
		}
		return err
	}); err != nil && !errors.Is(err, fs.ErrNotExist) { // stores rename their files
		t.Error(err)
	}
}

// question is a request; echo means that the answer contains the prompt.
type question struct {
	method string
	params args
	echo   bool
}

func everyQuestion(root, prompt string) []question {
	uri := servertest.URI(filepath.Join(root, "pool.go"))
	run := func(name string, a args) question {
		return question{method: "workspace/executeCommand", params: args{"command": "contexture." + name, "arguments": []args{a}}}
	}
	place := args{"textDocument": args{"uri": uri}, "position": args{"line": 3, "character": 7}}
	list := []question{
		run("bundle", args{"prompt": "Acquire pool sessions deploy key rotate token", "conversationId": "c", "budget": 60000, "deadlineMs": 20000}),
		run("search", args{"query": prompt, "limit": 100, "deadlineMs": 20000}), run("search", args{"query": "key token deploy acquire notes", "limit": 100}),
		run("recall", args{"query": prompt, "budget": 50000}), run("recall", args{"query": "key", "budget": 50000}),
		run("recall", args{"expand": "identity:identity.md"}), run("recall", args{"expand": "preference:AGENTS.md"}),
		run("ticklers", args{"prompt": prompt}), run("ticklers", place), run("index.status", args{}), run("config", args{}), run("metrics", args{}),
		run("conversation.turns", args{"conversationId": "c", "limit": 1000}),
		run("conversation.window", args{"conversationId": "c", "budget": 20000}), run("conversation.window", args{"conversationId": "c", "budget": 256}),
		run("conversation.arc", args{"conversationId": "c", "style": "rich"}), run("conversation.list", args{}),
		run("knowledge.process", args{"full": true}), run("knowledge.list", args{}), run("knowledge.topics", args{}), run("knowledge.recommendations", args{}),
		run("cabinet.list", args{}), run("task.list", args{}), run("board.list", args{"conversationId": "c"}),
		{method: "textDocument/hover", params: place}, {method: "textDocument/codeLens", params: args{"textDocument": args{"uri": uri}}},
	}
	for _, level := range []string{"R", "S", "C", "T"} {
		for _, turn := range []string{"T-1", "T-2", "T-3"} {
			list = append(list, run("conversation.turn", args{"conversationId": "c", "turnId": turn, "level": level, "pin": level == "S"}))
		}
	}
	for _, strategy := range []string{"gradient", "regular", "oneShot"} {
		list = append(list, run("conversation.history", args{"conversationId": "c", "strategy": strategy}))
	}
	echo := run("bundle", args{"prompt": prompt, "conversationId": "c", "budget": 60000, "deadlineMs": 20000})
	echo.echo = true
	return append(list, echo)
}

// lockedLog is a log that is safe to read while it is written.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}

func exportOf(t *testing.T, v *server.Server, root string, out io.Writer) error {
	w, err := v.Memory(t.Context(), root)
	if err != nil {
		return err
	}
	view := w.View()
	defer view.Close()
	return view.Export(out)
}

func exported(t *testing.T, v *server.Server, root string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := exportOf(t, v, root, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
