package server_test

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestMemoryIsBehindPlaces checks that a search which wants everything begins with the best place,
// although something was said in the same words, and has no rule without any of them.
func TestMemoryIsBehindPlaces(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	say(t, e, "c",
		user("The backoff grows with each failure, and the page draws it."), assistant("The backoff after a failure is in retry.go."),
		user("From now on, never use semicolons in this code base."), assistant("Understood."))
	for query, kinds := range map[string][]string{"backoff failure": {}, "fix the backoff after a failure": {}, "failure of a backoff": {"code", "message", "rule"}} {
		hits := ask[command.SearchResult](t, e, "contexture.search", args{"query": query, "kinds": kinds, "deadlineMs": 30000}).Hits
		found := map[string]bool{}
		for _, h := range hits {
			found[h.Kind] = true
		}
		if len(hits) == 0 || hits[0].Kind != "code" || !found["message"] || found["rule"] {
			t.Errorf("%q: %+v", query, hits)
		}
		if !slices.IsSortedFunc(hits, func(a, b command.Hit) int { return int(1e9 * (b.Score - a.Score)) }) {
			t.Errorf("%q: not in the order of the scores: %+v", query, hits)
		}
	}
	if hits := ask[command.SearchResult](t, e, "contexture.search", args{"query": "semicolons", "kinds": []string{"rule"}}).Hits; len(hits) != 1 || hits[0].Score <= 0 {
		t.Errorf("the rules about semicolons: %+v", hits)
	}
}
