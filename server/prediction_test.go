package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// answer returns a bundle as JSON without the fields that differ between answers.
func answer(t *testing.T, e *servertest.Editor, a args) string {
	t.Helper()
	b := bundleOf(t, e, a)
	b.ID, b.Cache = "", command.Cache{}
	for i := range b.Stages {
		b.Stages[i].MS = 0
	}
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func presence(t *testing.T, e *servertest.Editor, a args) []command.Prediction {
	t.Helper()
	return ask[command.PresenceResult](t, e, "contexture.presence", a).Predictions
}

// awaitWarm reports presence until everything predicted is compiled.
func awaitWarm(t *testing.T, e *servertest.Editor, a args) []command.Prediction {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(servertest.Patience)
	for {
		list := presence(t, e, a)
		if len(list) > 0 && !slices.ContainsFunc(list, func(p command.Prediction) bool { return !p.Warm }) {
			return list
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never warm: %+v", list)
		}
	}
}

func predictionFigures(t *testing.T, e *servertest.Editor) command.PredictionMetrics {
	t.Helper()
	return ask[command.MetricsResult](t, e, "contexture.metrics", args{}).Prediction
}

// people starts two editors on one root of one server: for the second, nothing is compiled ahead.
func people(t *testing.T, root string) (first, second *servertest.Editor, v *server.Server) {
	t.Helper()
	v = servertest.NewServer(t, servertest.Options{})
	first = servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	first.AwaitIdle()
	second = servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"prediction": args{"enabled": false}}})
	second.AwaitIdle()
	return first, second, v
}

func TestPresencePredicts(t *testing.T) {
	root := project(t)
	e, off, _ := people(t, root)
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
	if got := awaitWarm(t, e, seen); len(got) != len(list) {
		t.Errorf("warm: %+v", got)
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

// TestPrecompiledEqualsBuilt checks that a bundle compiled ahead equals, byte for byte, one built
// now, and that it is rebuilt as soon as anything that it was built from changes.
func TestPrecompiledEqualsBuilt(t *testing.T) {
	root := project(t)
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"retry.go", "cache/lru.go", "web/app.ts", "docs/guide.md", "AGENTS.md"} {
		if err := os.Chtimes(filepath.Join(root, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	e, cold, _ := people(t, root)
	say(t, e, "c", user("Go on with Backoff."), assistant("Backoff in retry.go doubles the pause."))
	prompt := args{"prompt": "how does Backoff wait after a failure?", "conversationId": "c"}
	seen := args{"activeConversationId": "c"}
	ready := func() int64 { return predictionFigures(t, e).Ready }
	// same compares an answer with the other editor's answers before and after it: it must equal
	// one of them. If those two differ, the index changed in between, perhaps more than once, and
	// the comparison is repeated.
	same := func(why string) {
		t.Helper()
		for deadline := time.Now().Add(servertest.Patience); ; {
			before, got, after := answer(t, cold, prompt), answer(t, e, prompt), answer(t, cold, prompt)
			switch {
			case got == before || got == after:
				return
			case before == after || time.Now().After(deadline):
				t.Fatalf("%s: warm\n%s\ncold\n%s", why, got, after)
			}
		}
	}
	warm := func(why string) {
		t.Helper()
		quiet := time.NewTicker(150 * time.Millisecond) // time to compile
		defer quiet.Stop()
		deadline := time.Now().Add(servertest.Patience)
		for before := ready(); ready() == before; {
			if time.Now().After(deadline) {
				t.Fatalf("%s: never ready: %+v", why, predictionFigures(t, e))
			}
			awaitWarm(t, e, seen)
			<-quiet.C
			same(why)
		}
	}
	stale := func(why string, change func()) {
		t.Helper()
		warm("before " + why)
		change()
		same("after " + why)
	}
	presence(t, e, seen)
	bundleOf(t, e, prompt) // bundles requested once are compiled again
	warm("at first")
	stale("a file changed on disk", func() {
		servertest.WriteFile(t, filepath.Join(root, "retry.go"), "package p\n\n// Backoff waits a minute after each failure.\nfunc Backoff(n int) int {\n\treturn 60\n}\n")
	})
	stale("a message", func() { say(t, e, "c", user("And the cache?"), assistant("Evict in cache/lru.go.")) })
	stale("a rule", func() {
		ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{"kind": "rule", "title": "Wait", "content": "Always wait with Backoff.", "topics": []string{}, "keywords": []string{}})
	})
	stale("preferences", func() { servertest.WriteFile(t, filepath.Join(root, "AGENTS.md"), "# Rules\n\nNever sleep.\n") })
	stale("a buffer", func() {
		uri := servertest.URI(filepath.Join(root, "retry.go"))
		for _, who := range []*servertest.Editor{e, cold} {
			who.Open(uri, "package p\n\n// Backoff waits an hour after each failure.\nfunc Backoff(n int) int { return 3600 }\n")
		}
	})
	for i := 0; i < 2; i++ { // usage counts from the second time on
		stale("feedback", func() {
			b := bundleOf(t, cold, prompt)
			ask[command.FeedbackResult](t, e, "contexture.feedback", args{"bundleId": b.ID, "response": "nothing of that"})
		})
	}
}

// TestPredictionLearns checks that the next requests are counted, and that the counts are kept
// across sessions.
func TestPredictionLearns(t *testing.T) {
	root := project(t)
	e, _, v := people(t, root)
	say(t, e, "c", user("Go on with Backoff."), assistant("Backoff in retry.go doubles the pause."))
	seen := args{"activeConversationId": "c", "visibleConversationIds": []string{"never"}}
	say(t, e, "never", user("How is the page drawn?"), assistant("By renderPage."))
	awaitWarm(t, e, seen)
	for _, prompt := range []string{"why does Backoff double?", "is Backoff tested?", "what calls Backoff?"} {
		bundleOf(t, e, args{"prompt": prompt, "conversationId": "c"})
		presence(t, e, seen)
	}
	if f := predictionFigures(t, e); f.Asked != 3 || f.Foreseen == 0 || f.Compiled == 0 || f.SpentMS <= 0 {
		t.Errorf("%+v", f)
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
