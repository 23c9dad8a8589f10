package ollamatest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// post sends a request and returns status and answer; a broken connection is an error.
func post(t *testing.T, url string, body any) (int, []byte, error) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	return r.StatusCode, answer, err
}

// embed returns the vectors of texts, or the server's error.
func embed(t *testing.T, url, model string, texts ...string) ([][]float32, error) {
	t.Helper()
	status, answer, err := post(t, url+"/api/embed", map[string]any{"model": model, "input": texts})
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("%d %s", status, answer)
	}
	var v struct{ Embeddings [][]float32 }
	if err := json.Unmarshal(answer, &v); err != nil {
		return nil, err
	}
	return v.Embeddings, nil
}

// mustEmbed calls embed, which must not fail.
func mustEmbed(t *testing.T, url, model string, texts ...string) [][]float32 {
	t.Helper()
	v, err := embed(t, url, model, texts...)
	if err != nil || len(v) != len(texts) {
		t.Fatalf("%s embeds %q: %d vectors, %v", model, texts, len(v), err)
	}
	return v
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// TestEmbedder checks that each architecture finds the text that a question means.
func TestEmbedder(t *testing.T) {
	s := ollamatest.Start(t)
	for name, model := range map[string]gguf.Embedder{
		"bert":       {},
		"bert-768":   {Dims: 768},
		"bert-6":     {Dims: 6, Synonyms: [][]string{{"cat", "kitten"}}},
		"nomic-bert": {Architecture: "nomic-bert", Dims: 96},
	} {
		t.Run(name, func(t *testing.T) {
			s.Embedder(t, name, model)
			v := mustEmbed(t, s.URL, name, "authenticate the user", "login of an account", "authenticate the user", "{ } ( )", "")
			want := model.Dims
			if want == 0 {
				want = 128
			}
			for i := range v {
				if len(v[i]) != want || math.Abs(cosine(v[i], v[i])-1) > 1e-6 {
					t.Errorf("vector %d has %d dimensions and is %v", i, len(v[i]), v[i])
				}
			}
			if !slices.Equal(v[0], v[2]) {
				t.Error("the same text has two vectors")
			}
			if again := mustEmbed(t, s.URL, name, "authenticate the user"); !slices.Equal(again[0], v[0]) {
				t.Error("a text has another vector alone than in a batch")
			}
		})
	}
	near := mustEmbed(t, s.URL, "bert-6", "kitten", "cat")
	if c := cosine(near[0], near[1]); c < 0.6 {
		t.Errorf("words of a test's own synonyms have the cosine %v", c)
	}
}

// TestSynonyms asks questions that share no word with the text that answers them.
func TestSynonyms(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "words", gguf.Embedder{})
	texts := []string{
		"func open database path return store",
		"func check password user return equal",
		"func parse options in file",
		"func send message to address",
	}
	for question, want := range map[string]int{
		"login credentials of an account": 1, "read configuration settings": 2, "email": 3, "persist": 0,
	} {
		v := mustEmbed(t, s.URL, "words", append([]string{question}, texts...)...)
		best := 0
		for i := range texts {
			if cosine(v[0], v[i+1]) > cosine(v[0], v[best+1]) {
				best = i
			}
		}
		if best != want {
			t.Errorf("%q finds %q, want %q", question, texts[best], texts[want])
		}
	}
}

// TestSameBits compares a model's vectors with those of the same model in another server, and of
// another seed.
func TestSameBits(t *testing.T) {
	var vectors [3][]float32
	for i := range vectors {
		s := ollamatest.Start(t)
		s.Embedder(t, "m", gguf.Embedder{Seed: uint64(i / 2)})
		vectors[i] = mustEmbed(t, s.URL, "m", "read the settings of the server")[0]
	}
	if !slices.Equal(vectors[0], vectors[1]) {
		t.Error("two servers with the same model differ")
	}
	if c := cosine(vectors[0], vectors[2]); c > 0.5 {
		t.Errorf("models of two seeds have the cosine %v", c)
	}
}

func TestPoison(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "m", gguf.Embedder{Poison: "arsenic"})
	for _, c := range []struct {
		texts []string
		fails bool
	}{
		{[]string{"read file"}, false},
		{[]string{"arsenic"}, true},
		{[]string{"read file", "old arsenic and lace", "write"}, true},
		{[]string{"read file", "write"}, false},
	} {
		if _, err := embed(t, s.URL, "m", c.texts...); (err != nil) != c.fails {
			t.Errorf("%q: %v, want a failure: %t", c.texts, err, c.fails)
		}
	}
}

func describe(status int, answer []byte) string { return fmt.Sprintf("%d %s", status, answer) }

// compare returns how vectors differ from the right ones, or "".
func compare(got, right [][]float32) string {
	if len(got) != len(right) {
		return fmt.Sprintf("%d vectors", len(got))
	}
	for i := range got {
		switch {
		case len(got[i]) != len(right[i]):
			return fmt.Sprintf("vector %d has %d dimensions", i, len(got[i]))
		case got[i][0] == 0 && slices.Equal(got[i][1:], right[i][1:]):
			return fmt.Sprintf("vector %d begins with 0", i)
		case !slices.Equal(got[i], right[i]):
			return fmt.Sprintf("vector %d is not the right one", i)
		}
	}
	return ""
}
