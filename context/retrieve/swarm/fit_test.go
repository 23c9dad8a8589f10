package swarm

import (
	"context"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// TestSmallWindow checks that models with different windows are sent as much as fits, and that this
// is reported once.
func TestSmallWindow(t *testing.T) {
	items := things(24)
	for i := range items {
		items[i].Body = strings.Repeat("word ", 300)
	}
	for _, c := range []struct {
		window int // bytes of a question
		ok     bool
		first  int // questions until one agent is answered, at most
	}{
		{100_000, true, 1}, {2500, true, 2}, {1500, true, 3}, {900, true, 4}, {100, false, 4},
	} {
		chat := &scripted{identity: "m"}
		chat.answer = func(_ context.Context, q asked) (string, error) {
			if len(q.prompt) > c.window {
				return "", &ollama.Error{Kind: ollama.TooLong, Op: "chat"}
			}
			return `{"keep":[1],"full":[1]}`, nil
		}
		s := newSwarm(t, chat, Options{Parallel: 1})
		got := s.Filter(t.Context(), "what", items)
		if ok := len(got.Degraded) == 0; ok != c.ok {
			t.Errorf("%d bytes: %+v", c.window, got.Degraded)
		}
		if n := len(chat.all); n > 3*c.first || n < 3 {
			t.Errorf("%d bytes: %d questions of 3 agents", c.window, n)
		}
		before := len(chat.all)
		s.Filter(t.Context(), "what else", items)
		if n := len(chat.all) - before; n != 3 {
			t.Errorf("%d bytes: asks 3 agents %d times when the size is known", c.window, n)
		}
		if judged := s.Judge(t.Context(), "what", items, Room{}); (judged.Verdicts != nil) != c.ok {
			t.Errorf("%d bytes: judges %+v", c.window, judged)
		}
		if !c.ok {
			chat.identity = "larger"
			c.window = 100_000
			before = len(chat.all)
			if got = s.Filter(t.Context(), "what", items); len(got.Degraded) > 0 || len(chat.all)-before != 3 {
				t.Errorf("another model is asked %d times: %+v", len(chat.all)-before, got.Degraded)
			}
		}
	}
}
