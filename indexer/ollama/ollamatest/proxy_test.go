package ollamatest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// TestFaults applies every kind of fault to a request to a real server, and checks that the next
// request works.
func TestFaults(t *testing.T) {
	s := ollamatest.Start(t)
	s.Embedder(t, "m", gguf.Embedder{Dims: 8})
	p := ollamatest.NewProxy(t, s.URL)
	right := mustEmbed(t, p.URL, "m", "read", "write", "delete")
	for _, c := range []struct {
		name  string
		fault ollamatest.Fault
		want  string // part of the message of wrong
	}{
		{"none", ollamatest.Fault{}, ""},
		{"cut", ollamatest.Fault{Kind: ollamatest.Cut}, "unexpected EOF"},
		{"drop", ollamatest.Fault{Kind: ollamatest.Drop}, "EOF"},
		{"500", ollamatest.Fault{Kind: ollamatest.Error, Message: "boom"}, `500 {"error":"boom"}`},
		{"503", ollamatest.Fault{Kind: ollamatest.Error, Status: 503, Message: "busy"}, `503 {"error":"busy"}`},
		{"garbage", ollamatest.Fault{Kind: ollamatest.Garbage}, "invalid character"},
		{"empty", ollamatest.Fault{Kind: ollamatest.Empty}, "unexpected end of JSON input"},
		{"truncated", ollamatest.Fault{Kind: ollamatest.Truncated}, "unexpected end of JSON input"},
		{"missing", ollamatest.Fault{Kind: ollamatest.Missing}, `404 {"error":"model \"m\" not found, try pulling it first"}`},
		{"too few", ollamatest.Fault{Kind: ollamatest.TooFew}, "2 vectors"},
		{"too many", ollamatest.Fault{Kind: ollamatest.TooMany}, "4 vectors"},
		{"no vectors", ollamatest.Fault{Kind: ollamatest.NoVectors}, "0 vectors"},
		{"wrong dimension", ollamatest.Fault{Kind: ollamatest.WrongDimension}, "vector 0 has 7 dimensions"},
		{"one short", ollamatest.Fault{Kind: ollamatest.OneShort}, "vector 2 has 7 dimensions"},
		{"not a number", ollamatest.Fault{Kind: ollamatest.NotANumber}, "invalid character 'N'"},
		{"infinite", ollamatest.Fault{Kind: ollamatest.Infinite}, "cannot unmarshal number 1e39"},
		{"null", ollamatest.Fault{Kind: ollamatest.Null}, "vector 2 begins with 0"},
		{"zero", ollamatest.Fault{Kind: ollamatest.Zero}, "vector 2 is not the right one"},
		{"unnormalised", ollamatest.Fault{Kind: ollamatest.Unnormalised}, "vector 2 is not the right one"},
		{"rewritten", ollamatest.Fault{Kind: ollamatest.Rewritten, Rewrite: func([]byte) []byte { return []byte("{}") }}, "0 vectors"},
		{"redirect", ollamatest.Fault{Kind: ollamatest.Redirect, Location: s.URL}, ""},
		{"drip", ollamatest.Fault{Kind: ollamatest.Drip, Delay: time.Microsecond}, ""},
		{"another path", ollamatest.Fault{Kind: ollamatest.Drop, Path: "/api/chat"}, ""},
		{"another body", ollamatest.Fault{Kind: ollamatest.Drop, Holding: "erase"}, ""},
		{"this path and body", ollamatest.Fault{Kind: ollamatest.Drop, Path: "/api/embed", Holding: "delete"}, "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.Clear()
			c.fault.Times = 1
			p.Set(c.fault)
			if got := wrong(t, p.URL, right); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
				t.Errorf("the answer is wrong with %q, want %q", got, c.want)
			}
			p.Set(ollamatest.Fault{Path: "/api/chat"})
			if got := wrong(t, p.URL, right); c.want != "" && got != "" {
				t.Errorf("after the fault the answer is wrong with %q", got)
			}
		})
	}
}

