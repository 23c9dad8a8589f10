package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

func TestResolve(t *testing.T) {
	for _, k := range []struct{ setting, env, want string }{
		{"", "", "http://127.0.0.1:11434/"},
		{"", "0.0.0.0", "http://127.0.0.1:11434/"},
		{"", "0.0.0.0:8000", "http://127.0.0.1:8000/"},
		{"", ":8000", "http://127.0.0.1:8000/"},
		{"", "[::]:8000", "http://[::1]:8000/"},
		{"", "::1", "http://[::1]:11434/"},
		{"", " \"localhost\" ", "http://localhost:11434/"},
		{"", "box:1", "http://box:1/"},
		{"", "https://box", "https://box:443/"},
		{"http://box", "other:1", "http://box:80/"},
		{"HTTP://box:7/a/b/", "", "http://box:7/a/b"},
		{"http://me:secret@box:7", "", "http://me:xxxxx@box:7/"},
		{"ftp://box", "", ""},
		{"box:99999", "", ""},
		{"box:0", "", ""},
		{"a:b:c", "", ""},
		{"http://box?x=y", "", ""},
		{"http://a b", "", ""},
	} {
		got := ""
		if u, err := resolve(k.setting, k.env); err == nil {
			got = u.Redacted()
		}
		if got != k.want {
			t.Errorf("resolve(%q, %q) = %q, want %q", k.setting, k.env, got, k.want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("http://[::1]:80/x")
	f.Add("a@b:1")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := resolve(text, "")
		if err == nil && (u.Hostname() == "" || u.Port() == "") {
			t.Errorf("%q resolves to %q", text, u)
		}
	})
}

func TestOnlyAllowedHosts(t *testing.T) {
	allow := func(host string) bool { return host == "box" }
	for url, ok := range map[string]bool{
		"": true, "localhost": true, "http://models.localhost:1": true, "127.9.9.9": true, "[::ffff:127.0.0.1]:5": true,
		"box": true, "box2": false, "10.0.0.1": false, "127.0.0.1.example": false, "localhost@box2": false,
	} {
		c, err := New(Options{URL: url, Allow: allow})
		if (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && (KindOf(err) != Refused || !strings.Contains(err.Error(), "ollama.allowRemote")) {
			t.Errorf("%q: %v says not what to do", url, err)
		}
		if c != nil {
			c.Close()
		}
	}
	if loopbackOnly("tcp", "10.0.0.1:80", nil) == nil || loopbackOnly("tcp", "[::1]:80", nil) != nil {
		t.Error("the address connected to is not checked")
	}
}

// clock is a clock that advances only when tests move it.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.t }

func (c *clock) move(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.t = c.t.Add(d) }

// serve returns a Client of a server that answers by handle, with a clock that advances by what
// handle returns.
func serve(t *testing.T, handle http.HandlerFunc) (*Client, *clock) {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	at := &clock{t: time.Unix(1000, 0)}
	c, err := New(Options{URL: s.URL, Now: at.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, at
}

func TestErrorsAreToldApart(t *testing.T) {
	for _, k := range []struct {
		status int
		body   string
		want   Kind
		reason string
		calls  int
	}{
		{404, `{"error":"model \"m\" not found, try pulling it first"}`, ModelMissing, "modelMissing", 1},
		{404, `{"error":"model 'm' not found"}`, ModelMissing, "modelMissing", 1},
		{404, `page not found`, Failed, "error", 1},
		{400, `{"error":"the input length exceeds the context length"}`, TooLong, "error", 1},
		{503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, Overloaded, "overloaded", 1},
		{503, `<html>`, Overloaded, "overloaded", 1},
		{500, `{"error":"failed to encode response: json: unsupported value: NaN"}`, Failed, "error", 1},
		{400, `{"error":"do embedding request: Post \"http://127.0.0.1:1/embedding\": EOF"}`, Failed, "error", 2},
		{501, `{"error":"this model does not support embeddings"}`, Failed, "error", 1},
		{307, ``, BadAnswer, "badAnswer", 1},
		{200, `{"embeddings":[[1,0]`, BadAnswer, "badAnswer", 2},
		{200, `<html>`, BadAnswer, "badAnswer", 2},
		{200, `{"embeddings":[]}`, BadAnswer, "badAnswer", 1},
		{200, `{"embeddings":[[1,0],[1,0]]}`, BadAnswer, "badAnswer", 1},
		{200, `{"embeddings":[[]]}`, BadAnswer, "badAnswer", 1},
		{200, `{"embeddings":[[0,0]]}`, BadAnswer, "badAnswer", 1},
		{200, `{"embeddings":[[null,1]]}`, BadAnswer, "badAnswer", 2},
		{200, `{"embeddings":[[1e39,1]]}`, BadAnswer, "badAnswer", 2},
		{200, `{"embeddings":[[NaN,1]]}`, BadAnswer, "badAnswer", 2},
	} {
		calls := 0
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			calls++
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(k.status)
			fmt.Fprint(w, k.body)
		})
		_, err := c.embed(t.Context(), "m", 64, call{timeout: time.Minute}, []string{"x"})
		if err == nil || KindOf(err) != k.want || Reason(err) != k.reason || calls != k.calls {
			t.Errorf("%d %s: %v, %s after %d calls; want %v after %d", k.status, k.body, err, Reason(err), calls, k.want, k.calls)
		}
	}
}

func TestUnansweredCalls(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Version(ctx); Reason(err) != "timeout" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that hangs: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := c.Version(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled: %v", err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	away, err := New(Options{URL: strings.Replace(gone.URL, "://", "://me:secret@", 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	if _, err = away.Version(t.Context()); Reason(err) != "unreachable" || strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: %v", err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.Repeat(" ", 4096)+"{}") })
	k := metaCall("version", http.MethodGet, "api/version")
	k.limit = 1000
	if err := c.do(t.Context(), k, nil, &struct{}{}); KindOf(err) != BadAnswer {
		t.Error(err)
	}
}

// TestEndlessAnswers checks that an endless answer is aborted soon after a right one would have
// ended, even for a caller with more time: data sent faster than it is read would take all of the
// processor.
func TestEndlessAnswers(t *testing.T) {
	for name, ask := range map[string]func(c *Client) error{
		"query": func(c *Client) error {
			_, err := (&Embedder{client: c, model: Model{Name: "m"}, window: 512}).Query(t.Context(), "some words")
			return err
		},
		"chat": func(c *Client) error {
			_, err := c.Chat(t.Context(), Model{Name: "m"}, Request{Prompt: "x", MaxTokens: 200})
			return err
		},
		"list": func(c *Client) error { _, err := c.Models(t.Context()); return err },
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				piece := []byte(strings.Repeat(" ", 64<<10))
				for r.Context().Err() == nil {
					n, err := w.Write(piece)
					if sent.Add(int64(n)); err != nil {
						return
					}
				}
			})
			err := ask(c)
			if KindOf(err) != BadAnswer {
				t.Errorf("%v", err)
			}
			if n := sent.Load(); n > 16<<20 { // including what is buffered on the way
				t.Errorf("%d bytes were sent", n)
			}
		})
	}
}

