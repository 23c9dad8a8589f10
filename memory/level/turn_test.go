package level

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// wordish counts roughly as a tokenizer does: a token for each six bytes of a word and each mark.
func wordish(s string) int {
	n, run := 0, 0
	for i := range len(s) {
		if wordByte(s[i]) || s[i] >= 0x80 {
			if run%6 == 0 {
				n++
			}
			run++
			continue
		}
		run = 0
		if s[i] != ' ' {
			n++
		}
	}
	return n
}

// anchorsOf returns the anchors of the messages of a turn's people and assistant.
func anchorsOf(t dialogue.Turn) []string {
	var list []string
	for _, m := range t.Messages {
		if m.Role != dialogue.Tool {
			list = append(list, Anchors(m.Content, RoleOf(m))...)
		}
	}
	return list
}

func check(t interface {
	Helper()
	Errorf(string, ...any)
}, turn dialogue.Turn) Levels {
	t.Helper()
	o := Options{Count: wordish}
	raw, l := RawText(turn), Turn(turn, o)
	r, s, c, tiny := wordish(raw), wordish(l.S), wordish(l.C), wordish(l.T)
	if s > r || c > s || tiny > c {
		t.Errorf("sizes R %d, S %d, C %d, T %d do not fall", r, s, c, tiny)
	}
	if missing := Missing(anchorsOf(turn), l.S); len(missing) > 0 {
		t.Errorf("S lost %q of:\n%s\nS:\n%s", missing, raw, l.S)
	}
	if strings.Contains(l.T, "\n") {
		t.Errorf("T has lines: %q", l.T)
	}
	if r > 0 && l.T == "" {
		t.Errorf("no T for %q", raw)
	}
	return l
}

var sentenceParts = []string{"I looked at `parseConfig` in internal/config/load.go and it drops the last line", "The server answers in 340 ms on v1.4.2",
	"Let's use Postgres instead of MySQL", "run go test ./... -race -count=1 to see it", "panic: runtime error: index out of range [3] with length 3",
	"It was a nice day and nothing else happened on the way to the office", "Sure, happy to help", "See https://example.org/a/b?c=d#e for the details",
	"The handler calls Retry.Do with MAX_RETRIES set to 5", "We decided to drop the cache because it is stale", "e.g. the one from Dr. Smith",
	"変更は明日です。テストも書きます", "Größe und Maße bleiben gleich, naïve café", "the flag --no-verify and the variable $HOME are read", "cost went from $20 to $35 per day",
	"TypeError: undefined is not a function", "- item one", "## Heading", "error: could not compile `app` due to 2 previous errors", "\ta = b + c;", "", "…", "why does `x` fail?"}

func TestTurnGenerated(t *testing.T) {
	message := rapid.Custom(func(t *rapid.T) dialogue.Message {
		m := dialogue.Message{Role: rapid.SampledFrom([]dialogue.Role{dialogue.User, dialogue.Assistant, dialogue.Assistant, dialogue.Tool, dialogue.System}).Draw(t, "role")}
		var b strings.Builder
		for range rapid.IntRange(0, 14).Draw(t, "sentences") {
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				b.WriteString(rapid.String().Draw(t, "text"))
			} else {
				b.WriteString(rapid.SampledFrom(sentenceParts).Draw(t, "part"))
			}
			b.WriteString(rapid.SampledFrom([]string{". ", "\n", "\n\n", "! ", "? ", ", ", "\n```\n", "\n```go\n", " "}).Draw(t, "end"))
		}
		m.Content = b.String()
		for range rapid.IntRange(0, 2).Draw(t, "calls") {
			m.ToolCalls = append(m.ToolCalls, dialogue.ToolCall{Name: "bash", Arguments: quoted(rapid.SampledFrom(sentenceParts).Draw(t, "arg")),
				Result: quoted(strings.Repeat(rapid.SampledFrom(sentenceParts).Draw(t, "line")+"\n", rapid.IntRange(0, 40).Draw(t, "n"))), IsError: rapid.Bool().Draw(t, "bad")})
		}
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		check(t, dialogue.Turn{Number: 1, Messages: rapid.SliceOfN(message, 1, 5).Draw(t, "messages")})
	})
}

