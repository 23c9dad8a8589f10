package subject

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// common knows the words that a test uses as ordinary ones besides those of the corpus.
func common(word string) float64 {
	if slices.Contains(strings.Fields("pre existing follow dienst bestand liest gateway checkout"), word) {
		return .3
	}
	return 0
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"zorbex drops parcels for Quillan, see PAY-204 and #17":                         "zorbex parcels Quillan PAY-204 #17",
		"the pre-existing follow-up of UTF-8 and HTTP-2":                                "HTTP-2 UTF-8",
		"ask ops@harbor.example about https://db.harbor.example:8080/x?y=1.":            "//db.harbor.example ops@harbor.example",
		"`payout_attempts` is written by zaehler-hub, not by checkout-gateway":          "payout_attempts zaehler-hub",
		"read src/zorbex.go, zorbex.go and /etc/zorbex/ first":                          "zorbex.go",
		"Walrus's cache, (Walrus) and „Walrus“":                                         "Walrus",
		"what did the commit a1b2c3d4e5 change in v1.2.3?":                              "",
		"Der Dienst liest den Bestand aus Lindwurm":                                     "Lindwurm",
		"卓尔贝是我们的包裹服务。":                                                                  "",
		"I ran this:\n```\nfloofrix --quaxle grommet\n```\nand\n> quoted snorblat said": "",
	} {
		var got []string
		for _, m := range Names(dialogue.Message{Role: dialogue.User, Content: text}, common) {
			if m.Kind != Name {
				t.Errorf("%+v", m)
			}
			got = append(got, m.Name)
		}
		have := strings.Fields(want)
		slices.Sort(have)
		slices.Sort(got)
		if !slices.Equal(got, have) {
			t.Errorf("%q names %q, want %q", text, got, have)
		}
	}
	for _, role := range []dialogue.Role{dialogue.Assistant, dialogue.Tool} {
		if got := Names(dialogue.Message{Role: role, Content: "zorbex drops parcels"}, common); len(got) > 0 {
			t.Errorf("of a message of role %s: %v", role, got)
		}
	}
}

func TestSays(t *testing.T) {
	for _, c := range []struct {
		text, key string
		want      bool
	}{
		{"is Zorbex up?", "zorbex", true}, {"zorbexes", "zorbex", false}, {"a zorbex_old b", "zorbex", false}, {"old zorbex-hub", "zorbex", true},
		{"", "zorbex", false}, {"x", "", false}, {"晚上卓尔贝会丢包裹", "卓尔贝", true}, {"parcel routing is down", "parcel routing", true},
	} {
		if got := Says(c.text, c.key); got != c.want {
			t.Errorf("Says(%q, %q) = %v", c.text, c.key, got)
		}
	}
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// used returns uses of a name in turns of a conversation, one a day, from a day on.
func used(into map[string][]Use, name string, conversation uint32, day int, turns ...int) {
	for i, turn := range turns {
		into[Fold(name)] = append(into[Fold(name)], Use{
			Name: name, Conversation: conversation, Turn: turn, At: noon.AddDate(0, 0, day+i), Source: string(rune('a'+conversation)) + "/T-" + string(rune('0'+turn)),
		})
	}
}

func labels(list []Subject) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Label)
	}
	return strings.Join(out, ", ")
}

// TestGroup checks which names are subjects, of which class, and how they are counted and dated.
func TestGroup(t *testing.T) {
	uses := map[string][]Use{}
	used(uses, "zorbex", 0, 0, 1, 2, 2, 3)
	used(uses, "Zorbex", 1, 20, 1)
	used(uses, "Quillan", 0, 1, 1, 2)
	used(uses, "ledgerd", 0, 1, 1, 2)
	used(uses, "Once", 0, 1, 1)
	used(uses, "PAY-204", 0, 1, 1)
	used(uses, "a@harbor.example", 0, 1, 1)
	used(uses, "//db.harbor.example", 0, 1, 1, 2)
	used(uses, "payout_attempts", 0, 1, 1, 2, 3)
	set := Group(uses, nil)
	if got := labels(set.Topics); got != "zorbex, payout_attempts" {
		t.Errorf("topics %s", got)
	}
	classes := map[string]Class{}
	for _, e := range set.Entities {
		classes[e.Label] = e.Class
	}
	for label, class := range map[string]Class{"zorbex": Proper, "Quillan": Proper, "PAY-204": Ticket, "a@harbor.example": Person, "db.harbor.example": Host} {
		if classes[label] != class {
			t.Errorf("%s is a %q, want %q", label, classes[label], class)
		}
	}
	if len(classes) != 5 {
		t.Errorf("entities %v", classes)
	}
	z := set.Topics[0]
	if z.Count != 4 || z.Weight != 1 || !z.First.Equal(noon) || !z.Last.Equal(noon.AddDate(0, 0, 20)) || !slices.Equal(z.Names, []string{"Zorbex"}) ||
		!slices.Equal(z.Turns, []string{"a/T-1", "a/T-2", "a/T-3", "b/T-1"}) || z.ID != ID(TopicKind, "zorbex") || z.Weeks[Weeks-1] != 1 || z.Trend != Rising {
		t.Errorf("zorbex is %+v", z)
	}
}

