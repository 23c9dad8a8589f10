package knowledge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// on moves a talk by days, so that no two conversations have the same time.
func on(day int, talk []TalkTurn) []TalkTurn {
	for _, t := range talk {
		for j := range t.Turn.Messages {
			t.Turn.Messages[j].At = t.Turn.Messages[j].At.AddDate(0, 0, day)
		}
	}
	return talk
}

// ledgerTalks are two conversations about one topic.
func ledgerTalks() [][]TalkTurn {
	return [][]TalkTurn{
		on(1, told("one",
			"user: How does the reconciler match payments? The reconciler lives in `billing/reconcile.go` and runs every night at two.",
			"assistant: The reconciler joins `payments` and `invoices` on the external reference and writes what is left to `unmatched_payments`.",
			"user: The reconciler must never write to `invoices`, finance signs those off by hand.",
			"assistant: Understood, the reconciler only reads `invoices` through the view `invoices_ro`.",
			"user: We decided that the reconciler keeps unmatched payments for ninety days, then it moves them to `archive/unmatched`.",
			"assistant: I changed `retentionDays` in `billing/reconcile.go` to 90 and the reconciler logs each payment that it moves.")),
		on(5, told("two",
			"user: The reconciler crashed last night with `ErrDuplicateReference` on the Danish bank's file.",
			"assistant: The Danish bank sends the reference twice when a transfer is split, so the reconciler saw two rows with one `external_ref`.",
			"user: From now on the reconciler treats rows with the same `external_ref` and different amounts as one split transfer.",
			"assistant: `mergeSplits` in `billing/split.go` sums them now before the reconciler compares the amounts with the invoice.",
			"user: That fixed it, the reconciler went through with no duplicates tonight.")),
	}
}

func german() [][]TalkTurn {
	return [][]TalkTurn{
		on(2, told("drei",
			"user: Der Lagerabgleich liest die Bestände aus `lager/bestand.csv` und schreibt sie nach `lager_ist`.",
			"assistant: Der Lagerabgleich vergleicht `lager_ist` mit `lager_soll` und meldet jede Abweichung über fünf Stück.",
			"user: Der Lagerabgleich darf niemals `lager_soll` ändern, das macht nur der Einkauf in `einkauf/plan.go`.",
			"assistant: Der Lagerabgleich öffnet `lager_soll` jetzt nur noch lesend über `openReadOnly`.")),
		on(6, told("vier",
			"user: Wir haben entschieden, dass der Lagerabgleich ab jetzt stündlich läuft, eingestellt in `cron/abgleich.yaml`.",
			"assistant: In `cron/abgleich.yaml` steht der Lagerabgleich nun auf jeder vollen Stunde, mit einer Sperre in `lager_lock`.",
			"user: Ab jetzt schreibt der Lagerabgleich alle Fehlermeldungen auf Deutsch in `logs/abgleich.log`.")),
	}
}

// process makes an offline run over talks.
func process(t testing.TB, st *store.Store, ws store.Workspace, in ProcessInput, talks ...[]TalkTurn) ProcessResult {
	t.Helper()
	var out ProcessResult
	in.Turns = each(talks...)
	storetest.ApplyAt(t, st, ws, noon, func(tx store.Tx) (err error) {
		in.Subjects = subjectsOf(tx, talks...)
		out, err = Process(tx, in)
		return err
	})
	return out
}

