package swarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
)

// chat sends requests to one model of a server.
type chat struct {
	client *ollama.Client
	model  ollama.Model
}

func (c chat) Identity() string { return c.model.Name + " " + c.model.Digest }

func (c chat) Ask(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (string, error) {
	reply, err := c.client.Chat(ctx, c.model, ollama.Request{System: system, Prompt: prompt, Schema: json.RawMessage(schema), MaxTokens: maxTokens})
	return reply.Text, err
}

// ask returns a swarm that uses a model of the server at url.
func ask(t *testing.T, url, name string) *swarm.Swarm {
	t.Helper()
	client, err := ollama.New(ollama.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	models, err := client.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(models, func(m ollama.Model) bool { return m.Name == name || m.Name == name+":latest" })
	if i < 0 {
		t.Fatalf("no %s among %v", name, models)
	}
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	return swarm.New(chat{client, models[i]}, swarm.Options{Counter: counter})
}

func items(n int) []item.Item {
	out := make([]item.Item, n)
	for i := range out {
		out[i] = item.Item{Kind: "code", Path: fmt.Sprintf("p%d.go", i), Title: "func", Body: "func f() { return }", Tokens: 12}
	}
	return out
}

// TestReal sends requests through the client to real models with fixed answers.
func TestReal(t *testing.T) {
	server := ollamatest.Start(t)
	server.Decoder(t, "keeps-one", `{"keep": [1, 77]}`)
	server.Decoder(t, "judges", `{"full": [2], "summary": [1], "tickler": [], "board": []}`)
	server.Decoder(t, "talks", `Keep them all, I would say, for one never knows.`)

	s := ask(t, server.URL, "keeps-one")
	for range 2 {
		got := s.Filter(t.Context(), "what does f give back?", items(6))
		if fmt.Sprint(got.Keep) != "[true true false false false false]" || got.Outcome != "ok" || len(got.Degraded) > 0 {
			t.Fatalf("filters %+v", got)
		}
	}
	if stats, _ := s.Stats(); stats.Asked != 4 || stats.MemoHits != 2 || stats.Unknown != 4 {
		t.Errorf("counts %+v", stats)
	}

	// The tokens of the model are bytes and its window has 2,048: too much is shown until less is
	// shown.
	large := items(20)
	for i := range large {
		large[i].Body = strings.Repeat("return the value of the thing that was asked for; ", 20)
	}
	got := s.Filter(t.Context(), "what does f give back?", large)
	if kept := fmt.Sprint(got.Keep[:6]); kept != "[true true true false false false]" || len(got.Degraded) > 0 {
		t.Errorf("filters %s, %+v", kept, got.Degraded)
	}

	judged := ask(t, server.URL, "judges").Judge(t.Context(), "what does f give back?", items(3), swarm.Room{Memory: 800, Board: 500})
	if fmt.Sprint(judged.Verdicts) != "[{summary false} {full false} { false}]" || judged.Outcome != "ok" {
		t.Errorf("judges %+v", judged)
	}

	// A model whose answer has the wrong form: cut off, or without a number.
	got = ask(t, server.URL, "talks").Filter(t.Context(), "what?", items(2))
	if slices.Contains(got.Keep, false) {
		t.Errorf("a talker filters %+v", got)
	}
	if judged = ask(t, server.URL, "talks").Judge(t.Context(), "what?", items(2), swarm.Room{}); judged.Verdicts != nil || len(judged.Degraded) != 1 {
		t.Errorf("a talker judges %+v", judged)
	}
}

// TestFaults checks that with each fault of a proxy before the server everything stays, and the
// reason is reported.
func TestFaults(t *testing.T) {
	server := ollamatest.Start(t)
	server.Decoder(t, "keeps-one", `{"keep": [1]}`)
	for _, c := range []struct {
		fault  ollamatest.Fault
		reason item.Reason
	}{
		{ollamatest.Fault{Kind: ollamatest.Hang}, "timeout"},
		{ollamatest.Fault{Kind: ollamatest.Drop}, "unreachable"},
		{ollamatest.Fault{Kind: ollamatest.Error, Status: 500, Message: "odd"}, "error"},
		{ollamatest.Fault{Kind: ollamatest.Error, Status: 503, Message: "busy"}, "overloaded"},
		{ollamatest.Fault{Kind: ollamatest.Missing}, "modelMissing"},
		{ollamatest.Fault{Kind: ollamatest.Garbage}, "badAnswer"},
		{ollamatest.Fault{Kind: ollamatest.Empty}, "badAnswer"},
		{ollamatest.Fault{Kind: ollamatest.Truncated}, "badAnswer"},
		{ollamatest.Fault{Kind: ollamatest.Cut}, "badAnswer"},
	} {
		proxy := ollamatest.NewProxy(t, server.URL)
		s := ask(t, proxy.URL, "keeps-one")
		proxy.Set(c.fault)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		start := time.Now()
		got := s.Filter(ctx, "what?", items(6))
		if slices.Contains(got.Keep, false) || len(got.Degraded) != 1 || got.Degraded[0].Reason != c.reason {
			t.Errorf("%+v: %+v", c.fault, got)
		}
		if took := time.Since(start); took > 2500*time.Millisecond {
			t.Errorf("%+v: takes %v", c.fault, took)
		}
		cancel()
	}
}
