package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/window"
)

// session is a turn of work on a few files.
func session(turn int) []dialogue.Message {
	return []dialogue.Message{
		{Role: dialogue.User, ID: fmt.Sprint("u", turn), Content: fmt.Sprintf("Please look at srv/pool.go and at part%d.go once more. %s", turn, strings.Repeat("It is slow today and I wonder why. ", 4))},
		{Role: dialogue.Assistant, ID: fmt.Sprint("a", turn), Content: "I changed `Pool.Acquire` and ran all of the checks again. " + strings.Repeat("There was more to see than anybody thought. ", 6)},
	}
}

// TestLedgerOfWindow checks that summaries of a long window name the files, in a tenth of their
// tokens.
func TestLedgerOfWindow(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	for turn := 1; turn <= 400; turn++ {
		tellAll(t, w, "c", session(turn)...)
	}
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("c")
	if err != nil {
		t.Fatal(err)
	}
	out, err := v.Window(info, 4000, 0, "words", words)
	if err != nil || out.Strategy != window.MultiLevel {
		t.Fatal(out.Strategy, err)
	}
	found := false
	for _, s := range out.Messages {
		_, ledger, ok := strings.Cut(s.Content, "\nFiles: srv/pool.go")
		if !s.Summary || !ok {
			continue
		}
		if found = true; words(ledger)+2 > s.Tokens*ledgerShare/100+8 {
			t.Errorf("the ledger takes %d of %d tokens", words(ledger), s.Tokens)
		}
	}
	if !found {
		t.Errorf("no summary names the file: %+v", out.Messages)
	}
}

// about is a turn that mentions files.
func about(id string, at time.Time, files ...string) []dialogue.Message {
	return []dialogue.Message{
		{Role: dialogue.User, ID: "u" + id, At: at, Content: "Please look at " + strings.Join(files, " and at ") + " once more."},
		{Role: dialogue.Assistant, ID: "a" + id, At: at, Content: "Done."},
	}
}

func lately(t *testing.T, w *Workspace, except string) []string {
	t.Helper()
	v := w.View()
	defer v.Close()
	info := conversation.Info{}
	if except != "" {
		var err error
		if info, err = v.Conversations.Find(except); err != nil {
			t.Fatal(err)
		}
	}
	l, err := v.Lately(info)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range l.Top(100) {
		out = append(out, m.Name)
	}
	return out
}

// TestLately checks that a workspace's ledger covers its other conversations, the latest first,
// that it survives a restart, and that it omits what was forgotten.
func TestLately(t *testing.T) {
	dir := t.TempDir()
	m := opened(t, dir)
	w := workspace(t, m)
	day := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	tellAll(t, w, "old", about("1", day, "srv/old.go")...)
	tellAll(t, w, "mid", append(about("2", day.AddDate(0, 0, 1), "srv/mid.go"), about("3", day.AddDate(0, 0, 1), "srv/secret.go")...)...)
	tellAll(t, w, "new", about("4", day.AddDate(0, 0, 2), "srv/new.go")...)
	other, err := m.Workspace(t.Context(), "/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	tellAll(t, other, "foreign", about("5", day.AddDate(0, 0, 3), "srv/foreign.go")...)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = opened(t, dir)
	defer m.Close()
	w = workspace(t, m)
	if got, want := lately(t, w, ""), []string{"srv/new.go", "srv/secret.go", "srv/mid.go", "srv/old.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := lately(t, w, "new"); slices.Contains(got, "srv/new.go") || len(got) != 3 {
		t.Errorf("without the conversation itself: %q", got)
	}
	if err := w.ForgetTurn(t.Context(), "mid", 2); err != nil {
		t.Fatal(err)
	}
	if err := w.ForgetConversation(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	if got, want := lately(t, w, "new"), []string{"srv/mid.go"}; !slices.Equal(got, want) {
		t.Errorf("after forgetting: %q, want %q", got, want)
	}
	tellAll(t, w, "next", about("6", day.AddDate(0, 0, 4), "srv/next.go")...)
	if got := lately(t, w, ""); len(got) == 0 || got[0] != "srv/next.go" {
		t.Errorf("after an append: %q", got)
	}
}

// BenchmarkLately reads the ledger of a workspace of long conversations.
func BenchmarkLately(b *testing.B) {
	m := opened(b, b.TempDir())
	defer m.Close()
	w := workspace(b, m)
	for c := range 40 {
		var all []dialogue.Message
		for turn := 1; turn <= 100; turn++ {
			all = append(all, session(turn)...)
		}
		tellAll(b, w, fmt.Sprint("c", c), all...)
	}
	for b.Loop() {
		v := w.View()
		if _, err := v.Lately(conversation.Info{}); err != nil {
			b.Fatal(err)
		}
		v.Close()
	}
}

// TestLatest checks that the last messages of a fork are its own and then the shared ones.
func TestLatest(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	tellAll(t, w, "c", append(about("1", at, "srv/a.go"), about("2", at, "srv/b.go")...)...)
	if _, err := w.Fork("c", 1, "f"); err != nil {
		t.Fatal(err)
	}
	tellAll(t, w, "f", about("3", at, "srv/c.go")...)
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("f")
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int][]string{1: {"a3"}, 3: {"a3", "u3", "a1"}, 9: {"a3", "u3", "a1", "u1"}} {
		list, err := v.Messages.Latest(info, most)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, s.Message.ID)
			if _, there, err := v.Messages.Places(s.Conversation, s.Index, s.Index+1); err != nil || len(there) != 1 || there[0].Message.ID != s.Message.ID {
				t.Errorf("%s is not where it is said to be stored: %v %v", s.Message.ID, there, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}
