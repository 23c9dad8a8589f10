package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/window"
)

// session is a turn of work on a few files.
func session(turn int) []dialogue.Message {
	return []dialogue.Message{
		{Role: dialogue.User, ID: fmt.Sprint("u", turn), Content: fmt.Sprintf("Please look at srv/pool.go and at part%d.go once more. %s", turn, strings.Repeat("It is slow today and I wonder why. ", 4))},
		{Role: dialogue.Assistant, ID: fmt.Sprint("a", turn), Content: "I changed `Pool.Acquire` and ran all of the checks again. " + strings.Repeat("There was more to see than anybody thought. ", 6)},
	}
}

// TestLedgerOfHistory: a gradient history names the files it no longer shows, within its budget, and its text stays as
// it is until the borders are laid anew.
func TestLedgerOfHistory(t *testing.T) {
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	const budget = 1500
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
		used := 0
		h, err := v.History(info, Telling{
			Strategy: history.Gradient, Sizes: sizes, Room: history.Room{Now: 2 * budget, Steady: budget},
			Count: func(b history.Block) int { return words(w.memory.opts.Block(b.Tag, b.Body)) },
		})
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, b := range h.Blocks {
			text := w.memory.opts.Block(b.Tag, b.Body)
			used += words(text)
			all += text
		}
		if used > 2*budget {
			t.Errorf("%d turns take %d tokens", info.Turns, used)
		}
		return h, all
	}
	named, was := 0, ""
	var before History
	for turn := 1; turn <= 75; turn++ {
		tellAll(t, w, "c", session(turn)...)
		h, is := laid()
		if turn > 1 && h.RecalculatedAt == before.RecalculatedAt && h.Blocks[0].Tag == before.Blocks[0].Tag && h.Blocks[0].Body != before.Blocks[0].Body {
			t.Fatalf("turn %d changed what its ledger stands before:\n%.300s\n---\n%.300s", turn, was, is)
		}
		if strings.HasPrefix(h.Blocks[0].Body, "Files: ") && strings.Contains(h.Blocks[0].Body, "\nNames: Pool.Acquire\n") {
			named++
		}
		before, was = h, is
	}
	if named < 20 {
		t.Errorf("only %d histories have a ledger; the last is\n%s", named, was)
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
