package subject

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

const ws, other = store.Workspace(3), store.Workspace(4)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// apply applies a change of ws that cannot fail.
func apply(t storetest.TB, s *store.Store, stage func(tx store.Tx)) {
	t.Helper()
	storetest.Apply(t, s, ws, func(tx store.Tx) error {
		stage(tx)
		return nil
	})
}

// mentionsOf parses mentions in show's format.
func mentionsOf(s string) []Mention {
	var out []Mention
	for w := range strings.FieldsSeq(s) {
		out = append(out, Mention{Kind(w[0]), w[2:]})
	}
	return out
}

// put adds a message of a turn, the given number of days after the first day.
func put(t testing.TB, s *store.Store, conv uint32, turn, days int, mentions string) {
	t.Helper()
	at := Place{conv, turn, 10 * turn}
	apply(t, s, func(tx store.Tx) { Add(tx, at, day.AddDate(0, 0, days), mentionsOf(mentions)) })
}

// turns formats results as conversation/turn.
func turns(found []LookupHit) string {
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = fmt.Sprintf("%d/%d", f.Conversation, f.Turn)
	}
	return strings.Join(out, " ")
}

func find(t testing.TB, s *store.Store, symbols, paths string) []LookupHit {
	t.Helper()
	found, err := Find(s.View(ws), Lookup{Symbols: strings.Fields(symbols), Paths: strings.Fields(paths)})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFindRanks(t *testing.T) {
	s := storetest.Open(t)
	put(t, s, 1, 1, 0, "p:server/pool.go s:acquire")
	put(t, s, 1, 2, 1, "p:server/pool.go")
	put(t, s, 1, 3, 2, "p:pool.go s:Pool.acquire")
	put(t, s, 2, 1, 3, "p:other/pool.go s:acquires")
	put(t, s, 2, 2, 4, "s:Pool::acquire s:Queue.acquire")
	put(t, s, 2, 3, 5, "p:shop/server/pool.go")
	for _, c := range []struct{ symbols, paths, want string }{
		{"acquire", "", "1/1 2/2 1/3"},                       // an exact match ranks before the end of a qualified name
		{"Pool.acquire", "", "2/2 1/3 1/1"},                  // separators are ignored, the last part ranks lower
		{"acquire", "server/pool.go", "1/1 1/3 2/2 1/2 2/3"}, // a match of both ranks before a match of one
		{"", "server/pool.go", "1/2 1/1 2/3 1/3"},            // a longer path with this end, and the bare name
		{"", "pool.go", "1/3 2/3 2/1 1/2 1/1"},               // a bare name finds all
		{"Acquire", "", ""},                                  // matching is case-sensitive
		{"(*Pool).acquire()", "", "2/2 1/3 1/1"},
		{"Server.acquire", "", "1/1"}, // not another workspace's
		{"", "server", ""},
		{"", "", ""},
		{"nobody", "no/where.go", ""},
	} {
		if got := turns(find(t, s, c.symbols, c.paths)); got != c.want {
			t.Errorf("%q at %q finds %q, want %q", c.symbols, c.paths, got, c.want)
		}
	}
}

func TestFindPrefersTheRare(t *testing.T) {
	s := storetest.Open(t)
	for turn := 1; turn <= 50; turn++ {
		put(t, s, 1, turn, 0, "s:common")
	}
	put(t, s, 1, 7, 0, "s:common s:rare")
	put(t, s, 1, 60, 0, "s:rare")
	put(t, s, 1, 61, 0, "s:common")
	found := find(t, s, "common rare", "")
	if got := turns(found[:2]); got != "1/7 1/60" {
		t.Errorf("first %s", got)
	}
	if len(found) != defaultLimit {
		t.Errorf("%d turns", len(found))
	}
	if !slices.IsSortedFunc(found, func(a, b LookupHit) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Error("not in the order of scores")
	}
}

func TestFindPrefersTheRecent(t *testing.T) {
	s := storetest.Open(t)
	put(t, s, 1, 1, 0, "s:acquire")
	put(t, s, 2, 1, 200, "s:acquire")
	put(t, s, 1, 2, 100, "s:acquire")
	put(t, s, 3, 1, -400, "s:acquire p:a.go")
	if got := turns(find(t, s, "acquire", "")); got != "2/1 1/2 1/1 3/1" {
		t.Errorf("finds %s", got)
	}
}

// A turn whose mention of a common name is not among the entries read for that name still gets its
// full score.
func TestFindReadsTheBestWhole(t *testing.T) {
	s := storetest.Open(t)
	put(t, s, 1, 1, 0, "p:main.go s:rare")
	put(t, s, 1, 2, 0, "s:rare")
	apply(t, s, func(tx store.Tx) {
		for turn := range maxTurns + 10 {
			Add(tx, Place{2, turn + 1, turn}, day.AddDate(0, 0, 1), mentionsOf("p:main.go"))
		}
	})
	found := find(t, s, "rare", "main.go")
	if got := turns(found[:2]); got != "1/1 1/2" || found[0].Score <= found[1].Score {
		t.Errorf("finds %s with %v and %v", got, found[0].Score, found[1].Score)
	}
}

func TestFoundTellsWhatTheTurnMentions(t *testing.T) {
	s := storetest.Open(t)
	apply(t, s, func(tx store.Tx) {
		Add(tx, Place{1, 4, 8}, day, mentionsOf("p:a.go s:one s:two p:old/b.go"))
		Add(tx, Place{1, 4, 9}, day.Add(time.Hour), mentionsOf("s:two p:c.go"))
		Move(tx, "old", "new")
	})
	found := find(t, s, "two", "c.go")
	if len(found) != 1 {
		t.Fatalf("found %+v", found)
	}
	f := found[0]
	if got := fmt.Sprint(f.Paths, f.Symbols, f.At.Equal(day.Add(time.Hour))); got != "[c.go a.go new/b.go] [two one] true" {
		t.Errorf("the turn mentions %s", got)
	}
}

func TestSeen(t *testing.T) {
	s := storetest.Open(t)
	apply(t, s, func(tx store.Tx) {
		for i, turn := range []int{1, 1, 2, 3, 1} {
			Add(tx, Place{5, turn, i}, day.Add(time.Duration(i)*time.Hour), mentionsOf("s:Pool.acquire"))
		}
		Add(tx, Place{6, 1, 0}, day.Add(-time.Hour), mentionsOf("s:acquire"))
		Add(store.Tx{View: s.View(other), Batch: tx.Batch}, Place{5, 9, 0}, day, mentionsOf("s:Pool.acquire"))
	})
	for _, c := range []struct {
		name  string
		limit int
		want  string
	}{
		{"Pool.acquire", 10, "5/1@4 5/3@3 5/2@2"},
		{"Pool::acquire", 2, "5/1@4 5/3@3"},
		{"acquire", 10, "6/1@-1"},
		{"Acquire", 10, ""},
	} {
		list, err := Seen(s.View(ws), Mention{Symbol, c.name}, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list {
			got = append(got, fmt.Sprintf("%d/%d@%d", x.Conversation, x.Turn, int(x.At.Sub(day).Hours())))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMove(t *testing.T) {
	for _, c := range []struct{ name, renames, mentioned, looked, now string }{
		{"a file, by its new path", "a.go>b.go", "a.go", "b.go", "b.go"},
		{"a file, by its old path", "a.go>b.go", "b.go", "a.go", "b.go"},
		{"a chain", "a.go>b.go b.go>x/c.go x/c.go>d.go", "a.go", "d.go", "d.go"},
		{"a chain from its middle", "a.go>b.go b.go>c.go", "a.go", "b.go", "c.go"},
		{"a folder", "old>new/deep", "old/x/y.go", "new/deep/x/y.go", "new/deep/x/y.go"},
		{"a folder, by its old path", "old>new", "new/y.go", "old/y.go", "new/y.go"},
		{"a file, then its folder", "m/a.go>m/b.go m>n", "m/a.go", "n/b.go", "n/b.go"},
		{"a folder, then a file in it", "m>n n/a.go>n/b.go", "m/a.go", "n/b.go", "n/b.go"},
		{"there and back", "a.go>b.go b.go>a.go", "b.go", "a.go", "a.go"},
		{"out of a folder that moves", "m/a.go>k.go m>n", "m/a.go", "k.go", "k.go"},
		{"not cleaned", "./m/a.go>n//a.go", "m/a.go", "n/a.go", "n/a.go"},
		{"two into one another's place", "a.go>t.go b.go>a.go t.go>b.go", "a.go", "b.go", "a.go"},
	} {
		s := storetest.Open(t)
		apply(t, s, func(tx store.Tx) {
			for r := range strings.FieldsSeq(c.renames) {
				from, to, _ := strings.Cut(r, ">")
				Move(tx, from, to)
			}
			Add(tx, Place{1, 1, 0}, day, []Mention{{Path, c.mentioned}})
		})
		found := find(t, s, "", c.looked)
		if len(found) != 1 || found[0].Score != fileWeight {
			t.Errorf("%s: found %+v", c.name, found)
			continue
		}
		if found[0].Paths[0] != c.now {
			t.Errorf("%s: it is %s now", c.name, found[0].Paths[0])
		}
		if seen, err := Seen(s.View(ws), Mention{Path, c.looked}, 5); err != nil || len(seen) != 1 {
			t.Errorf("%s: seen %+v, %v", c.name, seen, err)
		}
	}
}

// A folder with the same prefix in its name is not below it.
func TestMoveKeepsToItsFolder(t *testing.T) {
	s := storetest.Open(t)
	apply(t, s, func(tx store.Tx) {
		Move(tx, "old", "new")
		Add(tx, Place{1, 1, 0}, day, mentionsOf("p:older/a.go p:sub/old/b.go"))
	})
	if got := turns(find(t, s, "", "newer/a.go sub/new/b.go new/a.go")); got != "" {
		t.Errorf("found %s", got)
	}
}

// After adding and removing in any order and batches, what is left is what was added and not
// removed.
func TestRemoveIsTheInverseOfAdd(t *testing.T) {
	s := storetest.Open(t)
	names := rapid.SampledFrom(mentionsOf("p:a.go p:x/a.go p:y/b.go s:a s:X.a s:X::a s:b s:x/y s:. p:a//b"))
	rapid.Check(t, func(t *rapid.T) {
		type message struct {
			at       Place
			when     time.Time
			mentions []Mention
		}
		var kept []message
		taken := map[Place]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "batches") {
			before := kept
			apply(t, s, func(tx store.Tx) {
				for range rapid.IntRange(0, 4).Draw(t, "messages") {
					m := message{
						Place{uint32(rapid.IntRange(1, 2).Draw(t, "conversation")), rapid.IntRange(1, 3).Draw(t, "turn"), rapid.IntRange(0, 5).Draw(t, "message")},
						day.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "hours")) * time.Hour),
						rapid.SliceOfNDistinct(names, 0, 5, rapid.ID[Mention]).Draw(t, "mentions"),
					}
					if !taken[m.at] {
						taken[m.at] = true
						Add(tx, m.at, m.when, m.mentions)
						kept = append(kept, m)
					}
				}
				for range min(len(before), rapid.IntRange(0, 3).Draw(t, "removals")) {
					i := rapid.IntRange(0, len(before)-1).Draw(t, "which")
					if err := Remove(tx, before[i].at); err != nil {
						t.Fatal(err)
					}
					gone := before[i].at
					before = slices.DeleteFunc(slices.Clone(before), func(m message) bool { return m.at == gone })
					kept = slices.DeleteFunc(slices.Clone(kept), func(m message) bool { return m.at == gone })
					delete(taken, gone)
					if len(before) == 0 {
						break
					}
				}
			})
		}
		storetest.Apply(t, s, other, func(tx store.Tx) error {
			for _, m := range kept {
				Add(tx, m.at, m.when, m.mentions)
			}
			return nil
		})
		if got, want := storetest.Dump(t, s.View(ws), store.Entities), storetest.Dump(t, s.View(other), store.Entities); got != want {
			t.Fatalf("left:\n%s\nwant:\n%s", got, want)
		}
		apply(t, s, func(tx store.Tx) {
			for _, m := range kept {
				if err := errors.Join(Remove(tx, m.at), Remove(store.Tx{View: s.View(other), Batch: tx.Batch}, m.at)); err != nil {
					t.Fatal(err)
				}
			}
		})
		if got := storetest.Dump(t, s.View(ws), store.Entities); got != "" {
			t.Fatalf("left of nothing:\n%s", got)
		}
	})
}

func TestDamagedRecordsAreErrors(t *testing.T) {
	s := storetest.Open(t)
	put(t, s, 1, 1, 0, "s:one")
	for _, value := range []string{"", "1234567", "12345678x", "12345678s\x05abc", "12345678s\xff"} {
		apply(t, s, func(tx store.Tx) { tx.Set(messageKey(ws, Place{1, 1, 10}), []byte(value)) })
		if err := Remove(s.Begin(ws, time.Time{}), Place{1, 1, 10}); !errors.Is(err, errDamaged) {
			t.Errorf("%q: remove gives %v", value, err)
		}
		if _, err := Find(s.View(ws), Lookup{Symbols: []string{"one"}}); !errors.Is(err, errDamaged) {
			t.Errorf("%q: find gives %v", value, err)
		}
	}
}

// Find returns the same as a scan of every message.
func TestFindAgreesWithAModel(t *testing.T) {
	s := storetest.Open(t)
	names := rapid.SampledFrom(mentionsOf("p:a.go p:x/a.go p:y/x/a.go p:y/b.go s:a s:X.a s:X::a s:Y.X.a s:b s:Y.b"))
	rapid.Check(t, func(t *rapid.T) {
		prefix := store.Prefix(store.Entities, ws)
		apply(t, s, func(tx store.Tx) { tx.DeleteRange(prefix, store.PrefixEnd(prefix)) })
		m := model{at: map[turnKey][]Mention{}, when: map[turnKey]time.Time{}}
		for i := range rapid.IntRange(0, 12).Draw(t, "turns") {
			at := Place{uint32(rapid.IntRange(1, 2).Draw(t, "conversation")), i + 1, i}
			key := turnKey{at.Conversation, at.Turn}
			m.at[key] = rapid.SliceOfNDistinct(names, 1, 4, rapid.ID[Mention]).Draw(t, "mentions")
			m.when[key] = day.AddDate(0, 0, rapid.IntRange(-100, 100).Draw(t, "days"))
			apply(t, s, func(tx store.Tx) { Add(tx, at, m.when[key], m.at[key]) })
		}
		var l Lookup
		for _, w := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[Mention]).Draw(t, "wanted") {
			if w.Kind == Path {
				l.Paths = append(l.Paths, w.Name)
			} else {
				l.Symbols = append(l.Symbols, w.Name)
			}
		}
		found, err := Find(s.View(ws), l)
		if err != nil {
			t.Fatal(err)
		}
		want := m.find(l)
		if len(found) != len(want) {
			t.Fatalf("%+v finds %s, want %d turns", l, turns(found), len(want))
		}
		for i, f := range found {
			score := want[turnKey{f.Conversation, f.Turn}]
			if math.Abs(f.Score-score) > 1e-9 || i > 0 && f.Score > found[i-1].Score {
				t.Fatalf("%+v finds %+v, want score %v", l, f, score)
			}
		}
		if again, err := Find(s.View(ws), l); err != nil || !reflect.DeepEqual(again, found) {
			t.Fatalf("another answer the second time: %+v, %v", again, err)
		}
	})
}

