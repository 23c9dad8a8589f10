package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// learningKills are not many: what each of them checks grows with the memory.
const learningKills = 15

// waited is how many kills there are for one that comes when a run has just ended.
const waited = 4

// TestKillWhileLearning kills the program at random moments of the offline learning, repeatedly
// over one memory. A second memory is never killed, and makes each run that ended in the first.
// After each start both are equal: every message is stored once, and the learned knowledge is that
// of the last run that ended, whole and with its ids.
func TestKillWhileLearning(t *testing.T) {
	kills := killsOr(t, learningKills)
	l := &learner{root: smallTree(t), state: t.TempDir(), rng: rand.New(rand.NewPCG(7, 14))}
	whole := serveAlone(t)
	l.whole = servertest.Connect(t, whole, servertest.Options{})
	l.whole.Initialize(servertest.Options{Roots: []string{l.root}})
	for n := range kills {
		if !t.Run(fmt.Sprint("kill", n+1), func(t *testing.T) { l.round(t, n) }) {
			return
		}
	}
	p, e := l.start(t)
	l.check(t, e)
	l.learn(t, e, true)
	l.learn(t, l.whole, true)
	l.check(t, e)
	for _, end := range []struct {
		p *program
		e *servertest.Editor
	}{{p, e}, {whole, l.whole}} {
		if err := end.e.Request("shutdown", nil, nil); err != nil {
			t.Fatal(err)
		}
		end.e.Notify("exit", nil)
		if code := end.p.left(); code != 0 {
			t.Errorf("left with %d: %s", code, &end.p.stderr)
		}
	}
	t.Logf("%d runs were cut short and %d had ended when the program was killed", l.cut, l.ended)
	if l.cut < kills/4 || l.ended == 0 {
		t.Error("the kills did not come at varied moments")
	}
}

// learner has a memory whose program is killed, and one whose program is not.
type learner struct {
	root, state string
	whole       *servertest.Editor
	rng         *rand.Rand
	took        time.Duration // that a run takes, at most
	full        bool          // of the run that was begun last
	begun       bool
	cut, ended  int
}

func (l *learner) start(t *testing.T) (*program, *servertest.Editor) {
	p := serveAlone(t, "--state-dir", l.state)
	e := servertest.Connect(t, p, servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{l.root}})
	return p, e
}

// round checks the state after the last kill, appends something new, and kills the program during
// learning.
func (l *learner) round(t *testing.T, n int) {
	p, e := l.start(t)
	l.check(t, e)
	for _, e := range []*servertest.Editor{e, l.whole} {
		for _, said := range daysTalk(n) {
			e.MustExecute("contexture.conversation.append", said, nil)
		}
	}
	l.full, l.begun = l.rng.IntN(2) == 0, true
	run := e.BeginCommand("contexture.knowledge.process", map[string]any{"full": l.full})
	begun := time.Now()
	if n%waited == 0 { // killed at its end, which shows how long a run takes on this machine now
		if err := run.Wait(nil); err != nil {
			t.Fatal(err)
		}
		l.took = time.Since(begun)
	} else {
		<-time.After(time.Duration(l.rng.Int64N(int64(l.took) + 1)))
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if n%waited != 0 {
		_ = run.Wait(nil) // it was answered, or the stream ended
	}
	if code := p.left(); code != -1 {
		t.Errorf("left with %d and was not killed: %s", code, &p.stderr)
	}
}

// learn makes a run.
func (l *learner) learn(t *testing.T, e *servertest.Editor, full bool) {
	e.MustExecute("contexture.knowledge.process", map[string]any{"full": full}, nil)
}

// check compares the two memories. If the last run begun had ended, the memory that is not killed
// makes it too.
func (l *learner) check(t *testing.T, e *servertest.Editor) {
	t.Helper()
	got := learnedBy(e)
	if l.begun {
		if before := learnedBy(l.whole); got != before {
			l.learn(t, l.whole, l.full)
			l.ended++
			l.took = l.took * 4 / 5
		} else {
			l.cut++
		}
		l.begun = false
	}
	if want := learnedBy(l.whole); got != want {
		t.Fatalf("after a kill there is\n%s\nwant\n%s", got, want)
	}
}

// learnedBy returns everything readable that was said and learned, except times of the process's
// clock.
func learnedBy(e *servertest.Editor) string {
	all := map[string]any{}
	read := func(id string, args map[string]any) (out map[string]any) {
		e.MustExecute(id, args, &out)
		return out
	}
	topics, entities := read("contexture.knowledge.topics", nil), read("contexture.knowledge.entities", nil)
	all["conversations"], all["gaps"] = read("contexture.conversation.list", map[string]any{"limit": 1000}), read("contexture.knowledge.recommendations", nil)
	for _, list := range []any{topics["topics"], entities["entities"]} {
		for _, one := range list.([]any) {
			id := one.(map[string]any)["id"].(string)
			all[id] = read("contexture.knowledge.profile", map[string]any{"id": id})
		}
	}
	for _, one := range read("contexture.knowledge.list", map[string]any{"superseded": true})["items"].([]any) {
		it := one.(map[string]any)
		delete(it, "updatedAt")
		all[it["id"].(string)] = it
	}
	delete(all["conversations"].(map[string]any), "next")
	var b []byte
	for _, k := range slices.Sorted(maps.Keys(all)) {
		line, err := json.Marshal(all[k])
		if err != nil {
			return err.Error()
		}
		b = append(append(append(b, k...), line...), '\n')
	}
	return string(b)
}

// daysTalk returns the messages of the n-th day: always the same.
func daysTalk(n int) (out []command.AppendArgs) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	services := []string{"zorbex", "quillmark", "tidegate", "brenwick", "oxhollow"}
	for c := range 2 {
		id := fmt.Sprintf("day%d-%d", n, c)
		a, b := services[(n+c)%len(services)], services[(n*3+c+1)%len(services)]
		args := command.AppendArgs{ConversationID: id}
		for i, text := range []string{
			fmt.Sprintf("%s is our service for parcels of region %d, Quillan owns it.", a, n%7),
			fmt.Sprintf("The importer of %s crashes with an error: connection pool of %s exhausted after %d files.", a, b, n+3),
			fmt.Sprintf("I moved the pool of %s out of the loop of %s and close each connection of batch %d with defer.", b, a, n),
			fmt.Sprintf("That fixed it, %s works again. Always drain %s before a deploy of stage %d.", a, b, n),
			fmt.Sprintf("How does %s pick a worker for queue %d?", a, n%5),
		} {
			role := []string{"user", "user", "assistant", "user", "user"}[i]
			args.Messages = append(args.Messages, command.Message{
				ID: fmt.Sprintf("%s-%d", id, i), Role: role, Content: text, At: &command.Time{Time: at.Add(time.Duration(c*60+i) * time.Minute)},
			})
		}
		out = append(out, args)
	}
	return out
}