func references(t testing.TB, st *store.Store, ws store.Workspace) []Item {
	t.Helper()
	items, err := List(st.View(ws), Filter{Kind: Reference})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// TestReference checks that a topic of two conversations gives one candidate that quotes both and
// is found by a question, in two languages, and that another run changes nothing.
func TestReference(t *testing.T) {
	for _, c := range []struct {
		talks                [][]TalkTurn
		topic, question, has string
	}{
		{ledgerTalks(), "reconciler", "what does the reconciler do with split transfers?", "rows with the same `external_ref` and different amounts as one split transfer."},
		{german(), "lagerabgleich", "Wie oft läuft der Lagerabgleich?", "dass der Lagerabgleich ab jetzt stündlich läuft"},
	} {
		st := storetest.Open(t)
		first := process(t, st, 1, ProcessInput{Full: true}, c.talks...)
		list := references(t, st, 1)
		if len(list) != 1 || first.References != 1 {
			t.Fatalf("%s: %d references, %+v", c.topic, len(list), first)
		}
		it := list[0]
		if !strings.EqualFold(it.Title, c.topic) || it.Standing() != Candidate || !strings.Contains(it.Content, c.has) || len(it.saidIn()) != 2 {
			t.Errorf("%s: %+v", c.topic, it)
		}
		gaps, err := Recommendations(st.View(1))
		if err != nil || slices.ContainsFunc(gaps, func(g Recommendation) bool { return g.Topic == c.topic }) {
			t.Errorf("%s is a gap: %+v, %v", c.topic, gaps, err)
		}
		ranked := Rank(c.question, list, func(text string, yield func(string)) {
			for _, w := range strings.Fields(strings.ToLower(text)) {
				yield(strings.Trim(w, "?.,`"))
			}
		})
		if len(ranked) != 1 || ranked[0].Score < .3 {
			t.Errorf("%q finds %+v", c.question, ranked)
		}
		before := fmt.Sprint(list)
		for _, full := range []bool{false, true} {
			if process(t, st, 1, ProcessInput{Full: full}, c.talks...); fmt.Sprint(references(t, st, 1)) != before {
				t.Errorf("another run, full %v, changed\n%s\nto\n%v", full, before, references(t, st, 1))
			}
		}
	}
}

// TestReferenceLeaves checks that forgotten turns are removed from a reference, that the reference
// disappears with the last of them, and that a removed one does not come back.
func TestReferenceLeaves(t *testing.T) {
	st := storetest.Open(t)
	talks := ledgerTalks()
	process(t, st, 1, ProcessInput{}, talks...)
	forget := func(conversation string) {
		storetest.Apply(t, st, 1, func(tx store.Tx) error { return ForgetConversations(tx, []string{conversation}, nil) })
	}
	forget("two")
	list := references(t, st, 1)
	if len(list) != 1 || strings.Contains(state(t, st), "Danish") || strings.Contains(state(t, st), "two/") || !strings.Contains(list[0].Content, "signs those off") {
		t.Errorf("after one of two was forgotten: %+v", list)
	}
	forget("one")
	if list := references(t, st, 1); len(list) != 0 {
		t.Errorf("after both were forgotten: %+v", list)
	}
	process(t, st, 1, ProcessInput{Full: true}, talks...)
	if list = references(t, st, 1); len(list) != 1 {
		t.Fatalf("read again: %d references", len(list))
	}
	storetest.Apply(t, st, 1, func(tx store.Tx) error { return Delete(tx, list[0].ID) })
	for _, full := range []bool{false, true} {
		if process(t, st, 1, ProcessInput{Full: full}, talks...); slices.ContainsFunc(references(t, st, 1), func(it Item) bool { return it.Title == list[0].Title }) {
			t.Errorf("removed, full %v: it is there again", full)
		}
	}
}

// TestReferenceByHand checks that no reference is assembled on a topic on which a person wrote one,
// and that an accepted reference stays confirmed and grows.
func TestReferenceByHand(t *testing.T) {
	st := storetest.Open(t)
	talks := ledgerTalks()
	process(t, st, 1, ProcessInput{}, talks[0], on(3, told("more", "user: The reconciler reads `fx.csv` for rates since Monday, see `billing/fx.go`.")))
	list := references(t, st, 1)
	if len(list) != 1 {
		t.Fatalf("%d references", len(list))
	}
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error { _, err := Accept(tx, list[0].ID, AcceptedBy); return err })
	process(t, st, 1, ProcessInput{}, talks...)
	if got := references(t, st, 1); len(got) != 1 || got[0].Standing() != Confirmed || !strings.Contains(got[0].Content, "mergeSplits") {
		t.Errorf("accepted: %+v", got)
	}
	st = storetest.Open(t)
	storetest.ApplyAt(t, st, 1, noon, func(tx store.Tx) error {
		_, err := Put(tx, Item{Kind: Reference, Title: "The reconciler", Content: "Matches payments."})
		return err
	})
	process(t, st, 1, ProcessInput{}, talks...)
	if got := references(t, st, 1); len(got) != 1 || got[0].Learned {
		t.Errorf("beside one by hand: %+v", got)
	}
}

const manual = "# Billing\n\nInvoices are sent monthly.\n\n## The reconciler\n\nThe reconciler runs from `cron/nightly` and needs the bank's file.\nIt stops when that is missing.\n\n" +
	"```sh\n# by hand\n\nreconciler --day 2026-03-01\n```\n\nLunch is at noon.\n"

