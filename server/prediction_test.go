package server_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func presence(t *testing.T, e *servertest.Editor, a args) []command.Prediction {
	t.Helper()
	return ask[command.PresenceResult](t, e, "contexture.presence", a).Predictions
}

func TestPresencePredicts(t *testing.T) {
	root := project(t)
	v := servertest.NewServer(t, servertest.Options{})
	e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	e.AwaitIdle()
	off := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"prediction": args{"enabled": false}}})
	say(t, e, "uploads", user("What does `Backoff` in retry.go do?"), assistant("It waits. Shall I look at cache/lru.go next?"))
	say(t, e, "other", user("How is the page drawn?"), assistant("By renderPage in web/app.ts."))
	at := time.Now().UTC().Format(time.RFC3339)
	seen := args{
		"activeConversationId": "uploads", "visibleConversationIds": []string{"uploads", "other", "none"},
		"activeDocument": servertest.URI(filepath.Join(root, "docs/guide.md")), "navigation": []args{{"path": "retry.go", "at": at}, {"path": "/outside.go", "at": at}},
		"localTime": "2026-10-05T09:30:00+02:00",
	}
	list := presence(t, e, seen)
	if len(list) < 5 || len(list) > 8 {
		t.Fatalf("%d predictions: %+v", len(list), list)
	}
	if p := list[0]; p.Type != "conversation" || p.ConversationID != "uploads" || p.Probability != .85 || !slices.Equal(p.RequiredBundles, []string{"conversation", "topic"}) {
		t.Errorf("first %+v", p)
	}
	if p := list[1]; p.Type != "conversation" || p.ConversationID != "other" || p.Probability != .30 {
		t.Errorf("second %+v", p)
	}
	var things []string
	for i, p := range list {
		if i > 0 && p.Probability > list[i-1].Probability {
			t.Errorf("not in order: %+v", list)
		}
		if p.Type == "entity" {
			things = append(things, p.Entity)
		}
	}
	for _, want := range []string{"docs/guide.md", "retry.go", "Backoff"} {
		if !slices.Contains(things, want) {
			t.Errorf("%s is not among %q", want, things)
		}
	}
	if slices.Contains(things, "/outside.go") {
		t.Errorf("predicts what lies outside: %q", things)
	}
	if i := slices.IndexFunc(list, func(p command.Prediction) bool { return !p.Warm }); i >= 0 {
		t.Errorf("not ready with the whole index: %+v", list[i])
	}
	if p := presence(t, e, args{})[0]; p.Type != "conversation" || p.ConversationID != "other" {
		t.Errorf("where no conversation is named, the latest is predicted, not %+v", p)
	}
	forgetful := servertest.Start(t, servertest.Options{Roots: []string{root}, InitOptions: args{"memory": args{"enabled": false}}})
	if p := presence(t, forgetful, args{"activeDocument": seen["activeDocument"]}); len(p) != 1 || p[0].Entity != "docs/guide.md" {
		t.Errorf("without memory: %+v", p)
	}
	refused(t, off, "contexture.presence", seen, "", "unavailable")
	alone := servertest.Start(t, servertest.Options{})
	if got := presence(t, alone, args{"activeConversationId": "x"}); len(got) != 0 {
		t.Errorf("without a root: %+v", got)
	}
}

// TestPredictionLearns checks that what was asked changes the probabilities, in the next session
// too.
func TestPredictionLearns(t *testing.T) {
	root := project(t)
	v := servertest.NewServer(t, servertest.Options{})
	e := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	e.AwaitIdle()
	say(t, e, "c", user("Go on with Backoff."), assistant("Backoff in retry.go doubles the pause."))
	seen := args{"activeConversationId": "c", "visibleConversationIds": []string{"never"}}
	say(t, e, "never", user("How is the page drawn?"), assistant("By renderPage."))
	presence(t, e, seen)
	for _, prompt := range []string{"why does Backoff double?", "is Backoff tested?", "what calls Backoff?"} {
		bundleOf(t, e, args{"prompt": prompt, "conversationId": "c"})
		presence(t, e, seen)
	}
	learned := presence(t, e, seen)
	probability := func(list []command.Prediction, conversation string) float64 {
		for _, p := range list {
			if p.Type == "conversation" && p.ConversationID == conversation {
				return p.Probability
			}
		}
		t.Fatalf("%s is not in %+v", conversation, list)
		return 0
	}
	if a, n := probability(learned, "c"), probability(learned, "never"); a <= .85 || n >= .30 {
		t.Errorf("what went on counts %v, what did not %v", a, n)
	}
	again := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	again.AwaitIdle()
	if a := probability(presence(t, again, seen), "c"); a != probability(learned, "c") {
		t.Errorf("another session counts %v", a)
	}
}