// longTurn is a debugging turn: a question, tool calls with logs, an answer.
func longTurn(lines int) dialogue.Turn {
	var log strings.Builder
	for i := range lines {
		fmt.Fprintf(&log, "2026-01-02T10:%02d:%02d INFO  worker=%d path=/srv/data/%d.json done in %d ms\n", i/60%60, i%60, i%7, i, i%90)
	}
	log.WriteString("--- FAIL: TestLogin (0.03s)\n    auth_test.go:42: expected 200, got 401\nFAIL\n")
	return dialogue.Turn{Number: 3, Messages: []dialogue.Message{
		{Role: dialogue.User, Content: "The login test in internal/auth/auth_test.go fails since yesterday. Can you find out why?\n\nI think it's the token expiry."},
		{Role: dialogue.Assistant, Content: "Sure! Let me take a look.", ToolCalls: []dialogue.ToolCall{{Name: "bash", IsError: true,
			Arguments: json.RawMessage(`{"command":"go test ./internal/auth/...","timeout":120}`), Result: quoted(log.String())}}},
		{Role: dialogue.Assistant, Content: "The test failed because `NewToken` is given a TTL of 0 when config.TokenTTL is unset. The default used to be 15 minutes, " +
			"but commit 3fa9c2d moved it into LoadConfig. There are several ways to repair this and most of them are equally simple to do. We'll use a constant instead of the lookup.\n\n" +
			"```go\nconst defaultTTL = 15 * time.Minute\n\nfunc NewToken(ttl time.Duration) Token {\n\tif ttl == 0 {\n\t\tttl = defaultTTL\n\t}\n\treturn Token{Expires: now().Add(ttl)}\n}\n```\n\n" +
			"The tests pass now with `go test ./internal/auth/... -race`. Let me know if you have any questions!"},
	}}
}

func TestTurnReal(t *testing.T) {
	turn := longTurn(80)
	l := check(t, turn)
	for text, want := range map[string][]string{
		l.S: {"Can you find out why?", "--- FAIL: TestLogin", "expected 200, got 401", "command=go test ./internal/auth/...", "{tool bash called with "},
		l.C: {"internal/auth/auth_test.go", "{tool bash called, error", "--- FAIL: TestLogin (0.03s)", "We'll use a constant instead of the lookup."},
		l.T: {"login test", "1 tool call"},
	} {
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in:\n%s", w, text)
			}
		}
	}
	r := float64(wordish(RawText(turn)))
	if s, c := float64(wordish(l.S))/r, float64(wordish(l.C))/r; s < 0.3 || s > 0.65 || c > 0.42 {
		t.Errorf("S is %.2f of R, C %.2f", s, c)
	}
}

// TestShortTurns checks that S keeps the statements, C the outcome, and that T reads as a sentence.
func TestShortTurns(t *testing.T) {
	for _, c := range []struct{ user, assistant, call, inC, tiny string }{
		{"Actually, use growing pauses instead of fixed ones, and log the first miss.", "Switched `poller.next` to growing pauses (50 ms doubling, at most 3 tries) and it logs the first miss.", `{"path":"srv/poller.go"}`,
			"Switched `poller.next` to growing pauses", "Actually, use growing pauses instead of fixed ones, and log the first miss. (1 tool call)"},
		{"The export hangs. Look at srv/export.go please.", "I found the cause: `Writer.flush` waits for a lock that it holds. We could drop the lock or flush later. Which do you prefer?", "",
			"I found the cause: `Writer.flush` waits", "The export hangs. Look at srv/export.go please. → I found the cause: `Writer.flush` waits for a…"},
		{"run the timings again", "BenchExport: 1.28 µs/op before, 1.31 µs/op now; no difference worth speaking of.", `{"command":"make bench"}`, "1.31 µs/op now", "run the timings again (1 tool call)"},
		{"Should guests be able to vote?", "Only in open polls. It saves them an account and a mail.", "", "Only in open polls.", "Should guests be able to vote? → Only in open polls."},
	} {
		turn := dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: c.user}, {Role: dialogue.Assistant, Content: c.assistant}}}
		if c.call != "" {
			turn.Messages[1].ToolCalls = []dialogue.ToolCall{{Name: "edit", Arguments: json.RawMessage(c.call), Result: quoted("ok")}}
		}
		l := check(t, turn)
		if !strings.Contains(l.S, c.user) || !strings.Contains(l.S, c.assistant) {
			t.Errorf("S lost what was said:\n%s", l.S)
		}
		if !strings.Contains(l.C, c.inC) || strings.Contains(l.C, "(also:") {
			t.Errorf("C is\n%s", l.C)
		}
		if l.T != c.tiny {
			t.Errorf("T is %q", l.T)
		}
	}
}