// TestWishes checks that a person's wishes apply to names, whatever is said later, and that
// undoing one restores what was.
func TestWishes(t *testing.T) {
	uses := func() map[string][]Use {
		out := map[string][]Use{}
		used(out, "zorbex", 0, 0, 1, 2, 3)
		used(out, "zorb", 1, 0, 1, 2, 3, 4)
		used(out, "gribble", 2, 0, 1)
		return out
	}
	zorbex, zorb := ID(TopicKind, "zorbex"), ID(TopicKind, "zorb")
	for name, c := range map[string]struct {
		wishes []Steering
		want   string
	}{
		"none":              {nil, "zorb, zorbex"},
		"renamed":           {[]Steering{{Act: Rename, ID: zorb, Label: "parcel routing"}}, "parcel routing, zorbex"},
		"by its old id":     {[]Steering{{Act: Rename, ID: "topic-x", Keys: []string{NameKey("Zorb")}, Label: "parcel routing"}}, "parcel routing, zorbex"},
		"pinned":            {[]Steering{{Act: Pin, ID: ID(TopicKind, "gribble")}}, "gribble, zorb, zorbex"},
		"unpinned":          {[]Steering{{Act: Pin, ID: zorbex}, {Act: Unpin, ID: zorbex}}, "zorb, zorbex"},
		"forgotten":         {[]Steering{{Act: Forget, ID: zorb}}, "zorbex"},
		"of nothing":        {[]Steering{{Act: Forget, ID: "topic-none"}, {Act: Merge, ID: zorb, Into: "topic-none"}}, "zorb, zorbex"},
		"merged":            {[]Steering{{Act: Merge, ID: zorb, Into: zorbex}}, "zorb"},
		"merged, forgotten": {[]Steering{{Act: Merge, ID: zorb, Into: zorbex}, {Act: Forget, ID: zorbex}}, ""},
	} {
		if got := labels(Group(uses(), c.wishes).Topics); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	set := Group(uses(), []Steering{{Act: Merge, ID: zorb, Into: zorbex}})
	merged := set.Subject(zorbex)
	if merged == nil || merged.Count != 7 || !slices.Equal(merged.Merged, []string{zorb}) || !slices.Contains(merged.Keys, "zorb") {
		t.Errorf("merged: %+v", merged)
	}
}

// TestUses checks that the uses of a name are read under all its spellings, that files and symbols
// are none, and that a removed message has none.
func TestUses(t *testing.T) {
	st := storetest.Open(t)
	at := func(turn int) Place { return Place{Conversation: 7, Turn: turn, Message: 2 * turn} }
	apply(t, st, func(tx store.Tx) {
		Add(tx, at(1), noon, []Mention{{Name, "Zorbex"}, {Symbol, "zorbex"}, {Path, "zorbex"}})
		Add(tx, at(2), noon.Add(time.Hour), []Mention{{Name, "zorbex"}, {Name, "ledgerd"}})
		Add(tx, at(3), noon, []Mention{{Name, "zorbex"}})
	})
	read := func(key string) string {
		var out []string
		if err := Uses(st.View(ws), key, func(k string, u Use) bool {
			out = append(out, k+"="+u.Name+string(rune('0'+u.Turn)))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if got := read("zorbex"); got != "zorbex=Zorbex1 zorbex=zorbex2 zorbex=zorbex3" {
		t.Errorf("uses of zorbex: %s", got)
	}
	if got := read(""); got != "ledgerd=ledgerd2 zorbex=Zorbex1 zorbex=zorbex2 zorbex=zorbex3" {
		t.Errorf("all uses: %s", got)
	}
	paths, symbols, err := InTurn(st.View(ws), 7, 1)
	if err != nil || !slices.Equal(paths, []string{"zorbex"}) || !slices.Equal(symbols, []string{"zorbex"}) {
		t.Errorf("the turn mentions %v, %v, %v", paths, symbols, err)
	}
	apply(t, st, func(tx store.Tx) {
		if err := Remove(tx, at(2)); err != nil {
			t.Error(err)
		}
	})
	if got := read(""); got != "zorbex=Zorbex1 zorbex=zorbex3" {
		t.Errorf("after a message was removed: %s", got)
	}
	if paths, _, err := InTurn(st.View(ws), 7, 2); err != nil || len(paths) > 0 {
		t.Errorf("the removed message mentions %v, %v", paths, err)
	}
}

// TestWeeks checks that weeks begin on Mondays.
func TestWeeks(t *testing.T) {
	for day, want := range map[string]string{"2026-03-02": "2026-03-02", "2026-03-08": "2026-03-02", "2026-03-09": "2026-03-09", "1969-12-31": "1969-12-29"} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := WeekOf(at).Format(time.DateOnly); got != want {
			t.Errorf("%s is in the week of %s, want %s", day, got, want)
		}
	}
}

// TestMergedClass checks that a mail address makes a person of the name that is merged into it.
func TestMergedClass(t *testing.T) {
	uses := map[string][]Use{}
	used(uses, "Zorbex", 0, 0, 1, 2, 3)
	used(uses, "z@harbor.example", 0, 1, 4)
	id := ID(EntityKind, "z@harbor.example")
	set := Group(uses, []Steering{{Act: Merge, ID: ID(EntityKind, "zorbex"), Into: id}})
	if s := set.Subject(id); s == nil || s.Class != Person || s.Count != 4 || len(set.Topics) != 0 || len(set.Entities) != 1 {
		t.Errorf("merged: %+v, topics %s, entities %s", s, labels(set.Topics), labels(set.Entities))
	}
}
