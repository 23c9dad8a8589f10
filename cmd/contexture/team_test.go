package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sharing "github.com/contexture-dev/contexture/server/team"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// TestTeamCommands checks that two members who use the command line alone, each command in a
// process of its own, are told of the connection and of what was delivered, and one who was removed
// of that.
func TestTeamCommands(t *testing.T) {
	team := teamtest.StartProcesses(t, 1, enrol.Options{})
	origin := smallTree(t)
	teamtest.Git(t, origin, "init", "-q", "-b", "main")
	teamtest.Git(t, origin, "commit", "-q", "--allow-empty", "-m", "first")
	members := map[string]*enrol.Membership{}
	does := map[string]func(want string, args ...string) string{}
	for _, name := range []string{"Anna", "Ben"} {
		root, state := filepath.Join(t.TempDir(), name), t.TempDir()
		teamtest.Git(t, origin, "clone", "-q", origin, root)
		does[name] = func(want string, args ...string) string {
			t.Helper()
			p := startProgram(t, "contexture", append(args, "--root", root, "--state-dir", state)...)
			out, err := io.ReadAll(p)
			if code := p.left(); err != nil || code != 0 || !strings.Contains(string(out)+p.stderr.String(), want) {
				t.Fatalf("%s does %q: code %d, %v, want %q:\n%s%s", name, args, code, err, want, out, &p.stderr)
			}
			return strings.TrimSpace(string(out))
		}
		members[name] = teamtest.Member(t, team.Dir, name)
		membership, err := json.Marshal(members[name])
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "membership.json")
		if err := os.WriteFile(file, membership, 0o600); err != nil {
			t.Fatal(err)
		}
		does[name]("you are "+name, "team", "join", file)
		does[name]("ms\nstate       everything is delivered; everything was read", "team", "status")
	}
	id := does["Anna"]("", "remember", "lesson", "flush before you close the log")
	does["Anna"]("noted; everything is delivered", "team", "share", id)
	does["Ben"]("Anna: 1", "team", "sync")
	does["Ben"]("flush before you close the log", "bundle", "close the log")
	does["Anna"]("noted; everything is delivered", "team", "share", "--withhold", id)
	does["Ben"]("0, 0 of them yours", "team", "status")

	does["Ben"]("1 of 1 server answer", "doctor")
	if err := enrol.Remove(team.Dir, "Ben"); err != nil {
		t.Fatal(err)
	}
	teamtest.Await(t, "the server to deny access", func() error {
		err := sharing.Reach(t.Context(), members["Ben"])
		if !errors.Is(err, stream.ErrDenied) {
			return fmt.Errorf("it answers %v", err)
		}
		return nil
	})
	does["Ben"]("its servers deny access", "doctor")
	does["Anna"]("1 of 1 server answer", "doctor")
}
