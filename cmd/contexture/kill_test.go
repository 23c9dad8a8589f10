package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// killsEnv sets the number of kills of each test that kills the program, if it is to be more than
// the test's own: `make kills` has 200.
const killsEnv = "CONTEXTURE_TEST_KILLS"

// killsOr returns the number of kills that killsEnv sets, without it n, or in short a third.
func killsOr(t *testing.T, n int) int {
	t.Helper()
	text := os.Getenv(killsEnv)
	if text == "" && testing.Short() {
		return n / 3
	}
	if text == "" {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", killsEnv, err)
	}
	return n
}

// appendingKills are fewer where a program takes a second to start: on Windows, because its tests
// run under Wine.
var appendingKills = map[bool]int{false: 40, true: 20}[runtime.GOOS == "windows"]

// killedCode is the exit code that os/exec reports for a program that was killed.
var killedCode = map[bool]int{false: -1, true: 1}[runtime.GOOS == "windows"]

const callers = 7 // concurrent ones: 4 have a conversation each, the others share one

// TestKillWhileAppending kills the program repeatedly while several requests append: after each
// start every acknowledged message is stored once and in order, an append that was not acknowledged
// is stored whole or not at all, and once it is sent again it is stored once.
func TestKillWhileAppending(t *testing.T) {
	kills := killsOr(t, appendingKills)
	l := &appendLog{root: smallTree(t), state: t.TempDir(), rng: rand.New(rand.NewPCG(4, 9))}
	for i := range l.callers {
		l.callers[i] = &caller{name: fmt.Sprint("c", i), conversation: fmt.Sprint("own", i), rng: rand.New(rand.NewPCG(4, uint64(i)))}
		if i >= 4 {
			l.callers[i].conversation = "shared"
		}
	}
	for n := range kills {
		if !t.Run(fmt.Sprint("kill", n+1), l.round) {
			return
		}
	}
	if !t.Run("at the end", l.last) {
		return
	}
	whole, none, sent := 0, 0, 0
	for _, c := range l.callers {
		whole, none, sent = whole+c.whole, none+c.none, sent+len(c.acked)
	}
	t.Logf("%d appends acknowledged; of those that were not, %d were there and %d were not", sent, whole, none)
	if whole == 0 || none == 0 || sent < 3*kills {
		t.Error("the kills did not come at varied times")
	}
}

// appendLog is what a client has recorded of its appends.
type appendLog struct {
	root, state string
	rng         *rand.Rand
	callers     [callers]*caller
}

// caller appends sequentially to one conversation.
type caller struct {
	name, conversation string
	rng                *rand.Rand
	acked              [][]command.Message // appends that were acknowledged, in order
	flying             []command.Message   // the one that was not
	count              int                 // messages made so far

	whole, none int // appends that were not acknowledged, by whether they were stored
}

// next makes one to three messages.
func (c *caller) next() []command.Message {
	var out []command.Message
	for range 1 + c.rng.IntN(3) {
		c.count++
		role := []string{"user", "assistant", "tool"}[c.rng.IntN(3)]
		text := fmt.Sprintf("We always call %s%d in parser%d.go. %s", c.name, c.count, c.count%7, strings.Repeat("More of it. ", c.rng.IntN(40)))
		out = append(out, command.Message{ID: fmt.Sprintf("%s-%d", c.name, c.count), Role: role, Content: text})
	}
	return out
}

// start runs the program on the state directory that the rounds share.
func (l *appendLog) start(t *testing.T) (*program, *servertest.Editor) {
	p := serveAlone(t, "--state-dir", l.state)
	e := servertest.Connect(t, p, servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{l.root}})
	return p, e
}

