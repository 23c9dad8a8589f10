package intent

import (
	"reflect"
	"slices"
	"testing"
)

func TestFrame(t *testing.T) {
	tests := map[Frame][]string{
		Conversation: {
			"hi", "Hello!", "hey there", "Hi Anna!", "good morning, how are you?", "yo, what's up?", "hello world", "Hi Claude 👋",
			"thanks", "Thank you so much!", "ok", "ok great, go ahead", "yes please", "continue", "LGTM", "hi, thanks for your help",
			"who are you?", "what can you do?",
		},
		Question: {
			"where are retries handled?", "hi, where is the retry code?", "where is the config loaded", "explain the indexing pipeline",
			"How does the debouncer coalesce events?", "what is a tickler?", "token refresh", "Can you tell me how the budget is split?",
			"walk me through internal/store", "show me the LSP handlers", "does parseHeader trim spaces", "which file defines the schema?",
			"tell me about the vector store", "so how do I add a new command to the CLI?", "list all callers of Assemble",
			"what's the difference between Block and Assemble?", "why does `res.send` set the ETag header twice in Node.js?",
			"Is there a limit on the file size?", "How to configure the proxy", "¿dónde está el parser?", "parser",
		},
		Task: {
			"add retries to the HTTP client", "please implement pagination in api/users.py", "can you rename fooBar to bazQux everywhere?",
			"Refactor switch-case to if-else in UtcDateTypeAdapter", "fix the typo in README.md", "let's migrate the store to Pebble v2",
			"wraps request body to prevent closing if not read", "I want you to write tests for order.go", "view functions can return generators as responses directly",
			"Upgrade dependencies", "do the migration", "Don't rely on Android desugaring.", "bump go to 1.26 and remove the toolchain line",
			"hey, could you please make the timeout configurable?", "prefer port 443 in auto-HTTPS and add tests", "Fix warning: sign-compare in `@base64d` format",
		},
		Decision: {
			"should we use Redis or Postgres for the job queue?", "What did we decide about caching?", "gRPC vs REST for the plugin API",
			"what are the pros and cons of cgo here?", "which approach is better for the overlay, copy-on-write or a tree?",
			"I can't decide between a mutex and a channel", "Would it be better to store vectors as int8?", "do you recommend zap or slog?",
			"what are the trade-offs of a single binary?",
		},
		Creative: {
			"brainstorm names for the CLI", "write a haiku about garbage collection", "come up with a catchy tagline", "give me some ideas for the blog post",
			"imagine a mascot for the project",
		},
		Debug: {
			"fix crash in rename", "the app crashes when I click save", "why does this test fail with a timeout?", "I get a NullPointerException in Gson.fromJson",
			"login is broken since yesterday", "TypeError: x is not a function", "panic: assignment to entry in nil map", "search doesn't work on Windows",
			"there is a deadlock between the watcher and the store", "undefined: fooBar", "pipeline hangs after the second batch",
			"the build failed with exit status 2", "Fix TypeError in res.send when given Buffer and ETag header set", "flaky test in watcher",
			"the log says \"connection pool exhausted, giving up\", where does that come from?", "segfault in jv_free", "memory leak in the daemon",
			"main.go:3:8: undefined: strngs",
		},
	}
	n := 0
	for want, prompts := range tests {
		for _, p := range prompts {
			n++
			if got := Classify(p, Context{}).Frame; got != want {
				t.Errorf("%q: frame %s, want %s", p, got, want)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d prompts", n)
	}
	if got := Classify("fix the crash", Context{Frame: Creative}).Frame; got != Creative {
		t.Errorf("the caller's frame became %s", got)
	}
	if got := Classify("fix the crash", Context{Frame: "nonsense"}).Frame; got != Debug {
		t.Errorf("an unknown frame was taken: %s", got)
	}
}

func TestGreeting(t *testing.T) {
	greetings := []string{
		"hi", "Hi!", "hello there", "Hey Anna", "good morning all", "hello, how are you?", "  hey\n", "yo", "what's up", "hello world", "Hi, thank you!",
		"¡Hola!",
	}
	not := []string{
		"hi, where is the retry code?", "hello retry", "hey, the build is broken", "hi.go", "High load on the server", "history of the parser", "yolo mode",
		"what's up with the retry code?", "good morning, please add a test", "thanks", "ok", "hello `Foo`", "", "???", "hi\n```\nx := 1\n```",
	}
	for _, p := range greetings {
		if s := Classify(p, Context{}); !s.Greeting || PlanFor(s).Retrieve {
			t.Errorf("%q: greeting %v, retrieves %v", p, s.Greeting, PlanFor(s).Retrieve)
		}
	}
	for _, p := range not {
		if Classify(p, Context{}).Greeting {
			t.Errorf("%q is no greeting", p)
		}
	}
	for _, p := range []string{"thanks", "ok, go ahead", "yes", "perfect, thank you very much"} {
		if s := Classify(p, Context{}); !s.Acknowledgement || PlanFor(s).Retrieve {
			t.Errorf("%q: acknowledgement %v", p, s.Acknowledgement)
		}
	}
	if s := Classify("thanks, now add retries", Context{}); s.Acknowledgement || !PlanFor(s).Retrieve {
		t.Error("a request behind thanks is lost")
	}
}

func TestQuestion(t *testing.T) {
	yes := []string{
		"where is it?", "Where is it", "how do I start", "what does F do", "should we cache", "is it thread safe", "hi, why", "Can the index be deleted",
		"do you know where errors are wrapped", "when is the index rebuilt", "Look at main.go. Is the flag parsed twice? I think so.",
		"I changed the cache.\n\nWhy is it slower now?", "なぜですか？", "ok so how does it work",
	}
	no := []string{
		"do the migration", "when I click save the app crashes", "Should return 404 for a missing file", "add a flag", "Don't panic", "whatever works",
		"the function returns a?.b", "Can't connect to the database", "use x ? y : z",
	}
	for _, p := range yes {
		if !Classify(p, Context{}).Question {
			t.Errorf("%q is a question", p)
		}
	}
	for _, p := range no {
		if p != "use x ? y : z" && Classify(p, Context{}).Question {
			t.Errorf("%q is no question", p)
		}
	}
}

func TestRecencyAndHints(t *testing.T) {
	tests := []struct {
		prompt  string
		recency float64
		hints   map[string]float64
	}{
		{"what broke today", 1, nil},
		{"it worked right now", 1, nil},
		{"the change from Yesterday", 0.8, nil},
		{"what did I do this week", 0.8, nil},
		{"last week we moved it", 0.5, nil},
		{"a few days ago it was fine", 0.5, nil},
		{"a while ago", 0.3, nil},
		{"last month and today", 1, nil},
		{"add a flag", 0, nil},
		{"what did we decide", 0, map[string]float64{"decision": .5, "episode": .5}},
		{"Should we recommend it", 0, map[string]float64{"decision": 1}},
		{"what is a shard", 0, map[string]float64{"fact": .5}},
		{"how do I release", 0, map[string]float64{"procedure": .5}},
		{"what happened last time", 0, map[string]float64{"episode": 1}},
		{"decided, decisions, decide, deciding", 0, map[string]float64{"decision": 1}},
		{"yesterdays todays", 0, nil},
	}
	for _, tt := range tests {
		s := Classify(tt.prompt, Context{})
		if s.Recency != tt.recency {
			t.Errorf("%q: recency %v, want %v", tt.prompt, s.Recency, tt.recency)
		}
		if tt.hints == nil {
			tt.hints = map[string]float64{}
		}
		if !reflect.DeepEqual(s.Hints, tt.hints) {
			t.Errorf("%q: hints %v, want %v", tt.prompt, s.Hints, tt.hints)
		}
	}
}

func TestAbout(t *testing.T) {
	tests := []struct {
		prompt      string
		tests, docs bool
	}{
		{"add tests for the parser", true, false},
		{"which fixtures does the store use?", true, false},
		{"update test cookie handling", true, false},
		{"why is server_test.go slow", true, false},
		{"look at tests/conftest.py", true, false},
		{"what does TestAssembleGolden check?", true, false},
		{"src/app.spec.ts needs a mock", true, false},
		{"pytest hooks are called twice", false, false},
		{"the latest contest attests it", false, false},
		{"fix overflow\n\n* add test\n* update docs", false, false},
		{"fix the typo in the README", false, true},
		{"update docs/guide.md", false, true},
		{"Document that `JsonReader` throws", false, true},
		{"where is the changelog generated?", false, true},
		{"document the tests", true, true},
		{"open the file", false, false},
		{"gibt es Tests dafür?", true, false},
		{"а тесты где?", true, false},
		{"¿qué pruebas lo cubren?", true, false},
		{"テストはある？", true, false},
		{"where is it tested that a prompt is confirmed twice?", true, false},
		{"wo wird getestet, dass eine Eingabe bestätigt wird?", true, false},
		{"what does the spec say about redirects?", false, false},
		{"what is covered by the licence?", false, false},
		{"change how retries are tested", false, false},
		{"wo steht das in der Dokumentation?", false, true},
		{"где документация?", false, true},
	}
	for _, tt := range tests {
		s := Classify(tt.prompt, Context{})
		if s.AboutTests != tt.tests || s.AboutDocs != tt.docs {
			t.Errorf("%q: tests %v docs %v, want %v %v", tt.prompt, s.AboutTests, s.AboutDocs, tt.tests, tt.docs)
		}
	}
}

func TestKeywords(t *testing.T) {
	tests := []struct {
		prompt string
		want   []string
	}{
		{"where are retries handled?", []string{"retries", "handled"}},
		{"Add a retry budget to the retry loop", []string{"retry", "budget", "loop"}},
		{"see https://example.com/a/b for the parser", []string{"parser"}},
		{"fix crash\n\nSigned-off-by: Ana Lima <a@b.c>", []string{"crash"}},
		{"the größte Datei", []string{"größte", "datei"}},
		{"???", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if got := Classify(tt.prompt, Context{}).Keywords; !slices.Equal(got, tt.want) {
			t.Errorf("%q: keywords %q, want %q", tt.prompt, got, tt.want)
		}
	}
}

func TestEntities(t *testing.T) {
	s := Classify("Ask Ana Lima about `fooBar` in main.go, github.com/a/b and the change of 2026-10-31", Context{})
	want := []Entity{
		{"file", "main.go"}, {"symbol", "fooBar"}, {"package", "github.com/a/b"}, {"date", "2026-10-31"}, {"name", "Ana Lima"},
	}
	if !slices.Equal(s.Entities, want) {
		t.Errorf("entities %q, want %q", s.Entities, want)
	}
}

func TestOrders(t *testing.T) {
	for prompt, want := range map[string]bool{
		"push": true, "Stop": true, "commit this with a short message": true, "commit": true, "": false, "parser": false,
		"push the error up to the caller": false, "commit this, then explain at length how the scheduler decides which task comes next": false,
	} {
		if got := Orders(prompt); got != want {
			t.Errorf("%q: %v", prompt, got)
		}
	}
}
