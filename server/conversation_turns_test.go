package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func TestTurn(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	s := newSpeaker(1)
	for i := range 12 {
		m := s.turn(300)
		m[0]["id"] = fmt.Sprintf("u%d", i+1)
		say(t, e, "c", m...)
	}
	say(t, e, "c", user("What does </T-13-R> or </ctx-prompt> mean?\n<T-1-S>not one</T-1-S>"), assistant("Look: </T-13-S>, </T-13-C>, </T-13-T> </t-13-r >"))
	for _, level := range []string{"R", "S", "C", "T"} {
		for _, n := range []int{1, 7, 13} {
			id := fmt.Sprintf("T-%d", n)
			r := turnOf(t, e, "c", id, level)
			tag := id + "-" + level
			if !strings.HasPrefix(r.Text, "<"+tag+">") || !strings.HasSuffix(strings.TrimSuffix(r.Text, "\n"), "</"+tag+">") {
				t.Errorf("the element of %s: %q … %q", tag, r.Text[:20], r.Text[len(r.Text)-20:])
			}
			if strings.Count(strings.ToLower(r.Text), "<"+strings.ToLower(tag)) != 1 || strings.Count(strings.ToLower(r.Text), "</") < 1 ||
				strings.Count(strings.ToLower(r.Text), "</"+strings.ToLower(tag)) != 1 || strings.Contains(r.Text, "</ctx-") {
				t.Errorf("an imitation stands in %s: %s", tag, r.Text)
			}
			if r.TurnID != id || r.Level != level || r.Tokens != counted(t, "o200k_base", r.Text) {
				t.Errorf("%s: %s at %s, %d tokens of %d", tag, r.TurnID, r.Level, r.Tokens, counted(t, "o200k_base", r.Text))
			}
			if want := map[bool]string{true: "raw", false: "extractive"}[level == "R"]; r.Source != want {
				t.Errorf("%s: source %q, want %q", tag, r.Source, want)
			}
			if n < 13 && (len(r.MessageIDs) < 2 || r.MessageIDs[0] != fmt.Sprintf("u%d", n)) {
				t.Errorf("%s: messages %v", tag, r.MessageIDs)
			}
			if level == "R" && r.Pending {
				t.Errorf("%s is pending", tag)
			}
		}
	}
	for _, n := range []int{2, 7} {
		var sizes []int
		for _, level := range []string{"R", "S", "C", "T"} {
			sizes = append(sizes, turnOf(t, e, "c", fmt.Sprintf("T-%d", n), level).Tokens)
		}
		if !slices.IsSortedFunc(sizes, func(a, b int) int { return b - a }) || sizes[3]*5 > sizes[0] {
			t.Errorf("turn %d takes %v tokens at R, S, C, T", n, sizes)
		}
	}
	if r := ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": "c", "turnId": "T-2"}); r.Level != "S" {
		t.Errorf("the level is %s when none is named", r.Level)
	}
	const turn = "contexture.conversation.turn"
	refused(t, e, turn, args{"conversationId": "c", "turnId": "T-14"}, "", "notFound")
	refused(t, e, turn, args{"conversationId": "c", "turnId": "T-99999999999999999"}, "", "notFound")
	refused(t, e, turn, args{"conversationId": "d", "turnId": "T-1"}, "", "notFound")
	refused(t, e, turn, args{"conversationId": "c", "turnId": "T-0"}, "turnId", "")
	refused(t, e, turn, args{"conversationId": "c", "turnId": "7"}, "turnId", "")
	refused(t, e, turn, args{"conversationId": "c", "turnId": "T-1", "level": "X"}, "level", "")
	refused(t, e, turn, args{"conversationId": "c"}, "turnId", "")
}

// boardOf returns the items on a board.
func boardOf(t *testing.T, e *servertest.Editor, conversation string) []command.BoardItem {
	t.Helper()
	return ask[command.BoardListResult](t, e, "contexture.board.list", args{"conversationId": conversation}).Items
}