// TestReferenceQuotesDocuments checks that the heading and the paragraphs on a topic are quoted
// with their lines, and that quotations stay when the documents are unavailable.
func TestReferenceQuotesDocuments(t *testing.T) {
	st := storetest.Open(t)
	at := strings.Index(manual, "## The")
	in := ProcessInput{Sections: func(topic string) ([]Section, error) {
		return []Section{{Path: "docs/billing.md", Line: 5, Text: manual[at:]}}, nil
	}}
	process(t, st, 1, in, ledgerTalks()...)
	list := references(t, st, 1)
	if len(list) != 1 {
		t.Fatalf("%d references", len(list))
	}
	lines := strings.Split(manual, "\n")
	n := 0
	for _, q := range list[0].Quotations {
		if q.Path == "" {
			continue
		}
		if n++; q.Path != "docs/billing.md" || !strings.Contains(manual, q.Text) || !strings.HasPrefix(q.Text, lines[q.Line-1]) || strings.Contains(q.Text, "Lunch") {
			t.Errorf("quotes %+v", q)
		}
	}
	if n != 3 || !strings.HasPrefix(list[0].Content, "## The reconciler\nThe reconciler runs from") {
		t.Errorf("%d quotations of the document in %q", n, list[0].Content)
	}
	before := state(t, st)
	if process(t, st, 1, ProcessInput{}, ledgerTalks()...); state(t, st) != before {
		t.Errorf("a run without documents changed\n%s\nto\n%s", before, state(t, st))
	}
	in.Sections = func(string) ([]Section, error) { return nil, nil }
	if process(t, st, 1, in, ledgerTalks()...); strings.Contains(state(t, st), "docs/billing.md") {
		t.Error("what the document says no more is quoted")
	}
}

// TestNoReferenceOfSmallTalk checks that talk without content gives no reference, however often it
// recurs.
func TestNoReferenceOfSmallTalk(t *testing.T) {
	st := storetest.Open(t)
	var talks [][]TalkTurn
	for i, c := range []string{"a", "b", "c"} {
		talks = append(talks, on(i, told(c,
			"user: Morning! The espresso here is terrible again today, I had two cups anyway and it rained all the way.",
			"assistant: Good morning! A decent espresso makes the day, I hear, rain or not.",
			"user: My sister brought an espresso machine from Trieste last summer, lovely thing, very loud.",
			"assistant: That sounds wonderful, Trieste is famous for its espresso and its old coffee houses.",
			"user: The espresso in the canteen tastes of cardboard, my colleagues all laugh about it.",
			"assistant: Ha, canteen espresso has that reputation everywhere in the world.")))
	}
	process(t, st, 1, ProcessInput{}, talks...)
	for _, it := range references(t, st, 1) {
		t.Errorf("%s: %q", it.Title, it.Content)
	}
}

// corpus reads the dialogues of testdata/utterances.
func corpus(t testing.TB) [][]TalkTurn {
	t.Helper()
	files, err := filepath.Glob("../../testdata/utterances/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var talks [][]TalkTurn
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var talk []string
		roles := map[string]string{"u": "user", "a": "assistant", "t": "tool"}
		flush := func() {
			if len(talk) > 0 && strings.HasPrefix(talk[0], "user: ") {
				talks = append(talks, on(len(talks), told(filepath.Base(name)+string(rune('a'+len(talks)%26)), talk...)))
			}
			talk = nil
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			_, text, ok := strings.Cut(line, " ")
			switch {
			case strings.HasPrefix(line, "=="):
				flush()
			case roles[line] != "":
				talk = append(talk, roles[line]+": ")
			case ok && len(talk) > 0:
				talk[len(talk)-1] += text + " "
			}
		}
		flush()
	}
	return talks
}

// TestEveryReferenceIsSaid checks that every quotation of references, from hundreds of dialogues in
// thirteen languages, is in the message that it names, byte for byte, that their size is bounded,
// and that another run changes nothing.
func TestEveryReferenceIsSaid(t *testing.T) {
	st := storetest.Open(t)
	made := 0
	for i, talk := range corpus(t) {
		said := map[string]string{}
		for j := range talk { // the second half is another conversation
			turn := &talk[j]
			if j >= len(talk)/2 {
				turn.Conversation += " continued"
			}
			for _, m := range turn.Turn.Messages {
				said[turn.Conversation+"/"+dialogue.TurnID(turn.Turn.Number)+"/"+m.ID] = m.Content
			}
		}
		ws := store.Workspace(i + 1)
		process(t, st, ws, ProcessInput{}, talk)
		list := references(t, st, ws)
		made += len(list)
		for _, it := range list {
			var lines []string
			for _, q := range it.Quotations {
				lines = append(lines, q.Text)
				if !strings.Contains(said[q.Conversation+"/"+q.Turn+"/"+q.Message], q.Text) || q.At.IsZero() {
					t.Errorf("%s quotes %+v", it.Title, q)
				}
			}
			if n := len(it.Content) / 4; it.Content != strings.Join(lines, "\n") || !strings.Contains(it.Content, it.Title) || n < minTokens || n > 5000 {
				t.Errorf("%s, %d tokens: %q", it.Title, n, it.Content)
			}
		}
		before := fmt.Sprint(list)
		if again := process(t, st, ws, ProcessInput{}, talk); fmt.Sprint(references(t, st, ws)) != before || again.Pruned != 0 {
			t.Errorf("another run: %+v of\n%s", again, before)
		}
	}
	if made < 5 {
		t.Errorf("%d references in all", made)
	}
	t.Logf("%d references", made)
}
