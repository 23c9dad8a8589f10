package bundle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// memories is a past with fixed texts.
type memories struct {
	said                            []string // in the newest turns
	talk                            Conversation
	work, board, rules, known, says []item.Item
	history                         func(budget int) []item.Item
	lay                             func(Room) []item.Item
	arcRoom, passageRoom            int
	passages                        []item.Item
	topics, entities                []item.Item
	topicRoom, entityRoom           int
	boosts                          map[string]float64
	fail                            error
}

func (m *memories) Conversation() Conversation  { return m.talk }
func (m *memories) Rules() ([]item.Item, error) { return m.rules, m.fail }
func (m *memories) Work() ([]item.Item, error)  { return m.work, m.fail }
func (m *memories) Board() ([]item.Item, error) { return m.board, m.fail }
func (m *memories) Knowledge(context.Context, intent.Signals) ([]item.Item, error) {
	return m.known, m.fail
}
func (m *memories) Reminders(context.Context, intent.Signals, int) ([]item.Item, error) {
	return m.says, m.fail
}
func (m *memories) Passages(_ context.Context, _ intent.Signals, _ float64, room int) ([]item.Item, error) {
	m.passageRoom = room
	return m.passages, m.fail
}
func (m *memories) Reminded(score, _ float64) float64 { return score }
func (m *memories) Profiles(_ context.Context, room func(topics, entities int) (int, int)) (topics, entities []item.Item, err error) {
	m.topicRoom, m.entityRoom = room(len(m.topics), len(m.entities))
	return m.topics, m.entities, m.fail
}
func (m *memories) Said(_ int, yield func(string)) error {
	for _, text := range m.said {
		yield(text)
	}
	return m.fail
}
func (m *memories) Boosts([]string) (map[string]float64, error) { return maps.Clone(m.boosts), m.fail }
func (m *memories) Version() (uint64, error)                    { return 1, m.fail }
func (m *memories) Recent() ([]retrieve.Recent, error)          { return nil, m.fail }
func (m *memories) LastTurns(int) ([]string, error)             { return nil, m.fail }

func (m *memories) History(room Room) ([]item.Item, error) {
	if m.lay != nil {
		return m.lay(room), m.fail
	}
	if m.history == nil {
		return nil, m.fail
	}
	return m.history(room.Now), m.fail
}

func (m *memories) Arc(budget int) ([]item.Item, error) {
	m.arcRoom = budget
	return []item.Item{{ID: "arc", Kind: "arc", Body: strings.Repeat("arc ", max(1, budget-20)), Score: 1}}, m.fail
}

