package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// command runs a command line and returns the exit code and the two outputs.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestCommands(t *testing.T) {
	empty, team := t.TempDir(), filepath.Join(t.TempDir(), "team")
	if err := enrol.Init(team, enrol.Options{Team: "T", Servers: teamtest.Addresses(t, 1)}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"", 0, "serve"},
		{"--version", 0, "contexture-team version"},
		{"licenses", 0, "github.com/nats-io/nats-server"},
		{"nonsense", 2, "nonsense"},
		{"serve", 2, "--dir"},
		{"serve --dir " + empty, 2, "has no server 1"},
		{"serve --dir " + team + " --node 2", 2, "has no server 2"},
		{"serve --dir " + team + " --port 1", 2, "--port"},
		{"setup --dir " + empty, 1, "is no team's folder"},
		{"setup --timeout 10ms --dir " + team, 1, "connect"},
	} {
		code, stdout, stderr := command(t, strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(stdout+stderr, test.says) {
			t.Errorf("%q: code %d, want %d: %s%s", test.args, code, test.code, stdout, stderr)
		}
	}
}

// TestSetupRemoves checks that setup tells running servers who was removed, from the folder of an
// administrator on another machine, and is idempotent.
func TestSetupRemoves(t *testing.T) {
	t.Parallel()
	team := teamtest.StartProcesses(t, 3, enrol.Options{Encrypt: true})
	eve := teamtest.Connected(t, stream.Options{Membership: teamtest.Member(t, team.Dir, "Eve")})
	elsewhere := filepath.Join(t.TempDir(), "team")
	if err := os.CopyFS(elsewhere, os.DirFS(team.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := enrol.Remove(elsewhere, "Eve"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, _, stderr := command(t, "setup", "--dir", elsewhere); code != 0 {
			t.Fatalf("code %d: %s", code, stderr)
		}
	}
	teamtest.Await(t, "the end of access", func() error {
		if s := eve.State(); s.Connected || !errors.Is(s.LastError, stream.ErrDenied) {
			return fmt.Errorf("the state is %+v", s)
		}
		return nil
	})
}

// TestConfirmPartition checks that a server which is cut off from the others confirms nothing that
// it does not hold, also before the others have noticed.
func TestConfirmPartition(t *testing.T) {
	t.Parallel()
	team := teamtest.StartProcesses(t, 3, enrol.Options{})
	m := teamtest.Member(t, team.Dir, "Ada")
	others := []string{m.Servers[0], m.Servers[2], m.Servers[1]}
	ada := teamtest.Connected(t, stream.Options{Membership: m, Servers: others})
	confirm := func(id string, want int) error {
		holding, of, err := ada.Confirm(t.Context(), []stream.Fact{{Repo: "r1", ID: id, Data: []byte(id)}})
		if err == nil && (of != 3 || holding[0] != want) {
			err = fmt.Errorf("%v of %d hold %s, not %d", holding, of, id, want)
		}
		return err
	}
	teamtest.Await(t, "a fact", func() error { return ada.PutFact(t.Context(), "r1", "before", []byte("before")) })
	teamtest.Await(t, "all replicas", func() error { return confirm("before", 3) })
	team.Isolate(2, true)
	teamtest.Await(t, "a fact", func() error { return ada.PutFact(t.Context(), "r1", "after", []byte("after")) })
	teamtest.Await(t, "two replicas", func() error { return confirm("after", 2) })
	team.Isolate(2, false)
	teamtest.Await(t, "all replicas", func() error { return confirm("after", 3) })
}

// TestStockServer checks that the servers which NATS distributes run the configuration: two members
// share while one of three is killed, and one of them is removed.
func TestStockServer(t *testing.T) {
	t.Parallel()
	team := teamtest.StartStock(t, 3, enrol.Options{Encrypt: true})
	ada := teamtest.Connected(t, stream.Options{Membership: teamtest.Member(t, team.Dir, "Ada")})
	bob := teamtest.Connected(t, stream.Options{Membership: teamtest.Member(t, team.Dir, "Bob")})
	r := &reader{facts: map[string]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.follow(ctx, bob) }()
	share := func(id string, replicas int) {
		t.Helper()
		fact := stream.Fact{Repo: "repo", ID: id, Data: []byte("the text of " + id)}
		teamtest.Await(t, id, func() error {
			if err := ada.PutFact(t.Context(), fact.Repo, fact.ID, fact.Data); err != nil {
				return err
			}
			holding, of, err := ada.Confirm(t.Context(), []stream.Fact{fact})
			if err == nil && (of != 3 || holding[0] < replicas) {
				err = fmt.Errorf("%d of %d hold it", holding[0], of)
			}
			if got := r.all()[ada.Author()+"/"+id]; err == nil && got != string(fact.Data) {
				err = fmt.Errorf("the other member has %q", got)
			}
			return err
		})
	}
	share("before", 3)
	team.Kill(2)
	share("meanwhile", 2)
	team.Start(2)
	share("after", 3)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("following ended with %v", err)
	}
	if err := enrol.Remove(team.Dir, "Bob"); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "setup", "--dir", team.Dir); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	teamtest.Await(t, "the end of access", func() error {
		if s := bob.State(); s.Connected || !errors.Is(s.LastError, stream.ErrDenied) {
			return fmt.Errorf("the state is %+v", s)
		}
		return nil
	})
}
