package server_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// changeOf waits until an editor is notified of a change later than the given version, and returns
// the new version.
func changeOf(t *testing.T, e *servertest.Editor, what string, after uint64) (version uint64) {
	t.Helper()
	e.Await(what, func(s *servertest.State) servertest.Verdict {
		n := len(s.Changed)
		if n > 0 {
			version = s.Changed[n-1].Version
		}
		return servertest.If(version > after)
	})
	return version
}

// TestMemoryChangesAreReported checks that every client that has a root open is notified of each
// change of its memory, whichever session made it, and of no other root's changes.
func TestMemoryChangesAreReported(t *testing.T) {
	dir := t.TempDir()
	v := servertest.NewServer(t, servertest.Options{StateDir: dir})
	root, elsewhere := servertest.Tree(t, map[string]string{"a.go": "package a\n"}), servertest.Tree(t, nil)
	one := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	two := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	other := servertest.Start(t, servertest.Options{Server: v, Roots: []string{elsewhere}})
	rule := args{"kind": "rule", "id": "r1", "title": "Tabs", "content": "Always indent with tabs.", "topics": []string{}, "keywords": []string{}}
	at := map[*servertest.Editor]uint64{}
	for _, step := range []struct {
		command string
		args    args
	}{
		{"conversation.append", args{"conversationId": "c", "messages": []args{user("Hello.", "id", "m1"), user("Again.", "id", "m2")}}},
		{"conversation.fork", args{"conversationId": "c", "atTurn": "T-1", "newConversationId": "d"}},
		{"conversation.delete", args{"conversationId": "d"}},
		{"knowledge.put", rule},
		{"remember", args{"kind": "rule", "text": "From now on wrap errors with the operation's name."}},
		{"knowledge.delete", args{"id": "r1"}},
		{"knowledge.process", args{"full": true}},
	} {
		ask[any](t, one, "contexture."+step.command, step.args)
		for _, e := range []*servertest.Editor{one, two} {
			at[e] = changeOf(t, e, step.command+" is told", at[e])
		}
	}
	say(t, other, "x", user("Elsewhere."))
	changeOf(t, other, "what changed elsewhere is told there", 0)
	say(t, two, "c", user("Once more."))
	changeOf(t, two, "a change of its own is told", at[two])
	for _, e := range []*servertest.Editor{one, two} {
		s := e.State()
		for i, c := range s.Changed {
			if c.Workspace != servertest.URI(root) || i > 0 && c.Version <= s.Changed[i-1].Version {
				t.Errorf("told is %+v", s.Changed)
			}
		}
	}
	for _, c := range other.State().Changed {
		if c.Workspace != servertest.URI(elsewhere) {
			t.Errorf("a session that has not opened the root is told of it: %+v", c)
		}
	}
}

// TestMemoryChangesAreThrottled checks that a client is notified at most four times a second,
// however much changes.
func TestMemoryChangesAreThrottled(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	began, last := time.Now(), uint64(0)
	for i := range 300 {
		say(t, e, "c", user(fmt.Sprintf("Message %d.", i)))
		if i%100 == 99 {
			last = changeOf(t, e, "a change is told", last)
		}
	}
	const interval = 250 * time.Millisecond
	if told, took := len(e.State().Changed), time.Since(began); told > int(took/interval)+1 {
		t.Errorf("%d notifications in %v", told, took)
	}
}

// TestMemoryChangesWithoutRoot checks that a session without a root is notified of changes of the
// memory that it uses.
func TestMemoryChangesWithoutRoot(t *testing.T) {
	e := servertest.Start(t, servertest.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	say(t, e, "c", user("Hello."))
	changeOf(t, e, "the change is told", 0)
	for _, c := range e.State().Changed {
		if c.Workspace != "" {
			t.Errorf("told is %+v", c)
		}
	}
}
