package ollama_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// dial returns a Client of the server at address that ends with the test.
func dial(t testing.TB, address string) *ollama.Client {
	t.Helper()
	c, err := ollama.New(ollama.Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// open returns an Embedder of the model chosen automatically.
func open(t testing.TB, c *ollama.Client) *ollama.Embedder {
	t.Helper()
	models, err := c.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := ollama.ChooseEmbed(models, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := ollama.Open(t.Context(), c, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestRealServer(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{Context: 64})
	s.Decoder(t, "small-chat", `{"keep":[1,2]}`)
	p := ollamatest.NewProxy(t, s.URL)
	c := dial(t, p.URL)
	models, err := c.Models(t.Context())
	if err != nil || len(models) != 2 {
		t.Fatal(models, err)
	}
	m, err := ollama.ChooseEmbed(models, "nomic-embed-text")
	if err != nil || !m.Embeds || m.Chats || m.Context != 64 || !strings.HasPrefix(m.Weights, "sha256-") {
		t.Fatalf("embedding model: %+v, %v", m, err)
	}
	e := open(t, c)
	if e.Dimensions() != 128 || e.Window() != 64 || e.Prefixes().Query != "search_query: " {
		t.Fatal(e.Dimensions(), e.Window(), e.Prefixes())
	}
	if again := open(t, c); !again.Same(e.Probes()) || again.Identity() != e.Identity() {
		t.Fatal("the model is not known again")
	}

	long := strings.Repeat("The password of a user is checked here. ", 60)
	texts := []ollama.Text{{Body: "checkPassword(user)"}, {Title: "log.go", Body: "write a line"}, {Body: long}, {Body: " "}}
	vectors, errs := e.Documents(t.Context(), texts)
	for i := range 3 {
		if errs[i] != nil || math.Abs(dot(vectors[i], vectors[i])-1) > 1e-4 {
			t.Errorf("text %d: %v", i, errs[i])
		}
	}
	var empty *ollama.Error
	if !errors.As(errs[3], &empty) || !empty.Item {
		t.Errorf("the empty text: %v", errs[3])
	}
	if q, err := e.Query(t.Context(), long); err != nil || dot(q, vectors[2]) < 0.8 {
		t.Errorf("a long query: %v, cosine %v", err, dot(q, vectors[2]))
	}

	chat, err := ollama.ChooseChat(models, "")
	if err != nil || chat.Name != "small-chat:latest" {
		t.Fatal(chat, err)
	}
	schema := []byte(`{"type":"object","properties":{"keep":{"type":"array","items":{"type":"integer"}}},"required":["keep"]}`)
	reply, err := c.Chat(t.Context(), chat, ollama.Request{System: "Choose.", Prompt: "Which?", Schema: schema, MaxTokens: 100})
	if err != nil || reply.Text != `{"keep":[1,2]}` || reply.Tokens == 0 {
		t.Errorf("chat: %+v, %v", reply, err)
	}
	for name, k := range map[string]struct {
		req  ollama.Request
		kind ollama.Kind
	}{
		"cut":  {ollama.Request{Prompt: "Which?", Schema: schema, MaxTokens: 1}, ollama.BadAnswer},
		"long": {ollama.Request{Prompt: strings.Repeat("many words ", 20000)}, ollama.TooLong},
	} {
		if _, err := c.Chat(t.Context(), chat, k.req); err == nil || ollama.KindOf(err) != k.kind {
			t.Errorf("%s: %v", name, err)
		}
	}

	chat.Name = "gone:latest"
	if _, err := c.Chat(t.Context(), chat, ollama.Request{Prompt: "x"}); ollama.Reason(err) != "modelMissing" {
		t.Errorf("missing chat model: %v", err)
	}
	s.Remove(t, "nomic-embed-text")
	if _, err := e.Query(t.Context(), "x"); ollama.Reason(err) != "modelMissing" {
		t.Errorf("missing embedding model: %v", err)
	}
}

// A text on which the model fails affects only itself.
func TestRealPoison(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{Poison: "plutonium"})
	e := open(t, dial(t, s.URL))
	var texts []ollama.Text
	for i := range 40 {
		body := fmt.Sprintf("line %d of a file", i)
		if i == 3 || i == 21 {
			body += " plutonium"
		}
		texts = append(texts, ollama.Text{Body: body})
	}
	vectors, errs := e.Documents(t.Context(), texts)
	for i := range texts {
		var bad *ollama.Error
		if i == 3 || i == 21 {
			if !errors.As(errs[i], &bad) || !bad.Item || vectors[i] != nil {
				t.Errorf("text %d: %v", i, errs[i])
			}
		} else if errs[i] != nil || vectors[i] == nil {
			t.Errorf("text %d: %v", i, errs[i])
		}
	}
}

// Whatever the server does wrong, only right vectors are returned.
func TestRealFaults(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	p := ollamatest.NewProxy(t, s.URL)
	right, err := open(t, dial(t, s.URL)).Query(t.Context(), "open the file")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[ollamatest.Kind]string{
		ollamatest.Hang: "timeout", ollamatest.Cut: "badAnswer", ollamatest.Drop: "unreachable", ollamatest.Error: "error",
		ollamatest.Garbage: "badAnswer", ollamatest.Empty: "badAnswer", ollamatest.Truncated: "badAnswer",
		ollamatest.Missing: "modelMissing", ollamatest.Redirect: "badAnswer", ollamatest.TooFew: "badAnswer",
		ollamatest.TooMany: "badAnswer", ollamatest.NoVectors: "badAnswer", ollamatest.WrongDimension: "badAnswer",
		ollamatest.NotANumber: "badAnswer", ollamatest.Infinite: "badAnswer", ollamatest.Null: "badAnswer",
		ollamatest.Zero: "badAnswer", ollamatest.Unnormalised: "", ollamatest.Slow: "",
	}
	for kind, want := range kinds {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			p.Clear()
			e := open(t, dial(t, p.URL))
			p.Set(ollamatest.Fault{Kind: kind, Path: "/api/embed", Delay: 20 * time.Millisecond})
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			v, err := e.Query(ctx, "open the file")
			if got := ollama.Reason(err); got != want {
				t.Fatalf("fault %v: %q (%v), want %q", kind, got, err, want)
			}
			if err == nil && dot(v, right) < 0.9999 {
				t.Errorf("fault %v: a wrong vector", kind)
			}
			docs, errs := e.Documents(ctx, []ollama.Text{{Body: "one"}, {Body: "two"}})
			for i := range docs {
				if (errs[i] == nil) != (docs[i] != nil) {
					t.Errorf("fault %v: vector %v, error %v", kind, docs[i] != nil, errs[i])
				}
			}
		})
	}
}

// A query has priority over indexing: it aborts the current request, and every text is still
// embedded.
func TestRealQueryGoesFirst(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	p := ollamatest.NewProxy(t, s.URL)
	e := open(t, dial(t, p.URL))
	p.Forget()
	p.Set(ollamatest.Fault{Kind: ollamatest.Hang, Path: "/api/embed", Holding: "search_document", Times: 1})
	var errs []error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, errs = e.Documents(t.Context(), []ollama.Text{{Body: "read the file"}, {Body: "write the file"}})
	}()
	p.Await(t, "/api/embed", 1)
	if _, err := e.Query(t.Context(), "which file"); err != nil {
		t.Error(err)
	}
	<-done
	if errors.Join(errs...) != nil || p.Calls("/api/embed") != 3 {
		t.Errorf("%v after %d calls, want none after 3: the one given up, the query, the one again", errs, p.Calls("/api/embed"))
	}
}