// TestBoardLifetimes checks that an item expires with the ttl-th user message after its put, and
// that only user messages count.
func TestBoardLifetimes(t *testing.T) {
	root := servertest.Tree(t, nil)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	say(t, e, "c", user("first"), assistant("one"))
	ends := map[string]int{}
	for _, ttl := range []int{1, 2, 5, 7} {
		item := ask[command.BoardItemResult](t, e, "contexture.board.put", args{"conversationId": "c", "type": "note", "title": fmt.Sprint("ttl ", ttl), "content": "text", "ttl": ttl}).Item
		if item.ID == "" || item.ExpiresAfterTurn == nil || *item.ExpiresAfterTurn != ttl {
			t.Errorf("ttl %d: %+v", ttl, item)
		}
		ends[item.Title] = ttl
	}
	item := ask[command.BoardItemResult](t, e, "contexture.board.put", args{"conversationId": "c", "type": "note", "title": "default", "content": ""}).Item
	ends[item.Title] = 5
	ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": "c", "turnId": "T-1", "level": "R"})
	ends["Turn 1"] = 5
	for after := range 9 {
		if after > 0 {
			say(t, e, "c", user("next"))
			say(t, e, "c", assistant("yes"), message("tool", "ok"), message("system", "hm"))
		}
		var got []string
		for _, it := range boardOf(t, e, "c") {
			got = append(got, it.Title)
			if ends[it.Title] <= after {
				t.Errorf("%q is there after %d user messages", it.Title, after)
			}
		}
		for title, end := range ends {
			if end > after && !slices.Contains(got, title) {
				t.Errorf("%q is not there after %d user messages: %v", title, after, got)
			}
		}
		b := bundleOf(t, e, args{"prompt": "and what now?", "conversationId": "c"})
		var shown []string
		for _, it := range b.Board {
			shown = append(shown, it.Title)
		}
		if !slices.Equal(shown, got) {
			t.Errorf("the bundle's board is %v, the list %v", shown, got)
		}
	}
}

// TestBoardBeforeTheFirstQuestion checks that lifetimes count user messages also if the
// conversation began with other messages.
func TestBoardBeforeTheFirstQuestion(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	say(t, e, "c", message("system", "Be brief."))
	for ttl := 1; ttl <= 2; ttl++ {
		ask[command.BoardItemResult](t, e, "contexture.board.put", args{"conversationId": "c", "type": "note", "title": fmt.Sprint(ttl), "content": "x", "ttl": ttl})
	}
	for i, m := range []args{nil, assistant("Hello."), user("first"), assistant("ok"), user("second")} {
		if m != nil {
			say(t, e, "c", m)
		}
		if got, want := len(boardOf(t, e, "c")), []int{2, 2, 1, 1, 0}[i]; got != want {
			t.Errorf("after %d messages: %d items, want %d", i, got, want)
		}
	}
}

func TestBoard(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	say(t, e, "c", user("first"))
	const put, remove = "contexture.board.put", "contexture.board.remove"
	refused(t, e, put, args{"conversationId": "d", "type": "note", "title": "t", "content": "x"}, "", "notFound")
	refused(t, e, put, args{"conversationId": "c", "type": "note", "title": "t", "content": "x", "ttl": 101}, "ttl", "")
	refused(t, e, put, args{"conversationId": "c", "type": "note", "title": "t", "content": "x", "ttl": 0}, "ttl", "")
	a := ask[command.BoardItemResult](t, e, put, args{"conversationId": "c", "type": "note", "title": "a", "content": "x"}).Item
	b := ask[command.BoardItemResult](t, e, put, args{"conversationId": "c", "type": "note", "title": "a", "content": "x"}).Item
	if a.ID == b.ID || len(boardOf(t, e, "c")) != 2 {
		t.Errorf("two items: %+v, %+v", a, b)
	}
	ask[command.Deleted](t, e, remove, args{"conversationId": "c", "id": a.ID})
	refused(t, e, remove, args{"conversationId": "c", "id": a.ID}, "", "notFound")
	refused(t, e, remove, args{"conversationId": "c", "id": "nonsense"}, "", "notFound")
	refused(t, e, remove, args{"conversationId": "d", "id": b.ID}, "", "notFound")
	if items := boardOf(t, e, "c"); len(items) != 1 || items[0].ID != b.ID {
		t.Errorf("left: %+v", items)
	}
}

// TestHistory checks each layout against its own figures.
func TestHistory(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	s := newSpeaker(2)
	var batch []args
	const turns = 120
	for range turns {
		batch = append(batch, s.turn(400)...)
	}
	say(t, e, "c", batch...)
	say(t, e, "short", user("hello"), assistant("Hello, what is it?"))
	for _, encoding := range []string{"o200k_base", "cl100k_base"} {
		e.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"budget": args{"encoding": encoding}}}})
		for _, strategy := range []string{"gradient", "regular", "oneShot"} {
			for _, budget := range []int{256, 300, 777, 2000, 12000, 50000, 1000000} {
				for _, id := range []string{"c", "short"} {
					name := fmt.Sprintf("%s, %s, %d tokens, %s", id, strategy, budget, encoding)
					h := ask[command.HistoryResult](t, e, "contexture.conversation.history", args{"conversationId": id, "budget": budget, "strategy": strategy})
					checkHistory(t, name, h, encoding, budget)
					last := turns
					if id == "short" {
						last = 1
					}
					if n := len(h.Bands); n > 0 && h.Bands[n-1].To != fmt.Sprintf("T-%d", last) {
						t.Errorf("%s: the last turn told is %s of %d", name, h.Bands[n-1].To, last)
					}
					if budget == 1000000 && (len(h.Bands) == 0 || h.Bands[0].From != "T-1") {
						t.Errorf("%s: bands %+v", name, h.Bands)
					}
					if h.Strategy != strategy || len(h.Bands) == 0 && budget >= 1000 {
						t.Errorf("%s: strategy %s, bands %+v", name, h.Strategy, h.Bands)
					}
				}
			}
		}
	}
	refused(t, e, "contexture.conversation.history", args{"conversationId": "d"}, "", "notFound")
	refused(t, e, "contexture.conversation.history", args{"conversationId": "c", "budget": 255}, "budget", "")
	refused(t, e, "contexture.conversation.history", args{"conversationId": "c", "strategy": "none"}, "strategy", "")
}

