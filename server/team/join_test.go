package team

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// Clones whose history was rewritten go on, with what they had.
func TestRewritten(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	anna.shares("lesson", "flush before you close")
	ben.awaits("flush before you close", "candidate by Anna")
	before := anna.status().Repository
	for _, p := range []*person{anna, ben} {
		p.close()
		teamtest.Git(t, p.root, "checkout", "-q", "--orphan", "new")
		teamtest.Git(t, p.root, "commit", "-q", "--allow-empty", "-m", "everything anew", "--date", "2026-03-01T12:00:00Z")
		teamtest.Git(t, p.root, "branch", "-q", "-M", "new", "main")
	}
	teamtest.Git(t, ben.root, "fetch", "-q", anna.root, "main")
	teamtest.Git(t, ben.root, "reset", "-q", "--hard", "FETCH_HEAD")
	anna.open()
	ben.open()
	anna.shares("lesson", "sync before you leave")
	if anna.status().Repository == before {
		t.Error("it has the former id")
	}
	ben.awaits("sync before you leave", "candidate by Anna")
	ben.awaits("flush before you close", "candidate by Anna")
	anna.delivers()
	late := c.person("Lea")
	teamtest.Git(t, late.root, "fetch", "-q", anna.root, "main")
	teamtest.Git(t, late.root, "reset", "-q", "--hard", "FETCH_HEAD")
	late.join(c.folder)
	late.awaits("flush before you close", "candidate by Anna")
}

// Two teams on one machine know nothing of each other.
func TestTwoTeams(t *testing.T) {
	c, other := newCrew(t), newCrew(t)
	other.hub = c.hub // even the same servers
	anna, ben := c.member("Anna"), other.person("Ben")
	teamtest.Git(t, other.origin, "commit", "-q", "--allow-empty", "-m", "more")
	second := filepath.Join(t.TempDir(), "second")
	teamtest.Git(t, filepath.Dir(second), "clone", "-q", c.origin, second)
	ben.root = second // the same repository
	ben.join(other.folder)
	anna.shares("lesson", "flush before you close")
	ben.shares("lesson", "sync before you leave")
	anna.delivers()
	ben.delivers()
	if a, b := anna.knows(), ben.knows(); len(a) != 1 || len(b) != 1 {
		t.Errorf("%v, %v", a, b)
	}
}

// Somebody who leaves keeps what is theirs and what they accepted.
func TestLeave(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	anna.shares("lesson", "flush before you close")
	anna.shares("rule", "test first")
	ben.awaits("test first", "candidate by Anna")
	ben.awaits("flush before you close", "candidate by Anna")
	if _, err := ben.memory().AcceptKnowledge(ben.item("test first"), knowledge.AcceptedBy); err != nil {
		t.Fatal(err)
	}
	if err := ben.teams.Leave(t.Context(), ben.root); err != nil {
		t.Fatal(err)
	}
	if got := ben.knows(); len(got) != 1 || got["test first"] != "confirmed by Anna" {
		t.Errorf("%v", got)
	}
	if s := ben.status(); s.Team != "" || len(s.Servers) != 0 || s.Facts != 0 {
		t.Errorf("%+v", s)
	}
	ben.remembers("lesson", "mine") // wakes it: nothing of the team comes back
	if _, err := ben.teams.Export(t.Context(), ben.root, Folder); err != nil {
		t.Fatal(err)
	}
	if got := ben.knows(); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if list, err := filepath.Glob(filepath.Join(ben.state, "team", "teams", "*")); err != nil || len(list) != 0 {
		t.Errorf("the credentials stay: %v, %v", list, err)
	}
}