// wrong returns what is wrong with the server's answer to the three texts with the given right
// vectors, or "".
func wrong(t *testing.T, url string, right [][]float32) string {
	t.Helper()
	status, answer, err := post(t, url+"/api/embed", map[string]any{"model": "m", "input": []string{"read", "write", "delete"}})
	if err != nil {
		return err.Error()
	}
	if status != http.StatusOK {
		return describe(status, answer)
	}
	var v struct{ Embeddings [][]float32 }
	if err := json.Unmarshal(answer, &v); err != nil {
		return err.Error()
	}
	return compare(v.Embeddings, right)
}

// TestHang checks a request that hangs until its client gives up, and that the server works
// afterwards.
func TestHang(t *testing.T) {
	p := ollamatest.NewProxy(t, "http://127.0.0.1:9")
	p.Set(ollamatest.Fault{Kind: ollamatest.Hang})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/tags", nil)
		if err == nil {
			_, err = http.DefaultClient.Do(request)
		}
		done <- err
	}()
	p.Await(t, "/api/tags", 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a hanging request ends with %v", err)
	}
	p.Set(ollamatest.Fault{Kind: ollamatest.Error, Status: 418})
	if status, _, err := post(t, p.URL+"/api/tags", nil); status != 418 || err != nil {
		t.Errorf("the next request gets %d, %v", status, err)
	}
}

// TestEndlessAnswer reads more of an answer than any right one has.
func TestEndlessAnswer(t *testing.T) {
	p := ollamatest.NewProxy(t, "http://127.0.0.1:9")
	p.Set(ollamatest.Fault{Kind: ollamatest.Endless})
	r, err := http.Post(p.URL+"/api/embed", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil || len(b) != 1<<20 || !strings.HasPrefix(string(b), `{"embeddings":[[0.125,0.125,`) {
		t.Errorf("%d bytes, %v: %.40s", len(b), err, b)
	}
}

func TestSlow(t *testing.T) {
	s := ollamatest.Start(t)
	p := ollamatest.NewProxy(t, s.URL)
	const delay = 50 * time.Millisecond
	p.Set(ollamatest.Fault{Kind: ollamatest.Slow, Delay: delay})
	begin := time.Now()
	r, err := http.Get(p.URL + "/api/version")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(b), "version") || time.Since(begin) < delay {
		t.Errorf("after %v: %s %v", time.Since(begin), b, err)
	}
}

// TestCounts checks what a proxy records of its requests.
func TestCounts(t *testing.T) {
	p := ollamatest.NewProxy(t, "http://127.0.0.1:9")
	send := func(path string, input any) {
		t.Helper()
		status, _, err := post(t, p.URL+path, map[string]any{"model": "m", "input": input})
		if status != http.StatusBadGateway || err != nil {
			t.Errorf("%s without a server: %d, %v", path, status, err)
		}
	}
	send("/api/embed", []string{"a", "b"})
	send("/api/embed", "c")
	send("/api/chat", "d")
	send("/api/embed", []string{"a"})
	if got, want := p.Texts(), []string{"a", "b", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("texts %q, want %q", got, want)
	}
	if a, b, c := p.Calls("/api/embed"), p.Calls("/api/chat"), p.Calls(""); a != 3 || b != 1 || c != 4 {
		t.Errorf("%d calls to embed, %d to chat, %d in all", a, b, c)
	}
	if r := p.Requests("/api/chat"); len(r) != 1 || r[0].Method != http.MethodPost || string(r[0].Body) != `{"input":"d","model":"m"}` {
		t.Errorf("requests %v", r)
	}
	if p.Most("/api/embed") != 1 {
		t.Errorf("%d at once", p.Most("/api/embed"))
	}
	p.Forget()
	if p.Calls("") != 0 || len(p.Texts()) != 0 || p.Most("/api/embed") != 0 {
		t.Error("forgotten calls are counted")
	}
}
