package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

func TestModelWritesTurns(t *testing.T) {
	s := &scripted{name: "m1", answers: fields}
	dir := t.TempDir()
	m := writes(t, dir, s, nil)
	w := workspace(t, m)
	for i := range 3 {
		tellAll(t, w, "c", chatty(i)...)
	}
	settle(m)
	for _, level := range []dialogue.Level{dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny} {
		if got := text(t, w, "c", 2, level); got.Source != dialogue.FromModel || got.Pending || !strings.Contains(got.Body, "neighbour") || len(got.Body) > 80 {
			t.Errorf("%v: %+v", level, got)
		}
	}
	if got := text(t, w, "c", 2, dialogue.Raw); got.Source != dialogue.FromRaw || got.Pending {
		t.Errorf("raw: %+v", got)
	}
	asked := s.count()
	// The same content elsewhere, a fork, and a restart send no request.
	tellAll(t, w, "d", chatty(2)...)
	if _, err := w.Fork("c", 2, "f"); err != nil {
		t.Fatal(err)
	}
	settle(m)
	if got := text(t, w, "d", 1, dialogue.Tiny); got.Source != dialogue.FromModel {
		t.Errorf("the same content again: %+v", got)
	}
	if got := text(t, w, "f", 2, dialogue.Tiny); got.Source != dialogue.FromModel {
		t.Errorf("a fork's last turn: %+v", got)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = writes(t, dir, s, nil)
	defer m.Close()
	w = workspace(t, m)
	settle(m)
	if got := text(t, w, "c", 3, dialogue.Compressed); got.Source != dialogue.FromModel || s.count() != asked {
		t.Errorf("after a restart: %+v, %d questions more", got, s.count()-asked)
	}
}

func TestBadModelTextsAreRejected(t *testing.T) {
	long := strings.Repeat("water ", 400)
	for name, answer := range map[string]string{
		"empty":    `{"smoothed":"","compressed":" ","tiny":""}`,
		"too long": fmt.Sprintf(`{"smoothed":%q,"compressed":%q,"tiny":%q}`, long, long, long),
		"garbage":  `Sure! Here is the summary.`,
		"cut":      `{"smoothed":"user: water`,
		"tags":     `{"smoothed":"</T-1-S> water","compressed":"</T-1-C> it","tiny":"</T-1-T> so"}`,
		"names":    `{"smoothed":"See garden/water.go for it, all of it.","compressed":"See garden/water.go for","tiny":"See garden/water.go"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: func(_ context.Context, _ string, schema []byte) (string, error) { return answer, nil }}
			m := writes(t, t.TempDir(), s, nil)
			defer m.Close()
			w := workspace(t, m)
			tellAll(t, w, "c", chatty(0)...)
			settle(m)
			for _, level := range []dialogue.Level{dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny} {
				if got := text(t, w, "c", 1, level); got.Source != dialogue.FromExtraction || got.Pending || got.Body == "" {
					t.Errorf("%v: %+v", level, got)
				}
			}
			if st := m.WriterStats(); st.Asked != 1 || st.Refused != 1 || st.Taken != 0 {
				t.Errorf("counted %+v", st)
			}
		})
	}
}

func TestModelKeepsAnchors(t *testing.T) {
	s := &scripted{answers: fields}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	turn := chatty(0)
	turn[1].Content += " The hose is described in garden/hose.md for those who want to know more of that."
	tellAll(t, w, "c", turn...)
	settle(m)
	got := text(t, w, "c", 1, dialogue.Smoothed)
	if got.Source != dialogue.FromExtraction || !strings.Contains(got.Body, "garden/hose.md") {
		t.Errorf("a level without its anchor: %+v", got)
	}
	if got := text(t, w, "c", 1, dialogue.Tiny); got.Source != dialogue.FromModel {
		t.Errorf("the level that lost nothing: %+v", got)
	}
}

func TestModelThatFailsIsAskedAgain(t *testing.T) {
	var mu sync.Mutex
	var pauses []time.Duration
	after := func(d time.Duration) <-chan time.Time {
		mu.Lock()
		defer mu.Unlock()
		pauses = append(pauses, d)
		c := make(chan time.Time, 1)
		c <- time.Time{}
		return c
	}
	failures := 12
	s := &scripted{}
	s.answers = func(ctx context.Context, prompt string, schema []byte) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if failures > 0 {
			failures--
			return "", errors.New("connection refused")
		}
		return fields(ctx, prompt, schema)
	}
	m := writes(t, t.TempDir(), s, after)
	defer m.Close()
	w := workspace(t, m)
	tellAll(t, w, "c", slices.Concat(chatty(0), chatty(1))...)
	settle(m)
	for turn := 1; turn <= 2; turn++ {
		if got := text(t, w, "c", turn, dialogue.Tiny); got.Source != dialogue.FromModel {
			t.Errorf("turn %d after the model recovered: %+v", turn, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(pauses) != 12 || pauses[0] != firstPause || pauses[1] != 2*firstPause || pauses[11] != longPause {
		t.Errorf("waited %v", pauses)
	}
	if st := m.WriterStats(); st.Failed != 12 || st.Refused != 0 {
		t.Errorf("counted %+v", st)
	}
}

func TestModelThatFailsAtOneTurnGoesOnWithOthers(t *testing.T) {
	s := &scripted{}
	s.answers = func(ctx context.Context, prompt string, schema []byte) (string, error) {
		if strings.Contains(prompt, "third garden") {
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.asked) < 8 {
				return "", errors.New("timed out")
			}
			return "", fmt.Errorf("wrapped: %w", ErrNoAnswer)
		}
		return fields(ctx, prompt, schema)
	}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	tellAll(t, w, "c", slices.Concat(chatty(0), chatty(1), chatty(2))...)
	settle(m)
	if a, b := text(t, w, "c", 1, dialogue.Tiny), text(t, w, "c", 3, dialogue.Tiny); a.Source != dialogue.FromModel || b.Source != dialogue.FromExtraction || b.Pending {
		t.Errorf("the first %+v, the last %+v", a, b)
	}
}

func TestModelThatHangsAtOneTurnGivesItUp(t *testing.T) {
	var mu sync.Mutex
	clock := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	s := &scripted{answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		if strings.Contains(prompt, "first garden") {
			mu.Lock()
			defer mu.Unlock()
			clock = clock.Add(5 * time.Minute)
			return "", errors.New("timed out")
		}
		return fields(ctx, prompt, schema)
	}}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	m.now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return clock
	}
	w := workspace(t, m)
	tellAll(t, w, "c", slices.Concat(chatty(0), chatty(1))...)
	settle(m)
	if a, b := text(t, w, "c", 1, dialogue.Tiny), text(t, w, "c", 2, dialogue.Tiny); a.Source != dialogue.FromExtraction || a.Pending || b.Source != dialogue.FromModel {
		t.Errorf("the one it hangs at %+v, the other %+v", a, b)
	}
	if n := s.count(); n != 1+mostVain {
		t.Errorf("asked %d times", n)
	}
}

func TestModelComesAndGoes(t *testing.T) {
	s := &scripted{answers: fields, gone: true}
	m := writes(t, t.TempDir(), s, func(time.Duration) <-chan time.Time {
		t.Error("a timer runs while there is no model")
		return nil
	})
	defer m.Close()
	w := workspace(t, m)
	tellAll(t, w, "c", chatty(0)...)
	settle(m)
	if got := text(t, w, "c", 1, dialogue.Tiny); got.Source != dialogue.FromExtraction || got.Pending || s.count() != 0 {
		t.Errorf("without a model: %+v, asked %d times", got, s.count())
	}
	s.set(func(s *scripted) { s.gone = false })
	if got := text(t, w, "c", 1, dialogue.Tiny); got.Source != dialogue.FromExtraction || !got.Pending {
		t.Errorf("with a model that was not asked yet: %+v", got)
	}
	asked := make(chan struct{}, 9)
	s.set(func(s *scripted) {
		s.answers = func(ctx context.Context, prompt string, schema []byte) (string, error) {
			asked <- struct{}{}
			return fields(ctx, prompt, schema)
		}
	})
	m.ChatCame()
	<-asked
	settle(m)
	if got := text(t, w, "c", 1, dialogue.Tiny); got.Source != dialogue.FromModel || got.Pending {
		t.Errorf("when the model has come: %+v", got)
	}
}

func TestCloseDoesNotWaitForAModel(t *testing.T) {
	asked := make(chan struct{})
	s := &scripted{answers: func(ctx context.Context, _ string, _ []byte) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	}}
	dir := t.TempDir()
	m := writes(t, dir, s, nil)
	w := workspace(t, m)
	tellAll(t, w, "c", chatty(0)...)
	<-asked
	// Appends and reads do not wait for it either.
	tellAll(t, w, "c", chatty(1)...)
	if got := text(t, w, "c", 1, dialogue.Tiny); got.Source != dialogue.FromExtraction || !got.Pending {
		t.Errorf("while it is asked: %+v", got)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	s.set(func(s *scripted) { s.answers = fields })
	m = writes(t, dir, s, nil)
	defer m.Close()
	w = workspace(t, m)
	settle(m)
	for turn := 1; turn <= 2; turn++ {
		if got := text(t, w, "c", turn, dialogue.Tiny); got.Source != dialogue.FromModel {
			t.Errorf("turn %d after a restart: %+v", turn, got)
		}
	}
}

func TestModelDoesNotBringBackWhatIsForgotten(t *testing.T) {
	asked, answer := make(chan struct{}, 99), make(chan struct{})
	s := &scripted{answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		asked <- struct{}{}
		<-answer
		return fields(ctx, prompt, schema)
	}}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	tellAll(t, w, "c", chatty(0)...)
	<-asked
	if err := w.ForgetTurn(context.Background(), "c", 1); err != nil {
		t.Fatal(err)
	}
	close(answer)
	settle(m)
	if got := text(t, w, "c", 1, dialogue.Tiny); got.Source == dialogue.FromModel || strings.Contains(got.Body, "neighbour") {
		t.Errorf("what was forgotten is back: %+v", got)
	}
	tellAll(t, w, "d", chatty(1)...)
	settle(m)
	if got := text(t, w, "d", 1, dialogue.Tiny); got.Source != dialogue.FromModel {
		t.Fatalf("got %+v", got)
	}
	if err := w.ForgetTurn(context.Background(), "d", 1); err != nil {
		t.Fatal(err)
	}
	if got := text(t, w, "d", 1, dialogue.Tiny); got.Source == dialogue.FromModel || strings.Contains(got.Body, "neighbour") {
		t.Errorf("what a model wrote of it is left: %+v", got)
	}
}

func TestStoredTurnsForModelsSurviveARestart(t *testing.T) {
	s := &scripted{answers: fields, gone: true}
	dir := t.TempDir()
	m := writes(t, dir, s, nil)
	w := workspace(t, m)
	tellAll(t, w, "c", chatty(0)...)
	m.worker.quiet()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	s.set(func(s *scripted) { s.gone = false })
	m = writes(t, dir, s, nil)
	defer m.Close()
	w = workspace(t, m)
	settle(m)
	if got := text(t, w, "c", 1, dialogue.Smoothed); got.Source != dialogue.FromModel {
		t.Errorf("got %+v", got)
	}
	if left, err := conversation.Unwritten(w.latest(), 9); err != nil || len(left) != 0 {
		t.Errorf("still waiting: %v, %v", left, err)
	}
}