// What somebody marked before they joined reaches the team, and what they got by Git stays.
func TestJoinLater(t *testing.T) {
	c := newCrew(t)
	anna, ben, gina := c.member("Anna"), c.person("Ben"), c.person("Gina")
	gina.shares("lesson", "vacuum needs twice the space")
	if _, err := gina.teams.Export(t.Context(), gina.root, Folder); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(ben.root, Folder), os.DirFS(filepath.Join(gina.root, Folder))); err != nil {
		t.Fatal(err)
	}
	ben.shares("lesson", "flush before you close")
	if _, err := ben.teams.Import(t.Context(), ben.root, Folder); err != nil {
		t.Fatal(err)
	}
	ben.join(c.folder)
	anna.awaits("flush before you close", "candidate by Ben")
	ben.delivers()
	if got := ben.knows(); len(got) != 2 || !strings.HasPrefix(got["vacuum needs twice the space"], "candidate by ") {
		t.Errorf("%v", got)
	}
	if s := anna.status(); s.Facts != 1 {
		t.Errorf("%+v", s)
	}
	// Another team gets what is Ben's, and nothing of the former one.
	anna.shares("lesson", "close before you sync")
	ben.awaits("close before you sync", "candidate by Anna")
	other := newCrew(t)
	other.hub = c.hub
	dora := other.person("Dora")
	dora.root = filepath.Join(t.TempDir(), "third")
	teamtest.Git(t, filepath.Dir(dora.root), "clone", "-q", c.origin, dora.root)
	dora.join(other.folder)
	ben.join(other.folder)
	dora.awaits("flush before you close", "candidate by Ben")
	ben.delivers()
	ben.awaits("close before you sync", "")
	if got := dora.knows(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// The person's setting limits the rate of embeddings; a workspace's own has no say.
func TestBandwidth(t *testing.T) {
	c := newCrew(t)
	p := c.person("Anna")
	p.close()
	config := t.TempDir()
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("[team]\nbandwidth = 64\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.root, ".contexture.toml"), []byte("[team]\nbandwidth = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{StateDir: p.state, ConfigDir: config})
	if err != nil {
		t.Fatal(err)
	}
	p.engine, p.teams = e, New(e)
	limit := make(chan int, 1)
	p.teams.dial = func(ctx context.Context, m *enrol.Membership, bytesPerSecond int) (Link, error) {
		limit <- bytesPerSecond
		return c.hub.link(ctx, m, bytesPerSecond)
	}
	p.teams.Start(context.WithoutCancel(t.Context()))
	p.join(c.folder)
	if got := <-limit; got != 64<<10 {
		t.Errorf("%d bytes a second", got)
	}
}

// Another repository in the folder of one that was joined is not shared.
func TestOtherRepositoryInTheFolder(t *testing.T) {
	c := newCrew(t)
	anna := c.member("Anna")
	anna.shares("lesson", "flush before you close")
	anna.delivers()
	anna.close()
	if err := os.RemoveAll(anna.root); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(anna.root, 0o755); err != nil {
		t.Fatal(err)
	}
	teamtest.Git(t, anna.root, "init", "-q", "-b", "main")
	teamtest.Git(t, anna.root, "commit", "-q", "--allow-empty", "-m", "something else")
	anna.open()
	if s := anna.status(); s.Team != "" || len(s.Servers) != 0 {
		t.Errorf("%+v", s)
	}
}

// A process that does not hold the memory leaves the facts alone: they have one writer. It shares
// as soon as it has the memory.
func TestSecondProcess(t *testing.T) {
	c := newCrew(t)
	anna, ben := c.member("Anna"), c.member("Ben")
	second := &person{T: t, name: "Anna", state: anna.state, root: anna.root, hub: c.hub}
	second.open()
	if s, err := second.teams.Status(t.Context(), anna.root); err == nil {
		t.Errorf("a second process shares too: %+v", s)
	}
	anna.shares("lesson", "flush before you close")
	ben.awaits("flush before you close", "candidate by Anna")
	anna.close()
	ben.shares("lesson", "wrap each error once")
	second.awaits("wrap each error once", "candidate by Ben")
	second.close()
	anna.open()
}

// A membership that replaces another of the same team changes nothing of what is shared.
func TestJoinAgain(t *testing.T) {
	c := newCrew(t)
	file, err := enrol.Admit(c.folder, "Anna")
	if err != nil {
		t.Fatal(err)
	}
	anna, ben := c.person("Anna"), c.member("Ben")
	for i := range 2 {
		if _, err := anna.teams.Join(t.Context(), anna.root, file); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			anna.shares("lesson", "flush before you close")
		}
		anna.delivers()
	}
	ben.awaits("flush before you close", "candidate by Anna")
	if s := ben.status(); s.Facts != 1 {
		t.Errorf("%+v", s)
	}
}
