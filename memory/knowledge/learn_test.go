package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func openStore(t testing.TB) *store.Store {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// change applies one batch.
func change(t testing.TB, st *store.Store, f func(b *store.Batch) error) {
	t.Helper()
	b := st.NewBatch()
	if err := f(b); err != nil {
		t.Fatal(err)
	}
	if err := st.ApplyLater(b); err != nil {
		t.Fatal(err)
	}
}

// say appends messages, each "role: text" or "role/author: text", one Learn each.
func say(t testing.TB, st *store.Store, conversation string, from int, lines ...string) {
	t.Helper()
	for i, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		role, author, _ := strings.Cut(who, "/")
		m := Heard{Turn: from + i, Message: dialogue.Message{
			ID: fmt.Sprintf("%s-%d", conversation, from+i), Role: dialogue.Role(role), Author: author, Content: text,
			At: noon.Add(time.Duration(from+i) * time.Minute),
		}}
		change(t, st, func(b *store.Batch) error {
			_, err := Learn(st, b, 1, Learning{Conversation: conversation, Messages: []Heard{m}, Now: noon})
			return err
		})
	}
}

func lines(items []Item) []string {
	out := []string{}
	for _, it := range items {
		out = append(out, it.Line())
	}
	slices.Sort(out)
	return out
}

func TestSupersession(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		want []string
	}{
		"the newer value holds": {
			[]string{"user: Always start method names with 'do_'.", "user: From now on, start method names with 'run_'."},
			[]string{"Start method names with 'run_'."},
		},
		"start and end are two subjects": {
			[]string{"user: Always start method names with 'do_'.", "user: Always end method names with '_it'."},
			[]string{"End method names with '_it'.", "Start method names with 'do_'."},
		},
		"functions, variables and classes are three": {
			[]string{"user: Always end function names with '_f'.", "user: Always end variable names with '_g'.", "user: Always end class names with '_h'."},
			[]string{"End class names with '_h'.", "End function names with '_f'.", "End variable names with '_g'."},
		},
		"two decorators hold side by side": {
			[]string{"user: Add the '@timed' decorator to all your methods.", "user: Add the '@cached' decorator to all your methods."},
			[]string{"Add the '@cached' decorator to all methods.", "Add the '@timed' decorator to all methods."},
		},
		"instead ends the other one": {
			[]string{"user: Add the '@timed' decorator to all your methods.", "user: From now on, add the '@cached' decorator to all your methods instead."},
			[]string{"Add the '@cached' decorator to all methods."},
		},
		"instead of names what ends": {
			[]string{"user: We use unittest for all tests in this project.", "user: From now on, use pytest instead of unittest."},
			[]string{"Use pytest instead of unittest."},
		},
		"one tool for one job": {
			[]string{"user: Always use tabs for indentation.", "user: Always use spaces for indentation."},
			[]string{"Use spaces for indentation."},
		},
		"docstrings and comments hold side by side": {
			[]string{"user: Always use docstrings for functions.", "user: Always use annotations for functions."},
			[]string{"Use annotations for functions.", "Use docstrings for functions."},
		},
		"a number changes": {
			[]string{"user: Always keep lines under 80 characters.", "user: Always keep lines under 100 characters."},
			[]string{"Keep lines under 100 characters."},
		},
		"what was asked for is forbidden": {
			[]string{"user: Always add comments to your code.", "user: Never add comments to your code."},
			[]string{"Never add comments to code."},
		},
		"stop is a rule": {
			[]string{"user: Always add docstrings to functions.", "user: Stop adding docstrings to functions."},
			[]string{"Stop adding docstrings to functions."},
		},
		"no longer needed ends without another": {
			[]string{"user: Always add docstrings to functions.", "user: You no longer need to add docstrings to your functions."},
			[]string{},
		},
		"forget ends without another": {
			[]string{"user: Always add docstrings to functions.", "user: Please forget what I said about docstrings."},
			[]string{},
		},
		"forgetting what was never said": {
			[]string{"user: Please forget what I said about docstrings.", "user: Always add docstrings to functions."},
			[]string{"Add docstrings to functions."},
		},
		"an answer's language changes": {
			[]string{"user: Always answer in German.", "user: From now on, answer in English."},
			[]string{"Answer in English."},
		},
		"an assistant's promise is no second rule": {
			[]string{"user: Always end file names with '_x'.", "assistant: I'll make sure to end all file names with '_x'."},
			[]string{"End file names with '_x'."},
		},
		"an assistant alone states nothing": {
			[]string{"assistant: You should always add docstrings to your functions.", "user: What is a docstring?"},
			[]string{},
		},
		"an assistant is confirmed": {
			[]string{"assistant: Our convention here is to always add docstrings to functions.", "user: Yes, exactly."},
			[]string{"Add docstrings to functions."},
		},
		"repeated is one": {
			[]string{"user: Never use `eval` in scripts.", "user: As I said, never use `eval` in scripts."},
			[]string{"Never use `eval` in scripts."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := openStore(t)
			say(t, st, "c", 1, c.said...)
			active, err := Active(st, 1)
			if err != nil {
				t.Fatal(err)
			}
			within, err := ActiveIn(st, 1, Stretch{Conversation: "c"})
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(active); !slices.Equal(got, c.want) {
				t.Errorf("active %q, want %q", got, c.want)
			}
			if got := lines(within); !slices.Equal(got, c.want) {
				t.Errorf("active in the conversation %q, want %q", got, c.want)
			}
		})
	}
}

