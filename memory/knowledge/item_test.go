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
)

// TestItemsLikeAMap puts, deletes and lists items in any order and compares with a map.
func TestItemsLikeAMap(t *testing.T) {
	st := openStore(t)
	ws := store.Workspace(1)
	rapid.Check(t, func(t *rapid.T) {
		ws++
		model := map[string]Item{}
		version := uint64(0)
		at := noon
		apply := func(f func(b *store.Batch) error) error {
			b := st.NewBatch()
			if err := f(b); err != nil {
				return err
			}
			return st.ApplyLater(b)
		}
		raised := func() {
			v, err := Version(st, ws)
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
				if err := apply(func(b *store.Batch) (err error) { got, err = Put(st, b, ws, it, at); return err }); err != nil {
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
				err := apply(func(b *store.Batch) error { return Delete(st, b, ws, name) })
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
					got, err := List(st, ws, f)
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
					if got, err := Get(st, ws, name); err != nil || got.Content != want.Content || !got.UpdatedAt.Equal(want.UpdatedAt) {
						t.Fatalf("get %q: %+v %v", name, got, err)
					}
				}
			},
		})
	})
}

// TestDeletedRuleGivesWay has what a rule replaced hold again when the rule is deleted.
func TestDeletedRuleGivesWay(t *testing.T) {
	st := openStore(t)
	said := []string{"Always start method names with 'a_'.", "Always start method names with 'b_'.", "Always start method names with 'c_'."}
	for i, text := range said {
		say(t, st, "c", i+1, "user: "+text)
	}
	for i := len(said) - 1; i >= 0; i-- {
		if got := inForce(t, st); !slices.Equal(got, said[i:i+1]) {
			t.Fatalf("in force: %q, want %q", got, said[i])
		}
		active, _, err := Active(st, 1)
		if err != nil {
			t.Fatal(err)
		}
		change(t, st, func(b *store.Batch) error { return Delete(st, b, 1, active[0].ID) })
	}
}

func TestExportImport(t *testing.T) {
	st := openStore(t)
	say(t, st, "c", 1, "user: Always start method names with 'a_'.", "user: Always start method names with 'b_'.")
	export := func(ws store.Workspace) (out []Item) {
		if err := Export(st, ws, func(it Item) error { out = append(out, it); return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	items := export(1)
	for range 2 {
		change(t, st, func(b *store.Batch) error { return Import(st, b, 2, items) })
		if got := export(2); fmt.Sprint(got) != fmt.Sprint(items) {
			t.Errorf("%v\nwant %v", got, items)
		}
	}
	const later = "From now on start method names with 'z_', no longer with 'b_'."
	m := dialogue.Message{ID: "m", Role: dialogue.User, Content: later, At: noon}
	change(t, st, func(b *store.Batch) error {
		_, err := Learn(st, b, 2, Learning{Conversation: "d", Now: noon, Messages: []Heard{{Message: m, Turn: 1, Found: Hear(&m, "")}}})
		return err
	})
	active, _, err := Active(st, 2)
	if err != nil || len(active) != 1 || active[0].Content != later {
		t.Errorf("after import a newer rule is not in force: %v %v", active, err)
	}
}

// TestFilterReadsNoTexts: what an item tells decides as little about whether it is listed as if every item were read.
func TestFilterReadsNoTexts(t *testing.T) {
	st := openStore(t)
	trap := `{"kind":"rule","learned":true,"supersededBy":"x"} "kind":"lesson"`
	change(t, st, func(b *store.Batch) error {
		s, err := openShelf(st, 1)
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
		_, err = s.flush(b)
		return err
	})
	all, err := List(st, 1, Filter{Superseded: true})
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
			got, err := List(st, 1, f)
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
