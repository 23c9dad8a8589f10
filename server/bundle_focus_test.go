package server_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestBundleReportsFocus checks that the answer names the files and symbols that the conversation
// is about, the latest first, each with its origin, and nothing that the workspace does not have.
func TestBundleReportsFocus(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	say(t, e, "old", user("Look at gone/nowhere.go."), assistant("There is none."))
	say(t, e, "c", user("What does `Backoff` do?"), assistant("It waits."), user("Open retry.go and missing.go."), assistant("Here it is."))
	focus := func(prompt, conversation string) []command.Focus {
		return bundleOf(t, e, args{"prompt": prompt, "conversationId": conversation}).Intent.Focus
	}
	uri := func(name string) string { return servertest.URI(filepath.Join(root, name)) }
	got := focus("and who calls that?", "c")
	want := []command.Focus{
		{Kind: "file", Name: "retry.go", URI: uri("retry.go"), From: "conversation", TurnID: "T-2"},
		{Kind: "symbol", Name: "Backoff", URI: uri("retry.go"), From: "conversation", TurnID: "T-1"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the focus is %+v, want %+v", got, want)
	}
	earlier := command.Focus{Kind: "file", Name: "retry.go", URI: uri("retry.go"), From: "earlier"}
	if got := focus("go on with that", "new"); !slices.Contains(got, earlier) {
		t.Errorf("of earlier conversations: %+v", got)
	}
	for _, c := range [][2]string{{"hi there!", "c"}, {"what is 17 % of 2340?", "c"}} {
		if got := focus(c[0], c[1]); got == nil || len(got) > 0 {
			t.Errorf("%q: the focus is %+v, want an empty list", c[0], got)
		}
	}
}
