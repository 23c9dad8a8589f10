package memory

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// inFiles returns the files below a folder that contain a text.
func inFiles(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			files = append(files, path)
		}
		if errors.Is(err, fs.ErrNotExist) { // a file of an open store may disappear
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mustForget fails unless the deleted conversations are forgotten and no file then contains any of
// the texts, although a checkpoint with all of them was made before. If the first attempt is cut
// short, the second must succeed.
func mustForget(t *testing.T, m *Memory, remove func() error, forget func(context.Context) error, texts ...string) {
	t.Helper()
	if err := m.store.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if err := forget(cut); !errors.Is(err, context.Canceled) {
		t.Errorf("cut short it gives %v", err)
	}
	for _, text := range texts {
		if len(inFiles(t, m.opts.Dir, text)) == 0 {
			t.Fatalf("%q is in no file before: the test shows nothing", text)
		}
	}
	if err := forget(t.Context()); err != nil {
		t.Error(err)
	}
	for _, text := range texts {
		if files := inFiles(t, m.opts.Dir, text); len(files) > 0 {
			t.Errorf("%q is left in %v", text, files)
		}
	}
}

// TestForgetDeleted checks that a deleted conversation can still be forgotten, and that no file
// then contains any of it.
func TestForgetDeleted(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	conv, said, rule := "c-"+rand.Text(), rand.Text(), rand.Text()
	tellAll(t, w, conv, dialogue.Message{Role: dialogue.User, Content: "the password is " + said})
	mustForget(t, m, func() error { return w.Delete(conv) },
		func(ctx context.Context) error { return w.ForgetConversation(ctx, conv) }, conv, said)

	tellAll(t, w, conv, dialogue.Message{Role: dialogue.User, Content: "the password is " + said})
	mustForget(t, m, func() error { return w.Delete(conv) },
		func(ctx context.Context) error { return w.ForgetTurn(ctx, conv, 1) }, conv, said)

	it, err := w.PutKnowledge(knowledge.Item{ID: "i-" + rule, Kind: knowledge.Rule, Title: "t", Content: "Always use " + rule + "."})
	if err != nil {
		t.Fatal(err)
	}
	mustForget(t, m, func() error { return w.DeleteKnowledge(it.ID) },
		func(ctx context.Context) error { return w.ForgetKnowledge(ctx, it.ID) }, rule)

	other, err := m.Workspace(t.Context(), "/other")
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"another workspace's":       other.ForgetConversation(t.Context(), conv),
		"conversation":              w.ForgetConversation(t.Context(), "never"),
		"turn":                      w.ForgetTurn(t.Context(), "never", 1),
		"conversation of a rule id": w.ForgetConversation(t.Context(), it.ID),
	} {
		if !errors.Is(err, conversation.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.ForgetKnowledge(t.Context(), "never"); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("knowledge: %v", err)
	}
	// First the conversation is deleted and the turn forgotten: it is still known. Then the
	// conversation is forgotten: as if it had never existed.
	if err := w.ForgetConversation(t.Context(), conv); err != nil {
		t.Error(err)
	}
	if err := w.ForgetConversation(t.Context(), conv); !errors.Is(err, conversation.ErrNotFound) {
		t.Errorf("forgotten twice: %v", err)
	}
	if err := w.ForgetKnowledge(t.Context(), it.ID); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("forgotten twice: %v", err)
	}
	tellAll(t, w, "d", dialogue.Message{Role: dialogue.User, Content: "x"})
	if err := w.Delete("d"); err != nil {
		t.Fatal(err)
	}
	if err := w.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	w = workspace(t, m)
	if err := w.ForgetConversation(t.Context(), "d"); !errors.Is(err, conversation.ErrNotFound) {
		t.Errorf("after the workspace was forgotten: %v", err)
	}
}

