package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
)

func words(text string) int { return len(strings.Fields(text)) }

// opened opens a memory in a folder; its tokens are words, and its clock does not advance.
func opened(t testing.TB, dir string) *Memory { return openedWith(t, dir, func(*Options) {}) }

// openedWith is opened with other options.
func openedWith(t testing.TB, dir string, change func(o *Options)) *Memory {
	t.Helper()
	opts := Options{
		Dir: dir, Count: words, Encoding: "words", Now: func() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) },
		Terms: func(text string, yield func(string)) {
			for _, w := range strings.Fields(strings.ToLower(text)) {
				yield(strings.Trim(w, ".,?!"))
			}
		},
		Block:    func(tag, body string) string { return "<" + tag + ">\n" + body + "\n</" + tag + ">\n" },
		Relative: func(_, uri string) (string, bool) { return strings.CutPrefix(uri, "file:///r/") },
	}
	change(&opts)
	m, err := Open(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func workspace(t testing.TB, m *Memory) *Workspace {
	t.Helper()
	w, err := m.Workspace(context.Background(), "/r")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// talk makes up messages, always the same for a seed.
func talk(seed uint64, turns int) []dialogue.Message {
	rnd := rand.New(rand.NewPCG(seed, 3))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "The %s of module%d must not %s before step%d. ", []string{"reader", "writer", "lock", "queue"}[rnd.IntN(4)], rnd.IntN(20),
				[]string{"start", "stop", "wait", "fail"}[rnd.IntN(4)], rnd.IntN(99))
		}
		return b.String()
	}
	var out []dialogue.Message
	add := func(role dialogue.Role, content string) {
		out = append(out, dialogue.Message{Role: role, Content: content, ID: fmt.Sprint("m", len(out))})
	}
	for i := range turns {
		switch i % 4 {
		case 1:
			add(dialogue.User, fmt.Sprintf("Let's use module%d instead of module%d for the queue.", i, i+1))
		case 2:
			add(dialogue.User, fmt.Sprintf("Should module%d be locked as well?", i))
		default:
			add(dialogue.User, text(1+rnd.IntN(8)))
		}
		for range rnd.IntN(4) {
			add(dialogue.Assistant, text(2+rnd.IntN(20)))
		}
	}
	return out
}

// told formats everything that a view answers about a conversation.
func told(t *testing.T, w *Workspace, id string) map[string]any {
	t.Helper()
	v := w.View()
	defer v.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	info, err := v.Conversations.Find(id)
	must(err)
	sizes, err := v.Turns.Sizes(info)
	must(err)
	out := map[string]any{"sizes": sizes, "turns": info.Turns, "messages": info.Messages}
	for _, s := range []history.Strategy{history.Gradient, history.Regular, history.TaskLog} {
		for _, budget := range []int{200, 900, 100000} {
			h, err := v.Turns.History(info, Telling{Strategy: s, Sizes: sizes, Room: history.Room{Now: budget}, Count: func(b history.Block) int {
				return words(w.memory.opts.Block(b.Tag, b.Body))
			}})
			must(err)
			out[fmt.Sprint("history ", s, budget)] = h
		}
	}
	for _, s := range []arc.Style{arc.Light, arc.Rich, arc.Dense} {
		a, err := v.Arcs.Of(info, s, 0)
		must(err)
		out["arc "+string(s)] = a
	}
	for _, budget := range []int{100, 400, 2000} {
		win, err := v.Window(info, budget, budget/7, "words", words)
		must(err)
		for i := range win.Messages {
			win.Messages[i].Cached = false
		}
		for i := range win.Pieces {
			win.Pieces[i].Cached = false
		}
		out[fmt.Sprint("window ", budget)] = win
	}
	for n := 1; n <= info.Turns; n++ {
		for _, l := range []dialogue.Level{dialogue.Raw, dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny} {
			text, err := v.Turns.Text(info, n, l)
			must(err)
			text.Pending = false
			out[dialogue.Tag(n, l)] = text
		}
	}
	return out
}

