package remember

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// told is a conversation of a day: turns of a person's message and its answer.
type told struct {
	id    string
	day   int
	texts []string
}

// story is a decision, its outcome, and questions with words of only one of the two.
type story struct {
	name             string
	talks            []told
	noise            string // said often, in the words of the topic
	question         string // about the decision
	back             string // about the outcome
	decision, effect string // of the texts
	reason           string // why the item is found whose words the query lacks
}

var stories = []story{
	{
		name: "English",
		talks: []told{
			{"a", 0, []string{
				"How should the quaymaster store the manifests of the barges?", "In files or in a table.",
				"We decided that the quaymaster keeps the manifests in Parquet files from now on.", "The quaymaster writes Parquet now.",
			}},
			{"b", 2, []string{
				"Please look again at how the quaymaster stores the manifests of the barges.", "I am reading it.",
				"It crashed again last night and ran out of memory at once.", "I am looking at it.",
			}},
		},
		noise:    "The quaymaster moors ferry %d at the berth, the manifests of its cargo go to the customs officer of the barges before noon.",
		question: "What came of the decision to use Parquet?",
		back:     "What crashed and ran out of memory last night?",
		decision: "keeps the manifests in Parquet", effect: "crashed again last night", reason: "followed from a/T-2",
	},
	{
		name: "German",
		talks: []told{
			{"a", 0, []string{
				"Wie soll der Kaimeister die Frachtlisten der Kähne ablegen?", "In Dateien oder in einer Tabelle.",
				"Wir haben entschieden, dass der Kaimeister die Frachtlisten ab jetzt in Parquet ablegt.", "Der Kaimeister schreibt jetzt Parquet.",
			}},
			{"b", 2, []string{
				"Bitte sieh noch einmal nach, wie der Kaimeister die Frachtlisten der Kähne ablegt und was der Kaimeister mit alten Frachtlisten macht.", "Der Kaimeister hebt die Frachtlisten der Kähne auf.",
				"Es ist heute Nacht wieder abgestürzt und hatte sofort keinen Speicher mehr.", "Ich sehe es mir an.",
			}},
		},
		noise:    "Der Kaimeister legt die Fähre %d an den Steg, die Frachtlisten ihrer Ladung gehen vor Mittag an den Zoll der Kähne.",
		question: "Was wurde aus der Entscheidung für Parquet?",
		back:     "Was hatte heute Nacht keinen Speicher mehr?",
		decision: "ab jetzt in Parquet", effect: "heute Nacht wieder abgestürzt", reason: "followed from a/T-2",
	},
}

// tellStory appends a story's conversations, and many messages in the words of its topic.
func tellStory(t *testing.T, w *memory.Workspace, s *story) {
	t.Helper()
	say := func(id string, at time.Time, texts ...string) {
		var list []dialogue.Message
		for i, text := range texts {
			list = append(list, dialogue.Message{Role: []dialogue.Role{dialogue.User, dialogue.Assistant}[i%2], Content: text, At: at.Add(time.Duration(i) * time.Minute)})
		}
		if _, err := w.Append(memory.Addition{Conversation: id, Messages: list}); err != nil {
			t.Fatal(err)
		}
	}
	for _, talk := range s.talks {
		say(talk.id, monday.Add(time.Duration(talk.day-20)*24*time.Hour), talk.texts...)
	}
	for i := range 60 {
		say("other", monday.Add(time.Duration(i-150)*time.Hour), fmt.Sprintf(s.noise, i), fmt.Sprintf("ok %d", i))
	}
}

func learnAll(t *testing.T, w *memory.Workspace) {
	t.Helper()
	if _, err := w.Process(t.Context(), memory.Processing{}); err != nil {
		t.Fatal(err)
	}
}

func foundIn(t *testing.T, w *memory.Workspace) *Found {
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	return &Found{View: view(t, w), Counter: counter.Count, Words: func(text string, yield func(string)) { lexical.Terms([]byte(text), yield) }}
}

// undecided hides the outcomes of decisions, and nothing else.
type undecided struct {
	recall.Sources
	recall.Linker
}

func turnsFor(t *testing.T, src recall.Sources, question string) *recall.Result {
	t.Helper()
	r, err := recall.Build(t.Context(), recall.Request{Query: question, Budget: 1000, MemoryType: "turn"}, src)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tokens > 1000 {
		t.Errorf("%d tokens", r.Tokens)
	}
	return r
}