// round checks the state after the last kill, repeats what was not acknowledged, and appends until
// the next kill.
func (l *appendLog) round(t *testing.T) {
	p, e := l.start(t)
	l.check(t, e)
	l.resend(t, e)
	acks, delay := l.rng.IntN(12), time.Duration(l.rng.IntN(4000))*time.Microsecond
	kill := sync.OnceFunc(func() {
		time.AfterFunc(delay, func() { _ = p.cmd.Process.Kill() }) // each waiter sees the stream end
	})
	var left atomic.Int32
	left.Store(int32(acks))
	var wait sync.WaitGroup
	for _, c := range l.callers {
		wait.Go(func() {
			c.flying = c.next()
			for run := e.BeginCommand("contexture.conversation.append", c.args()); ; run = e.BeginCommand("contexture.conversation.append", c.args()) {
				if left.Load() <= 0 {
					kill()
				}
				err := run.Wait(nil)
				var refused *servertest.Error
				if errors.As(err, &refused) {
					t.Errorf("%s: %v", c.name, err)
					kill()
					return
				}
				if err != nil {
					return // killed
				}
				c.acked = append(c.acked, c.flying)
				c.flying = c.next()
				left.Add(-1)
			}
		})
	}
	wait.Wait()
	if code := p.left(); code != killedCode {
		t.Errorf("left with %d and was not killed: %s", code, &p.stderr)
	}
}

func (c *caller) args() command.AppendArgs {
	return command.AppendArgs{ConversationID: c.conversation, Messages: c.flying}
}

// resend repeats an append that was not acknowledged.
func (l *appendLog) resend(t *testing.T, e *servertest.Editor) {
	for _, c := range l.callers {
		if len(c.flying) == 0 {
			continue
		}
		var got command.AppendResult
		e.MustExecute("contexture.conversation.append", c.args(), &got)
		if n := len(got.Duplicates); n != 0 && n != len(c.flying) {
			t.Fatalf("%s: of an append of %d messages %d were there", c.name, len(c.flying), n)
		}
		c.acked = append(c.acked, c.flying)
		c.flying = nil
	}
}

// check compares the conversations with the log.
func (l *appendLog) check(t *testing.T, e *servertest.Editor) {
	var conversations []string
	for _, c := range l.callers {
		if !slices.Contains(conversations, c.conversation) && len(c.acked) > 0 {
			conversations = append(conversations, c.conversation)
		}
	}
	budget, arc := 1_000_000, 0
	for _, id := range conversations {
		var got command.WindowResult
		e.MustExecute("contexture.conversation.window", command.WindowArgs{ConversationID: id, Budget: budget, ArcBudget: &arc}, &got)
		if got.Strategy != "full" || got.Coverage.FullMessages != len(got.Messages) {
			t.Fatalf("the window of %d messages is %s: %+v", len(got.Messages), got.Strategy, got.Coverage)
		}
		byCaller := map[string][]command.WindowMessage{}
		for _, m := range got.Messages {
			name, _, _ := strings.Cut(m.ID, "-")
			byCaller[name] = append(byCaller[name], m)
		}
		for _, c := range l.callers {
			if c.conversation == id {
				c.compare(t, byCaller[c.name])
				delete(byCaller, c.name)
			}
		}
		if len(byCaller) > 0 {
			t.Fatalf("conversation %s has messages of nobody's: %v", id, byCaller)
		}
	}
}

// compare compares a caller's messages, in the conversation's order, with those it sent: each
// append is contiguous.
func (c *caller) compare(t *testing.T, got []command.WindowMessage) {
	want := slices.Concat(c.acked...)
	switch {
	case len(c.flying) == 0:
	case len(got) == len(want):
		c.none++
	default:
		want = append(want, c.flying...)
		c.whole++
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d messages are there; %d were acknowledged, and %d more were sent", c.name, len(got), len(slices.Concat(c.acked...)), len(c.flying))
	}
	for i, m := range want {
		if got[i].ID != m.ID || got[i].Role != m.Role || got[i].Content != m.Content {
			t.Fatalf("%s: message %d is %s %q, want %s %q", c.name, i, got[i].ID, got[i].Content, m.ID, m.Content)
		}
	}
}

// last checks once more and exits properly.
func (l *appendLog) last(t *testing.T) {
	p, e := l.start(t)
	l.check(t, e)
	l.resend(t, e)
	l.check(t, e)
	if err := e.Request("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Notify("exit", nil)
	if code := p.left(); code != 0 {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
}
