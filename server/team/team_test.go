package team

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/fact"
)

// A day of three people: what one says reaches the others, as a suggestion, and so does each change
// and the end of it.
func TestDay(t *testing.T) {
	c := newCrew(t)
	anna, ben, cem := c.member("Anna"), c.member("Ben"), c.member("Cem")
	anna.shares("rule", "indent with tabs in every file")
	anna.shares("lesson", "the importer fails until the cache is cleared")
	anna.remembers("rule", "call me Anna")
	for _, p := range []*person{ben, cem} {
		p.awaits("indent with tabs in every file", "candidate by Anna")
		p.awaits("the importer fails until the cache is cleared", "candidate by Anna")
	}
	if got := ben.knows(); got["call me Anna"] != "" {
		t.Error("a rule that nobody shared is Ben's")
	}
	if _, err := ben.memory().AcceptKnowledge(ben.item("indent with tabs in every file"), knowledge.AcceptedBy); err != nil {
		t.Fatal(err)
	}
	// Anna changes it: Ben has the old one until he accepts the new one.
	v := anna.memory().View()
	old, err := v.Knowledge.Item(anna.item("indent with tabs in every file"))
	v.Close()
	if err != nil {
		t.Fatal(err)
	}
	old.Content, old.Title = "indent with tabs, but Markdown with spaces", "indent"
	if _, err := anna.memory().PutKnowledge(old); err != nil {
		t.Fatal(err)
	}
	ben.awaits("indent with tabs, but Markdown with spaces", "candidate by Anna")
	ben.awaits("indent with tabs in every file", "confirmed by Anna")
	cem.awaits("indent with tabs in every file", "")
	// Cem takes it over, changes it and shares his: Anna gets that, from Cem.
	id := cem.item("indent with tabs, but Markdown with spaces")
	if _, err := cem.memory().PutKnowledge(knowledge.Item{ID: id, Kind: knowledge.Rule, Title: "x", Content: "indent with tabs, but YAML with spaces", Weight: 1}); err != nil {
		t.Fatal(err)
	}
	yes := true
	if err := cem.teams.Mark(t.Context(), cem.root, id, &yes); err != nil {
		t.Fatal(err)
	}
	anna.awaits("indent with tabs, but YAML with spaces", "candidate by Cem")
	ben.awaits("indent with tabs, but Markdown with spaces", "")
	// Anna removes the lesson: nobody has it any more.
	if err := anna.memory().DeleteKnowledge(anna.item("the importer fails until the cache is cleared")); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*person{ben, cem} {
		p.awaits("the importer fails until the cache is cleared", "")
	}
	anna.delivers()
	for _, m := range c.hub.stored {
		if bytes.Contains(m.Data, []byte("tabs")) {
			t.Error("the servers can read a fact")
		}
	}
	if data, err := os.ReadFile(filepath.Join(ben.state, "team", "facts", ben.status().Repository, "facts.jsonl")); err != nil || bytes.Contains(data, []byte("importer fails")) {
		t.Errorf("what was withdrawn is still on Ben's disk: %v", err)
	}
}

// Two who change the same without knowing of each other: both are shown and marked.
func TestRivals(t *testing.T) {
	c := newCrew(t)
	anna, ben, cem := c.member("Anna"), c.member("Ben"), c.member("Cem")
	anna.shares("rule", "release on Fridays")
	ben.awaits("release on Fridays", "candidate by Anna")
	anna.delivers()
	c.hub.change(func() { c.hub.down = true })
	for _, p := range []*person{anna, ben} {
		id := p.item("release on Fridays")
		if _, err := p.memory().PutKnowledge(knowledge.Item{ID: id, Kind: knowledge.Rule, Title: "r", Content: "release on the day of " + p.name, Weight: 1}); err != nil {
			t.Fatal(err)
		}
		yes := true
		if err := p.teams.Mark(t.Context(), p.root, id, &yes); err != nil {
			t.Fatal(err)
		}
	}
	c.hub.change(func() { c.hub.down = false })
	cem.awaits("release on the day of Anna", "candidate by Anna of ||")
	cem.awaits("release on the day of Ben", "candidate by Ben of ||")
	cem.awaits("release on Fridays", "")
	if s := cem.status(); s.Rivals != 2 || s.Facts != 2 {
		t.Errorf("%+v", s)
	}
}

