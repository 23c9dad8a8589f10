package engine

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// servedKind returns the kind of a model whose server makes these vectors.
func servedKind(t *testing.T, weights string, vector func(text string) []float64) encode.Kind {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/api/embed" {
			http.Error(w, "only embeddings", http.StatusNotFound)
			return
		}
		out := map[string][][]float64{}
		for _, text := range req.Input {
			out["embeddings"] = append(out["embeddings"], vector(text))
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	defer srv.Close()
	client, err := ollama.New(ollama.Options{URL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	e, err := ollama.Open(t.Context(), client, ollama.Model{Name: "embedder", Weights: weights}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return kindOf(e)
}

// TestKindOf checks that machines with the same model agree, whatever processor they have, and that
// those that embed differently do not.
func TestKindOf(t *testing.T) {
	bytesOf := func(noise, turn float64) func(string) []float64 {
		return func(text string) []float64 {
			v := make([]float64, 64)
			for i, c := range []byte(text) {
				v[int(c)%64] += 1 + math.Sin(float64(i)+turn) + noise*math.Cos(float64(i))
			}
			return v
		}
	}
	here := servedKind(t, "sha256-1", bytesOf(0, 0))
	spoilt := func(text string) []float64 {
		words := strings.Fields(text)
		for i, w := range words {
			if w != strings.ToLower(w) {
				words[i] = "?"
			}
		}
		return bytesOf(0, 0)(strings.Join(words, " "))
	}
	if len(here.Probes) == 0 || here.Dimensions != 64 || strings.Contains(here.Digest, "127.0.0.1") {
		t.Errorf("%+v", here)
	}
	for name, c := range map[string]struct {
		kind encode.Kind
		want bool
	}{
		"the same":          {servedKind(t, "sha256-1", bytesOf(0, 0)), true},
		"another processor": {servedKind(t, "sha256-1", bytesOf(.01, 0)), true},
		"another build":     {servedKind(t, "sha256-1", bytesOf(0, 2)), false},
		"other weights":     {servedKind(t, "sha256-2", bytesOf(0, 0)), false},
		"lower case":        {servedKind(t, "sha256-1", spoilt), false},
	} {
		if here.Matches(c.kind) != c.want || c.kind.Matches(here) != c.want {
			t.Errorf("%s: matches %v", name, !c.want)
		}
	}
}

// asked is a Shared that records whom it was asked for.
type asked struct{ kinds chan encode.Kind }

func (a asked) Rows(_ context.Context, kind encode.Kind, _ []encode.Hash) [][]int8 {
	select {
	case a.kinds <- kind:
	default:
	}
	return nil
}

func (a asked) Offer(encode.Kind, []encode.Hash, func(encode.Hash) []int8) {}

// fixed is a model that a team could share.
type fixed struct{ kind encode.Kind }

func (m *fixed) Name() string      { return "fixed" }
func (m *fixed) Identity() string  { return "fixed" }
func (m *fixed) Dimensions() int   { return m.kind.Dimensions }
func (m *fixed) Kind() encode.Kind { return m.kind }

func (m *fixed) Query(context.Context, string) ([]float32, error) {
	return make([]float32, m.Dimensions()), nil
}

func (m *fixed) Documents(_ context.Context, texts []encode.Document) ([][]float32, []error, error) {
	rows := make([][]float32, len(texts))
	for i := range rows {
		rows[i] = []float32{1, 0, 0}
	}
	return rows, make([]error, len(texts)), nil
}

// TestSharedReachesIndex checks that the index of a root exchanges embeddings by what
// Options.Shared returns for that root.
func TestSharedReachesIndex(t *testing.T) {
	root, kinds, roots := t.TempDir(), make(chan encode.Kind, 1), make(chan string, 1)
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("a text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := New(Options{StateDir: t.TempDir(), Home: t.TempDir(), Shared: func(root string) encode.Shared {
		roots <- root
		return asked{kinds}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}()
	lease, err := v.Indexes.Acquire(t.Context(), root, IndexOptions{}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	want := encode.Kind{Digest: "fixed", Dimensions: 3}
	lease.Index.SetModel(&fixed{want})
	if got := <-roots; got != root {
		t.Errorf("shares for %s", got)
	}
	if got := <-kinds; !got.Matches(want) {
		t.Errorf("%+v", got)
	}
}
