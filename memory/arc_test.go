package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// holds reports whether any key or value of the store contains a text.
func holds(t testing.TB, m *Memory, text string) bool {
	t.Helper()
	found := false
	err := m.store.Scan(nil, nil, func(key, value []byte) (bool, error) {
		found = found || strings.Contains(string(key), text) || strings.Contains(string(value), text)
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
		info, err := v.Conversations.Find(id)
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
	// A turn that both share: model texts about either conversation as a whole may mention it.
	// There is no model to rewrite them.
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
	if left, err := conversation.Unwritten(w.latest(), 9); err != nil || len(left) != 0 {
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
		info, err := v.Conversations.Find("c")
		if err != nil {
			t.Fatal(err)
		}
		sizes, err := v.Turns.Sizes(info)
		if err != nil {
			t.Fatal(err)
		}
		h, err := v.Turns.History(info, Telling{Strategy: history.Gradient, Sizes: sizes, Room: history.Room{Now: 900}, Count: func(b history.Block) int {
			return words(b.Body) + 2
		}})
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

func TestModelWritesArcs(t *testing.T) {
	s := &scripted{answers: fields}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	told := func(budget int) Arc {
		v := w.View()
		defer v.Close()
		info, err := v.Conversations.Find("c")
		if err != nil {
			t.Fatal(err)
		}
		a, err := v.Arcs.Of(info, arc.Rich, budget)
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
	for i := range arcLasts + 1 {
		tellAll(t, w, "c", chatty(5+i)...)
		settle(m)
		want := dialogue.FromModel
		if i >= arcEvery-1 { // another was requested and not used
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
		info, err := v.Conversations.Find("c")
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

// TestModelConfirmsCandidates checks that a model confirms only what it quotes letter by letter,
// once.
func TestModelConfirmsCandidates(t *testing.T) {
	const good, bad = "From now on wrap errors with the operation's name, and with the path of the file where there is one, so that people find it in the log.", "We always use tabs in this repository, never spaces, because everybody's editor shows the nested blocks of the generated files in another way."
	asked := 0
	s := &scripted{answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		if !strings.Contains(string(schema), `"standing"`) {
			return fields(ctx, prompt, schema)
		}
		asked++
		var out []string
		for n := 1; strings.Contains(prompt, fmt.Sprintf("Number %d\n", n)); n++ {
			out = append(out, fmt.Sprintf(`{"n":%d,"quotation":%q}`, n, good)) // also in the other sentence: rejected
		}
		return `{"standing":[` + strings.Join(out, ",") + `]}`, nil
	}}
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	_, err := w.Append(Addition{Conversation: "c", Learn: true, Messages: []dialogue.Message{
		{Role: dialogue.User, ID: "1", Content: good}, {Role: dialogue.User, ID: "2", Content: bad},
	}})
	if err != nil {
		t.Fatal(err)
	}
	settle(m)
	v := w.View()
	defer v.Close()
	states := map[string]knowledge.State{}
	list, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Rule})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range list {
		states[it.Content] = it.Standing()
	}
	if states[good] != knowledge.Confirmed || states[bad] != knowledge.Candidate || len(states) != 2 {
		t.Errorf("states %v after %d questions", states, asked)
	}
	if _, err := w.Process(t.Context(), Processing{Full: false}); err != nil {
		t.Fatal(err)
	}
	before := asked
	settle(m)
	if asked != before || asked == 0 {
		t.Errorf("asked %d times, then %d", before, asked)
	}
}