// TestForgetTurnOfDeleted checks that forgetting a turn of a deleted conversation reports the fork
// that still has it, and no fork with another turn of that number.
func TestForgetTurnOfDeleted(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	say := func(id, text string) { tellAll(t, w, id, dialogue.Message{Role: dialogue.User, Content: text}) }
	fork := func(id string, at int, to string) {
		if _, err := w.Fork(id, at, to); err != nil {
			t.Fatal(err)
		}
	}
	say("a", "one")
	say("a", "two")
	fork("a", 2, "b")
	say("a", "three of a")
	say("b", "three of b")
	fork("b", 3, "c")
	say("b", "four of b")
	say("c", "four of c")
	if err := w.Delete("b"); err != nil {
		t.Fatal(err)
	}
	for turn, want := range []string{1: "a", 2: "a", 3: "c", 4: "", 5: ""} {
		if turn == 0 {
			continue
		}
		err := w.ForgetTurn(t.Context(), "b", turn)
		var shared *SharedError
		if want == "" && err != nil || want != "" && (!errors.As(err, &shared) || shared.By != want || shared.Turn != turn) {
			t.Errorf("turn %d of b: %v, want it shared by %q", turn, err, want)
		}
	}
	if err := w.ForgetTurn(t.Context(), "a", 9); !errors.Is(err, conversation.ErrNotFound) {
		t.Errorf("a turn that never was: %v", err)
	}
	if err := w.ForgetTurn(t.Context(), "c", 3); err != nil {
		t.Fatal(err)
	}
	if err := w.ForgetConversation(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"three of b", "four of b"} {
		if holds(t, m, text) {
			t.Errorf("%q is left", text)
		}
	}
	for _, text := range []string{"one", "two", "three of a", "four of c"} {
		if !holds(t, m, text) {
			t.Errorf("%q is gone", text)
		}
	}
}

// TestForgetTurnInForks checks that a forgotten turn shared by forks also disappears from their
// boards and from the knowledge learned from it there.
func TestForgetTurnInForks(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	at := m.now().AddDate(0, 0, -1)
	tellAll(t, w, "c",
		dialogue.Message{Role: dialogue.User, At: at, Content: "The importer crashes with an error: marzipan pool exhausted after ten files."},
		dialogue.Message{Role: dialogue.Assistant, At: at, Content: "The importer opens a connection for each file and never closes it. " +
			"I moved the marzipan pool out of the loop and close each connection with defer."},
		dialogue.Message{Role: dialogue.User, At: at, Content: "That fixed the marzipan, thanks."},
		dialogue.Message{Role: dialogue.Assistant, At: at, Content: "Good to hear."})
	for from, to := range map[string]string{"c": "f"} {
		if _, err := w.Fork(from, 2, to); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Fork("f", 2, "g"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c", "f", "g"} {
		if err := w.Desk().Pin(id, "T-1-R", "Turn 1", "marzipan pool exhausted"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Desk().PutOnBoard(id, board.New{Title: "kept"}); err != nil {
			t.Fatal(err)
		}
	}
	m.worker.quiet()
	if out, err := w.Process(t.Context(), Processing{Full: true}); err != nil || out.Lessons == 0 {
		t.Fatal(out, err)
	}
	for turn := range 2 {
		if err := w.ForgetTurn(t.Context(), "f", turn+1); err != nil {
			t.Fatal(err)
		}
	}
	if holds(t, m, "marzipan") {
		var export strings.Builder
		v := w.View()
		defer v.Close()
		t.Error("it is left;", v.Export(&export), export.String())
	}
	if !holds(t, m, "kept") {
		t.Error("other items left the board")
	}
}

// TestForgottenIsKnown checks that only the hash of what was deleted or forgotten is kept, so that
// no import brings it back unasked.
func TestForgottenIsKnown(t *testing.T) {
	m := opened(t, t.TempDir())
	w := workspace(t, m)
	for _, id := range []string{"deleted", "forgotten", "turn", "kept"} {
		_, err := w.Append(Addition{Conversation: id, Messages: []dialogue.Message{
			{Role: dialogue.User, Content: "one", ID: "m1"}, {Role: dialogue.User, Content: "two", ID: "m2"},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Delete("deleted"), w.ForgetConversation(t.Context(), "forgotten"), w.ForgetTurn(t.Context(), "turn", 1)); err != nil {
		t.Fatal(err)
	}
	check := func(id string, all bool, messages ...string) {
		t.Helper()
		got, err := w.Forgotten(id, []string{"m1", "m2", "m3"})
		if err != nil || got.Conversation != all || len(got.Messages) != len(messages) {
			t.Fatalf("%s: %+v, %v", id, got, err)
		}
		for _, message := range messages {
			if !got.Messages[message] {
				t.Errorf("%s: %+v", id, got)
			}
		}
	}
	check("deleted", true)
	check("forgotten", true)
	check("turn", false, "m1")
	check("kept", false)
	v := w.View()
	has, err := v.Conversations.Has("turn", []string{"m1", "m2", "m3"})
	turn, found, err2 := v.Conversations.TurnWith("kept", "m2")
	v.Close()
	if err := errors.Join(err, err2); err != nil || len(has) != 1 || !has["m2"] || !found || turn != 2 {
		t.Errorf("has %v, turn %d, %v", has, turn, err)
	}
	if err := w.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	w = workspace(t, m)
	check("kept", true)
}
