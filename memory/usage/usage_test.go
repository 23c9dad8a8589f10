package usage

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

const ws store.Workspace = 3

var start = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)

// plainTerms returns the words of three letters or more in lower case.
func plainTerms(text string, yield func(string)) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(w) > 2 {
			yield(w)
		}
	}
}

func remember(t rapid.TB, s *store.Store, bundle string, items ...ShownItem) {
	t.Helper()
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return Remember(tx, bundle, Digest(items, plainTerms)) })
}

func giveFeedback(t rapid.TB, s *store.Store, bundle, response string, now time.Time, followups ...string) (used []ItemUse) {
	t.Helper()
	storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) (err error) {
		used, err = Record(tx, bundle, response, followups, plainTerms)
		return err
	})
	return used
}

func boost(t rapid.TB, s *store.Store, id string, now time.Time) float64 {
	t.Helper()
	m, err := Boosts(s.View(ws), []string{id}, now)
	if err != nil {
		t.Fatal(err)
	}
	return m[id]
}

func near(x, y float64) bool { return math.Abs(x-y) < 1e-9 }

var (
	lesson = ShownItem{ID: "lesson", Text: "the retry queue drops messages when the broker restarts"}
	chunk  = ShownItem{ID: "chunk", Text: "func flushBuffer(w io.Writer) error { return w.pending.Drain() }"}
)

const usesLesson = "the broker restarts and the queue drops messages: retry when it is back"

func TestBoost(t *testing.T) {
	s := storetest.Open(t)
	for i, want := range []float64{1, 1.5, 1.5} {
		bundle := fmt.Sprint("b", i)
		remember(t, s, bundle, lesson, chunk)
		used := giveFeedback(t, s, bundle, usesLesson, start.Add(time.Duration(i)))
		if len(used) != 2 || used[0].ID != "lesson" || !used[0].Referenced || used[1].Referenced {
			t.Fatalf("%d: %+v", i, used)
		}
		if b := used[0].Boost; math.Abs(b-want) > 1e-9 {
			t.Errorf("%d: boost of what is used %v, want %v", i, b, want)
		}
		if b := used[1].Boost; math.Abs(b-(2-want)) > 1e-9 {
			t.Errorf("%d: boost of what is not %v, want %v", i, b, 2-want)
		}
	}
	ids := []string{"chunk", "unheard of", "lesson"} // more than there are, so all are read
	if all, err := Boosts(s.View(ws), ids, start); err != nil || len(all) != 3 {
		t.Errorf("%d boosts of three, %v", len(all), err)
	} else {
		for id, got := range all {
			if want := boost(t, s, id, start); got != want {
				t.Errorf("boost of %s among others %v, alone %v", id, got, want)
			}
		}
	}
	if b := boost(t, s, "unheard of", start); b != 1 {
		t.Errorf("boost of an unknown item %v", b)
	}
	week := 7 * 24 * time.Hour
	for _, c := range []struct {
		weeks int
		want  float64
	}{{1, 1.25}, {2, 1.125}, {10, 1 + 0.5/1024}} {
		at := start.Add(2 + time.Duration(c.weeks)*week)
		if got := boost(t, s, "lesson", at); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("after %d weeks: %v, want %v", c.weeks, got, c.want)
		}
	}
	if got := boost(t, s, "lesson", start.Add(-week)); math.Abs(got-1.5) > 1e-9 {
		t.Errorf("with the clock gone back: %v", got)
	}
}

// TestRecentFeedbackWeighsMore checks that a use a week ago weighs half as much as a miss now.
func TestRecentFeedbackWeighsMore(t *testing.T) {
	s := storetest.Open(t)
	remember(t, s, "a", lesson)
	remember(t, s, "b", lesson)
	giveFeedback(t, s, "a", usesLesson, start)
	used := giveFeedback(t, s, "b", "nothing of it", start.Add(7*24*time.Hour))
	if want := 0.5 + 0.5/1.5; !near(used[0].Boost, want) {
		t.Errorf("boost %v, want %v", used[0].Boost, want)
	}
}