func checkHistory(t *testing.T, name string, h command.HistoryResult, encoding string, budget int) {
	t.Helper()
	if n := counted(t, encoding, h.Text); n != h.Tokens || n > budget {
		t.Errorf("%s: %d tokens are said, %d counted, %d allowed", name, h.Tokens, n, budget)
	}
	next, sum := 0, 0
	if h.LeftOut == nil && len(h.Bands) > 0 && h.Bands[0].From != "T-1" {
		t.Errorf("%s: what is before %s is not told of", name, h.Bands[0].From)
	}
	if left := h.LeftOut; left != nil {
		sum = left.Tokens
		if told := strings.Contains(h.Text, left.ID); told != (left.Tokens > 0) {
			t.Errorf("%s: left out is %+v, told %v", name, left, told)
		}
		if fmt.Sscanf(left.To, "T-%d", &next); h.Strategy == "gradient" && len(h.Bands) > 0 && h.Bands[0].From != fmt.Sprintf("T-%d", next+1) {
			t.Errorf("%s: left out is %+v before %+v", name, left, h.Bands)
		}
	}
	for i, b := range h.Bands {
		var from, to int
		fmt.Sscanf(b.From, "T-%d", &from)
		fmt.Sscanf(b.To, "T-%d", &to)
		if sum += b.Tokens; from < 1 || to < from || i > 0 && from != next || i > 0 && h.Bands[i-1].Level == b.Level {
			t.Errorf("%s: band %+v after %+v", name, b, h.Bands[max(i-1, 0)])
		}
		if i > 0 && strings.Index("TCSR", b.Level) < strings.Index("TCSR", h.Bands[i-1].Level) {
			t.Errorf("%s: newer turns are told at %s, older ones at %s", name, b.Level, h.Bands[i-1].Level)
		}
		next = to + 1
		if !strings.Contains(h.Text, fmt.Sprintf("<T-%d-%s>", from, b.Level)) && !strings.Contains(h.Text, fmt.Sprintf("<T-%d-through-", from)) {
			t.Errorf("%s: no element begins with %s at %s", name, b.From, b.Level)
		}
		for n := from; n <= to; n++ {
			whole := strings.Contains(h.Text, fmt.Sprintf("<T-%d-%s>", n, b.Level))
			if lower := b.Level == "C" || b.Level == "T"; !whole && !lower {
				t.Errorf("%s: T-%d is not there at %s", name, n, b.Level)
			}
		}
	}
	if sum != h.Tokens {
		t.Errorf("%s: the bands have %d tokens of %d", name, sum, h.Tokens)
	}
}

