package conversation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

const ws = store.Workspace(7)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// addition is the input of a test's append.
type addition struct {
	ID, Title string
	Messages  []dialogue.Message
	Now       time.Time
}

// stage prepares an addition and stages it.
func stage(tx store.Tx, a addition) (conversation.AppendResult, error) {
	p, err := conversation.Prepare(a.ID, a.Title, a.Messages)
	if err != nil {
		return conversation.AppendResult{}, err
	}
	tx.Now = a.Now
	return p.Append(tx)
}

// apply applies a change of ws and returns its result.
func apply[T any](t testing.TB, s *store.Store, f func(tx store.Tx) (T, error)) (made T) {
	t.Helper()
	storetest.Apply(t, s, ws, func(tx store.Tx) (err error) {
		made, err = f(tx)
		return err
	})
	return made
}

func say(t testing.TB, s *store.Store, id string, messages ...dialogue.Message) conversation.AppendResult {
	t.Helper()
	return apply(t, s, func(tx store.Tx) (conversation.AppendResult, error) {
		return stage(tx, addition{ID: id, Messages: messages, Now: start})
	})
}

func fork(t testing.TB, s *store.Store, id string, turn int, newID string) conversation.Info {
	t.Helper()
	return apply(t, s, func(tx store.Tx) (conversation.Info, error) {
		return conversation.Fork(tx, id, turn, newID)
	})
}

func remove(t testing.TB, s *store.Store, id string) []conversation.Part {
	t.Helper()
	return apply(t, s, func(tx store.Tx) ([]conversation.Part, error) { return conversation.Delete(tx, id) })
}