func TestFeedbackCountsOnce(t *testing.T) {
	s := storetest.Open(t)
	remember(t, s, "a", lesson)
	remember(t, s, "b", lesson)
	giveFeedback(t, s, "a", usesLesson, start)
	giveFeedback(t, s, "a", usesLesson, start)
	if got := boost(t, s, "lesson", start); got != 1 {
		t.Errorf("one bundle counted twice: boost %v", got)
	}
	giveFeedback(t, s, "b", usesLesson, start)
	if got := boost(t, s, "lesson", start); !near(got, 1.5) {
		t.Errorf("boost %v", got)
	}
	giveFeedback(t, s, "b", "nothing of it", start) // the final feedback for it
	if got := boost(t, s, "lesson", start); !near(got, 1) {
		t.Errorf("after other feedback on the same bundle: boost %v", got)
	}
}

func TestFollowups(t *testing.T) {
	for _, c := range []struct {
		name, response string
		followups      []string
		want           float64 // boost after two such bundles
		referenced     bool
	}{
		{"used", usesLesson, nil, 1.5, true},
		{"used, thanked", usesLesson, []string{"thanks, no problem"}, 1.5, true},
		{"used, rejected", usesLesson, []string{"No, that's wrong: look at the consumer"}, 1, true},
		{"used, later answer rejected", usesLesson, []string{"good", "no, that's wrong"}, 1.5, true},
		{"built upon", "sure", []string{"so the broker restarts and the queue drops messages"}, 1.5, true},
		{"not used", "sure", []string{"go on"}, 0.5, false},
	} {
		s := storetest.Open(t)
		var used []ItemUse
		for _, bundle := range []string{"a", "b"} {
			remember(t, s, bundle, lesson)
			used = giveFeedback(t, s, bundle, c.response, start, c.followups...)
		}
		if !near(used[0].Boost, c.want) || used[0].Referenced != c.referenced {
			t.Errorf("%s: %+v, want %v", c.name, used[0], c.want)
		}
	}
}

func TestRejects(t *testing.T) {
	for message, want := range map[string]bool{
		"no": true, "No.": true, "no, the other one": true, "Nope! try again": true, "no that is the old one": true,
		"That's wrong": true, "that’s not what I asked": true, "> that is not right": true, "It still fails with EOF": true,
		"wrong file": true, "I meant the server": true,
		"": false, "no problem": false, "No worries, thanks": false, "now add a test": false, "nothing else": false,
		"great, that's it": false, "note that it's wrong in the docs": false, "no-op handlers are fine": false,
		"not bad": false, "add one for the case that it's not right": false,
	} {
		if got := rejects(message); got != want {
			t.Errorf("rejects(%q) = %v", message, got)
		}
	}
}

func TestUnknownBundle(t *testing.T) {
	s := storetest.Open(t)
	if _, err := Record(s.Begin(ws, start), "x", "r", nil, plainTerms); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown bundle: %v", err)
	}
	for i := range keepBundles + 3 {
		remember(t, s, fmt.Sprint("b", i), lesson)
		remember(t, s, fmt.Sprint("b", i), lesson, chunk) // again: it takes no second entry
	}
	for i, want := range map[int]bool{0: false, 2: false, 3: true, keepBundles + 2: true} {
		_, err := Record(s.Begin(ws, start), fmt.Sprint("b", i), "r", nil, plainTerms)
		if (err == nil) != want || !want && !errors.Is(err, ErrNotFound) {
			t.Errorf("bundle %d: %v", i, err)
		}
	}
	if used := giveFeedback(t, s, "b100", "", start); len(used) != 2 || used[0].Overlap != 0 || used[0].Referenced {
		t.Errorf("empty response: %+v", used)
	}
	remember(t, s, "empty")
	if used := giveFeedback(t, s, "empty", "x", start); len(used) != 0 {
		t.Errorf("bundle of nothing: %+v", used)
	}
}

