package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/nodetest"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// repository returns a tree of files in a Git repository with one commit.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	root := servertest.Tree(t, files)
	teamtest.Git(t, root, "init", "-q", "-b", "main")
	teamtest.Git(t, root, "add", ".")
	teamtest.Git(t, root, "commit", "-q", "-m", "first")
	return root
}

// membership admits a person and returns the text of their file.
func membership(t *testing.T, team *nodetest.Team, name string) string {
	t.Helper()
	file, err := json.Marshal(team.Member(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// A fact reaches the bundles of a teammate's editor, also in a process that was only told of the
// root.
func TestTeam(t *testing.T) {
	team := nodetest.Start(t, 1, enrol.Options{})
	origin := repository(t, map[string]string{"importer/importer.go": "package importer\n\n// Import reads all files.\nfunc Import() error { return nil }\n"})
	clone := func(name string) string {
		root := filepath.Join(t.TempDir(), name)
		teamtest.Git(t, origin, "clone", "-q", origin, root)
		return root
	}
	join := func(e *servertest.Editor, name string) {
		t.Helper()
		if s := ask[command.TeamStatus](t, e, "contexture.team.join", args{"membership": membership(t, team, name)}); s.Member != name {
			t.Errorf("%+v", s)
		}
	}
	annas, bens, bensState := clone("anna"), clone("ben"), t.TempDir()
	anna := servertest.Start(t, servertest.Options{Roots: []string{annas}})
	join(anna, "Anna")
	share := func(text string) {
		t.Helper()
		it := ask[command.RememberResult](t, anna, "contexture.remember", args{"kind": "rule", "text": text}).Item
		ask[command.TeamStatus](t, anna, "contexture.team.share", args{"id": it.ID, "share": "share"})
	}
	brings := func(t *testing.T, e *servertest.Editor, text string) {
		t.Helper()
		deadline := time.Now().Add(servertest.Patience)
		for {
			b := ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": "change how the importer handles errors and logs"})
			if strings.Contains(b.Text, "Suggested by teammates, not accepted") && strings.Contains(b.Text, "- Anna: \""+text+"\"") {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%q does not come:\n%s", text, b.Text)
			}
		}
	}
	share("wrap every error of the importer with its file")
	t.Run("joined", func(t *testing.T) {
		ben := servertest.Start(t, servertest.Options{Roots: []string{bens}, StateDir: bensState})
		join(ben, "Ben")
		brings(t, ben, "wrap every error of the importer with its file")
	})
	share("log what the importer skips")
	again := servertest.Start(t, servertest.Options{Roots: []string{bens}, StateDir: bensState})
	brings(t, again, "log what the importer skips")
	s := ask[command.TeamStatus](t, again, "contexture.team.status", nil)
	if !s.Connected || s.Suggestions != 2 || s.Facts != 2 || s.Own != 0 || len(s.Members) != 1 || !s.Members[0].Proven {
		t.Errorf("%+v", s)
	}
	list := ask[command.KnowledgeListResult](t, again, "contexture.knowledge.list", args{"kind": "rule"})
	for _, it := range list.Items {
		if it.SharedBy == nil || it.SharedBy.Name != "Anna" || it.State != "candidate" || it.Why != "suggested by Anna of the team; not accepted yet" {
			t.Errorf("%+v", it)
		}
	}
}

// An offline session's commands work on what the machine has and ask no server, until a session
// that is not offline comes to the same process.
func TestTeamOffline(t *testing.T) {
	team := nodetest.Start(t, 1, enrol.Options{})
	root := repository(t, map[string]string{"a.txt": "a"})
	v := servertest.NewServer(t, servertest.Options{})
	offline := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, Session: engine.SessionOptions{Offline: true}})
	ask[command.TeamStatus](t, offline, "contexture.team.join", args{"membership": membership(t, team, "Anna")})
	it := ask[command.RememberResult](t, offline, "contexture.remember", args{"kind": "lesson", "text": "flush before you close"}).Item
	s := ask[command.TeamStatus](t, offline, "contexture.team.share", args{"id": it.ID, "share": "share"})
	if s.Team == "" || s.Connected || !strings.Contains(s.Problem, "offline") || s.Outbox != 1 || s.Own != 1 {
		t.Errorf("offline: %+v", s)
	}
	refused(t, offline, "contexture.team.sync", nil, "", command.DataUnavailable)
	if x := ask[command.TeamExchanged](t, offline, "contexture.team.export", nil); x.Facts != 1 || x.Written != 1 {
		t.Errorf("exported: %+v", x)
	}
	online := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	if s := ask[command.TeamStatus](t, online, "contexture.team.sync", nil); !s.Connected || s.Outbox != 0 || s.Own != 1 {
		t.Errorf("then: %+v", s)
	}
}

// Without a repository or when it is switched off there is no team, and offline no server, and it
// is said why.
func TestNoTeam(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.txt": "a"})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	refused(t, e, "contexture.team.status", nil, "", command.DataFailed)
	refused(t, e, "contexture.team.join", args{"membership": "{}"}, "membership", "")
	refused(t, e, "contexture.team.export", args{"folder": "../x"}, "folder", "")
	offline := servertest.Start(t, servertest.Options{Roots: []string{root}, Session: engine.SessionOptions{Offline: true}})
	refused(t, offline, "contexture.team.sync", nil, "", command.DataUnavailable)
	if err := os.WriteFile(filepath.Join(root, ".contexture.toml"), []byte("[team]\nenabled = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	off := servertest.Start(t, servertest.Options{Roots: []string{root}})
	refused(t, off, "contexture.team.status", nil, "", command.DataUnavailable)
}
