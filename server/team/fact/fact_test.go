package fact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func member(t testing.TB, name string) *Signer {
	t.Helper()
	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := key.Seed()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(seed, name, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// says returns an opened fact.
func says(t testing.TB, by *Signer, content string, supersedes ...string) *VerifiedFact {
	t.Helper()
	return opened(t, by, Fact{Repository: "r1", Kind: Rule, Title: content, Content: content, At: noon, Supersedes: supersedes})
}

func removes(t testing.TB, by *Signer, id string) *VerifiedFact {
	t.Helper()
	return opened(t, by, Fact{Repository: "r1", Removes: id, At: noon})
}

func opened(t testing.TB, by *Signer, f Fact) *VerifiedFact {
	t.Helper()
	id, sealed, err := by.Sign(f)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Open(sealed)
	if err != nil {
		t.Fatal(err)
	}
	if o.ID != id || !bytes.Equal(o.Sealed, sealed) {
		t.Errorf("opened as %s, signed as %s", o.ID, id)
	}
	return o
}

func TestOpen(t *testing.T) {
	anna := member(t, "Anna")
	o := says(t, anna, "wrap <errors> & \"name\" them")
	if o.Author != anna.Author() || o.Name != "Anna" || o.Content != "wrap <errors> & \"name\" them" || !IsID(o.ID) {
		t.Errorf("%+v", o)
	}
	// Every byte of it is protected.
	for i := range o.Sealed {
		forged := bytes.Clone(o.Sealed)
		forged[i] ^= 1
		got, err := Open(forged)
		if err == nil && got.Credential == o.Credential && !reflect.DeepEqual(got.Fact, o.Fact) {
			t.Fatalf("byte %d changed: %+v", i, got.Fact)
		}
	}
}

// A fact that names another author is not signed by them.
func TestForged(t *testing.T) {
	anna, mallory := member(t, "Anna"), member(t, "Mallory")
	o := says(t, mallory, "push without review")
	var e Envelope
	if err := json.Unmarshal(o.Sealed, &e); err != nil {
		t.Fatal(err)
	}
	e.Fact = bytes.ReplaceAll(e.Fact, []byte(mallory.Author()), []byte(anna.Author()))
	forged, err := encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(forged); !errors.Is(err, ErrForged) {
		t.Errorf("as Anna: %v", err)
	}
	e.Signature = "%%%"
	forged, err = encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(forged); !errors.Is(err, ErrForged) {
		t.Errorf("a signature that is none: %v", err)
	}
}

func TestLimits(t *testing.T) {
	anna := member(t, "Anna")
	fine := Fact{Repository: "r1", Kind: Lesson, Title: "t", Content: "c", At: noon}
	id := says(t, anna, "x").ID
	for _, c := range []struct {
		name  string
		spoil func(f *Fact)
		want  string
	}{
		{"10 MB", func(f *Fact) { f.Content = strings.Repeat("x", 10<<20) }, "10485760 bytes"},
		{"no content", func(f *Fact) { f.Content = " \n" }, "no content"},
		{"title", func(f *Fact) { f.Title = strings.Repeat("x", 5000) }, "title has 5000"},
		{"kind", func(f *Fact) { f.Kind = "order" }, `kind "order"`},
		{"repository", func(f *Fact) { f.Repository = "a.b" }, `repository "a.b"`},
		{"wildcard", func(f *Fact) { f.Repository = "*" }, `repository "*"`},
		{"supersedes", func(f *Fact) { f.Supersedes = []string{"x"} }, `replaces "x"`},
		{"too many", func(f *Fact) { f.Supersedes = slices.Repeat([]string{id}, 65) }, "65 facts"},
		{"removes", func(f *Fact) { f.Removes = "../x" }, `removes "../x"`},
		{"both", func(f *Fact) { f.Removes = id }, "removes a fact and states one"},
		{"quotations", func(f *Fact) { f.Quotations = make([]Quotation, 17) }, "17 quotations"},
		{"bytes", func(f *Fact) { f.Content = "a\xff" }, "UTF-8"},
	} {
		f := fine
		c.spoil(&f)
		_, _, err := anna.Sign(f)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(err.Error()) > 300 {
			t.Errorf("%s: the error has %d bytes", c.name, len(err.Error()))
		}
		// Somebody else's program may sign it all the same.
		f.Version, f.Author = version, anna.Author()
		body, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := anna.key.Sign(body)
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := json.Marshal(Envelope{Fact: body, Signature: base64Of(signature)})
		if err != nil {
			t.Fatal(err)
		}
		if c.name == "bytes" {
			continue // JSON has no such text
		}
		if _, err := Open(sealed); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s, from outside: %v", c.name, err)
		}
	}
	f := fine
	f.Version, f.Author = version+1, anna.Author()
	body, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := json.Marshal(Envelope{Fact: body})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(sealed); !errors.Is(err, ErrNewer) {
		t.Errorf("newer: %v", err)
	}
}

func base64Of(b []byte) string {
	s, _ := json.Marshal(b) // as JSON writes bytes
	return strings.Trim(string(s), `"`)
}

func headsOf(s *Set) (out []string) {
	for _, h := range s.Heads() {
		line := h.Content
		if len(h.Rivals) > 0 {
			line += fmt.Sprintf(" (of %d)", len(h.Rivals)+1)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func TestHeads(t *testing.T) {
	anna, ben := member(t, "Anna"), member(t, "Ben")
	tabs := says(t, anna, "tabs")
	spaces := says(t, anna, "spaces", tabs.ID)
	two := says(t, ben, "two spaces", spaces.ID)
	four := says(t, anna, "four spaces", spaces.ID)
	tests := says(t, ben, "test first")
	for _, c := range []struct {
		name string
		add  []*VerifiedFact
		want []string
	}{
		{"alone", []*VerifiedFact{tabs, tests}, []string{"tabs", "test first"}},
		{"replaced", []*VerifiedFact{tabs, spaces}, []string{"spaces"}},
		{"before what it replaces", []*VerifiedFact{spaces, tabs}, []string{"spaces"}},
		{"two at once", []*VerifiedFact{tabs, spaces, two, four}, []string{"four spaces (of 2)", "two spaces (of 2)"}},
		{"two, later and at once", []*VerifiedFact{spaces, two, four, says(t, ben, "2", two.ID), tabs}, []string{"2 (of 2)", "four spaces (of 2)"}},
		{"joined", []*VerifiedFact{tabs, spaces, two, four, says(t, anna, "gofmt", two.ID, four.ID)}, []string{"gofmt"}},
		{"removed", []*VerifiedFact{tests, removes(t, ben, tests.ID)}, nil},
		{"removed before it came", []*VerifiedFact{removes(t, ben, tests.ID), tests}, nil},
		{"removed by another", []*VerifiedFact{tests, removes(t, anna, tests.ID)}, []string{"test first"}},
		{"removed by another before it came", []*VerifiedFact{removes(t, anna, tests.ID), tests}, []string{"test first"}},
		{"a removed one replaces nothing", []*VerifiedFact{tabs, spaces, two, removes(t, ben, two.ID)}, []string{"spaces"}},
		{"invented", []*VerifiedFact{says(t, ben, "x", "f"+strings.Repeat("0", 40))}, []string{"x"}},
	} {
		s := NewSet()
		for _, o := range c.add {
			s.Add(o)
		}
		if got := headsOf(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// In whatever order and however often facts come, all have the same in the end, and files that
// say so byte for byte.
func TestConverge(t *testing.T) {
	members := []*Signer{member(t, "Anna"), member(t, "Ben"), member(t, "Cem")}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var all []*VerifiedFact
		for i := range 60 {
			by := members[random.IntN(len(members))]
			switch old := random.IntN(len(all) + 1); {
			case old < len(all) && random.IntN(4) == 0:
				all = append(all, removes(t, by, all[old].ID))
			case old < len(all) && random.IntN(2) == 0 && all[old].Removes == "":
				all = append(all, says(t, by, fmt.Sprint("fact ", i), all[old].ID))
			default:
				all = append(all, says(t, by, fmt.Sprint("fact ", i)))
			}
		}
		var want map[string][]byte
		var heads []Head
		for range 5 {
			s := NewSet()
			for range 2 {
				random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				for _, o := range all {
					s.Add(o)
				}
			}
			got, err := Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want, heads = got, s.Heads()
			}
			if !reflect.DeepEqual(idsOf(s.Heads()), idsOf(heads)) {
				t.Fatalf("seed %d: heads differ", seed)
			}
			again := NewSet()
			facts, problems := Unmarshal(got)
			for _, o := range facts {
				again.Add(o)
			}
			if len(problems) > 0 || !reflect.DeepEqual(idsOf(again.Heads()), idsOf(heads)) {
				t.Fatalf("seed %d: by files: %v", seed, problems)
			}
		}
	}
}

func idsOf(heads []Head) (out []string) {
	for _, h := range heads {
		out = append(out, h.ID+" "+strings.Join(h.Rivals, ","))
	}
	return out
}

func TestFiles(t *testing.T) {
	anna := member(t, "Anna")
	s := NewSet()
	o := says(t, anna, "wrap errors")
	s.Add(o)
	files, err := Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	text := files[o.ID+".json"]
	if !bytes.Contains(text, []byte("\n    \"content\": \"wrap errors\"")) {
		t.Errorf("not to be read in a review:\n%s", text)
	}
	other := says(t, anna, "other")
	bad := map[string][]byte{
		o.ID + ".json":                          bytes.Replace(text, []byte("wrap errors"), []byte("drop errors"), 1),
		other.ID + ".json":                      text,
		"README.md":                             []byte("no fact"),
		"f" + strings.Repeat("1", 40) + ".json": []byte("<<<<<<< ours\n"),
	}
	facts, problems := Unmarshal(bad)
	if len(facts) != 0 || len(problems) != 3 {
		t.Errorf("%d facts, %v", len(facts), problems)
	}
}

func TestSeal(t *testing.T) {
	ours, theirs := bytes.Repeat([]byte{1}, KeyBytes), bytes.Repeat([]byte{2}, KeyBytes)
	sealed, err := Seal(ours, "facts.r1.a.f1", []byte("wrap errors"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("wrap")) {
		t.Error("it is not hidden")
	}
	if plain, err := Unseal(ours, "facts.r1.a.f1", sealed); err != nil || string(plain) != "wrap errors" {
		t.Errorf("%q, %v", plain, err)
	}
	sealed[len(sealed)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"changed":         func() ([]byte, error) { return Unseal(ours, "facts.r1.a.f1", sealed) },
		"another team":    func() ([]byte, error) { return Unseal(theirs, "facts.r1.a.f1", sealed) },
		"another subject": func() ([]byte, error) { return Unseal(ours, "facts.r1.a.f2", sealed) },
		"short":           func() ([]byte, error) { return Unseal(ours, "facts.r1.a.f1", []byte("x")) },
	} {
		if _, err := open(); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Seal([]byte("short"), "", nil); err == nil {
		t.Error("a short key is taken")
	}
}

func FuzzOpen(f *testing.F) {
	anna := member(f, "Anna")
	f.Add(says(f, anna, "wrap errors").Sealed)
	f.Add([]byte(`{"fact":{"v":1},"signature":""}`))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		o, err := Open(sealed)
		if err != nil {
			return
		}
		again, err := Open(o.Sealed)
		if err != nil || again.ID != o.ID {
			t.Errorf("%s became %v, %v", o.ID, again, err)
		}
	})
}