// TestBreaker checks the states of a circuit breaker over time: what each admits, and how the
// pauses grow.
func TestBreaker(t *testing.T) {
	var b breaker
	now := time.Unix(0, 0)
	for i := range openAfter {
		if away, _ := b.admit(now); away != 0 {
			t.Fatalf("closed to call %d", i)
		}
		if opened := b.failed(now); opened != (i == openAfter-1) {
			t.Fatalf("failure %d: opened %v", i, opened)
		}
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if away, probe := b.admit(now.Add(pause - 1)); away != 1 || probe {
			t.Fatalf("pause %v: away %v, probe %v just before its end", pause, away, probe)
		}
		now = now.Add(pause)
		if _, probe := b.admit(now); !probe {
			t.Fatalf("pause %v: no probe at its end", pause)
		}
		if away, probe := b.admit(now); away == 0 || probe {
			t.Fatalf("pause %v: a second call is let through while the probe is under way", pause)
		}
		b.probed(now, false)
		if pause == longestPause {
			break
		}
	}
	now = now.Add(longestPause)
	b.admit(now)
	b.probed(now, true)
	if away, _ := b.admit(now); away != 0 || b.failures != 0 {
		t.Error("still open after a probe that was answered")
	}
}

// TestAbsenceIsNoFault checks that a server that cannot be reached is a warning in the log only if
// somebody named it.
func TestAbsenceIsNoFault(t *testing.T) {
	for _, optional := range []bool{false, true} {
		var log bytes.Buffer
		c, err := New(Options{URL: "http://127.0.0.1:1", Optional: optional, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		for range openAfter {
			if _, err := c.Version(t.Context()); KindOf(err) != Unreachable {
				t.Fatal(err)
			}
		}
		c.Close()
		if warned := strings.Contains(log.String(), "is not called for a while"); warned == optional {
			t.Errorf("optional %t: logged %q", optional, &log)
		}
	}
}

// A model that hangs is not called; the other one, the lists, and the same model's background work
// continue.
func TestBreakersAreIndependent(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model string }
		json.NewDecoder(r.Body).Decode(&in)
		if in.Model == "stuck" {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"embeddings":[[1,0]],"version":"0.1.2","done":true,"done_reason":"stop","message":{"content":"yes"}}`)
	})
	chat := func(model string, patient bool) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if model != "stuck" {
			ctx = t.Context()
		}
		k := call{op: "chat", model: model, patient: patient}
		if err := c.admit(ctx, k); err != nil {
			return err
		}
		_, err := c.chat(ctx, model, 64, call{timeout: time.Minute, patient: patient, probe: true}, Request{Prompt: "?"})
		c.settle(t.Context(), k, err, time.Second) // as if it had waited so long
		return err
	}
	for range openAfter {
		if err := chat("stuck", false); Reason(err) != "timeout" {
			t.Fatal(err)
		}
	}
	var e *Error
	if err := chat("stuck", false); !errors.As(err, &e) || e.After == 0 || e.Kind != Timeout {
		t.Errorf("the model that hangs is asked again: %v", err)
	}
	if err := chat("stuck", true); !errors.As(err, &e) || e.After != 0 {
		t.Errorf("its patient work is held back too: %v", err)
	}
	if err := chat("well", false); err != nil {
		t.Errorf("another model: %v", err)
	}
	if v, err := c.Version(t.Context()); err != nil || v != "0.1.2" {
		t.Errorf("the server: %v %v", v, err)
	}
}

// A server that is unavailable is not called again, and a probe detects when it is back.
func TestServerBreakerRecovers(t *testing.T) {
	up := false
	var mu sync.Mutex
	c, now := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if !up {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, `{"version":"1"}`)
	})
	for range openAfter {
		if _, err := c.Version(t.Context()); Reason(err) != "unreachable" {
			t.Fatal(err)
		}
	}
	var e *Error
	if _, err := c.Version(t.Context()); !errors.As(err, &e) || e.After != firstPause {
		t.Fatalf("not left alone: %v", err)
	}
	mu.Lock()
	up = true
	mu.Unlock()
	now.move(firstPause)
	if _, err := c.Version(t.Context()); !errors.As(err, &e) || e.After == 0 {
		t.Fatalf("the caller waits for the probe: %v", err)
	}
	c.probes.Wait()
	defer c.Close() // and once more when the test ends
	if _, err := c.Version(t.Context()); err != nil {
		t.Errorf("after the probe: %v", err)
	}
}

func TestChatAnswers(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"keep":{"type":"array","items":{"type":"integer"}}},"required":["keep"]}`)
	for name, k := range map[string]struct {
		content, reason string
		schema          json.RawMessage
		bad             string
	}{
		"text":       {" yes \n", "stop", nil, ""},
		"fits":       {`{"keep":[1]}`, "stop", schema, ""},
		"cut":        {`{"keep":[1`, "length", schema, "longer"},
		"loaded":     {``, "load", nil, "ended by"},
		"no reason":  {`{"keep":[1]}`, "", schema, "ended by"},
		"empty":      {` `, "stop", nil, "empty"},
		"not JSON":   {`{"keep":[1]`, "stop", schema, "not JSON"},
		"two values": {`{"keep":[1]} {}`, "stop", schema, "not JSON"},
		"other type": {`{"keep":["a"]}`, "stop", schema, "schema"},
		"missing":    {`{}`, "stop", schema, "schema"},
	} {
		var in api.ChatRequest
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			json.NewDecoder(r.Body).Decode(&in)
			json.NewEncoder(w).Encode(api.ChatResponse{Message: api.Message{Content: k.content}, Done: true, DoneReason: k.reason})
		})
		reply, err := c.Chat(t.Context(), Model{Name: "m", Thinks: true, Context: 4096}, Request{System: "s", Prompt: "p", Schema: k.schema})
		if k.bad == "" && (err != nil || reply.Text != strings.TrimSpace(k.content)) {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
		if k.bad != "" && (Reason(err) != "badAnswer" || !strings.Contains(err.Error(), k.bad) || reply.Text != "") {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
		if in.Options["num_predict"] != 512.0 || in.Options["num_ctx"] != 4096.0 || in.Think == nil || in.Think.Value != false || *in.Truncate {
			t.Errorf("%s: sent %+v", name, in)
		}
	}
	c, _ := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a model that runs elsewhere was asked") })
	if _, err := c.Chat(t.Context(), Model{Name: "m", Remote: "there"}, Request{Prompt: "p"}); KindOf(err) != Refused {
		t.Error(err)
	}
}
