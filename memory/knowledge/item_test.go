package knowledge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// TestItemsAgainstMap puts, deletes and lists items in any order and compares with a map.
func TestItemsAgainstMap(t *testing.T) {
	st := storetest.Open(t)
	ws := store.Workspace(1)
	rapid.Check(t, func(t *rapid.T) {
		ws++
		model := map[string]Item{}
		version := uint64(0)
		at := noon
		apply := func(f func(tx store.Tx) error) error {
			tx := st.Begin(ws, at)
			if err := f(tx); err != nil {
				return err
			}
			return st.ApplyLater(tx.Batch)
		}
		raised := func() {
			v, err := Version(st.View(ws))
			if err != nil || v <= version {
				t.Fatalf("version %d after %d: %v", v, version, err)
			}
			version = v
		}
		id := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("id\x00%d", rapid.IntRange(0, 5).Draw(t, "n")) })
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				at = at.Add(time.Second)
				it := Item{
					ID: id.Draw(t, "id"), Kind: rapid.SampledFrom([]Kind{Lesson, Reference}).Draw(t, "kind"), Title: rapid.String().Draw(t, "title"),
					Content: rapid.StringN(0, 50, 200).Draw(t, "content"), Weight: float64(rapid.IntRange(0, 3).Draw(t, "weight")),
					Topics: []string{rapid.SampledFrom([]string{"Go", "sql"}).Draw(t, "topic")}, SourceTurns: []string{"c/T-1"},
				}
				var got Item
				if err := apply(func(tx store.Tx) (err error) { got, err = Put(tx, it); return err }); err != nil {
					t.Fatal(err)
				}
				if old, ok := model[it.ID]; ok && !got.CreatedAt.Equal(old.CreatedAt) {
					t.Fatalf("replaced item was created at %v, not %v", got.CreatedAt, old.CreatedAt)
				}
				model[it.ID] = got
				raised()
			},
			"delete": func(t *rapid.T) {
				name := id.Draw(t, "id")
				err := apply(func(tx store.Tx) error { return Delete(tx, name) })
				if _, ok := model[name]; ok != (err == nil) || err != nil && !errors.Is(err, ErrNotFound) {
					t.Fatalf("delete %q: %v", name, err)
				}
				if err == nil {
					delete(model, name)
					raised()
				}
			},
			"": func(t *rapid.T) {
				for _, f := range []Filter{{}, {Kind: Lesson}, {Topic: "go"}, {Kind: Reference, Topic: "SQL", Superseded: true}} {
					got, err := List(st.View(ws), f)
					if err != nil {
						t.Fatal(err)
					}
					n := 0
					for _, it := range model {
						if (f.Kind == "" || f.Kind == it.Kind) && (f.Topic == "" || len(f.Topic) == len(it.Topics[0])) {
							n++
						}
					}
					if len(got) != n || !slices.IsSortedFunc(got, func(a, b Item) int { return int(b.Weight - a.Weight) }) {
						t.Fatalf("list %+v: %d items, want %d by weight", f, len(got), n)
					}
				}
				for name, want := range model {
					if got, err := Get(st.View(ws), name); err != nil || got.Content != want.Content || !got.UpdatedAt.Equal(want.UpdatedAt) {
						t.Fatalf("get %q: %+v %v", name, got, err)
					}
				}
			},
		})
	})
}

// TestDeletedRuleRestoresReplaced checks that a rule applies again when the rule that replaced it
// is deleted.
func TestDeletedRuleRestoresReplaced(t *testing.T) {
	st := storetest.Open(t)
	said := []string{"Always start method names with 'a_'.", "Always start method names with 'b_'.", "Always start method names with 'c_'."}
	for i, text := range said {
		say(t, st, "c", i+1, "user: "+text)
	}
	for i := len(said) - 1; i >= 0; i-- {
		if got := inForce(t, st); !slices.Equal(got, said[i:i+1]) {
			t.Fatalf("in force: %q, want %q", got, said[i])
		}
		active, _, err := Active(st.View(1))
		if err != nil {
			t.Fatal(err)
		}
		storetest.Apply(t, st, 1, func(tx store.Tx) error { return Delete(tx, active[0].ID) })
	}
}

func TestExportImport(t *testing.T) {
	st := storetest.Open(t)
	say(t, st, "c", 1, "user: Always start method names with 'a_'.", "user: Always start method names with 'b_'.")
	export := func(ws store.Workspace) (out []Item) {
		if err := Export(st.View(ws), func(it Item) error { out = append(out, it); return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	items := export(1)
	for range 2 {
		storetest.Apply(t, st, 2, func(tx store.Tx) error { return Import(tx, items) })
		if got := export(2); fmt.Sprint(got) != fmt.Sprint(items) {
			t.Errorf("%v\nwant %v", got, items)
		}
	}
	const later = "From now on start method names with 'z_', no longer with 'b_'."
	m := dialogue.Message{ID: "m", Role: dialogue.User, Content: later, At: noon}
	storetest.ApplyAt(t, st, 2, noon, func(tx store.Tx) error {
		_, err := Learn(tx, Learning{Conversation: "d", Messages: []MessageDirectives{{Message: m, Turn: 1, Found: Hear(&m, "")}}})
		return err
	})
	active, _, err := Active(st.View(2))
	if err != nil || len(active) != 1 || active[0].Content != later {
		t.Errorf("after import a newer rule is not in force: %v %v", active, err)
	}
}

// TestFilterReadsNoTexts checks that an item's text that resembles its encoded fields does not
// change which filters list it.
func TestFilterReadsNoTexts(t *testing.T) {
	st := storetest.Open(t)
	trap := `{"kind":"rule","learned":true,"supersededBy":"x"} "kind":"lesson"`
	storetest.Apply(t, st, 1, func(tx store.Tx) error {
		s, err := openShelf(tx.View)
		if err != nil {
			return err
		}
		for i, it := range []Item{
			{Kind: Lesson, Content: trap}, {Kind: Reference, Title: trap}, {Kind: Rule, Content: trap, Learned: true},
			{Kind: Rule, Topics: []string{`"kind":"lesson"`}}, {Kind: Rule, SupersededBy: "0"}, {Kind: Lesson, SupersededBy: "1", Learned: true},
			{Kind: Rule},
		} {
			it.ID = strconv.Itoa(i)
			if err := s.put(&it); err != nil {
				return err
			}
		}
		_, err = s.flush(tx)
		return err
	})
	all, err := List(st.View(1), Filter{Superseded: true})
	if err != nil || len(all) != 7 {
		t.Fatalf("%d items, %v", len(all), err)
	}
	for _, kind := range []Kind{"", Lesson, Reference, Rule} {
		for bits := range 4 {
			f := Filter{Kind: kind, Superseded: bits&1 != 0, ByHand: bits&2 != 0}
			var want []string
			for _, it := range all {
				if (kind == "" || it.Kind == kind) && (f.Superseded || it.Holds()) && !(f.ByHand && it.Learned) {
					want = append(want, it.ID)
				}
			}
			got, err := List(st.View(1), f)
			if err != nil {
				t.Fatal(err)
			}
			if ids := ids(got); !slices.Equal(ids, want) {
				t.Errorf("%+v lists %v, want %v", f, ids, want)
			}
		}
	}
}

func ids(items []Item) (ids []string) {
	for _, it := range items {
		ids = append(ids, it.ID)
	}
	return ids
}
