package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// sharingKills is how often the program of each of two members is killed, if killsEnv is not set.
const sharingKills = 15

// TestKillWhileSharing kills the programs of two members repeatedly while they share facts: in the
// end each has every fact of the other that was acknowledged, once, and everything is delivered.
func TestKillWhileSharing(t *testing.T) {
	kills := killsOr(t, sharingKills)
	team := teamtest.StartProcesses(t, 1, enrol.Options{})
	members := sharers(t, team, "Anna", "Ben")
	for n := range kills {
		for _, s := range members {
			if !t.Run(fmt.Sprint("kill", n+1, s.name), s.round) {
				return
			}
		}
	}
	var editors []*servertest.Editor
	for _, s := range members {
		_, e := s.start(t)
		editors = append(editors, e)
	}
	for i, s := range members {
		other := members[1-i]
		e := editors[i]
		e.Eventually(s.name+" has what "+other.name+" shared", func() bool {
			var status command.TeamStatus
			e.MustExecute("contexture.team.status", nil, &status)
			return status.Outbox == 0 && len(other.lacking(s.texts(t, e))) == 0
		})
		for text, n := range s.texts(t, e) {
			if n != 1 {
				t.Errorf("%s has %q %d times", s.name, text, n)
			}
		}
	}
	t.Logf("%d and %d facts were acknowledged through %d kills; %d were not", len(members[0].acked), len(members[1].acked), 2*kills, members[0].torn+members[1].torn)
	if members[0].torn+members[1].torn == 0 || len(members[0].acked) < kills {
		t.Error("the kills did not come at varied times")
	}
}

// sharer is a member whose program is killed.
type sharer struct {
	name, root, state string
	rng               *rand.Rand
	count             int
	acked             map[string]bool // texts that are shared for certain
	torn              int             // texts of which that is not known
}

// sharers returns members of a team who have a clone each of one repository.
func sharers(t *testing.T, team *teamtest.Processes, names ...string) (out []*sharer) {
	t.Helper()
	origin := smallTree(t)
	teamtest.Git(t, origin, "init", "-q", "-b", "main")
	teamtest.Git(t, origin, "commit", "-q", "--allow-empty", "-m", "first")
	for i, name := range names {
		s := &sharer{name: name, root: filepath.Join(t.TempDir(), name), state: t.TempDir(), rng: rand.New(rand.NewPCG(3, uint64(i))), acked: map[string]bool{}}
		teamtest.Git(t, origin, "clone", "-q", origin, s.root)
		file, err := json.Marshal(teamtest.Member(t, team.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		p, e := s.start(t)
		e.MustExecute("contexture.team.join", map[string]any{"membership": string(file)}, nil)
		s.end(t, p, e)
		out = append(out, s)
	}
	return out
}

func (s *sharer) start(t *testing.T) (*program, *servertest.Editor) {
	p := startProgram(t, "contexture", "serve", "--daemon=off", "--state-dir", s.state)
	e := servertest.Connect(t, p, servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{s.root}})
	return p, e
}

func (s *sharer) end(t *testing.T, p *program, e *servertest.Editor) {
	t.Helper()
	if err := e.Request("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Notify("exit", nil)
	if code := p.left(); code != 0 {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
}

// round shares facts until the program is killed, at a moment that nobody knows.
func (s *sharer) round(t *testing.T) {
	p, e := s.start(t)
	acks, delay := s.rng.IntN(4), time.Duration(s.rng.IntN(8000))*time.Microsecond
	for {
		s.count++
		text := fmt.Sprintf("lesson %d of %s", s.count, s.name)
		if acks--; acks == -1 {
			time.AfterFunc(delay, func() { _ = p.cmd.Process.Kill() })
		}
		var it command.RememberResult
		err := e.Execute("contexture.remember", map[string]any{"kind": "lesson", "text": text}, &it)
		if err == nil {
			err = e.Execute("contexture.team.share", map[string]any{"id": it.Item.ID, "share": "share"}, nil)
		}
		var refused *servertest.Error
		switch {
		case errors.As(err, &refused):
			t.Errorf("%s: %v", text, err)
			_ = p.cmd.Process.Kill()
		case err == nil:
			s.acked[text] = true
			continue
		}
		s.torn++
		break
	}
	if code := p.left(); code != killedCode {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
}

// texts returns how often a member has each text that others shared.
func (s *sharer) texts(t *testing.T, e *servertest.Editor) map[string]int {
	t.Helper()
	var list command.KnowledgeListResult
	e.MustExecute("contexture.knowledge.list", map[string]any{"kind": "lesson"}, &list)
	out := map[string]int{}
	for _, it := range list.Items {
		if it.SharedBy != nil {
			out[it.Content]++
		}
	}
	return out
}

// lacking returns what was acknowledged and is not among texts.
func (s *sharer) lacking(texts map[string]int) (out []string) {
	for text := range s.acked {
		if texts[text] == 0 {
			out = append(out, text)
		}
	}
	return out
}