// A server that hangs costs callers no time after a few calls, and is used again automatically when
// it is back.
func TestRealHang(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "nomic-embed-text", gguf.Embedder{})
	p := ollamatest.NewProxy(t, s.URL)
	clock := &skipping{}
	back := make(said)
	c, err := ollama.New(ollama.Options{URL: p.URL, Now: clock.now, Log: slog.New(slog.NewTextHandler(back, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	e := open(t, c)
	ask := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		_, err := e.Query(ctx, "which file")
		return err
	}
	p.Set(ollamatest.Fault{Kind: ollamatest.Hang, Path: "/api/embed"})
	for i := range 3 {
		if err := ask(); ollama.Reason(err) != "timeout" {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	p.Forget()
	var left *ollama.Error
	if err := ask(); !errors.As(err, &left) || left.After == 0 || left.Kind != ollama.Timeout || p.Calls("") != 0 {
		t.Fatalf("%v after %d calls, want one that was not sent", err, p.Calls(""))
	}
	p.Clear()
	clock.skip(2 * time.Second)
	if err := ask(); ollama.Reason(err) != "timeout" {
		t.Fatalf("the call that starts the probe: %v", err)
	}
	select {
	case <-back:
	case <-time.After(30 * time.Second):
		t.Fatal("the server is not used again")
	}
	if err := ask(); err != nil {
		t.Errorf("after the probe: %v", err)
	}
}

// said is closed when the log reports that the server is back.
type said chan struct{}

func (s said) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "answers again") {
		close(s)
	}
	return len(line), nil
}

// skipping is the machine's clock, some time ahead.
type skipping struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (s *skipping) skip(d time.Duration) { s.mu.Lock(); defer s.mu.Unlock(); s.ahead += d }

func (s *skipping) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.ahead)
}
