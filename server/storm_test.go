package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// stormTree is a workspace large enough for a bundle to take a while.
func stormTree(t *testing.T) string {
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("part%d/file.go", i)] = fmt.Sprintf("package part%d\n\n%s", i, strings.Repeat(fmt.Sprintf(
			"// Handle%d takes a session of the pool and gives it back when the request has been answered.\nfunc Handle%d(session int) int { return session + %d }\n\n", i, i, i), 20))
	}
	return servertest.Tree(t, files)
}

func bundleArgs(i int) args {
	return args{"prompt": fmt.Sprintf("How does Handle%d take a session of the pool?", i%120), "budget": 8000}
}

// TestStorm checks that while one client has hundreds of pending requests, few of them are searched
// for during another client's request, and that every pending one gets an answer that says what it
// lacks.
func TestStorm(t *testing.T) {
	root := stormTree(t)
	v := servertest.NewServer(t, servertest.Options{})
	storm := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	victim := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	storm.AwaitIdle()
	victim.AwaitIdle()
	const requests = 500
	var answered, searched atomic.Int64
	idle := time.Duration(0)
	for i := range 20 {
		begin := time.Now()
		ask[command.BundleResult](t, victim, "contexture.bundle", bundleArgs(i))
		idle = max(idle, time.Since(begin))
	}
	done := make(chan error, requests)
	for i := range requests {
		p := storm.BeginCommand("contexture.bundle", bundleArgs(i))
		go func() {
			var b command.BundleResult
			err := p.Wait(&b)
			answered.Add(1)
			if len(b.Degraded) == 0 {
				searched.Add(1)
			}
			done <- err
		}()
	}
	var meanwhile []int64
	at := time.Duration(0)
	for i := 0; answered.Load() < requests-20; i++ {
		before, begin := searched.Load(), time.Now()
		b := ask[command.BundleResult](t, victim, "contexture.bundle", bundleArgs(i))
		at = max(at, time.Since(begin))
		for _, d := range b.Degraded {
			if d.Reason == "overloaded" {
				t.Fatalf("the other client is told %+v", b.Degraded)
			}
		}
		meanwhile = append(meanwhile, searched.Load()-before)
	}
	// On a busy machine this client may wait for the processor during the storm, but only now and
	// then.
	slices.Sort(meanwhile)
	worst := meanwhile[len(meanwhile)*9/10]
	if most := int64(4*runtime.GOMAXPROCS(0) + 8); worst > most {
		t.Errorf("%d requests of the storm were searched for before a tenth of the other client's, want at most %d", worst, most)
	}
	for range requests {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Logf("the other client waited %v at most, %v when idle; %d of the storm were searched for meanwhile, %d in all", at, idle, worst, searched.Load())
}

// TestCancelledStorm checks that a request cancelled while it waits is never begun. One cancelled
// while it is built may count as built and yet be answered as cancelled, which happens to the few
// that have a worker slot by then.
func TestCancelledStorm(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{stormTree(t)}})
	e.AwaitIdle()
	before := ask[command.MetricsResult](t, e, "contexture.metrics", args{}).Injection.Bundles
	var list []*servertest.Pending
	for i := range 200 {
		list = append(list, e.BeginCommand("contexture.bundle", bundleArgs(i)))
	}
	for _, p := range list {
		p.Cancel()
	}
	cancelled := 0
	for _, p := range list {
		if err := p.Wait(nil); err != nil && strings.Contains(err.Error(), "-32800") {
			cancelled++
		}
	}
	e.MustExecute("contexture.bundle", bundleArgs(1), nil) // has a slot, so nothing is before it
	m := ask[command.MetricsResult](t, e, "contexture.metrics", args{})
	if built := int(m.Injection.Bundles-before) - 1; cancelled == 0 || built+cancelled > 200+4*runtime.GOMAXPROCS(0) {
		t.Errorf("%d were cancelled, %d were built", cancelled, built)
	}
}

// TestLargeMessages checks that a client that changes a large document repeatedly and appends
// thousands of messages does not delay another client.
func TestLargeMessages(t *testing.T) {
	root := stormTree(t)
	v := servertest.NewServer(t, servertest.Options{})
	storm := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	victim := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	victim.AwaitIdle()
	uri := servertest.URI(filepath.Join(root, "large.go"))
	storm.Open(uri, strings.Repeat("// a line of a document that is large\n", 20_000))
	var messages []args
	for i := range 5000 {
		messages = append(messages, user(fmt.Sprintf("message %d of Handle%d in the pool", i, i%120)))
	}
	appended := storm.BeginCommand("contexture.conversation.append", args{"conversationId": "large", "messages": messages})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				storm.Change(uri, i, servertest.Edit{Line: i % 20_000, Text: "x"})
			}
		}
	}()
	for i := range 20 {
		b := ask[command.BundleResult](t, victim, "contexture.bundle", bundleArgs(i))
		for _, d := range b.Degraded {
			if d.Reason == "overloaded" {
				t.Errorf("the other client is told %+v", d)
			}
		}
	}
	close(stop)
	<-stopped
	var done command.AppendResult
	if err := appended.Wait(&done); err != nil || done.MessageCount != len(messages) {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestManySessions checks that many sessions in sequence leave nothing behind.
func TestManySessions(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\n// Alpha is here.\nfunc Alpha() {}\n"})
	v := servertest.NewServer(t, servertest.Options{})
	servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}}).AwaitIdle() // keeps the index open
	uri := servertest.URI(filepath.Join(root, "a.go"))
	session := func(i int) {
		t.Run("", func(t *testing.T) {
			roots := []string{root}
			if i%25 == 0 {
				roots = []string{servertest.Tree(t, map[string]string{"b.go": "package b\n"})}
			}
			e := servertest.Start(t, servertest.Options{Server: v, Roots: roots})
			e.Open(uri, fmt.Sprintf("package a\n\nfunc Alpha%d() {}\n", i))
			e.Open("untitled:x", "notes of Alpha")
			say(t, e, "c", user("Alpha again"))
			e.MustExecute("contexture.bundle", args{"prompt": "Alpha", "conversationId": "c"}, nil)
			e.Search(args{"query": "Alpha"})
			_ = e.BeginCommand("contexture.recall", args{"query": "Alpha"}) // pending when the client leaves
			e.Hang()
			e.Exited()
		})
	}
	measure := func() (goroutines, files int, heap uint64) {
		for range 3 {
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return runtime.NumGoroutine(), 0, m.HeapAlloc // no such system
		}
		return runtime.NumGoroutine(), len(list), m.HeapAlloc
	}
	warm, more := 13*longer(), 63*longer()
	for i := range warm {
		session(i)
	}
	goroutines, files, heap := measure()
	for i := range more {
		session(warm + i)
	}
	late, lateFiles, lateHeap := measure()
	t.Logf("goroutines %d, then %d; files %d, then %d; heap %d KB, then %d KB", goroutines, late, files, lateFiles, heap>>10, lateHeap>>10)
	if late > goroutines+20 || lateFiles > files+10 || lateHeap > heap+(24<<20) {
		t.Errorf("goroutines %d, then %d; files %d, then %d; heap %d, then %d", goroutines, late, files, lateFiles, heap, lateHeap)
	}
}
