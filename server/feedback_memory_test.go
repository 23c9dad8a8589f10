package server_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

func TestFeedback(t *testing.T) {
	state, root := t.TempDir(), project(t)
	const feedback = "contexture.feedback"
	prompt := args{"prompt": "how does Backoff wait after a failure?", "conversationId": "c", "budget": 3000, "fill": "full"}
	var first string
	t.Run("give", func(t *testing.T) {
		e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
		e.AwaitIdle()
		say(t, e, "c", user("We want to retry uploads."), assistant("Then a growing pause is needed."))
		refused(t, e, feedback, args{"bundleId": "b-none", "response": "x"}, "", "notFound")
		refused(t, e, feedback, args{"bundleId": "b-none"}, "response", "")
		for round := range 3 {
			b := bundleOf(t, e, prompt)
			if round == 0 {
				first = b.ID
			}
			shown := map[string]bool{}
			for _, it := range b.Items {
				shown[it.ID] = true
			}
			r := ask[command.FeedbackResult](t, e, feedback, args{"bundleId": b.ID, "response": "Backoff waits longer after each failure: func Backoff(n int) int returns 1 << n.", "followups": []string{"thanks"}})
			var used, unused int
			for _, it := range r.Items {
				if !shown[it.ID] || it.Overlap < 0 || it.Overlap > 1 || it.Boost <= 0 {
					t.Errorf("%+v", it)
				}
				if strings.HasPrefix(it.ID, "c-") && it.Referenced {
					used++
				} else if !it.Referenced {
					unused++
				}
				if round == 0 && it.Boost != 1 {
					t.Errorf("boost %f before the second retrieval", it.Boost)
				}
				if round == 2 && (it.Referenced && it.Boost <= 1 || !it.Referenced && it.Boost >= 1) {
					t.Errorf("after three retrievals: %+v", it)
				}
			}
			if used == 0 || round < 2 && unused == 0 { // a useless item is replaced by another
				t.Errorf("round %d: %d used, %d not: %+v", round, used, unused, r.Items)
			}
		}
	})
	e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
	e.AwaitIdle()
	r := ask[command.FeedbackResult](t, e, feedback, args{"bundleId": first, "response": "nothing of this"})
	if len(r.Items) == 0 {
		t.Error("after a restart the bundle is known no more")
	}
	b := bundleOf(t, e, prompt)
	for _, it := range ask[command.FeedbackResult](t, e, feedback, args{"bundleId": b.ID, "response": "nothing"}).Items {
		if it.Boost == 1 {
			t.Errorf("after a restart: %+v", it)
		}
	}
}

// TestMemoryHeldByAnother checks that an error about a locked memory names the process that holds
// it, and that a bundle is still answered.
func TestMemoryHeldByAnother(t *testing.T) {
	state, root := t.TempDir(), project(t)
	holder := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
	say(t, holder, "c", user("first"))
	e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{servertest.Tree(t, map[string]string{"a.go": "package a\n\n// Wait waits.\nfunc Wait() {}\n"})}})
	for name, a := range map[string]args{
		"conversation.append": {"conversationId": "c", "messages": []args{user("x")}}, "task.list": {}, "recall": {"query": "x", "memoryType": "turn"},
	} {
		err := e.Execute("contexture."+name, a, nil)
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
			t.Errorf("%s: %v does not name the process %d", name, err, os.Getpid())
		}
	}
	b := bundleOf(t, e, args{"prompt": "what does Wait do?", "conversationId": "c"})
	checkBundle(t, b, "what does Wait do?")
	told := false
	for _, d := range b.Degraded {
		told = told || d.Stage == "memory" && strings.Contains(d.Detail, strconv.Itoa(os.Getpid()))
	}
	if !told {
		t.Errorf("degraded: %+v", b.Degraded)
	}
	for range 2 { // the second need not wait again
		start := time.Now()
		b = bundleOf(t, e, args{"prompt": "what does Wait do?", "conversationId": "c", "deadlineMs": 1000})
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("a second was given, %v taken", took)
		}
		if !slices.ContainsFunc(b.Items, func(it command.Item) bool { return strings.HasSuffix(it.URI, "a.go") }) {
			t.Errorf("the code is not there: %+v", b.Stages)
		}
	}
	r := recall(t, e, args{"query": "Wait"})
	if len(r.Degraded) == 0 {
		t.Errorf("recall: %+v", r)
	}
}