func remembered(t *testing.T, m *memories, tokens int, overrides ...map[item.Layer]budget.Override) *Bundle {
	t.Helper()
	req := Request{Prompt: "what is next on the list of things", Budget: tokens, Order: "cache"}
	for _, o := range overrides {
		req.Overrides = o
	}
	b, err := Build(t.Context(), req, Sources{
		Count: func(s string) int { return len(strings.Fields(s)) + strings.Count(s, "\n") }, Past: m, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func notes(n, words int, short string) []item.Item {
	out := make([]item.Item, n)
	for i := range out {
		out[i] = item.Item{ID: fmt.Sprint("note", i), Kind: "notice", Body: strings.Repeat("word ", words), Short: short, Score: 1}
	}
	return out
}

func shown(b *Bundle, prefix string) (whole, short int) {
	for _, it := range b.Items {
		switch {
		case !strings.HasPrefix(it.ID, prefix):
		case it.Format == "full":
			whole++
		default:
			short++
		}
	}
	return whole, short
}

// TestShortForms checks that in a full layer memories are shortened, the last ones first, before
// one is left out.
func TestShortForms(t *testing.T) {
	for _, tt := range []struct {
		name         string
		n, words     int
		short        string
		whole, brief int
	}{
		{"all fit", 5, 30, "brief", 5, 0},
		{"some are shortened", 5, 200, "brief", 1, 4},
		{"none fits whole", 3, 2000, "brief", 0, 3},
		{"without a short form", 5, 200, "", 2, 0},
		{"nothing", 0, 0, "", 0, 0},
	} {
		most := 420 // the share of work
		b := remembered(t, &memories{work: notes(tt.n, tt.words, tt.short)}, 6000, map[item.Layer]budget.Override{item.L4Conversation: {Max: &most}})
		if whole, short := shown(b, "note"); whole != tt.whole || short != tt.brief {
			t.Errorf("%s: %d whole and %d shortened, want %d and %d", tt.name, whole, short, tt.whole, tt.brief)
		}
	}
}

// TestArcStaysInItsLayer checks that tasks and board never push the arc out of its layer.
func TestArcStaysInItsLayer(t *testing.T) {
	for _, budget := range []int{1000, 4000, 20000} {
		m := &memories{
			talk: Conversation{Messages: 500, Turns: 250, Tokens: 90000, Settled: 90000},
			work: notes(8, budget, strings.Repeat("short ", budget/150)), board: nil,
		}
		for i := range 6 {
			m.board = append(m.board, item.Item{ID: fmt.Sprint("board", i), Kind: "notice", Body: strings.Repeat("note ", budget/130), Score: 1})
		}
		b := remembered(t, m, budget)
		if !slices.ContainsFunc(b.Items, func(it item.Item) bool { return it.ID == "arc" }) {
			t.Errorf("budget %d: the arc is not there: %+v, dropped %+v", budget, b.Layers[4], b.Dropped)
		}
		if b.Tokens > budget || b.Layers[4].Used > b.Layers[4].Max {
			t.Errorf("budget %d: %d tokens, %+v", budget, b.Tokens, b.Layers[4])
		}
	}
}

// TestShortTalkIsWhole checks that a conversation that fits its layer gets room for all of its
// tokens.
func TestShortTalkIsWhole(t *testing.T) {
	for tokens := 40; tokens <= 3000; tokens += 37 {
		asked := 0
		m := &memories{talk: Conversation{Messages: 4, Turns: 2, Tokens: tokens}, history: func(budget int) []item.Item {
			asked = budget
			return nil
		}}
		if remembered(t, m, 12000); asked < tokens {
			t.Errorf("a conversation of %d tokens is laid out for %d", tokens, asked)
		}
	}
}

// TestSpareGoesToTheHistory checks that unused room goes to the history, in steps, unless the
// caller bounds the history or the history exceeds its room.
func TestSpareGoesToTheHistory(t *testing.T) {
	count := func(s string) int { return len(strings.Fields(s)) + strings.Count(s, "\n") }
	limit := 2000
	for _, tt := range []struct {
		name   string
		over   int // tokens by which a deep history exceeds its room
		layers map[item.Layer]budget.Override
		deep   bool
	}{
		{"spare", 0, nil, true},
		{"more than its room", 900, nil, false},
		{"bounded by the caller", 0, map[item.Layer]budget.Override{item.L6History: {Max: &limit}}, false},
	} {
		var rooms []Room
		m := &memories{
			talk: Conversation{Messages: 500, Turns: 250, Tokens: 90000, Settled: 90000}, work: notes(2, 50, ""),
			lay: func(r Room) []item.Item {
				room := r.Now
				rooms = append(rooms, r)
				size := room
				if room > r.Steady {
					size += tt.over
				}
				return []item.Item{
					{ID: "left", Kind: "summary", Body: "turns are left out", LeftOut: true},
					{ID: fmt.Sprint("history", room), Kind: "turn", Tag: "T-9-S", Body: strings.Repeat("word ", size-30)},
				}
			},
		}
		b, err := Build(t.Context(), Request{Prompt: "what is next on the list of things", Budget: 12000, Order: "cache", Overrides: tt.layers}, Sources{
			Count: count, Past: m, Now: time.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		shown := slices.IndexFunc(b.Items, func(it item.Item) bool { return strings.HasPrefix(it.ID, "history") })
		if shown < 0 {
			t.Fatalf("%s: no history among %+v", tt.name, b.Items)
		}
		l := b.Layers[item.L6History]
		if deep := b.Items[shown].ID != fmt.Sprint("history", rooms[0].Steady); deep != tt.deep || deep != (b.Tokens > 10_000) || l.Used > l.Allocated || l.Ideal > l.Max || l.Max > 12000 {
			t.Errorf("%s: %d tokens, %s of rooms %+v, %+v", tt.name, b.Tokens, b.Items[shown].ID, rooms, l)
		}
		if itemOf(b, "left") == nil || len(reasonsOf(b, "left")) > 0 {
			t.Errorf("%s: the notice of what is left out is not shown, or is dropped: %+v", tt.name, b.Dropped)
		}
	}
}

// TestSpareRoomIsStableWithCode checks that the room left over beside code, which varies with each
// prompt, does not change the stable part.
func TestSpareRoomIsStableWithCode(t *testing.T) {
	w := newWorkspace(t, shop())
	s := w.index()
	for _, tt := range []struct {
		prompt string
		firm   bool
	}{{"thanks, that is all for today", false}, {"how is the refund of an order made", true}} {
		var rooms []Room
		m := &memories{talk: Conversation{Messages: 500, Turns: 250, Tokens: 90000, Settled: 90000}, lay: func(room Room) []item.Item {
			rooms = append(rooms, room)
			return []item.Item{{ID: "history", Kind: "turn", Tag: "T-9-S", Body: "we spoke of refunds"}}
		}}
		if _, err := Build(t.Context(), Request{Prompt: tt.prompt, Budget: 4000, Order: "cache"}, Sources{
			Snapshot: s, Count: counter.Count, Past: m, Now: at,
		}); err != nil {
			t.Fatal(err)
		}
		last := rooms[len(rooms)-1]
		if last.Now <= last.Steady || last.Firm != tt.firm {
			t.Errorf("%q: rooms %+v, want the last one firm: %t", tt.prompt, rooms, tt.firm)
		}
	}
}

// TestBrokenMemory checks that a broken memory costs the bundle only its memories.
func TestBrokenMemory(t *testing.T) {
	b := remembered(t, &memories{fail: errors.New("the disk is gone")}, 2000)
	if len(b.Degraded) == 0 || b.Degraded[0].Stage != "memory" || b.Degraded[0].Detail != "the disk is gone" {
		t.Errorf("%+v", b.Degraded)
	}
	if !strings.Contains(b.Text, "what is next") {
		t.Error("the prompt is not there")
	}
}

// TestPinnedTurns checks that a requested turn is on the board unless the history shows it as
// fully.
func TestPinnedTurns(t *testing.T) {
	pinned := func(tag string) item.Item {
		return item.Item{ID: "board:" + tag, Kind: "turn", Tag: tag, Body: "what was said of the kiln", Score: 1}
	}
	for _, test := range []struct {
		name    string
		history []string // tags
		board   []string
		kept    []string
	}{
		{"the same", []string{"T-1-R", "T-2-R"}, []string{"T-1-R"}, nil},
		{"a shorter one", []string{"T-1-R"}, []string{"T-1-S", "T-1-T"}, nil},
		{"a fuller one", []string{"T-1-C", "T-2-R"}, []string{"T-1-S"}, []string{"T-1-S"}},
		{"another", []string{"T-2-R"}, []string{"T-1-R", "T-12-R"}, []string{"T-1-R", "T-12-R"}},
		{"one of several", []string{"T-1-through-9-C"}, []string{"T-9-T"}, []string{"T-9-T"}},
	} {
		m := &memories{talk: Conversation{Messages: 4, Tokens: 60}, history: func(int) (out []item.Item) {
			for _, tag := range test.history {
				out = append(out, item.Item{ID: "turn:" + tag, Kind: "turn", Tag: tag, Body: "what was said of the kiln", Score: 1})
			}
			return out
		}}
		for _, tag := range test.board {
			m.board = append(m.board, pinned(tag))
		}
		b := remembered(t, m, 4000)
		var kept, dropped []string
		for _, it := range b.Items {
			if tag, ok := strings.CutPrefix(it.ID, "board:"); ok {
				kept = append(kept, tag)
			}
		}
		for _, d := range b.Dropped {
			if d.Reason == "duplicate" {
				dropped = append(dropped, d.ID)
			}
		}
		if !slices.Equal(kept, test.kept) || len(kept)+len(dropped) != len(test.board) {
			t.Errorf("%s: the board shows %q, want %q; dropped as there twice %q", test.name, kept, test.kept, dropped)
		}
	}
}

// drops reports whether a bundle dropped something for a reason, whatever its other details.
func drops(b *Bundle, want item.Omission) bool {
	return slices.ContainsFunc(b.Dropped, func(d item.Omission) bool {
		return d.ID == want.ID && d.Kind == want.Kind && d.Reason == want.Reason && d.Score == want.Score
	})
}

// TestPassagesInFull checks that a passage is shown in full and not also as a reminder, and that
// every memory that is not shown is reported with its reason.
func TestPassagesInFull(t *testing.T) {
	m := &memories{
		says:     []item.Item{{ID: "tickler:a/T-1", Kind: "tickler", Body: "remember", Score: 1}, {ID: "tickler:a/T-9", Kind: "tickler", Body: "and that", Score: 1}, {ID: "tickler:b/T-1", Kind: "tickler", Dropped: "threshold"}},
		passages: []item.Item{{ID: "turn:a/T-1", Kind: "turn", Body: "what was said", Score: 1, Covers: []string{"tickler:a/T-1", "tickler:a/T-2"}}},
		known:    []item.Item{{ID: "knowledge:old", Kind: "rule", Dropped: "superseded"}},
		rules:    []item.Item{{ID: "knowledge:long", Kind: "rule", Dropped: "budget"}},
	}
	b := remembered(t, m, 4000)
	var ids []string
	for _, it := range b.Items {
		ids = append(ids, it.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"prompt", "tickler:a/T-9", "turn:a/T-1"}) || !strings.Contains(b.Text, "what was said") {
		t.Errorf("items %v", ids)
	}
	for _, want := range []item.Omission{
		{ID: "tickler:a/T-1", Kind: "tickler", Reason: "duplicate", Score: 1}, {ID: "tickler:b/T-1", Kind: "tickler", Reason: "threshold"},
		{ID: "knowledge:old", Kind: "rule", Reason: "superseded"}, {ID: "knowledge:long", Kind: "rule", Reason: "budget"},
	} {
		if !drops(b, want) {
			t.Errorf("%+v is not in %+v", want, b.Dropped)
		}
	}
}

// TestPassageRoom checks that a conversation without a history leaves most of the budget to
// passages, and that a continued one requests none.
func TestPassageRoom(t *testing.T) {
	m := &memories{}
	remembered(t, m, 4000)
	fresh := m.passageRoom
	m.talk, m.passageRoom = Conversation{Messages: 40, Turns: 20, Tokens: 3000, Settled: 3000}, 0
	remembered(t, m, 4000)
	if fresh != 2400 || m.passageRoom != 0 {
		t.Errorf("%d tokens in a new conversation, %d in a long one", fresh, m.passageRoom)
	}
	words := strings.Repeat("word ", 1500)
	b := remembered(t, &memories{passages: []item.Item{{ID: "turn:a/T-1", Kind: "turn", Body: words, Score: 1}}}, 4000)
	if whole, _ := shown(b, "turn:"); whole != 1 {
		t.Errorf("the passage is not shown: %+v", b.Dropped)
	}
}
