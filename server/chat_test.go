package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// garden is a turn without names, which leaves a model free in wording its summary.
func garden(i int) []args {
	return []args{
		message("user", fmt.Sprintf("I wonder how the garden of neighbour number %s should be watered while we are all away for a long holiday, do you know?", []string{"one", "two", "three"}[i])),
		message("assistant", strings.Repeat("You might ask somebody to come over in the evening when it is cool and give the roses a good measure of water. ", 6)+
			"A friendly neighbour is the best choice for this, as plants are all different from each other."),
	}
}

func TestChatModelWritesTurns(t *testing.T) {
	ollama := ollamatest.Start(t)
	proxy := ollamatest.NewProxy(t, ollama.URL)
	root, state := modelWorkspace(t), t.TempDir()
	process := func(name string, f func(t *testing.T, e *servertest.Editor)) {
		t.Run(name, func(t *testing.T) {
			f(t, servertest.Start(t, servertest.Options{StateDir: state, ModelHost: proxy.URL, Roots: []string{root}}))
		})
	}
	written := func(t *testing.T, e *servertest.Editor, turn string) {
		t.Helper()
		e.Eventually("the model has shortened "+turn, func() bool { return turnOf(t, e, "c", turn, "T").Source == "model" })
		for level, want := range map[string]string{"S": "How to water it?", "C": "A neighbour may water it.", "T": "A neighbour waters it."} {
			r := turnOf(t, e, "c", turn, level)
			if r.Source != "model" || r.Pending || !strings.Contains(r.Text, want) || !strings.HasPrefix(r.Text, "<"+turn+"-"+level+">") {
				t.Errorf("%s at %s: %+v", turn, level, r)
			}
		}
	}
	process("first", func(t *testing.T, e *servertest.Editor) {
		say(t, e, "c", garden(0)...)
		e.Eventually("the rules have shortened the turn", func() bool { return !turnOf(t, e, "c", "T-1", "T").Pending })
		if r := turnOf(t, e, "c", "T-1", "T"); r.Source != "extractive" {
			t.Errorf("without a model: %+v", r)
		}
		ollama.Create(t, "qwen3", gguf.Decoder{Context: 8192, Answer: `{"smoothed":"user: How to water it? assistant: A neighbour may.","compressed":"A neighbour may water it.","tiny":"A neighbour waters it."}`}.File(), ollamatest.Chat)
		written(t, e, "T-1")
		proxy.Set(ollamatest.Fault{Path: "/api/chat", Kind: ollamatest.Error, Status: 503})
		proxy.Forget()
		say(t, e, "c", garden(1)...)
		e.Eventually("the model was asked", func() bool { return proxy.Calls("/api/chat") > 0 })
		if r := turnOf(t, e, "c", "T-2", "C"); r.Source != "extractive" || !r.Pending || r.Text == "" {
			t.Errorf("while the server fails: %+v", r)
		}
		proxy.Clear()
		written(t, e, "T-2")
	})
	proxy.Forget()
	process("restarted", func(t *testing.T, e *servertest.Editor) {
		written(t, e, "T-1")
		written(t, e, "T-2")
		say(t, e, "again", garden(0)...)
		e.Eventually("what was written of the same text is known", func() bool {
			return ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": "again", "turnId": "T-1", "level": "T"}).Source == "model"
		})
		if n := proxy.Calls("/api/chat"); n != 0 {
			t.Errorf("the model was asked %d times for what it had written", n)
		}
	})
}
