package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// scripted is a model that answers by a script. Safe for concurrent use.
type scripted struct {
	mu      sync.Mutex
	name    string
	gone    bool // there is no model now
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

// writes opens a memory with a model; time does not pass for it but when it waits.
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

// settle waits until all is written that can be.
func settle(m *Memory) {
	m.worker.quiet()
	m.scribe.quiet()
}

// chatty is a turn without any name, so that a model is free in how it tells it.
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
	info, err := v.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.TurnText(info, turn, level)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

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
	// The same content elsewhere, a fork, and a restart ask nothing.
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

func TestModelIsNotBelieved(t *testing.T) {
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

func TestModelComesAndGoes(t *testing.T) {
	tick := make(chan time.Time)
	s := &scripted{answers: fields, gone: true}
	m := writes(t, t.TempDir(), s, func(time.Duration) <-chan time.Time { return tick })
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
	tick <- time.Time{} // the scribe waits for it, and looks again
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
	// Whoever appends and reads does not wait for it either.
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

// holds reports whether any value of the store has a text in it.
func holds(t testing.TB, m *Memory, text string) bool {
	t.Helper()
	found := false
	err := m.store.Scan(nil, nil, func(_, value []byte) (bool, error) {
		found = found || strings.Contains(string(value), text)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestForgettingTakesAllThatAModelWrote(t *testing.T) {
	s := &scripted{name: "m", answers: fields}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	for i := range 60 {
		tellAll(t, w, "c", chatty(i)...)
	}
	if _, err := w.Fork("c", 55, "f"); err != nil {
		t.Fatal(err)
	}
	tellAll(t, w, "f", slices.Concat(chatty(60), chatty(61))...)
	settle(m)
	for _, id := range []string{"c", "f"} {
		v := w.View()
		info, err := v.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Window(info, 900, 0, "words", words); err != nil {
			t.Fatal(err)
		}
		v.Close()
	}
	settle(m)
	written := []string{"A neighbour waters it", "They talk of watering", "They talked of the garden"}
	for _, text := range written {
		if !holds(t, m, text) {
			t.Errorf("nothing holds %q", text)
		}
	}
	// A turn that both share: what was written of either as a whole may tell of it. No model is there to write anew.
	s.set(func(s *scripted) { s.gone = true })
	if err := w.ForgetTurn(context.Background(), "c", 3); err != nil {
		t.Fatal(err)
	}
	if holds(t, m, written[1]) || holds(t, m, written[2]) || !holds(t, m, written[0]) {
		t.Error("what was written of conversations with a forgotten turn is left, or what was written of other turns is gone")
	}
	for _, id := range []string{"c", "f"} {
		if err := w.ForgetConversation(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range append(written, "garden") {
		if holds(t, m, text) {
			t.Errorf("%q is left", text)
		}
	}
	if left, err := conversation.Unwritten(m.store, w.number, 9); err != nil || len(left) != 0 {
		t.Errorf("still waiting: %v, %v", left, err)
	}
}

func TestHistoryTakesModelTextsAtBorders(t *testing.T) {
	s := &scripted{answers: fields}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	laid := func() (History, string) {
		v := w.View()
		defer v.Close()
		info, err := v.Find("c")
		if err != nil {
			t.Fatal(err)
		}
		sizes, err := v.Sizes(info)
		if err != nil {
			t.Fatal(err)
		}
		h, err := v.History(info, sizes, 900, history.Gradient, func(b history.Block) int { return words(b.Body) + 2 })
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, b := range h.Blocks {
			all += b.Tag + "\n" + b.Body + "\n"
		}
		return h, all
	}
	for i := range 24 {
		tellAll(t, w, "c", chatty(i)...)
	}
	before, was := laid()
	settle(m)
	after, is := laid()
	if was != is || before.RecalculatedAt != after.RecalculatedAt {
		t.Errorf("the text changed between two borders:\n%s\n---\n%s", was, is)
	}
	for i := range 7 {
		tellAll(t, w, "c", chatty(24+i)...)
		settle(m)
	}
	last, text := laid()
	if last.RecalculatedAt != 30 || !strings.Contains(text, "A neighbour") {
		t.Errorf("laid at turn %d without the model's texts:\n%s", last.RecalculatedAt, text)
	}
}

func TestModelTellsArcs(t *testing.T) {
	s := &scripted{answers: fields}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	told := func(budget int) Arc {
		v := w.View()
		defer v.Close()
		info, err := v.Find("c")
		if err != nil {
			t.Fatal(err)
		}
		a, err := v.Arc(info, arc.Rich, budget)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for i := range 5 {
		tellAll(t, w, "c", chatty(i)...)
	}
	settle(m)
	a := told(0)
	if a.Source != dialogue.FromModel || !strings.Contains(a.Text, "They talk of watering the garden.") {
		t.Fatalf("told %+v", a)
	}
	for _, q := range a.Open {
		if q.Turn < 1 || q.Turn > 5 {
			t.Errorf("a question of turn %d", q.Turn)
		}
	}
	if a := told(3); a.Source != dialogue.FromExtraction || words(a.Text) > 3 {
		t.Errorf("without room for it: %+v", a)
	}
	s.set(func(s *scripted) {
		s.answers = func(context.Context, string, []byte) (string, error) { return "so", nil }
	})
	for i := range storyLasts + 1 {
		tellAll(t, w, "c", chatty(5+i)...)
		settle(m)
		want := dialogue.FromModel
		if i >= storyEvery-1 { // another was asked for and not used
			want = dialogue.FromExtraction
		}
		if a := told(0); a.Source != want {
			t.Errorf("%d turns later it is %s", i+1, a.Source)
		}
	}
}

func TestModelSumsUpRuns(t *testing.T) {
	s := &scripted{answers: fields}
	dir := t.TempDir()
	m := writes(t, dir, s, nil)
	w := workspace(t, m)
	for i := range 60 {
		tellAll(t, w, "c", chatty(i)...)
	}
	m.worker.quiet()
	shown := func() (texts []string, used int) {
		v := w.View()
		defer v.Close()
		info, err := v.Find("c")
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Window(info, 900, 0, "words", words)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Messages {
			if p.Summary {
				texts = append(texts, p.Content)
				if words(p.Content) != p.Tokens {
					t.Errorf("%d tokens are said to be %d", words(p.Content), p.Tokens)
				}
			}
		}
		return texts, got.Tokens
	}
	if first, _ := shown(); len(first) == 0 || slices.Contains(first, "They talked of the garden.") {
		t.Fatalf("at first: %q", first)
	}
	settle(m)
	texts, used := shown()
	if !slices.Contains(texts, "They talked of the garden.") || used > 900 {
		t.Errorf("then, %d tokens: %q", used, texts)
	}
	asked := s.count()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = writes(t, dir, s, nil)
	defer m.Close()
	w = workspace(t, m)
	again, _ := shown()
	settle(m)
	if !slices.Equal(again, texts) || s.count() != asked {
		t.Errorf("after a restart, %d questions more: %q", s.count()-asked, again)
	}
}

func TestModelWritesLessons(t *testing.T) {
	s := &scripted{answers: fields}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	tellAll(t, w, "c",
		dialogue.Message{Role: dialogue.User, ID: "1", Content: "the pump is broken and the water does not come, help"},
		dialogue.Message{Role: dialogue.Assistant, ID: "2", Content: "Please turn it around so that the arrow is on the right, and then open the tap again slowly until the air is out."},
		dialogue.Message{Role: dialogue.User, ID: "3", Content: "That worked, thank you"},
		dialogue.Message{Role: dialogue.Assistant, ID: "4", Content: "I am glad."})
	lesson := func() knowledge.Item {
		v := w.View()
		defer v.Close()
		list, err := v.Knowledge(knowledge.Filter{Kind: knowledge.Lesson})
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	process := func(full bool) {
		if _, err := w.Process(context.Background(), full); err != nil {
			t.Fatal(err)
		}
		settle(m)
	}
	process(false)
	got := lesson()
	if got.Title != "A broken pump" || !strings.Contains(got.Content, "turn it around") || len(got.SourceTurns) == 0 {
		t.Errorf("got %+v", got)
	}
	asked := s.count()
	process(false)
	process(true)
	if again := lesson(); again.Content != got.Content || again.Title != got.Title || s.count() != asked {
		t.Errorf("a later run, %d questions more: %+v", s.count()-asked, again)
	}
	if err := w.ForgetTurn(context.Background(), "c", 1); err != nil {
		t.Fatal(err)
	}
	v := w.View()
	defer v.Close()
	if list, err := v.Knowledge(knowledge.Filter{Kind: knowledge.Lesson}); err != nil || len(list) != 0 {
		t.Errorf("a lesson of a forgotten turn: %v, %v", list, err)
	}
}

func TestLessonsOfUnknownTurnsAreRefused(t *testing.T) {
	s := &scripted{answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		answer, err := fields(ctx, prompt, schema)
		return strings.Replace(answer, `"turns":[1]`, `"turns":[1,7]`, 1), err
	}}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	tellAll(t, w, "c",
		dialogue.Message{Role: dialogue.User, ID: "1", Content: "the pump is broken"}, dialogue.Message{Role: dialogue.Assistant, ID: "2", Content: "Please turn it around, so that the arrow is right."},
		dialogue.Message{Role: dialogue.User, ID: "3", Content: "That worked, thank you"})
	if _, err := w.Process(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	settle(m)
	v := w.View()
	defer v.Close()
	list, err := v.Knowledge(knowledge.Filter{Kind: knowledge.Lesson})
	if err != nil || len(list) != 1 || list[0].Title == "A broken pump" || list[0].WrittenFrom == "" {
		t.Errorf("%+v, %v", list, err)
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
	if left, err := conversation.Unwritten(m.store, w.number, 9); err != nil || len(left) != 0 {
		t.Errorf("still waiting: %v, %v", left, err)
	}
}
