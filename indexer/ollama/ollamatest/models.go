package ollamatest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// Embedder creates or replaces an embedding model of the given name.
func (s *Server) Embedder(t testing.TB, name string, model gguf.Embedder) {
	t.Helper()
	s.Create(t, name, model.File(), nil)
}

// Decoder creates or replaces a model that gives the same answer to every prompt. In an answer to a
// schema, properties are in the order of the schema as sent.
func (s *Server) Decoder(t testing.TB, name, answer string) {
	t.Helper()
	s.Create(t, name, gguf.Decoder{Answer: answer}.File(), Chat)
}

// Chat holds the parameters of a decoder's model: prompts in ChatML, and always the likeliest
// token.
var Chat = map[string]any{
	"template": "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}" +
		"<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n",
	"parameters": map[string]any{"temperature": 0, "stop": []string{"<|im_end|>"}},
}

// Create creates a model from a GGUF file. with holds further fields of the server's create
// request, such as template and parameters.
func (s *Server) Create(t testing.TB, name string, file []byte, with map[string]any) {
	t.Helper()
	sum := sha256.Sum256(file)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	s.do(t, http.MethodPost, "/api/blobs/"+digest, file)
	request := map[string]any{"model": name, "stream": false, "files": map[string]string{"model.gguf": digest}}
	maps.Copy(request, with)
	// Additional threads wait for each other by spinning: on a busy machine that is twenty times
	// slower.
	parameters := map[string]any{"num_thread": 1}
	if more, ok := with["parameters"].(map[string]any); ok {
		maps.Copy(parameters, more)
	}
	request["parameters"] = parameters
	s.do(t, http.MethodPost, "/api/create", encode(t, request))
}

// Remove removes a model.
func (s *Server) Remove(t testing.TB, name string) {
	t.Helper()
	s.do(t, http.MethodDelete, "/api/delete", encode(t, map[string]string{"model": name}))
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// do sends a request and fails the test unless the server accepts it.
func (s *Server) do(t testing.TB, method, path string, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s %v", method, path, r.Status, answer, err)
	}
}
