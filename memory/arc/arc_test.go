package arc

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestQuotations checks that nothing is reworded: each decision and question is a part of a
// message, a decision of its turn or an earlier one, and what was rejected is part of the decision.
func TestQuotations(t *testing.T) {
	for _, talk := range readTalks(t, "testdata/talks.txt") {
		said := func(text string, turn int) bool {
			return slices.ContainsFunc(talk.turns[:turn], func(tu dialogue.Turn) bool {
				return slices.ContainsFunc(tu.Messages, func(m dialogue.Message) bool { return strings.Contains(m.Content, text) })
			})
		}
		a := arcOf(talk.turns, Dense, 0)
		for _, d := range a.Decisions {
			if d.Text == "" || !said(d.Text, d.Turn) {
				t.Errorf("%s: %q of turn %d was not said", talk.name, d.Text, d.Turn)
			}
			for _, r := range d.Rejected {
				if r == "" || !strings.Contains(d.Text, r) {
					t.Errorf("%s: %q is no part of %q", talk.name, r, d.Text)
				}
			}
		}
		for _, q := range a.Open {
			if q.Text == "" || !said(q.Text, q.Turn) {
				t.Errorf("%s: %q of turn %d was not asked", talk.name, q.Text, q.Turn)
			}
		}
	}
}

// script is one long conversation made of all talks.
func script(t testing.TB) (turns []dialogue.Turn) {
	for _, talk := range readTalks(t, "testdata/talks.txt") {
		for _, tu := range talk.turns {
			tu.Number = len(turns) + 1
			turns = append(turns, tu)
		}
	}
	return turns
}

// TestFolderIsIncremental compares the arcs of one folder and of new ones after each turn, which is
// either only previewed or added.
func TestFolderIsIncremental(t *testing.T) {
	f := NewFolder()
	var notes []Notes
	for _, turn := range script(t)[:60] {
		notes = append(notes, Note(turn))
		n := &notes[len(notes)-1]
		fresh := NewFolder()
		for i := range notes {
			fresh.Add(&notes[i])
		}
		for _, budget := range []int{0, 150} {
			want := fresh.Arc(nil, Dense, budget, nil)
			for range 2 {
				if got := f.Arc(n, Dense, budget, nil); !reflect.DeepEqual(got, want) {
					t.Fatalf("turn %d tried: %+v, want %+v", n.Turn, got, want)
				}
			}
		}
		f.Add(n)
		if got, want := f.Arc(nil, Rich, 0, nil), fresh.Arc(nil, Rich, 0, nil); !reflect.DeepEqual(got, want) {
			t.Fatalf("turn %d added: %+v, want %+v", n.Turn, got, want)
		}
	}
	if f.Turns() != len(notes) {
		t.Errorf("%d turns, want %d", f.Turns(), len(notes))
	}
}

// TestConcurrent reads and extends one folder concurrently, for the race detector.
func TestConcurrent(t *testing.T) {
	turns := script(t)
	f := NewFolder()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for _, turn := range turns[:40] {
				n := Note(turn)
				f.Add(&n)
				f.Arc(&n, Rich, 100, nil)
			}
		})
	}
	wg.Wait()
	if f.Turns() != 120 {
		t.Errorf("%d turns", f.Turns())
	}
}

// TestNotesAreKept checks that notes are decoded as they were, and that no part of them is valid.
func TestNotesAreKept(t *testing.T) {
	for _, turn := range script(t) {
		n := Note(turn)
		b := n.AppendBinary(nil)
		var got Notes
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if again := got.AppendBinary(nil); !bytes.Equal(again, b) {
			t.Fatalf("%+v is kept as %x, then as %x", n, b, again)
		}
		for i := range b {
			if err := new(Notes).UnmarshalBinary(b[:i]); err == nil {
				t.Fatalf("%d of %d bytes of %+v are read as notes", i, len(b), n)
			}
		}
	}
	if err := new(Notes).UnmarshalBinary([]byte{notesForm - 1, 1}); err == nil {
		t.Error("notes of another form are read")
	}
}

// TestNotesAreSmall bounds the size of notes, and checks that a pasted text does not hide what
// follows it.
func TestNotesAreSmall(t *testing.T) {
	text := strings.Repeat("Let's use x1 instead of y2. Which port does the server listen on today? I looked at src/a.go and Foo.Bar in it. ", 20_000)
	n := Note(dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: text}, {Role: dialogue.Assistant, Content: text}}})
	if b := n.AppendBinary(nil); len(b) > 8<<10 {
		t.Errorf("%d bytes", len(b))
	}
}

func TestBudget(t *testing.T) {
	count := func(s string) int { return len(strings.Fields(s)) }
	f := NewFolder()
	if a := f.Arc(nil, Rich, 100, count); a.Text != "" || a.Decisions == nil || a.Open == nil {
		t.Errorf("%+v", a)
	}
	for _, turn := range script(t) {
		n := Note(turn)
		f.Add(&n)
	}
	for _, style := range []Style{Light, Rich, Dense, "other"} {
		for budget := 1; budget < 200; budget += 7 {
			if a := f.Arc(nil, style, budget, count); count(a.Text) > budget {
				t.Errorf("%s: %d words of %d: %s", style, count(a.Text), budget, a.Text)
			}
		}
	}
}