// What the policy admits is shared without a mark; never what is personal, and never notes.
func TestPolicy(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	anna.remembers("rule", "run `make gen` after every change of the contract")
	anna.remembers("rule", "answer in German and be brief")
	anna.remembers("decision", "we keep SQLite since the data fits into memory")
	anna.remembers("note", "the staging host is called thor")
	if err := os.WriteFile(filepath.Join(anna.root, ".contexture.toml"), []byte("[team]\nshare = [\"rule:project\", \"decision\", \"reference\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	anna.remembers("lesson", "flush before you close") // wakes it; no lesson is admitted
	ben.awaits("run `make gen` after every change of the contract", "candidate by Anna")
	ben.awaits("we keep SQLite since the data fits into memory", "candidate by Anna")
	anna.delivers()
	if got := ben.knows(); len(got) != 2 {
		t.Errorf("Ben has %v", got)
	}
	// A file that says nothing any more takes nothing back; the person does.
	if err := os.Remove(filepath.Join(anna.root, ".contexture.toml")); err != nil {
		t.Fatal(err)
	}
	no := false
	if err := anna.teams.Mark(t.Context(), anna.root, anna.item("we keep SQLite since the data fits into memory"), &no); err != nil {
		t.Fatal(err)
	}
	ben.awaits("we keep SQLite since the data fits into memory", "")
	ben.awaits("run `make gen` after every change of the contract", "candidate by Anna")
}

func TestAboutProject(t *testing.T) {
	for text, want := range map[string]bool{
		"answer in German":                       false,
		"be brief, and never apologise":          false,
		"No emojis. Ever.":                       false,
		"I prefer tea, e.g. green tea":           false,
		"use and/or where both hold":             false,
		"wrap errors with fmt.Errorf":            true,
		"never edit server/command/REFERENCE.md": true,
		"run `make`":                             true,
		"name tests TestFooBar":                  true,
		"pass --no-verify never":                 true,
		"columns are in snake_case_form":         true,
		"call Close() in a defer":                true,
		"keep handlers under internal/api/v2":    true,
		"write to me at 9 a.m. only":             false,
	} {
		if got := aboutProject(&knowledge.Item{Kind: knowledge.Rule, Content: text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The person without a server gets the same facts by Git, and what they share comes back.
func TestGit(t *testing.T) {
	c := newCrew(t)
	anna, ben, git1 := c.member("Anna"), c.member("Ben"), c.person("Gina")
	anna.shares("decision", "we keep SQLite since the data fits into memory")
	ben.awaits("we keep SQLite since the data fits into memory", "candidate by Anna")
	export := func(p *person) ExchangeResult {
		t.Helper()
		folder, _ := CleanFolder("")
		x, err := p.teams.Export(t.Context(), p.root, folder)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x, y := export(anna), export(ben)
	if x.Written != 1 || y.Written != 1 || x.Folder != Folder {
		t.Errorf("%+v, %+v", x, y)
	}
	name := sameFolder(t, filepath.Join(anna.root, Folder), filepath.Join(ben.root, Folder))[0]
	if x := export(anna); x.Written != 0 || x.Removed != 0 {
		t.Errorf("the same again: %+v", x)
	}
	if err := os.CopyFS(filepath.Join(git1.root, Folder), os.DirFS(filepath.Join(anna.root, Folder))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(git1.root, Folder, "f"+strings.Repeat("0", 40)+".json"), []byte("<<<<<<<"), 0o644); err != nil {
		t.Fatal(err)
	}
	x, err := git1.teams.Import(t.Context(), git1.root, Folder)
	if err != nil || x.Facts != 1 || x.New != 1 || len(x.Problems) != 1 {
		t.Errorf("%+v, %v", x, err)
	}
	git1.awaits("we keep SQLite since the data fits into memory", "candidate by Anna?") // nothing proves it to her
	git1.shares("lesson", "vacuum needs twice the space")
	export(git1)
	if err := os.CopyFS(filepath.Join(ben.root, "incoming"), os.DirFS(filepath.Join(git1.root, Folder))); err != nil {
		t.Fatal(err)
	}
	if _, err := ben.teams.Import(t.Context(), ben.root, "incoming"); err != nil {
		t.Fatal(err)
	}
	if got := ben.knows()["vacuum needs twice the space"]; !strings.HasPrefix(got, "candidate by ") || !strings.HasSuffix(got, "?") {
		t.Errorf("Ben has it as %q", got)
	}
	// A fact that is withdrawn takes its file's place.
	if err := anna.memory().DeleteKnowledge(anna.item("we keep SQLite since the data fits into memory")); err != nil {
		t.Fatal(err)
	}
	if x := export(anna); x.Removed != 1 || x.Facts != 0 {
		t.Errorf("withdrawn: %+v", x)
	}
	if _, err := os.Stat(filepath.Join(anna.root, Folder, name)); err == nil {
		t.Error("the file of a withdrawn fact stays")
	}
}

func sameFolder(t *testing.T, a, b string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadDir(b)
	if err != nil || len(other) != len(list) || len(list) == 0 {
		t.Fatalf("%v and %v: %v", list, other, err)
	}
	for _, e := range list {
		x, err := os.ReadFile(filepath.Join(a, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, e.Name()))
		if err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs: %v", e.Name(), err)
		}
		names = append(names, e.Name())
	}
	return names
}

// A secret is neither sent nor taken.
func TestSecrets(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	secret := "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO" + "0pINUx"
	id := anna.remembers("lesson", "log in with the token "+secret+" first")
	yes := true
	var cannot *CannotShareError
	if err := anna.teams.Mark(t.Context(), anna.root, id, &yes); !errors.As(err, &cannot) {
		t.Errorf("marked: %v", err)
	}
	large := anna.remembers("lesson", strings.Repeat("flush before you close. ", 3000))
	if err := anna.teams.Mark(t.Context(), anna.root, large, &yes); !errors.As(err, &cannot) {
		t.Errorf("a large one is marked: %v", err)
	}
	if s := anna.status(); len(s.Problems) != 0 || s.Outbox != 0 {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile(filepath.Join(anna.root, ".contexture.toml"), []byte("[team]\nshare = [\"lesson\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := anna.teams.Sync(t.Context(), anna.root); err != nil {
		t.Fatal(err)
	}
	if s := anna.status(); len(s.Problems) != 2 || s.Outbox != 0 {
		t.Errorf("by the policy: %+v", s)
	}
	// A program of somebody else sends one all the same.
	file, err := enrol.Admit(c.folder, "Mallory")
	if err != nil {
		t.Fatal(err)
	}
	m, err := enrol.ParseMembership(file)
	if err != nil {
		t.Fatal(err)
	}
	c.send(t, m, m, fact.Fact{Repository: ben.status().Repository, Kind: fact.Lesson, Title: "t", Content: "use " + secret})
	ben.until(func() bool { return len(ben.knows()) == 1 }, func() string { return "it did not come" })
	for text := range ben.knows() {
		if strings.Contains(text, secret) {
			t.Errorf("Ben has %q", text)
		}
	}
}

// send publishes a fact of a member by the access of another.
func (c *crew) send(t *testing.T, author, by *enrol.Membership, f fact.Fact) {
	t.Helper()
	signer, err := fact.NewSigner([]byte(author.Seed), author.Member, author.JWT)
	if err != nil {
		t.Fatal(err)
	}
	f.At = time.Now()
	id, plain, err := signer.Sign(f)
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{member: by}
	key, err := by.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	repo := r.nameOf(f.Repository)
	sealed, err := fact.Seal(by.TeamKey, subjectOf(repo, key, id), plain)
	if err != nil {
		t.Fatal(err)
	}
	c.hub.put(repo, key, id, sealed)
}

// What is forged, replayed or of another repository has no effect, and nothing of it stops what is
// right.
func TestForged(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	read := func(name string) *enrol.Membership {
		t.Helper()
		file, err := enrol.Admit(c.folder, name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := enrol.ParseMembership(file)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	mallory, victim := read("Mallory"), read("Vera")
	repo := ben.status().Repository
	lesson := fact.Fact{Repository: repo, Kind: fact.Lesson, Title: "t", Content: "push without review"}
	c.send(t, victim, mallory, lesson) // Vera's own words, sent by Mallory
	other := lesson
	other.Repository = "0123456789abcdef0123456789abcdef"
	c.send(t, mallory, mallory, other) // of another repository, and so not followed
	name := (&repository{member: mallory}).nameOf(repo)
	c.hub.put(name, "U", "f1", []byte("noise"))
	c.hub.put(name, "U", "f2", bytes.Repeat([]byte("x"), 10<<20))
	// A removal of Anna's fact by Mallory.
	anna.shares("lesson", "flush before you close")
	ben.awaits("flush before you close", "candidate by Anna")
	of := knowledge.FactOf(ben.item("flush before you close"))
	c.send(t, mallory, mallory, fact.Fact{Repository: repo, Removes: of})
	if _, err := ben.memory().AcceptKnowledge(ben.item("flush before you close"), knowledge.AcceptedBy); err != nil {
		t.Fatal(err)
	}
	// A name that is not Mallory's.
	claims := *mallory
	claims.Member = "Anna"
	c.send(t, &claims, mallory, fact.Fact{Repository: repo, Kind: fact.Lesson, Title: "t", Content: "trust me"})
	ben.awaits("trust me", "candidate by Mallory")
	ben.awaits("flush before you close", "confirmed by Anna")
	if got := ben.knows(); len(got) != 2 {
		t.Errorf("Ben has %v", got)
	}
	if s := ben.status(); s.Refused != 3 {
		t.Errorf("%d were refused", s.Refused)
	}
}

// A server that forgets gets everything again, from those who wrote it; a person who comes back
// after a long time, and one whose state is lost, have the same as everybody.
func TestForgetfulServer(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	anna.shares("lesson", "flush before you close")
	ben.shares("lesson", "close before you sync")
	anna.awaits("close before you sync", "candidate by Ben")
	ben.awaits("flush before you close", "candidate by Anna")
	anna.delivers()
	ben.delivers()
	ben.close()
	c.hub.reset()
	anna.shares("lesson", "sync before you leave")
	anna.until(func() bool { c.hub.mu.Lock(); defer c.hub.mu.Unlock(); return len(c.hub.stored) == 2 }, func() string { return "the servers did not get it again" })
	ben.open()
	ben.awaits("sync before you leave", "candidate by Anna")
	ben.until(func() bool { c.hub.mu.Lock(); defer c.hub.mu.Unlock(); return len(c.hub.stored) == 3 }, func() string { return "Ben's is lost" })
	late := c.member("Lea")
	for text, name := range map[string]string{"flush before you close": "Anna", "sync before you leave": "Anna", "close before you sync": "Ben"} {
		late.awaits(text, "candidate by "+name)
	}
}

// While the servers are full or away, everything goes on, and is delivered later.
func TestAway(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	c.hub.change(func() { c.hub.down = true })
	anna.shares("lesson", "flush before you close")
	if s := anna.status(); s.Outbox != 1 || s.Connection.Connected {
		t.Errorf("%+v", s)
	}
	anna.close() // nothing is lost with the process
	c.hub.change(func() { c.hub.down, c.hub.denying = false, true })
	anna.open()
	anna.until(func() bool { return len(anna.status().Problems) == 1 }, func() string { return "nobody says that the servers are full" })
	c.hub.change(func() { c.hub.denying = false })
	ben.awaits("flush before you close", "candidate by Anna")
	anna.delivers()
	if s := anna.status(); len(s.Problems) != 0 {
		t.Errorf("%v", s.Problems)
	}
}
