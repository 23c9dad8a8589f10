package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/profile"
)

// naming is a model that answers only questions about topics, and gives the first one a label.
func naming(label string) *scripted {
	return &scripted{name: "m", answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		if strings.Contains(string(schema), "titles") {
			return fmt.Sprintf(`{"titles":[{"n":1,"label":%q}]}`, label), nil
		}
		return fields(ctx, prompt, schema)
	}}
}

// titles counts the questions about topics.
func (s *scripted) titles() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.asked {
		n += btoi(strings.HasPrefix(p, "Number 1\n<label>"))
	}
	return n
}

func tellOfZorbex(t *testing.T, w *Workspace, id string) {
	t.Helper()
	var said []dialogue.Message
	for _, text := range []string{"zorbex is our parcel router", "zorbex drops parcels", "restart zorbex", "zorbex is fine"} {
		said = append(said, dialogue.Message{Role: dialogue.User, Content: text})
	}
	tellAll(t, w, id, said...)
}

func learn(t *testing.T, m *Memory, w *Workspace) {
	t.Helper()
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	settle(m)
}

// topicOf returns the topic that a text names, or nil.
func topicOf(t *testing.T, w *Workspace, text string) *profile.Topic {
	t.Helper()
	v := w.View()
	defer v.Close()
	all, err := v.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	if named := all.Index.Named(text); len(named.Topics) > 0 {
		return named.Topics[0]
	}
	return nil
}

func TestModelNamesTopics(t *testing.T) {
	s := naming("Parcel router")
	dir := t.TempDir()
	m := writes(t, dir, s, nil)
	w := workspace(t, m)
	tellOfZorbex(t, w, "c")
	learn(t, m, w)
	first := topicOf(t, w, "what of zorbex?")
	if first == nil || first.Label != "parcel router" || !slices.Contains(first.Names, "zorbex") {
		t.Fatalf("topic %+v", first)
	}
	asked := s.titles()
	// Later runs keep the label and the id, and send no more questions; so does a restart.
	learn(t, m, w)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = writes(t, dir, s, nil)
	defer m.Close()
	w = workspace(t, m)
	if _, err := w.Process(t.Context(), Processing{Full: true}); err != nil {
		t.Fatal(err)
	}
	settle(m)
	if got := topicOf(t, w, "the parcel router"); got == nil || got.ID != first.ID || !slices.Equal(got.Names, first.Names) {
		t.Errorf("after later runs %+v, at first %+v", got, first)
	}
	if n := s.titles(); n != asked {
		t.Errorf("%d questions more", n-asked)
	}
	// With more messages the model is asked again, and a useless answer leaves the label.
	s.set(func(s *scripted) { s.answers = naming("kubernetes").answers })
	tellAll(t, w, "d", dialogue.Message{Role: dialogue.User, Content: "We decided that zorbex is to be written in Rust."})
	learn(t, m, w)
	if got := topicOf(t, w, "zorbex"); s.titles() == asked || got == nil || got.Label != "parcel router" || got.ID != first.ID {
		t.Errorf("%d questions more, topic %+v", s.titles()-asked, got)
	}
	asked = s.titles()
	learn(t, m, w)
	if n := s.titles(); n != asked {
		t.Errorf("%d questions more about what was refused", n-asked)
	}
	// A label replaced by a later answer still finds the topic.
	s.set(func(s *scripted) { s.answers = naming("zorbex router").answers })
	tellAll(t, w, "e", dialogue.Message{Role: dialogue.User, Content: "We decided that zorbex is to log all that it does."})
	learn(t, m, w)
	if got := topicOf(t, w, "parcel router"); got == nil || got.Label != "zorbex router" || !slices.Contains(got.Names, "zorbex") {
		t.Errorf("after another label: %+v", got)
	}
}

