// Package nodetest runs the servers of teams inside of a test's process. A test binary that imports
// it contains a NATS server, which package teamtest avoids.
package nodetest

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/node"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// patience bounds the start of the servers. It is long enough for a busy machine.
const patience = 60 * time.Second

// Team is a team whose servers run in the process.
type Team struct {
	Dir   string
	t     testing.TB
	log   *slog.Logger
	nodes []*node.Node // nil where one is stopped
}

// Start makes a team with options, except its addresses, and as many servers, and returns when the
// streams are ready.
func Start(t testing.TB, servers int, o enrol.Options) *Team {
	t.Helper()
	team := &Team{Dir: filepath.Join(t.TempDir(), "team"), t: t, log: slog.New(slog.NewTextHandler(io.Discard, nil)), nodes: make([]*node.Node, servers)}
	o.Servers, o.Routes = teamtest.Addresses(t, servers), teamtest.Addresses(t, servers)
	if o.Team == "" {
		o.Team = "Test"
	}
	if err := enrol.Init(team.Dir, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for i := range team.nodes {
			team.StopNode(i + 1)
		}
	})
	team.StartNodes()
	team.Setup()
	return team
}

// StartNodes starts the servers that are stopped.
func (team *Team) StartNodes() {
	team.t.Helper()
	ctx, cancel := context.WithTimeout(team.t.Context(), patience)
	defer cancel()
	var starting sync.WaitGroup
	errs := make([]error, len(team.nodes))
	for i, n := range team.nodes {
		if n == nil {
			starting.Go(func() {
				team.nodes[i], errs[i] = node.Start(ctx, node.Options{Dir: team.NodeDir(i + 1), Log: team.log})
			})
		}
	}
	starting.Wait()
	for _, err := range errs {
		if err != nil {
			team.t.Fatal(err)
		}
	}
}

// Setup creates the streams.
func (team *Team) Setup() {
	team.t.Helper()
	teamtest.Setup(team.t, team.Dir)
}

// NodeDir returns the folder of a server; servers count from 1.
func (team *Team) NodeDir(number int) string {
	return filepath.Join(team.Dir, enrol.NodeFolder(number))
}

// StopNode stops a server, if it runs.
func (team *Team) StopNode(number int) {
	if n := team.nodes[number-1]; n != nil {
		n.Stop()
		team.nodes[number-1] = nil
	}
}

// Member admits a person and returns the membership.
func (team *Team) Member(name string) *enrol.Membership {
	team.t.Helper()
	return teamtest.Member(team.t, team.Dir, name)
}
