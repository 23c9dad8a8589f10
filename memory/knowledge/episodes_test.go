package knowledge

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/episode"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// talkOn makes a conversation of a day, a turn for each line: "text → answer".
func talkOn(id string, day int, lines ...string) []Told {
	var out []Told
	for i, line := range lines {
		asked, answer, _ := strings.Cut(line, " → ")
		at := noon.Add(time.Duration(day)*24*time.Hour + time.Duration(i)*time.Minute)
		out = append(out, Told{Conversation: id, Messages: 2 * len(lines), Files: []string{"quay/retry.go"}, Turn: dialogue.Turn{Number: i + 1, First: 2 * i, Messages: []dialogue.Message{
			{ID: fmt.Sprint(id, 2*i), Role: dialogue.User, Content: asked, At: at},
			{ID: fmt.Sprint(id, 2*i+1), Role: dialogue.Assistant, Content: answer, At: at},
		}}})
	}
	return out
}

var retries = [][]Told{
	talkOn("a", 0, "How often should the quaymaster retry a failed upload? → It does not retry at all today.",
		"Let's always retry uploads four times with growing pauses, then give up. → The quaymaster retries four times now."),
	talkOn("b", 1, "Please look at the rounding of cents in the ledger. → The ledger rounds half up.",
		"We decided to round half to even in the ledger from now on. → The ledger rounds half to even."),
	talkOn("c", 2, "The quaymaster still loses an upload after a retry. → The pause is too short.",
		"The upload works now that the quaymaster waits. → Good."),
}