// model is the expected content of the store, in plain maps; each turn has one message.
type model struct {
	at   map[turnKey][]Mention
	when map[turnKey]time.Time
}

// turns counts the turns that mention a name.
func (m model) turns(n name) int {
	count := 0
	for _, list := range m.at {
		if slices.ContainsFunc(list, func(x Mention) bool { return x.Kind == n.kind && slices.Equal(nameOf(x).parts, n.parts) }) {
			count++
		}
	}
	return count
}

func (m model) find(l Lookup) map[turnKey]float64 {
	scores, latest := map[turnKey]float64{}, time.Time{}
	for at, list := range m.at {
		add := func(w Mention, weight float64) {
			best := 0.0
			for _, x := range list {
				best = max(best, weight*nameOf(w).match(nameOf(x))*rarity(m.turns(nameOf(x))))
			}
			if best > 0 {
				scores[at] += best
				if m.when[at].After(latest) {
					latest = m.when[at]
				}
			}
		}
		for i, n := range l.Symbols {
			add(Mention{Symbol, n}, map[bool]float64{true: firstSymbol, false: otherSymbol}[i == 0])
		}
		for _, p := range l.Paths {
			add(Mention{Path, p}, fileWeight)
		}
	}
	for at := range scores {
		scores[at] *= timeless + (1-timeless)*math.Exp2(-latest.Sub(m.when[at]).Hours()/halfLife.Hours())
	}
	return scores
}
