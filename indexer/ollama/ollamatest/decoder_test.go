package ollamatest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// chat asks a model and returns its answer and why it ended.
func chat(t *testing.T, url, model, format string) (answer, reason string) {
	t.Helper()
	request := map[string]any{
		"model": model, "stream": false, "options": map[string]any{"num_predict": 200},
		"messages": []map[string]string{{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is it?"}},
	}
	if format != "" {
		request["format"] = json.RawMessage(format)
	}
	status, body, err := post(t, url+"/api/chat", request)
	if err != nil || status != http.StatusOK {
		t.Fatalf("chat with %s: %d %s %v", model, status, body, err)
	}
	var v struct {
		Message struct{ Content string }
		Reason  string `json:"done_reason"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v.Message.Content, v.Reason
}

// TestDecoder checks that models answer exactly what they are configured to, with a schema and
// without.
func TestDecoder(t *testing.T) {
	s := ollamatest.Start(t)
	const choice = `{"type":"object","required":["ids","why"],"properties":{` +
		`"ids":{"type":"array","items":{"type":"string"}},"why":{"type":"string"}}}`
	for _, c := range []struct{ name, answer, format string }{
		{"text", "A tiny model says this, and this again: and this again.", ""},
		{"unicode", "Größe: 3 µs — naïve “quotes” 日本語 🙂", ""},
		{"lines", "- one\n- two\n\n\tthree three three", ""},
		{"repeats", strings.Repeat("yes yes ", 20) + "no", ""},
		{"letter", "7", ""},
		{"same letters", "aaaaaaaaaa", ""},
		{"known token", "he", ""},
		{"nothing", "", ""},
		{"any JSON", `{"a": [1, 2, 3], "b": {"c": null}}`, `"json"`},
		{"schema", `{"ids": ["c1", "c2", "c1"], "why": "both set the time"}`, choice},
		{"empty list", `{"ids": [], "why": ""}`, choice},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.Decoder(t, "m", c.answer)
			for range 2 {
				if answer, reason := chat(t, s.URL, "m", c.format); answer != c.answer || reason != "stop" {
					t.Errorf("says %q and ends with %q, want %q", answer, reason, c.answer)
				}
			}
		})
	}
}

// TestLongAnswer checks an answer of many tokens, in which each token must determine its successor.
func TestLongAnswer(t *testing.T) {
	s := ollamatest.Start(t)
	var b strings.Builder
	for i := range 180 {
		b.WriteString(" " + strings.Repeat(string(rune('a'+i%26)), 1+i/26))
	}
	s.Decoder(t, "m", b.String())
	answer, reason := chat(t, s.URL, "m", "")
	if answer != b.String() || reason != "stop" {
		t.Errorf("says %q and ends with %q", answer, reason)
	}
}

// TestEndless checks a model that does not stop by itself.
func TestEndless(t *testing.T) {
	s := ollamatest.Start(t)
	for _, architecture := range []string{"qwen3", "llama"} {
		s.Create(t, "m", gguf.Decoder{Architecture: architecture, Answer: "on and on ", Endless: true}.File(), ollamatest.Chat)
		if answer, reason := chat(t, s.URL, "m", ""); reason != "length" || !strings.HasPrefix(answer, "on and on on and on on") {
			t.Errorf("%s says %q and ends with %q", architecture, answer, reason)
		}
	}
}

// TestNoEmbedder checks that the server refuses to embed with a decoder.
func TestNoEmbedder(t *testing.T) {
	s := ollamatest.Start(t)
	s.Decoder(t, "m", "no")
	if _, err := embed(t, s.URL, "m", "text"); err == nil {
		t.Error("a decoder embeds")
	}
}