func TestChainsAcrossConversations(t *testing.T) {
	st := openStore(t)
	say(t, st, "a", 1, "user/Ann: Always start method names with 'do_'.")
	say(t, st, "x", 1, "user/Bob: Always start method names with 'bob_'.")
	say(t, st, "b", 1, "user/Ann: Always start method names with 'run_'.")
	check := func(want []string, past ...Stretch) {
		t.Helper()
		got, err := ActiveIn(st, 1, past...)
		if err != nil || !slices.Equal(lines(got), want) {
			t.Errorf("in %v: %q %v, want %q", past, lines(got), err, want)
		}
	}
	check([]string{"Start method names with 'do_'."}, Stretch{Conversation: "a"})
	check([]string{"Start method names with 'run_'."}, Stretch{Conversation: "b"})
	check([]string{"Start method names with 'run_'."}, Stretch{Conversation: "a", UpTo: 1}, Stretch{Conversation: "b"})
	all, err := Active(st, 1)
	want := []string{"Start method names with 'bob_'.", "Start method names with 'run_'."}
	if err != nil || !slices.Equal(lines(all), want) {
		t.Errorf("active %q %v, want %q", lines(all), err, want)
	}
	change(t, st, func(b *store.Batch) error {
		_, err := Put(st, b, 1, Item{Kind: Rule, Title: "methods", Content: "Start method names with 'm_'.", Weight: 1}, noon)
		return err
	})
	if all, err = Active(st, 1); err != nil || !slices.Equal(lines(all), []string{"Start method names with 'm_'."}) {
		t.Errorf("after a rule by hand: %q %v", lines(all), err)
	}
}

func TestRuleHasItsSource(t *testing.T) {
	st := openStore(t)
	say(t, st, "talk", 4, "user/Ann: Great. From now on, I'd like you to end all your constant names with '_K'. It helps.",
		"assistant: Understood. I'll make sure to end all constant names with '_K'.")
	all, err := List(st, 1, Filter{Kind: Rule})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %v", all, err)
	}
	it := all[0]
	if it.Line() != "End constant names with '_K'." || it.Turn != 4 || it.Author != "Ann" || it.Subject.Scope != "constant names" ||
		!slices.Equal(it.MessageIDs, []string{"talk-4", "talk-5"}) || !slices.Equal(it.SourceTurns, []string{"talk/T-4", "talk/T-5"}) {
		t.Errorf("%+v", it)
	}
	ranked := Rank("what is our rule for constant names?", all, words)
	if len(ranked) != 1 || ranked[0].Score < 1 {
		t.Errorf("ranked %v", ranked)
	}
	if got := Rank("how is the weather?", all, words); len(got) != 0 {
		t.Errorf("ranked %v for another question", got)
	}
	if got := Rank("Write a function that sorts a list", all, words); len(got) != 1 {
		t.Error("no rule for a task")
	}
	change(t, st, func(b *store.Batch) error { return ForgetConversations(st, b, 1, []string{"talk"}, []int{4}) })
	if all, _ = List(st, 1, Filter{Superseded: true}); len(all) != 0 {
		t.Errorf("left after forgetting: %v", all)
	}
}

func words(text string, yield func(string)) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		yield(strings.TrimSuffix(w, "s"))
	}
}