func find(t testing.TB, s *store.Store, id string) conversation.Info {
	t.Helper()
	info, err := conversation.Find(s.View(ws), id)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func user(id, text string) dialogue.Message {
	return dialogue.Message{Role: dialogue.User, ID: id, Content: text}
}

func answer(id, text string) dialogue.Message {
	return dialogue.Message{Role: dialogue.Assistant, ID: id, Content: text}
}

// texts formats a conversation's messages as id=content.
func texts(t testing.TB, s *store.Store, id string) string {
	t.Helper()
	info := find(t, s, id)
	messages, err := conversation.Messages(s.View(ws), info, 0, info.Messages)
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, m := range messages {
		out += fmt.Sprintf("%s=%s ", m.ID, m.Content)
	}
	return out
}

func TestAppend(t *testing.T) {
	s := storetest.Open(t)
	added := say(t, s, "c", answer("", "Welcome."), user("u1", "Sort the list. Then stop."), answer("a1", "Done."))
	if !added.New || added.First != 0 || fmt.Sprint(added.Turns, added.TurnOf) != "[1] [1 1 1]" {
		t.Errorf("%+v", added)
	}
	added = say(t, s, "c", answer("a1", "again"), answer("a2", "More."), user("u2", "Next"), user("u2", "Next"))
	if added.New || added.First != 3 || fmt.Sprint(added.Turns, added.Duplicates) != "[1 2] [a1 u2]" {
		t.Errorf("%+v", added)
	}
	if got := texts(t, s, "c"); got != "auto-0=Welcome. u1=Sort the list. Then stop. a1=Done. a2=More. u2=Next " {
		t.Error(got)
	}
	info := find(t, s, "c")
	if info.Title != "Sort the list." || info.Turns != 2 || info.Messages != 5 || !info.LastAt.Equal(start) {
		t.Errorf("%+v", info)
	}
	turn, err := conversation.Turn(s.View(ws), info, 1)
	if err != nil || turn.First != 0 || len(turn.Messages) != 4 {
		t.Errorf("%+v %v", turn, err)
	}
	if _, err := conversation.Turn(s.View(ws), info, 3); !errors.Is(err, conversation.ErrNotFound) {
		t.Error(err)
	}
}

// TestBeforeTheFirstUserMessage checks that all messages before the first user message belong to
// its turn, however many appends, forks and imports add them, and whichever of them are forgotten
// in between.
func TestBeforeTheFirstUserMessage(t *testing.T) {
	message := map[byte]dialogue.Message{
		's': {Role: dialogue.System, Content: "Be brief."}, 'a': answer("", "Hello."), 't': {Role: dialogue.Tool, Content: "ok"}, 'u': user("", "Why?"),
	}
	for script, want := range map[string]string{
		"su":     "[1 1]",
		"s|u":    "[1 1]",
		"s|u|u":  "[1 1 2]",
		"ssa|u":  "[1 1 1 1]",
		"s|sat|": "[1 1 1 1]",
		"a|t|su": "[1 1 1 1]",
		"sua|ua": "[1 1 1 2 2]",
		"su|su":  "[1 1 1 2]",
		"uu":     "[1 2]",
		"u|su":   "[1 1 2]",
		"s!|u|u": "[1 1 2]", // forgotten
		"su!|u":  "[1 1 2]",
		"s>|u|u": "[1 1 2]", // forked
		"su>|u":  "[1 1 2]",
	} {
		s := storetest.Open(t)
		id := "c"
		for at, part := range strings.Split(script, "|") {
			var messages []dialogue.Message
			for i := range part {
				switch part[i] {
				case '!', '>':
				default:
					messages = append(messages, message[part[i]])
				}
			}
			if len(messages) > 0 {
				say(t, s, id, messages...)
			}
			if strings.HasSuffix(part, "!") {
				apply(t, s, func(tx store.Tx) ([]conversation.Part, error) { return conversation.ForgetTurn(tx, id, 1) })
			}
			if strings.HasSuffix(part, ">") {
				to := fmt.Sprint("f", at)
				fork(t, s, id, 1, to)
				id = to
			}
		}
		for _, of := range []*store.Store{s, imported(t, s)} {
			info := find(t, of, id)
			_, turns, err := conversation.MessagesWithTurns(of.View(ws), info, 0, info.Messages)
			if got := fmt.Sprint(turns); err != nil || got != want {
				t.Errorf("%s: turns %s, %v; want %s", script, got, err, want)
			}
		}
	}
}

// imported returns a store into which another's conversations were imported.
func imported(t *testing.T, s *store.Store) *store.Store {
	t.Helper()
	out := storetest.Open(t)
	tx := out.Begin(ws, start)
	im := conversation.NewImporter(tx)
	err := conversation.Export(s.View(ws), func(rec conversation.Record) error {
		_, err := im.Add(rec)
		return err
	})
	if err := errors.Join(err, out.ApplyLater(tx.Batch)); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestForkGoesOnAlone(t *testing.T) {
	s := storetest.Open(t)
	say(t, s, "c", user("1", "a"), answer("2", "b"), user("3", "c"))
	info := fork(t, s, "c", 2, "f")
	if info.Turns != 2 || info.Messages != 3 {
		t.Errorf("%+v", info)
	}
	say(t, s, "c", answer("4", "of c"))
	say(t, s, "f", answer("4", "of f"), user("1", "known"), user("5", "e"))
	if got := texts(t, s, "c"); got != "1=a 2=b 3=c 4=of c " {
		t.Error(got)
	}
	if got := texts(t, s, "f"); got != "1=a 2=b 3=c 4=of f 5=e " {
		t.Error(got)
	}
	turn, err := conversation.Turn(s.View(ws), find(t, s, "f"), 2)
	if err != nil || len(turn.Messages) != 2 || turn.Messages[1].Content != "of f" {
		t.Errorf("%+v %v", turn, err)
	}
	gone := remove(t, s, "c")
	if len(gone) != 1 || gone[0].First != 3 || len(gone[0].Messages) != 1 {
		t.Errorf("%+v", gone)
	}
	if got := texts(t, s, "f"); got != "1=a 2=b 3=c 4=of f 5=e " {
		t.Error(got)
	}
	gone = remove(t, s, "f")
	if len(gone) != 2 || len(gone[0].Messages) != 2 || len(gone[1].Messages) != 3 {
		t.Errorf("%+v", gone)
	}
}