// TestCommonNames checks that a name in most items is no sign of use of any.
func TestCommonNames(t *testing.T) {
	s := storetest.Open(t)
	var items []ShownItem
	for i := range 4 {
		items = append(items, ShownItem{ID: fmt.Sprint(i), Text: fmt.Sprintf("func step%s() { loadSettings() }", strings.Repeat("X", i)+"Y")})
	}
	items[0].Text += " calls flushBuffer"
	remember(t, s, "a", items...)
	for i, u := range giveFeedback(t, s, "a", "call loadSettings, flushBuffer and then whatever the other parts of this large system need", start) {
		if u.Referenced != (i == 0) {
			t.Errorf("%d: %+v", i, u)
		}
	}
}

// TestSimilarItemIsNotCredited checks that of two items with similar text about different things,
// the one that the response is about rises and the other sinks, and that two equal ones both rise.
func TestSimilarItemIsNotCredited(t *testing.T) {
	s := storetest.Open(t)
	oslo := ShownItem{ID: "oslo", Text: "the nightly import for oslo starts at three and is restarted with importctl again oslo"}
	bergen := ShownItem{ID: "bergen", Text: "the nightly import for bergen starts at three and is restarted with importctl again bergen"}
	again := ShownItem{ID: "again", Text: oslo.Text}
	for i := range 3 {
		bundle := fmt.Sprint("b", i)
		remember(t, s, bundle, bergen, oslo, again, chunk)
		used := giveFeedback(t, s, bundle, "restarted with importctl again oslo: the nightly import for oslo starts at three", start)
		for _, u := range used {
			if want := u.ID == "oslo" || u.ID == "again"; u.Referenced != want {
				t.Errorf("%s: referenced = %v, want %v", u.ID, u.Referenced, want)
			}
		}
	}
	for id, want := range map[string]float64{"oslo": 1.5, "again": 1.5, "bergen": .5} {
		if got := boost(t, s, id, start); !near(got, want) {
			t.Errorf("boost of %s %v, want %v", id, got, want)
		}
	}
}

func TestPrune(t *testing.T) {
	s := storetest.Open(t)
	remember(t, s, "a", lesson)
	remember(t, s, "b", chunk)
	remember(t, s, "c", chunk)
	giveFeedback(t, s, "a", usesLesson, start)
	giveFeedback(t, s, "b", usesLesson, start.Add(forgotten-believed))
	if lines := len(bytes.Split(storetest.Export(t, s.View(ws), Export), []byte("\n"))) - 1; lines != 2 {
		t.Errorf("%d items known, want 2", lines)
	}
	giveFeedback(t, s, "c", usesLesson, start.Add(forgotten+time.Second))
	if got := storetest.Export(t, s.View(ws), Export); bytes.Contains(got, []byte(`"lesson"`)) || !bytes.Contains(got, []byte(`"chunk"`)) {
		t.Errorf("left: %s", got)
	}
}

// TestClockAhead checks that feedback under a clock that is years ahead for some hours removes
// nothing, and that counts decay as before when the clock is right again.
func TestClockAhead(t *testing.T) {
	s := storetest.Open(t)
	for _, bundle := range []string{"a", "b", "c"} {
		remember(t, s, bundle, lesson)
		giveFeedback(t, s, bundle, usesLesson, start)
	}
	remember(t, s, "d", chunk)
	years := start.Add(10 * 365 * 24 * time.Hour)
	giveFeedback(t, s, "d", "nothing of it", years)
	giveFeedback(t, s, "d", "nothing of it", years.Add(5*time.Hour))
	if got := boost(t, s, "lesson", start); !near(got, 1.5) {
		t.Errorf("by the right clock the boost is %v", got)
	}
	remember(t, s, "e", chunk)
	giveFeedback(t, s, "e", "nothing of it", start.Add(time.Hour))
	remember(t, s, "f", chunk)
	giveFeedback(t, s, "f", "nothing of it", start.Add(2*time.Hour))
	if soon, late := boost(t, s, "chunk", start.Add(2*time.Hour)), boost(t, s, "chunk", start.Add(60*24*time.Hour)); soon > 0.6 || late < 0.9 {
		t.Errorf("boosts %v, and long after %v", soon, late)
	}
}

