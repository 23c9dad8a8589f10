package conversation_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// said is a message of the model. Conversations that share it hold the same pointer.
type said struct {
	dialogue.Message
	made, forgotten bool
}

// talk is a conversation of the model, with a copy of its whole past.
type talk struct {
	order    int
	title    string
	messages []*said
}

func (k *talk) turns() [][]*said {
	var turns [][]*said
	asked := false
	for _, m := range k.messages {
		if m.Role == dialogue.User && asked || len(turns) == 0 {
			turns = append(turns, nil)
		}
		asked = asked || m.Role == dialogue.User
		turns[len(turns)-1] = append(turns[len(turns)-1], m)
	}
	return turns
}

func (k *talk) has(m dialogue.Message) bool {
	for _, o := range k.messages {
		if m.ID != "" && o.ID == m.ID && (!o.made || o.Role == m.Role && o.Content == m.Content) {
			return true
		}
	}
	return false
}

func (k *talk) add(m dialogue.Message) (added bool) {
	if k.has(m) {
		return false
	}
	s := &said{Message: m}
	if m.ID == "" {
		s.made = true
		s.ID = "auto-" + strconv.Itoa(len(k.messages))
		for slices.ContainsFunc(k.messages, func(o *said) bool { return o.ID == s.ID && !o.made }) {
			s.ID += "'"
		}
	}
	k.messages = append(k.messages, s)
	return true
}

func (k *talk) wantTitle() string {
	if k.title != "" {
		return k.title
	}
	for _, m := range k.messages {
		if m.Role == dialogue.User && m.Content != "" {
			return m.Content
		}
	}
	return ""
}

func (k *talk) wantSessions() (sessions []int) {
	for i, m := range k.messages {
		if i == 0 {
			sessions = append(sessions, 0)
			continue
		}
		gap := m.At.Sub(k.messages[i-1].At).Abs()
		if gap > 4*time.Hour || gap > time.Hour && m.At.Format(time.DateOnly) != k.messages[i-1].At.Format(time.DateOnly) {
			sessions = append(sessions, i)
		}
	}
	return sessions
}

func (k *talk) last() time.Time {
	return slices.MaxFunc(k.messages, func(a, b *said) int { return a.At.Compare(b.At) }).At
}

func textOf(messages []dialogue.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Content + " ")
	}
	return b.String()
}

// world is the system under test and its model.
type world struct {
	s       *store.Store
	ws      store.Workspace
	talks   map[string]*talk
	made    int // conversations so far
	written int // texts so far
	clock   time.Time
}

func (w *world) commit(t *rapid.T, f func(tx store.Tx) error) error {
	tx := w.s.Begin(w.ws, start)
	if err := f(tx); err != nil {
		return err
	}
	if err := w.s.ApplyLater(tx.Batch); err != nil {
		t.Fatal(err)
	}
	return nil
}

func (w *world) ids() []string { return slices.Sorted(maps.Keys(w.talks)) }

func (w *world) drawID(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "conversation")
}