func toldIn(talks ...[]Told) iter.Seq2[Told, error] {
	return func(yield func(Told, error) bool) {
		for _, talk := range talks {
			for _, t := range talk {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

func episodesOf(t *testing.T, st *store.Store, in ProcessInput) ProcessResult {
	t.Helper()
	var out ProcessResult
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) (err error) {
		out, err = Process(tx, in)
		return err
	})
	return out
}

func episodes(t *testing.T, st *store.Store) []episode.Episode {
	t.Helper()
	out, err := LoadEpisodes(st.View(1))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// toldBy formats everything that episodes say, one a line.
func toldBy(list []episode.Episode) string {
	var lines []string
	for _, e := range list {
		line := e.ID + " " + e.Title.Text
		for _, s := range e.Spans {
			line += fmt.Sprintf(" %s %d-%d", s.Conversation, s.From, s.To)
		}
		for i := range e.Notes {
			line += " | " + episode.Said(&e.Notes[i]) + " " + e.Notes[i].Source() + ": " + e.Notes[i].Text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestEpisodes(t *testing.T) {
	st := storetest.Open(t)
	if out := episodesOf(t, st, ProcessInput{Turns: toldIn(retries...)}); out.Episodes != 2 {
		t.Errorf("%d episodes, want 2:\n%s", out.Episodes, toldBy(episodes(t, st)))
	}
	all := episodes(t, st)
	if e := all[0]; len(e.Spans) != 2 || e.Spans[1].Conversation != "c" || !strings.Contains(e.Title.Text, "quaymaster") || e.Files[0] != "quay/retry.go" {
		t.Errorf("the episode on retries is %+v", e)
	}
	for _, want := range []string{
		"a/T-2: Let's always retry uploads four times with growing pauses, then give up.",
		"decided b/T-2: We decided to round half to even in the ledger from now on.", "worked c/T-2: The upload works now that the quaymaster waits.",
	} {
		if !strings.Contains(toldBy(all), want) {
			t.Errorf("%q is not in\n%s", want, toldBy(all))
		}
	}
	for _, e := range all { // quotations, byte for byte
		for _, n := range e.Notes {
			found := false
			for _, talk := range retries {
				for _, turn := range talk {
					for _, m := range turn.Turn.Messages {
						found = found || m.ID == n.Message && strings.Contains(m.Content, n.Text) && SourceTurn(turn.Conversation, dialogue.TurnID(turn.Turn.Number)) == n.Source()
					}
				}
			}
			if !found {
				t.Errorf("nobody said %q in %s", n.Text, n.Source())
			}
		}
	}
}

// TestEpisodesGrow checks that runs after each conversation find the same episodes as one run over
// all, although a run reads only what is new, and that unchanged episodes keep their serial.
func TestEpisodesGrow(t *testing.T) {
	whole, st := storetest.Open(t), storetest.Open(t)
	episodesOf(t, whole, ProcessInput{Turns: toldIn(retries...)})
	for i := range retries {
		episodesOf(t, st, ProcessInput{Turns: toldIn(retries[i]), Partial: func() bool { return true }})
	}
	if got, want := toldBy(episodes(t, st)), toldBy(episodes(t, whole)); got != want {
		t.Errorf("day by day\n%s\nat once\n%s", got, want)
	}
	before, err := EpisodesSerial(st.View(1))
	if err != nil || before == 0 {
		t.Fatal(before, err)
	}
	episodesOf(t, st, ProcessInput{Turns: toldIn(), Partial: func() bool { return true }})
	episodesOf(t, st, ProcessInput{Turns: toldIn(retries...), Full: true})
	if after, err := EpisodesSerial(st.View(1)); err != nil || after != before {
		t.Errorf("runs over nothing new changed the serial from %d to %d, %v", before, after, err)
	}
}

func TestForgottenInEpisodes(t *testing.T) {
	forget := func(st *store.Store, turns []int, conversations ...string) {
		storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, conversations, turns) })
	}
	st := storetest.Open(t)
	episodesOf(t, st, ProcessInput{Turns: toldIn(retries...)})
	forget(st, []int{2}, "a")
	if got := toldBy(episodes(t, st)); strings.Contains(got, "growing pauses") || !strings.Contains(got, "still loses") || !strings.Contains(got, "ledger") {
		t.Errorf("without a turn:\n%s", got)
	}
	forget(st, nil, "b")
	if got := toldBy(episodes(t, st)); strings.Contains(got, "ledger") || !strings.Contains(got, "quaymaster") {
		t.Errorf("without a conversation:\n%s", got)
	}
	for _, c := range []string{"a", "c"} {
		forget(st, nil, c)
	}
	left := 0
	prefix := store.Prefix(store.Knowledge, 1)
	if err := st.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		if strings.Contains(string(v), "quaymaster") || strings.Contains(string(v), "upload") {
			left++
		}
		return true, nil
	}); err != nil || left > 0 {
		t.Errorf("%d values speak of what was forgotten, %v", left, err)
	}
	if unread, err := Unread(st.View(1), "a", 4); err != nil || !unread {
		t.Errorf("what was forgotten counts as read: %v %v", unread, err)
	}
}

// TestOldConversationIsReadOnce checks that an old conversation is read for lasting knowledge when
// it is new, and not again.
func TestOldConversationIsReadOnce(t *testing.T) {
	st := storetest.Open(t)
	episodesOf(t, st, ProcessInput{Turns: toldIn(retries...)})
	for _, c := range []string{"a", "b", "c"} {
		if unread, err := Unread(st.View(1), c, 4); err != nil || unread {
			t.Errorf("%s is unread: %v %v", c, unread, err)
		}
		if unread, err := Unread(st.View(1), c, 5); err != nil || !unread {
			t.Errorf("%s with another message is read: %v %v", c, unread, err)
		}
	}
	if unread, err := Unread(st.View(1), "d", 4); err != nil || !unread {
		t.Errorf("an unknown conversation is read: %v %v", unread, err)
	}
	distant := talkOn("d", -300, "The lamplighter shall always log in UTC. → Done.", "We decided to drop the lamplighter's cache. → It is gone.")
	for i := range distant {
		distant[i].Distant = true
	}
	episodesOf(t, st, ProcessInput{Turns: toldIn(distant), Partial: func() bool { return true }})
	if got := toldBy(episodes(t, st)); !strings.Contains(got, "drop the lamplighter's cache") || !strings.Contains(got, "growing pauses") {
		t.Errorf("episodes are\n%s", got)
	}
}
