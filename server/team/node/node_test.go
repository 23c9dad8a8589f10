package node_test

import (
	"testing"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/nodetest"
)

// TestStart checks that a server of each kind of team starts, that its streams can be set up, and
// that setting up again changes nothing.
func TestStart(t *testing.T) {
	for _, test := range []struct {
		name    string
		servers int
		options enrol.Options
	}{
		{"single", 1, enrol.Options{}},
		{"encrypted", 1, enrol.Options{Encrypt: true}},
		{"cluster", 3, enrol.Options{Encrypt: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			team := nodetest.Start(t, test.servers, test.options)
			team.Setup()
			team.StopNode(1)
			team.StartNodes()
			team.Setup()
		})
	}
}