func TestBadTopicNamesAreRejected(t *testing.T) {
	for name, answer := range map[string]string{
		"foreign words": `{"titles":[{"n":1,"label":"zorbex kubernetes"}]}`,
		"any word":      `{"titles":[{"n":1,"label":"our"}]}`,
		"empty":         `{"titles":[{"n":1,"label":" "}]}`,
		"too many":      `{"titles":[{"n":1,"label":"zorbex is our parcel router"}]}`,
		"too long":      fmt.Sprintf(`{"titles":[{"n":1,"label":%q}]}`, strings.Repeat("zorbex", 40)),
		"markup":        `{"titles":[{"n":1,"label":"**parcel router**"}]}`,
		"no such topic": `{"titles":[{"n":99,"label":"parcel router"}]}`,
		"garbage":       `Sure! It is called Parcel Router.`,
		"nothing":       `{"titles":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
				if strings.Contains(string(schema), "titles") {
					return answer, nil
				}
				return fields(ctx, prompt, schema)
			}}
			m := writes(t, t.TempDir(), s, nil)
			defer m.Close()
			w := workspace(t, m)
			tellOfZorbex(t, w, "c")
			learn(t, m, w)
			asked := s.titles()
			learn(t, m, w)
			if got := topicOf(t, w, "zorbex"); asked == 0 || s.titles() != asked || got == nil || got.Label != "zorbex" {
				t.Errorf("asked %d times, then %d, topic %+v", asked, s.titles()-asked, got)
			}
		})
	}
}

// TestModelThatHangsNamesNothing checks that a question pending when the memory is closed is
// cancelled, and sent again at the next start.
func TestModelThatHangsNamesNothing(t *testing.T) {
	hanging := make(chan struct{}, 1)
	s := &scripted{answers: func(ctx context.Context, prompt string, schema []byte) (string, error) {
		if !strings.Contains(string(schema), "titles") {
			return fields(ctx, prompt, schema)
		}
		select {
		case hanging <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return "", ctx.Err()
	}}
	dir := t.TempDir()
	m := writes(t, dir, s, nil)
	w := workspace(t, m)
	tellOfZorbex(t, w, "c")
	if _, err := w.Process(t.Context(), Processing{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hanging:
	case <-time.After(time.Minute):
		t.Fatal("never asked")
	}
	if got := topicOf(t, w, "zorbex"); got == nil || got.Label != "zorbex" || got.Title != nil {
		t.Errorf("topic %+v", got)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = writes(t, dir, naming("parcel router"), nil)
	defer m.Close()
	w = workspace(t, m)
	settle(m)
	if got := topicOf(t, w, "zorbex"); got == nil || got.Label != "parcel router" {
		t.Errorf("topic %+v", got)
	}
}

// TestPersonNamesBeforeModel checks that a person's label stays, whether it comes before the
// model's, after it, or during the question.
func TestPersonNamesBeforeModel(t *testing.T) {
	for name, when := range map[string]int{"before": 0, "meanwhile": 1, "after": 2} {
		t.Run(name, func(t *testing.T) {
			s := naming("parcel router")
			s.gone = when == 0
			m := writes(t, t.TempDir(), s, nil)
			defer m.Close()
			w := workspace(t, m)
			rename := func() {
				_, err := w.Steer(profile.Steering{Act: profile.Rename, ID: topicOf(t, w, "zorbex").ID, Label: "sorting machine"})
				if err != nil {
					t.Error(err)
				}
			}
			if when == 1 {
				answers := s.answers
				s.answers = func(ctx context.Context, prompt string, schema []byte) (string, error) {
					if strings.Contains(string(schema), "titles") && topicOf(t, w, "sorting machine") == nil {
						rename()
					}
					return answers(ctx, prompt, schema)
				}
			}
			tellOfZorbex(t, w, "c")
			learn(t, m, w)
			if when != 1 {
				rename()
			}
			s.set(func(s *scripted) { s.gone = false })
			asked := s.titles()
			tellAll(t, w, "d", dialogue.Message{Role: dialogue.User, Content: "We decided that zorbex is to be written in Rust."})
			learn(t, m, w)
			if got := topicOf(t, w, "sorting machine"); got == nil || !got.Renamed || got.Label != "sorting machine" {
				t.Errorf("topic %+v", got)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, p := range s.asked {
				if when == 0 && strings.Contains(p, "<label>\nzorbex") {
					t.Errorf("after %d questions about topics it was asked about a renamed one: %s", asked, p)
				}
			}
		})
	}
}

// TestForgottenTakesTitles checks that the label of a topic disappears with the turns that it is
// from, also if they are forgotten during the question.
func TestForgottenTakesTitles(t *testing.T) {
	s := naming("parcel router")
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	tellOfZorbex(t, w, "c")
	learn(t, m, w)
	if got := topicOf(t, w, "zorbex"); got == nil || got.Label != "parcel router" {
		t.Fatalf("topic %+v", got)
	}
	if err := w.ForgetConversation(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	settle(m)
	if topicOf(t, w, "zorbex") != nil || topicOf(t, w, "parcel router") != nil || holds(t, m, "parcel router") {
		t.Error("a forgotten topic is there")
	}
	answers, forgotten := s.answers, false
	s.set(func(s *scripted) {
		s.answers = func(ctx context.Context, prompt string, schema []byte) (string, error) {
			if strings.Contains(string(schema), "titles") && !forgotten {
				forgotten = true
				if err := w.ForgetConversation(t.Context(), "d"); err != nil {
					t.Error(err)
				}
			}
			return answers(ctx, prompt, schema)
		}
	})
	tellOfZorbex(t, w, "d")
	learn(t, m, w)
	if topicOf(t, w, "zorbex") != nil || holds(t, m, "parcel router") || !forgotten {
		t.Errorf("forgotten meanwhile: %v", forgotten)
	}
}

// TestNamingIsBounded checks that a run asks about a bounded number of topics.
func TestNamingIsBounded(t *testing.T) {
	s := naming("none of these")
	m := writes(t, t.TempDir(), s, nil)
	defer m.Close()
	w := workspace(t, m)
	for i := range 2 * maxNamed {
		name := string([]byte{"bdfgklmnprstvz"[i%14], "aeiou"[i/14], "rlnmt"[i%5]}) + "bex"
		var said []dialogue.Message
		for _, text := range []string{"is the service of the " + ordinal(i) + " team", "drops what it should keep", "was restarted", "is fine again"} {
			said = append(said, dialogue.Message{Role: dialogue.User, Content: name + " " + text})
		}
		tellAll(t, w, name, said...)
	}
	shown := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range s.asked {
			n += strings.Count(p, "<label>")
		}
		return n
	}
	learn(t, m, w)
	if n := shown(); n != maxNamed {
		t.Errorf("%d topics of %d shown after one run", n, len(profiles(t, w).Topics))
	}
	learn(t, m, w)
	if n := shown(); n <= maxNamed || n > 2*maxNamed {
		t.Errorf("%d topics shown after two runs", n)
	}
}

// TestForgottenTopicWithTitleStaysForgotten checks that a forgotten topic is recognised by what
// runs find, not by a model's label.
func TestForgottenTopicWithTitleStaysForgotten(t *testing.T) {
	m := writes(t, t.TempDir(), naming("parcel router"), nil)
	defer m.Close()
	w := workspace(t, m)
	tellOfZorbex(t, w, "c")
	learn(t, m, w)
	got := topicOf(t, w, "parcel router")
	if got == nil {
		t.Fatal("not named")
	}
	if _, err := w.Steer(profile.Steering{Act: profile.Forget, ID: got.ID}); err != nil {
		t.Fatal(err)
	}
	learn(t, m, w)
	for _, topic := range profiles(t, w).Topics {
		if topic.ID == got.ID || topic.Label == "zorbex" || topic.Label == "parcel router" {
			t.Errorf("back: %+v", topic)
		}
	}
}
