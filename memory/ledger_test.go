package memory

import (
	"fmt"
	"strings"
	"testing"

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

// TestLedgerOfWindow: summaries of a long window name the files, in a tenth of their tokens.
func TestLedgerOfWindow(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	for turn := 1; turn <= 400; turn++ {
		tellAll(t, w, "c", session(turn)...)
	}
	v := w.View()
	defer v.Close()
	info, err := v.Find("c")
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