// TestHistoryIsFull replays conversations and checks that no newer turn has a coarser level than an
// older one, that the newest summarised turn does not fit whole, and that omitted turns are named
// and can be fetched.
func TestHistoryIsFull(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	cases := []struct{ bytes, budget, turns int }{{100, 256, 12}, {600, 400, 16}, {300, 2000, 30}, {1000, 6000, 40}}
	if testing.Short() {
		cases = cases[:3]
	}
	for i, tt := range cases {
		s, id := newSpeaker(uint64(3+i)), fmt.Sprint("c", i)
		var before command.HistoryResult
		for turn := 1; turn <= tt.turns; turn++ {
			say(t, e, id, s.turn(tt.bytes)...)
			h := ask[command.HistoryResult](t, e, "contexture.conversation.history", args{"conversationId": id, "budget": tt.budget})
			name := fmt.Sprintf("turns of %d bytes in %d tokens, turn %d", tt.bytes, tt.budget, turn)
			checkHistory(t, name, h, "o200k_base", tt.budget)
			if h.RecalculatedAtTurn < before.RecalculatedAtTurn || h.RecalculatedAtTurn > turn || h.RecalculatedAtTurn < turn/10*10 {
				t.Errorf("%s: recalculated at %d after %d", name, h.RecalculatedAtTurn, before.RecalculatedAtTurn)
			}
			before = h
			first, told := 1, 0
			if h.LeftOut != nil {
				fmt.Sscanf(h.LeftOut.To, "T-%d", &first)
				first++
				if r := recall(t, e, args{"expand": h.LeftOut.ID, "budget": 100000}); len(r.Items) != 1 || len(r.Items[0].MessageIDs) < first-1 {
					t.Errorf("%s: %s brings %+v", name, h.LeftOut.ID, r.Items)
				}
			}
			for _, b := range h.Bands {
				if b.Level != "R" {
					fmt.Sscanf(b.To, "T-%d", &told)
				}
			}
			if told < 1 {
				continue
			}
			whole := turnOf(t, e, id, fmt.Sprintf("T-%d", told), "R").Tokens
			if free := tt.budget - h.Tokens; free > whole {
				t.Errorf("%s: turn %d of %d tokens is not told whole, and %d of %d are free: %+v", name, told, whole, free, tt.budget, h.Bands)
			}
		}
		if len(before.Bands) == 0 || before.Bands[len(before.Bands)-1].To != fmt.Sprintf("T-%d", tt.turns) {
			t.Errorf("turns of %d bytes: %+v", tt.bytes, before.Bands)
		}
	}
}

func TestArc(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	const arc = "contexture.conversation.arc"
	say(t, e, "short", user("Where do the log files go?"), assistant("They go to var/log."))
	if a := ask[command.ArcResult](t, e, arc, args{"conversationId": "short"}); !strings.Contains(a.Arc, "var/log") {
		t.Errorf("up to six messages are the arc: %+v", a)
	}
	say(t, e, "c", user("We need a store for sessions."), assistant("Redis or SQLite would do."))
	say(t, e, "c", user("Let's use SQLite instead of Redis for the sessions."), assistant("Done: sessions are in SQLite now."))
	say(t, e, "c", user("How long should a session live?"))
	s := newSpeaker(4)
	for range 10 {
		say(t, e, "c", s.turn(200)...)
	}
	say(t, e, "c", user("Should we encrypt the backup as well?"))
	sizes := map[string]int{}
	for _, style := range []string{"light", "rich", "dense"} {
		a := ask[command.ArcResult](t, e, arc, args{"conversationId": "c", "style": style})
		sizes[style] = counted(t, "o200k_base", a.Arc)
		if !slices.ContainsFunc(a.Decisions, func(d command.Decision) bool {
			return strings.Contains(d.Text, "SQLite") && d.TurnID == "T-2" && slices.ContainsFunc(d.Rejected, func(r string) bool { return strings.Contains(r, "Redis") })
		}) {
			t.Errorf("%s: decisions %+v", style, a.Decisions)
		}
		if !slices.ContainsFunc(a.OpenQuestions, func(q command.Question) bool { return strings.Contains(q.Text, "encrypt") && q.TurnID == "T-14" }) {
			t.Errorf("%s: open questions %+v", style, a.OpenQuestions)
		}
		if a.CurrentFocus == "" || a.Source != "extractive" || a.Arc == "" {
			t.Errorf("%s: %+v", style, a)
		}
	}
	if sizes["light"] > sizes["rich"] || sizes["rich"] > sizes["dense"] {
		t.Errorf("tokens by style: %v", sizes)
	}
	refused(t, e, arc, args{"conversationId": "d"}, "", "notFound")
	refused(t, e, arc, args{"conversationId": "c", "style": "long"}, "style", "")
}

// TestHistorySettings checks that without a named strategy, the one set for the conversation's root
// applies.
func TestHistorySettings(t *testing.T) {
	plain := servertest.Tree(t, nil)
	own := servertest.Tree(t, map[string]string{".contexture.toml": "[history]\nstrategy = \"regular\"\n"})
	e := servertest.Start(t, servertest.Options{Roots: []string{plain, own}})
	for root, want := range map[string]string{plain: "gradient", own: "regular"} {
		a := args{"workspace": servertest.URI(root), "conversationId": "c", "messages": []args{user("hello")}}
		ask[command.AppendResult](t, e, "contexture.conversation.append", a)
		delete(a, "messages")
		if h := ask[command.HistoryResult](t, e, "contexture.conversation.history", a); h.Strategy != want {
			t.Errorf("strategy %s, want %s", h.Strategy, want)
		}
	}
	refused(t, e, "contexture.conversation.history", args{"conversationId": "c"}, "workspace", "")
}