// TestToolCallsAreShortenedFirst checks that dialogue that fits stays whole when calls have long
// parameters.
func TestToolCallsAreShortenedFirst(t *testing.T) {
	said := "The quoting in the rule was wrong; it is right now and the check passes."
	m := dialogue.Message{Role: dialogue.Assistant, Content: said}
	for range 4 {
		m.ToolCalls = append(m.ToolCalls, dialogue.ToolCall{Name: "write", Arguments: json.RawMessage(`{"path":"deploy/alerts/billing.yaml","content":"` + strings.Repeat("expr: rate(x) ", 20) + `"}`), Result: quoted("ok")})
	}
	l := check(t, dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: "add the alert"}, m}})
	if !strings.Contains(l.S, said) || strings.Count(l.S, "{tool write called with ") != 4 {
		t.Errorf("S is\n%s", l.S)
	}
}

// TestCut checks that texts are cut after clauses or words, not within figures, names or code.
func TestCut(t *testing.T) {
	s := "BenchAcquire: 1.28 µs/op before, 1.31 µs/op now; no difference in `pool.acquire(ctx, 3)` worth a word, see srv/pool_test.go:120"
	for limit := range wordish(s) {
		cut := cutTo(s, limit, Options{Count: wordish})
		if cut == "" || cut == "…" {
			continue
		}
		head := strings.TrimSuffix(cut, "…")
		rest, ok := strings.CutPrefix(s, head)
		if !ok || rest == "" || strings.IndexByte(" ,;:", rest[0]) < 0 || strings.Count(head, "`")%2 == 1 || wordish(cut) > limit || strings.HasSuffix(head, "1.28") || strings.HasSuffix(head, "1.31") {
			t.Errorf("%d: %q", limit, cut)
		}
	}
}

// TestLinear allows an input ten times as large ten times the time and some slack, for any content.
func TestLinear(t *testing.T) {
	size := 100 << 10
	if testing.Short() {
		size = 30 << 10
	}
	for name, make := range map[string]func(n int) string{
		"prose":    func(n int) string { return strings.Repeat("We looked at the parser again and it works. ", n/44) },
		"one line": func(n int) string { return strings.Repeat("abcdefgh", n/8) },
		"json":     func(n int) string { return strings.Repeat(`{"a":[1,2,{"b":"c/d.go"}]},`, n/27) },
		"backtick": func(n int) string { return strings.Repeat("`a", n/2) },
		"dots":     func(n int) string { return strings.Repeat(". ", n/2) },
		"marks":    func(n int) string { return strings.Repeat("?", n) },
		"code":     func(n int) string { return "```go\n" + strings.Repeat("x := y + 1\n", n/11) + "```" },
		"log":      func(n int) string { return strings.Repeat("2026-01-02 10:00:01 ERROR failed: x\n", n/36) },
		"fences":   func(n int) string { return strings.Repeat("```\n~~~\n", n/8) },
		"spaces":   func(n int) string { return strings.Repeat(" ", n) + "x" },
		"quotes":   func(n int) string { return strings.Repeat("a \"b\" (c) ", n/10) },
		"lets":     func(n int) string { return strings.Repeat("let's use a over b. ", n/20) },
		"tags":     func(n int) string { return strings.Repeat("<abc>\n", n/6) },
		"heads":    func(n int) string { return strings.Repeat("## a\nb c\n", n/9) },
		"names":    func(n int) string { return strings.Repeat("a.b/c_d -x ", n/11) },
		"cjk":      func(n int) string { return strings.Repeat("変更は明日です。", n/24) },
	} {
		took := func(n int) time.Duration {
			turn := dialogue.Turn{Messages: []dialogue.Message{{Role: dialogue.User, Content: make(n)}, {Role: dialogue.Assistant, Content: make(n)}}}
			begin := time.Now()
			l := Turn(turn, Options{Count: wordish})
			if l.T == "" {
				t.Errorf("%s: no T", name)
			}
			Anchors(turn.Messages[0].Content, utterance.Person)
			return time.Since(begin)
		}
		small, large := took(size), took(10*size)
		for try := 0; try < 3 && large > 60*small+500*time.Millisecond; try++ { // the machine may have been busy
			large = took(10 * size)
		}
		if large > 60*small+500*time.Millisecond {
			t.Errorf("%s: %v for %d KiB, %v for ten times as much", name, small, size>>10, large)
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	for name, lines := range map[string]int{"short": 5, "long": 400} {
		turn := longTurn(lines)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(RawText(turn))))
			b.ReportAllocs()
			for b.Loop() {
				Turn(turn, Options{})
			}
		})
	}
}