func TestShort(t *testing.T) {
	a := Short([]dialogue.Message{
		{Role: dialogue.User, Content: "Which cache?\nWe're going with Redis instead of memcached. " + strings.Repeat("Ü", 200)},
		{Role: dialogue.Assistant, Content: "Redis."},
	})
	lines := strings.Split(a.Text, "\n")
	if len(lines) != 2 || lines[1] != "assistant: Redis." || len([]rune(lines[0])) > len("user: ")+100 || !strings.HasSuffix(lines[0], "…") {
		t.Errorf("%q", lines)
	}
	if len(a.Decisions) != 1 || a.Decisions[0].Turn != 1 || !slices.Equal(a.Decisions[0].Rejected, []string{"memcached"}) {
		t.Errorf("%+v", a.Decisions)
	}
}

// TestFocus checks that the focus names what the last turns are about in the person's words, with
// the symbols named most.
func TestFocus(t *testing.T) {
	a := arcOf(turnsOf("u: Where is the footer?\na: In view/foot.go.\nu: The uploads in store/put.go fail when putBlob gets a file of 0 bytes.\na: putBlob returns early."), Rich, 0)
	for _, want := range []string{"The uploads in store/put.go fail", "view/foot.go"} {
		if !strings.Contains(a.Focus, want) {
			t.Errorf("%q does not hold %q", a.Focus, want)
		}
	}
}

// grown returns a folder of n turns, each about another topic.
func grown(n int) *Folder {
	f := NewFolder()
	for i := range n {
		text := fmt.Sprintf("Please change module_%d in src/m%d/main.go so that it reads table_%d.", i, i, i)
		if i%3 == 0 {
			text += fmt.Sprintf(" Which region does service_%d run in? I'll ask ops.", i)
		}
		if i%5 == 0 {
			text += fmt.Sprintf(" We're going with driver_%d instead of driver_%d for module_%d.", i, i+1, i)
		}
		notes := Note(dialogue.Turn{Number: i + 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: text}, {Role: dialogue.Assistant, Content: "Done."}}})
		f.Add(&notes)
	}
	return f
}

// TestLong checks that adding a turn reads a bounded part of the past.
func TestLong(t *testing.T) {
	f := grown(3000)
	n := Note(dialogue.Turn{Number: 3001, Messages: []dialogue.Message{{Role: dialogue.User, Content: "We're going with sqlite instead of files."}}})
	if got := testing.AllocsPerRun(3, func() { f.Arc(&n, Rich, 400, nil) }); got > 20_000 {
		t.Errorf("%v allocations", got)
	}
	a := f.Arc(&n, Dense, 400, nil)
	if len(a.Text) > 4*400 || len(a.Text) < 800 || len(a.Decisions) > 400 {
		t.Errorf("%d bytes, %d decisions", len(a.Text), len(a.Decisions))
	}
	if last := a.Decisions[len(a.Decisions)-1]; last.Turn != 3001 || !slices.Equal(last.Rejected, []string{"files"}) {
		t.Errorf("%+v", last)
	}
}

func BenchmarkNote(b *testing.B) {
	text := strings.Repeat("We looked at the importer again and the rows come twice when the job is started by hand. Which of the two did you mean? ", 8)
	turn := dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: text}}}
	for b.Loop() {
		Note(turn)
	}
}

func BenchmarkAdd(b *testing.B) {
	f := grown(2000)
	n := Note(dialogue.Turn{Number: 2001, Messages: []dialogue.Message{{Role: dialogue.User, Content: "We're going with sqlite instead of files."}, {Role: dialogue.Assistant, Content: "sqlite."}}})
	for b.Loop() {
		f.Arc(&n, Rich, 400, nil)
	}
}

// FuzzNote checks that everything quoted from arbitrary input occurs in a message.
func FuzzNote(f *testing.F) {
	for _, turn := range script(f)[:60] {
		f.Add(turn.Messages[0].Content, turn.Messages[len(turn.Messages)-1].Content)
	}
	f.Add("we go with b ，not ’A’\xff instead of İ?", "A) x\nB) y")
	f.Fuzz(func(t *testing.T, user, assistant string) {
		turns := []dialogue.Turn{
			{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: user}, {Role: dialogue.Assistant, Content: assistant}}},
			{Number: 2, Messages: []dialogue.Message{{Role: dialogue.User, Content: assistant}, {Role: dialogue.Assistant, Content: user}}},
		}
		a := arcOf(turns, Dense, 0)
		quoted := func(s string) bool { return strings.Contains(user, s) || strings.Contains(assistant, s) }
		for _, d := range a.Decisions {
			if !quoted(d.Text) {
				t.Errorf("%q was not said", d.Text)
			}
			for _, r := range d.Rejected {
				if !strings.Contains(d.Text, r) {
					t.Errorf("%q is no part of %q", r, d.Text)
				}
			}
		}
		for _, q := range a.Open {
			if !quoted(q.Text) {
				t.Errorf("%q was not asked", q.Text)
			}
		}
	})
}

// FuzzNotes checks that stored notes are decoded as they were, and that damaged ones are rejected
// or harmless.
func FuzzNotes(f *testing.F) {
	for _, turn := range script(f)[:20] {
		n := Note(turn)
		f.Add(n.AppendBinary(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var n, again Notes
		if n.UnmarshalBinary(b) != nil {
			return
		}
		kept := n.AppendBinary(nil)
		if err := again.UnmarshalBinary(kept); err != nil || !bytes.Equal(again.AppendBinary(nil), kept) {
			t.Errorf("%x is kept as %x: %v", b, kept, err)
		}
		folder := NewFolder()
		folder.Add(&n)
		folder.Arc(&again, Dense, 0, nil)
	})
}