func (w *world) append(t *rapid.T) {
	id := w.drawID(t)
	var messages []dialogue.Message
	for range rapid.IntRange(1, 5).Draw(t, "messages") {
		w.written++
		m := dialogue.Message{
			Role:    rapid.SampledFrom([]dialogue.Role{"user", "assistant", "tool"}).Draw(t, "role"),
			ID:      rapid.SampledFrom([]string{"", "", "m" + strconv.Itoa(w.written), "auto-3", "auto-2", "auto-3'", "x"}).Draw(t, "id"),
			Content: fmt.Sprintf("text-%d", w.written),
		}
		if rapid.IntRange(0, 3).Draw(t, "same") == 0 {
			m.Content = fmt.Sprintf("text-%d", max(1, w.written-3))
		}
		gap := rapid.SampledFrom([]time.Duration{time.Second, 90 * time.Minute, -time.Hour, 5 * time.Hour}).Draw(t, "gap")
		w.clock = w.clock.Add(gap)
		m.At = w.clock
		messages = append(messages, m)
	}
	k := w.talks[id]
	if k == nil {
		w.made++
		k = &talk{order: w.made}
	}
	k.title = cmp.Or(rapid.SampledFrom([]string{"", "", "", "named"}).Draw(t, "title"), k.title)
	before := len(k.messages)
	var duplicates []string
	for _, m := range messages {
		if !k.add(m) {
			duplicates = append(duplicates, m.ID)
		}
	}
	w.talks[id] = k
	var added conversation.AppendResult
	err := w.commit(t, func(tx store.Tx) (err error) {
		a := addition{ID: id, Title: k.title, Messages: messages, Now: start}
		added, err = stage(tx, a)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(added.Duplicates, duplicates) || added.First != before || len(added.Messages) != len(k.messages)-before {
		t.Fatalf("added %+v; want duplicates %q and messages from %d to %d", added, duplicates, before, len(k.messages))
	}
}

func (w *world) fork(t *rapid.T) {
	id, newID := w.drawID(t), w.drawID(t)
	at := rapid.IntRange(0, 6).Draw(t, "turn")
	err := w.commit(t, func(tx store.Tx) error {
		_, err := conversation.Fork(tx, id, at, newID)
		return err
	})
	k := w.talks[id]
	switch {
	case k == nil || at < 1 || at > len(k.turns()):
		if !errors.Is(err, conversation.ErrNotFound) {
			t.Fatalf("fork %s at %d: %v", id, at, err)
		}
	case w.talks[newID] != nil:
		if !errors.Is(err, conversation.ErrExists) {
			t.Fatalf("fork %s at %d as %s: %v", id, at, newID, err)
		}
	case err != nil:
		t.Fatal(err)
	default:
		count := len(slices.Concat(k.turns()[:at]...))
		w.made++
		w.talks[newID] = &talk{order: w.made, title: k.title, messages: slices.Clone(k.messages[:count])}
	}
}

func (w *world) delete(t *rapid.T) {
	id := w.drawID(t)
	var gone []conversation.Part
	err := w.commit(t, func(tx store.Tx) (err error) {
		gone, err = conversation.Delete(tx, id)
		return err
	})
	k := w.talks[id]
	if k == nil {
		if !errors.Is(err, conversation.ErrNotFound) {
			t.Fatalf("delete %s: %v", id, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(w.talks, id)
	shared := make(map[*said]bool)
	for _, o := range w.talks {
		for _, m := range o.messages {
			shared[m] = true
		}
	}
	var want, got []string
	for i, m := range k.messages {
		if !shared[m] {
			want = append(want, fmt.Sprintf("%d %s", i, m.Content))
		}
	}
	for _, part := range gone {
		for i, m := range part.Messages {
			got = append(got, fmt.Sprintf("%d %s", part.First+i, m.Content))
		}
	}
	// What deleted conversations kept only for this one is removed too: all of that is in its past.
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("delete %s: gone %q, want %q", id, got, want)
	}
}

func (w *world) forget(t *rapid.T) {
	id := w.drawID(t)
	at := rapid.IntRange(0, 5).Draw(t, "turn")
	var removed []conversation.Part
	err := w.commit(t, func(tx store.Tx) (err error) {
		removed, err = conversation.ForgetTurn(tx, id, at)
		return err
	})
	k := w.talks[id]
	if k == nil || at < 1 || at > len(k.turns()) {
		if !errors.Is(err, conversation.ErrNotFound) {
			t.Fatalf("forget %s %d: %v", id, at, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var got, want string
	for _, part := range removed {
		got += textOf(part.Messages)
	}
	for _, m := range k.turns()[at-1] {
		if !m.forgotten {
			want += m.Content + " "
		}
		*m = said{Message: dialogue.Message{Role: m.Role, At: m.At}, forgotten: true}
	}
	if got != want {
		t.Fatalf("forgot %q, want %q", got, want)
	}
}

// work makes versions with the text of their turn, for some of the pending turns.
func (w *world) work(t *rapid.T) { w.makeVersions(t, rapid.IntRange(1, 5).Draw(t, "limit")) }

func (w *world) makeVersions(t *rapid.T, limit int) (made int) {
	pending, err := conversation.Pending(w.s.View(w.ws), limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pending {
		if ok, err := conversation.IsPending(w.s.View(w.ws), p); err != nil || !ok {
			t.Fatal(p, ok, err)
		}
		info, err := conversation.ByNumber(w.s.View(w.ws), p.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		turn, err := conversation.Turn(w.s.View(w.ws), info, p.Turn)
		if err != nil {
			t.Fatal(err)
		}
		text := textOf(turn.Messages)
		v := conversation.Versions{S: text, Source: "raw", Messages: len(turn.Messages), Sizes: conversation.Sizes{R: len(text) + 1}}
		err = w.commit(t, func(tx store.Tx) error {
			conversation.PutVersions(tx, p.Conversation, p.Turn, v)
			conversation.WantWritten(tx, conversation.UnwrittenTurn{
				Conversation: p.Conversation, Turn: p.Turn, Messages: p.Messages, Content: xxh3.HashString128(text).Bytes(),
			})
			conversation.WantArc(tx, p.Conversation)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := conversation.IsPending(w.s.View(w.ws), p); err != nil || ok {
			t.Fatalf("%+v waits after its versions were put: %v", p, err)
		}
	}
	return len(pending)
}

// drain makes all versions, and checks that every turn with a text has them.
func (w *world) drain(t *rapid.T) {
	for w.makeVersions(t, 100) > 0 {
	}
	for _, id := range w.ids() {
		info, err := conversation.Find(w.s.View(w.ws), id)
		if err != nil {
			t.Fatal(err)
		}
		for i, turn := range w.talks[id].turns() {
			v, ok, err := conversation.LoadVersions(w.s.View(w.ws), info, i+1)
			if err != nil {
				t.Fatal(err)
			}
			forgotten := !slices.ContainsFunc(turn, func(m *said) bool { return !m.forgotten })
			if !forgotten && (!ok || v.Messages != len(turn)) {
				t.Fatalf("turn %d of %s has no versions: %+v", i+1, id, v)
			}
		}
	}
}

var written = regexp.MustCompile(`text-\d+`)

func (w *world) check(t *rapid.T) {
	alive := make(map[string]bool)
	for _, id := range w.ids() {
		w.checkTalk(t, id)
		for _, m := range w.talks[id].messages {
			alive[m.Content] = true
		}
	}
	for k, v := range dump(t, w.s.View(w.ws)) {
		for _, found := range written.FindAllString(k+" "+v, -1) {
			if !alive[found] {
				t.Fatalf("%s is still in %q = %q", found, k, v)
			}
		}
		if len(w.talks) == 0 && k[5:] != "n" {
			t.Fatalf("%q = %q is left of nothing", k, v)
		}
	}
	w.checkList(t)
}

func (w *world) checkTalk(t *rapid.T, id string) {
	k := w.talks[id]
	info, err := conversation.Find(w.s.View(w.ws), id)
	if err != nil {
		t.Fatal(err)
	}
	turns := k.turns()
	if info.Title != k.wantTitle() || info.Turns != len(turns) || info.Messages != len(k.messages) ||
		!slices.Equal(info.Sessions, k.wantSessions()) || !info.LastAt.Equal(k.last()) {
		t.Fatalf("%s is %+v; want title %q, %d turns, %d messages, sessions %v, last %v", id, info,
			k.wantTitle(), len(turns), len(k.messages), k.wantSessions(), k.last())
	}
	got, err := conversation.Turns(w.s.View(w.ws), info, 1, info.Turns)
	if err != nil || len(got) != len(turns) {
		t.Fatalf("%d turns of %s, want %d: %v", len(got), id, len(turns), err)
	}
	sizes, err := conversation.TurnSizes(w.s.View(w.ws), info, 1)
	if err != nil {
		t.Fatal(err)
	}
	index := 0
	for i, turn := range turns {
		if got[i].Number != i+1 || got[i].First != index || len(got[i].Messages) != len(turn) {
			t.Fatalf("turn %+v of %s; want %d messages from %d", got[i], id, len(turn), index)
		}
		for j, m := range turn {
			if fmt.Sprint(got[i].Messages[j]) != fmt.Sprint(m.Message) {
				t.Fatalf("message %d of %s is %+v; want %+v", index, id, got[i].Messages[j], m.Message)
			}
			if n, err := conversation.TurnOf(w.s.View(w.ws), info, index); n != i+1 || err != nil {
				t.Fatalf("message %d of %s is in turn %d, %v; want %d", index, id, n, err, i+1)
			}
			index++
		}
		v, ok, err := conversation.LoadVersions(w.s.View(w.ws), info, i+1)
		if err != nil {
			t.Fatal(err)
		}
		current := ok && v.Messages == len(turn)
		again, told, err := conversation.LoadWritten(w.s.View(w.ws), info, i+1)
		if err != nil {
			t.Fatal(err)
		}
		if told && again.Messages == len(turn) && again.S != textOf(got[i].Messages) {
			t.Fatalf("a model told of turn %d of %s %q; its text is %q", i+1, id, again.S, textOf(got[i].Messages))
		}
		if current && v.S != textOf(got[i].Messages) {
			t.Fatalf("versions of turn %d of %s: %+v; its text is %q", i+1, id, v, textOf(got[i].Messages))
		}
		if current != (sizes[i].R > 0) || current && sizes[i].R != len(v.S)+1 {
			t.Fatalf("sizes of turn %d of %s: %+v; versions %+v", i+1, id, sizes[i], v)
		}
	}
	for _, s := range info.Spans() {
		if living, err := conversation.Living(w.s.View(w.ws), s.Conversation, s.To-1); err != nil || living.ID == "" {
			t.Fatalf("%+v of %s: living %+v, %v", s, id, living, err)
		}
	}
}

func (w *world) checkList(t *rapid.T) {
	want := w.ids()
	slices.SortFunc(want, func(a, b string) int {
		ka, kb := w.talks[a], w.talks[b]
		return cmp.Or(kb.last().Compare(ka.last()), kb.order-ka.order)
	})
	var got []string
	before := ""
	for {
		infos, next, err := conversation.List(w.s.View(w.ws), 2, before)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			got = append(got, info.ID)
		}
		if before = next; next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("listed %q, want %q", got, want)
	}
}

func TestModel(t *testing.T) {
	s := storetest.Open(t)
	var workspaces atomic.Uint32
	workspaces.Store(10)
	rapid.Check(t, func(t *rapid.T) {
		w := &world{s: s, ws: store.Workspace(workspaces.Add(2)), talks: make(map[string]*talk), clock: start}
		t.Repeat(map[string]func(*rapid.T){
			"append": w.append, "append again": w.append, "fork": w.fork, "fork again": w.fork, "delete": w.delete,
			"forget": w.forget, "work": w.work, "write": w.write, "drain": w.drain, "": w.check,
		})
		out := export(t, s.View(w.ws))
		before := dump(t, s.View(w.ws))
		if n := load(t, s, w.ws, out); n != 0 || !maps.Equal(before, dump(t, s.View(w.ws))) {
			t.Fatalf("importing what is there added %d messages or changed something", n)
		}
		copied := &world{s: s, ws: w.ws + 1, talks: w.talks, clock: w.clock}
		load(t, s, copied.ws, out)
		if again := export(t, s.View(copied.ws)); again != out {
			t.Fatalf("exported\n%s\nimported and exported again\n%s", out, again)
		}
		before = dump(t, s.View(copied.ws))
		if n := load(t, s, copied.ws, out); n != 0 || !maps.Equal(before, dump(t, s.View(copied.ws))) {
			t.Fatalf("importing for the second time added %d messages or changed something", n)
		}
		for _, id := range w.ids() {
			copied.checkTalk(t, id)
		}
		copied.drain(t)
	})
}