// TestOutcomeOfADecision checks that a question with words of a decision only also finds its
// outcome, once an offline run has linked them, and does not without the link.
func TestOutcomeOfADecision(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			w := remembering(t)
			tellStory(t, w, &s)
			before := turnsFor(t, foundIn(t, w), s.question).Text
			learnAll(t, w)
			f := foundIn(t, w)
			if bare := turnsFor(t, undecided{f, f}, s.question).Text; bare != before {
				t.Errorf("without links the run changes\n%s\nto\n%s", before, bare)
			}
			if !strings.Contains(before, s.decision) || strings.Contains(before, s.effect) {
				t.Errorf("without links, want the decision alone in\n%s", before)
			}
			r := turnsFor(t, f, s.question)
			if !strings.Contains(r.Text, s.decision) || !strings.Contains(r.Text, s.effect) {
				t.Errorf("want both in\n%s", r.Text)
			}
			if !slices.ContainsFunc(r.Items, func(it recall.Item) bool { return it.Reason == s.reason }) {
				t.Errorf("nothing %q in %+v", s.reason, r.Items)
			}
			bare := turnsFor(t, undecided{f, f}, s.back).Text
			if !strings.Contains(bare, s.effect) || strings.Contains(bare, s.decision) {
				t.Errorf("back, without links, want the effect alone in\n%s", bare)
			}
			if r = turnsFor(t, f, s.back); !strings.Contains(r.Text, s.decision) || !strings.Contains(r.Text, s.effect) {
				t.Errorf("back, want both in\n%s", r.Text)
			}
		})
	}
}

// rule states a rule on a day, from which memory learns.
func rule(t *testing.T, w *memory.Workspace, conversation string, day int, text string) {
	t.Helper()
	at := monday.AddDate(0, 0, day-60)
	_, err := w.Append(memory.Addition{Conversation: conversation, Learn: true, Messages: []dialogue.Message{
		{Role: dialogue.User, Content: text, At: at}, {Role: dialogue.Assistant, Content: "ok", At: at},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReplacedRule checks that a rule is returned with the rule that replaced it, and the other way
// round, with the reason.
func TestReplacedRule(t *testing.T) {
	for _, tt := range []struct{ name, rule, instead, noise, question, back string }{
		{
			"English", "Always use tabs for indentation in the quaymaster.", "Always use spaces for indentation in the quaymaster.",
			"The quaymaster moors ferry %d, whose indentation at the bow is for the harbour to use.", "why tabs?", "why spaces?",
		},
		{
			"Spanish", "Usa siempre tabuladores para la sangría en el muellero.", "Usa siempre espacios para la sangría en el muellero.",
			"El muellero amarra el barco %d y usa siempre la sangría para el muelle.", "¿qué fue de los tabuladores?", "¿de dónde vienen los espacios?",
		},
	} {
		w := remembering(t)
		rule(t, w, "a", 1, tt.rule)
		rule(t, w, "b", 2, tt.instead)
		for i := range 60 {
			tell(t, w, "other", fmt.Sprintf(tt.noise, i), "ok")
		}
		learnAll(t, w)
		f := foundIn(t, w)
		_, replaced, err := f.View.Rules(nil)
		if err != nil || len(replaced) != 1 {
			t.Fatalf("%s: replaced %+v, %v", tt.name, replaced, err)
		}
		of, err := f.Outcomes(t.Context())
		if err != nil || of == nil {
			t.Fatalf("%s: no outcomes, %v", tt.name, err)
		}
		if got := of("a/T-1"); !slices.ContainsFunc(got, func(o recall.Outcome) bool { return o.Turn == "b/T-1" && o.Effect && o.Weight == 1 }) {
			t.Errorf("%s: outcomes %+v", tt.name, got)
		}
		if got := of("b/T-1"); !slices.ContainsFunc(got, func(o recall.Outcome) bool { return o.Turn == "a/T-1" && !o.Effect && o.Weight == 1 }) {
			t.Errorf("%s: outcomes back %+v", tt.name, got)
		}
		for _, question := range []string{tt.question, tt.back} {
			r := turnsFor(t, f, question)
			if !strings.Contains(r.Text, tt.rule) || !strings.Contains(r.Text, tt.instead) {
				t.Errorf("%s, %s: want both in\n%s", tt.name, question, r.Text)
			}
			why := map[string]string{tt.question: "followed from a/T-1", tt.back: "linked with b/T-1, which followed from it"}[question]
			if !slices.ContainsFunc(r.Items, func(it recall.Item) bool { return it.Reason == why }) {
				t.Errorf("%s, %s: nothing %q in %+v", tt.name, question, why, r.Items)
			}
		}
		// Within one conversation no turn of another is found, and an unknown turn is no error.
		info, err := f.View.Find("a")
		if err != nil {
			t.Fatal(err)
		}
		scoped := *f
		scoped.Scope = &info
		if _, _, ok, err := scoped.Place(t.Context(), "b/T-1", ""); ok || err != nil {
			t.Errorf("%s: of another conversation: %v, %v", tt.name, ok, err)
		}
		for _, turn := range []string{"nowhere/T-1", "a/T-99", "a", "", "a/T-x"} {
			if _, _, ok, err := f.Place(t.Context(), turn, ""); ok || err != nil {
				t.Errorf("%s: %q: %v, %v", tt.name, turn, ok, err)
			}
		}
	}
}

// TestOutcomesOfNothing checks that before an offline run there are no links, whatever rules were
// replaced.
func TestOutcomesOfNothing(t *testing.T) {
	w := remembering(t)
	rule(t, w, "a", 1, "Always use tabs for indentation.")
	rule(t, w, "b", 2, "Always use spaces for indentation.")
	if of, err := foundIn(t, w).Outcomes(t.Context()); of != nil || err != nil {
		t.Errorf("%v", err)
	}
}
