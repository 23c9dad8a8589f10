package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// scripted is a model that answers by a script. It is safe for concurrent use.
type scripted struct {
	mu      sync.Mutex
	name    string
	gone    bool // the model is unavailable
	asked   []string
	answers func(ctx context.Context, prompt string, schema []byte) (string, error)
}

func (s *scripted) Write(ctx context.Context, _, prompt string, schema []byte, maxTokens int) (string, error) {
	s.mu.Lock()
	s.asked = append(s.asked, prompt)
	answers := s.answers
	s.mu.Unlock()
	if maxTokens < 1 || !json.Valid(schema) {
		return "", fmt.Errorf("asked for %d tokens by %q", maxTokens, schema)
	}
	return answers(ctx, prompt, schema)
}

func (s *scripted) Identity() string { return s.name }

func (s *scripted) Window() int { return 0 }

func (s *scripted) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func (s *scripted) set(f func(*scripted)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// writes opens a memory with a model, on a clock that advances only when the memory waits.
func writes(t testing.TB, dir string, s *scripted, after func(time.Duration) <-chan time.Time) *Memory {
	t.Helper()
	if after == nil {
		after = func(time.Duration) <-chan time.Time {
			c := make(chan time.Time, 1)
			c <- time.Time{}
			return c
		}
	}
	m, err := Open(context.Background(), Options{
		Dir: dir, Count: words, Encoding: "words", Now: func() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) },
		Terms: func(text string, yield func(string)) {
			for _, w := range strings.Fields(strings.ToLower(text)) {
				yield(strings.Trim(w, ".,?!"))
			}
		},
		Block: func(tag, body string) string {
			return "<" + tag + ">\n" + strings.ReplaceAll(body, "</T-", "&lt;/T-") + "\n</" + tag + ">\n"
		},
		Relative: func(_, uri string) (string, bool) { return strings.CutPrefix(uri, "file:///r/") },
		Writer: func(string) Writer {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.gone {
				return nil
			}
			return s
		},
		after: after,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// settle waits until nothing is left to write.
func settle(m *Memory) {
	m.worker.quiet()
	m.scribe.quiet()
}

// chatty is a turn without any name, so that a model may word its summary freely.
func chatty(i int) []dialogue.Message {
	return []dialogue.Message{
		{Role: dialogue.User, ID: fmt.Sprint("u", i), Content: fmt.Sprintf("I wonder how the %s garden should be watered while we are all away on a long holiday in the south, do you know?", ordinal(i))},
		{Role: dialogue.Assistant, ID: fmt.Sprint("a", i), Content: strings.Repeat("You might ask a neighbour to come over in the evening when it is cool and give the roses a good measure of water. ", 6) +
			"A friendly neighbour is the best choice for this, as plants are all different from each other."},
	}
}

func ordinal(i int) string {
	return []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "lower", "upper"}[i%12]
}

func tellAll(t testing.TB, w *Workspace, id string, messages ...dialogue.Message) {
	t.Helper()
	if _, err := w.Append(Addition{Conversation: id, Messages: messages}); err != nil {
		t.Fatal(err)
	}
}

// fields answers every question with short texts.
func fields(_ context.Context, prompt string, schema []byte) (string, error) {
	switch s := string(schema); {
	case strings.Contains(s, "tiny"):
		n := strings.Index(prompt, "<T-")
		if n < 0 {
			return "", errors.New("no turn in the prompt")
		}
		return `{"smoothed":"user: How to water it? assistant: A neighbour may come.","compressed":"A neighbour may water it.","tiny":"A neighbour waters it."}`, nil
	case strings.Contains(s, "openQuestions"):
		return `{"summary":"They talk of watering the garden.","focus":"the holiday","decisions":[],"openQuestions":[{"text":"how the garden should be watered","turn":1},{"text":"how the garden should be watered","turn":99}]}`, nil
	case strings.Contains(s, "solution"):
		return `{"title":"A broken pump","problem":"the pump is broken","solution":"turn it around","turns":[1]}`, nil
	}
	return `{"summary":"They talked of the garden."}`, nil
}

func text(t testing.TB, w *Workspace, id string, turn int, level dialogue.Level) TurnText {
	t.Helper()
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Turns.Text(info, turn, level)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