func differ(t *testing.T, name string, got, want map[string]any) {
	t.Helper()
	for k, v := range want {
		if !reflect.DeepEqual(got[k], v) {
			t.Errorf("%s: %s is\n%+v\nwant\n%+v", name, k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d answers, want %d", name, len(got), len(want))
	}
}

// TestAnswersDoNotDependOnTheBackground checks that the answers are those of a fully processed
// conversation appended at once, however messages arrive and however far background processing has
// come.
func TestAnswersDoNotDependOnTheBackground(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		said := talk(seed, 25)
		m := opened(t, t.TempDir())
		w := workspace(t, m)
		if _, err := w.Append(Addition{Conversation: "whole", Messages: said}); err != nil {
			t.Fatal(err)
		}
		m.worker.quiet()
		want := told(t, w, "whole")
		rnd := rand.New(rand.NewPCG(seed, 4))
		for i := 0; i < len(said); {
			n := min(1+rnd.IntN(5), len(said)-i)
			if _, err := w.Append(Addition{Conversation: "parts", Messages: said[i : i+n]}); err != nil {
				t.Fatal(err)
			}
			i += n
			switch rnd.IntN(3) {
			case 0:
				m.worker.quiet()
			case 1:
				told(t, w, "parts") // fills the caches
			}
		}
		differ(t, "at once", told(t, w, "parts"), want)
		m.worker.quiet()
		differ(t, "worked up", told(t, w, "parts"), want)

		at := 10
		if _, err := w.Fork("whole", at, "fork"); err != nil {
			t.Fatal(err)
		}
		end := 0
		for turn := 0; end < len(said); end++ {
			if said[end].Role == dialogue.User {
				if turn++; turn > at {
					break
				}
			}
		}
		if _, err := w.Append(Addition{Conversation: "fork", Messages: said[end:]}); err != nil {
			t.Fatal(err)
		}
		differ(t, "forked", told(t, w, "fork"), want)
		if err := w.Delete("whole"); err != nil {
			t.Fatal(err)
		}
		differ(t, "its origin deleted", told(t, w, "fork"), want)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnswersSurviveClosing checks that a reopened memory answers the same, and continues where
// background processing stopped.
func TestAnswersSurviveClosing(t *testing.T) {
	dir := t.TempDir()
	said := talk(9, 30)
	m := opened(t, dir)
	if _, err := workspace(t, m).Append(Addition{Conversation: "c", Messages: said, Learn: true}); err != nil {
		t.Fatal(err)
	}
	want := told(t, workspace(t, m), "c")
	if err := m.Close(); err != nil { // at any stage of background processing
		t.Fatal(err)
	}
	m = opened(t, dir)
	w := workspace(t, m)
	differ(t, "opened again", told(t, w, "c"), want)
	m.worker.quiet()
	pending, err := conversation.Pending(w.latest(), 10)
	if err != nil || len(pending) > 0 {
		t.Errorf("%d turns have no versions: %v", len(pending), err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestForgottenTurnIsInNoCache checks that forgotten text is in no answer, although all caches held
// it.
func TestForgottenTurnIsInNoCache(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	said := talk(5, 12)
	secret := dialogue.Message{Role: dialogue.User, Content: "Let's use the marzipan protocol instead of module7."}
	if _, err := w.Append(Addition{Conversation: "c", Messages: append(append([]dialogue.Message{}, secret), said...), Learn: true}); err != nil {
		t.Fatal(err)
	}
	m.worker.quiet()
	if !strings.Contains(fmt.Sprint(told(t, w, "c")), "marzipan") {
		t.Fatal("it is not told before")
	}
	if err := w.ForgetTurn(context.Background(), "c", 1); err != nil {
		t.Fatal(err)
	}
	for k, v := range told(t, w, "c") {
		if strings.Contains(fmt.Sprintf("%+v", v), "marzipan") {
			t.Errorf("%s still tells it", k)
		}
	}
}

// TestReadersSeeWholeTurns checks that during concurrent appends every view is one state: the
// counts of a conversation agree with its messages and turns.
func TestReadersSeeWholeTurns(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		defer close(done)
		for i := range 60 {
			_, err := w.Append(Addition{Conversation: "c", Messages: []dialogue.Message{
				{Role: dialogue.User, Content: fmt.Sprint("question ", i)}, {Role: dialogue.Assistant, Content: fmt.Sprint("answer ", i)},
			}})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range 3 {
		group.Go(func() {
			for {
				v := w.View()
				if info, err := v.Conversations.Find("c"); err == nil {
					if info.Messages != 2*info.Turns {
						t.Errorf("%d messages in %d turns", info.Messages, info.Turns)
					}
					sizes, err := v.Turns.Sizes(info)
					if err != nil || len(sizes) != info.Turns {
						t.Errorf("%d sizes of %d turns: %v", len(sizes), info.Turns, err)
					}
					win, err := v.Window(info, 100000, 0, "words", words)
					if err != nil || len(win.Messages) != info.Messages {
						t.Errorf("%d messages of %d in a window: %v", len(win.Messages), info.Messages, err)
					}
					if _, err := v.Arcs.Of(info, arc.Rich, 0); err != nil {
						t.Error(err)
					}
				}
				v.Close()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	group.Wait()
}