func TestForget(t *testing.T) {
	s := storetest.Open(t)
	remember(t, s, "a", lesson, chunk)
	remember(t, s, "b", chunk)
	giveFeedback(t, s, "a", usesLesson, start)
	giveFeedback(t, s, "b", usesLesson, start)
	storetest.Apply(t, s, ws, func(tx store.Tx) error { return Forget(tx, func(id string) bool { return id == "lesson" }) })
	prefix := store.Prefix(store.Usage, ws)
	err := s.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		if bytes.Contains(k, []byte("lesson")) || bytes.Contains(v, []byte("lesson")) {
			t.Errorf("left: %q %q", k, v)
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := boost(t, s, "chunk", start); !near(got, 0.5) {
		t.Errorf("the other item's boost is %v", got)
	}
	giveFeedback(t, s, "b", "flushBuffer", start)
}

func TestNothingOfTheTextIsStored(t *testing.T) {
	s := storetest.Open(t)
	remember(t, s, "a", lesson, chunk)
	giveFeedback(t, s, "a", usesLesson, start)
	prefix := store.Prefix(store.Usage, ws)
	err := s.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		for _, word := range []string{"retry", "broker", "flush", "Drain"} {
			if bytes.Contains(k, []byte(word)) || bytes.Contains(v, []byte(word)) {
				t.Errorf("%q is stored", word)
			}
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestModel checks that the boosts after any feedback equal the decayed sum over all retrievals.
func TestModel(t *testing.T) {
	s := storetest.Open(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		item := ShownItem{ID: fmt.Sprint("item", run), Text: lesson.Text}
		type retrieval struct {
			at   time.Time
			used bool
		}
		var all []retrieval
		now := start
		for i := range rapid.IntRange(1, 12).Draw(t, "feedback") {
			now = now.Add(time.Duration(rapid.IntRange(0, 72).Draw(t, "hours")) * time.Hour)
			used := rapid.Bool().Draw(t, "used")
			response := map[bool]string{true: usesLesson, false: "other"}[used]
			bundle := fmt.Sprint("b", run, "-", i)
			remember(t, s, bundle, item)
			if rapid.Bool().Draw(t, "twice") {
				giveFeedback(t, s, bundle, map[bool]string{false: usesLesson, true: "other"}[used], now)
			}
			got := giveFeedback(t, s, bundle, response, now)[0].Boost
			all = append(all, retrieval{now, used})
			want := 1.0
			if len(all) >= 2 {
				var retrieved, referenced float64
				for _, r := range all {
					d := math.Exp2(-now.Sub(r.at).Hours() / (7 * 24))
					retrieved += d
					if r.used {
						referenced += d
					}
				}
				want = 0.5 + referenced/retrieved
			}
			if math.Abs(got-want) > 1e-6 {
				t.Fatalf("after %v: boost %v, want %v", all, got, want)
			}
		}
	})
}

func TestExportImportExport(t *testing.T) {
	a, b := storetest.Open(t), storetest.Open(t)
	remember(t, a, "x", lesson, chunk)
	remember(t, a, "y", lesson)
	giveFeedback(t, a, "x", usesLesson, start)
	giveFeedback(t, a, "y", usesLesson, start.Add(31*time.Hour+7))
	data := storetest.Export(t, a.View(ws), Export)
	for range 2 {
		storetest.Import(t, b, ws, data, Import)
		if got := storetest.Export(t, b.View(ws), Export); !bytes.Equal(got, data) {
			t.Errorf("export of the import:\n%s\nwant\n%s", got, data)
		}
	}
	if x, y := boost(t, a, "lesson", start), boost(t, b, "lesson", start); x != y || x == 1 {
		t.Errorf("boosts %v and %v", x, y)
	}
	for _, line := range []string{
		`x`, `{}`, `{"type":"usage","id":"a","count":0,"retrieved":1,"referenced":0,"at":"2026-01-01T00:00:00Z"}`,
		`{"type":"usage","id":"a","count":2,"retrieved":1,"referenced":2,"at":"2026-01-01T00:00:00Z"}`,
		`{"type":"usage","id":"a","count":2,"retrieved":1,"referenced":1,"at":"1026-01-01T00:00:00Z"}`,
	} {
		if err := storetest.AddLine(b, ws, line, Import); err == nil {
			t.Errorf("taken: %s", line)
		}
	}
}
