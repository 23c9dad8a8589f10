package server_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// BenchmarkCaptureFollow measures the time from a host's write of a line to an answer that contains
// it.
func BenchmarkCaptureFollow(b *testing.B) {
	home, state := b.TempDir(), b.TempDir()
	root := servertest.Tree(b, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n"})
	e, _ := captured(b, home, state, root)
	e.MustExecute("contexture.capture.set", args{"source": "claude-code", "on": true}, nil)
	log := newClaudeLog(b, home, root, "live")
	var took []time.Duration
	for b.Loop() {
		word := fmt.Sprintf("quokka%dq", len(took))
		line := log.line("user", "Why does the "+word+" wait for the pool when it is full?")
		at := time.Now()
		log.write(line)
		for !strings.Contains(ask[command.RecallResult](b, e, "contexture.recall", args{"query": word}).Text, word) {
			if time.Since(at) > servertest.Patience {
				b.Fatal("it is never there")
			}
		}
		took = append(took, time.Since(at))
	}
	quantiles(b, took, "")
}

// quantiles reports percentiles of the times.
func quantiles(b *testing.B, took []time.Duration, name string) {
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, name+"p50-ms")
	b.ReportMetric(took[len(took)*95/100].Seconds()*1e3, name+"p95-ms")
}

// BenchmarkCaptureImport measures an import of 64 MB of logs into a memory of that size, and how
// long a recall takes during the import, compared with recalls of the same memory before and after
// it, because a recall takes longer with more memory.
func BenchmarkCaptureImport(b *testing.B) {
	const size = 64 << 20
	for b.Loop() {
		b.StopTimer()
		home, state := b.TempDir(), b.TempDir()
		root := servertest.Tree(b, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n"})
		e, _ := captured(b, home, state, root)
		say(b, e, "before", user("Why does the pool wait when it is full?"), assistant("It is taken twice."))
		writeLogs(b, home, root, size, 1)
		e.MustExecute("contexture.capture.import", args{"sources": []string{"claude-code"}}, nil)
		recalls := func(until func(n int) bool) (took []time.Duration) {
			for n := 0; !until(n); n++ {
				at := time.Now()
				ask[command.RecallResult](b, e, "contexture.recall", args{"query": "why does the pool wait"})
				took = append(took, time.Since(at))
				pause := time.NewTimer(20 * time.Millisecond)
				<-pause.C
			}
			return took
		}
		settled(b, e)
		quantiles(b, recalls(func(n int) bool { return n == 200 }), "idle-")
		bytes := writeLogs(b, home, root, size, 2)
		over := make(chan time.Duration, 1)
		b.StartTimer()
		go func() {
			at := time.Now()
			e.MustExecute("contexture.capture.import", args{"sources": []string{"claude-code"}}, nil)
			over <- time.Since(at)
		}()
		var spent time.Duration
		quantiles(b, recalls(func(int) bool {
			select {
			case spent = <-over:
				return true
			default:
				return false
			}
		}), "busy-")
		b.ReportMetric(float64(bytes)/1e6/spent.Seconds(), "MB/s")
		settled(b, e)
		quantiles(b, recalls(func(n int) bool { return n == 200 }), "after-")
	}
}

// writeLogs writes logs of about so many bytes, in the proportions of real ones: most of it is
// tools' results, written twice, and the host's own records.
func writeLogs(b *testing.B, home, root string, size int, seed uint64) (written int) {
	random := rand.New(rand.NewPCG(1, seed))
	words := strings.Fields("the pool wait semaphore context cancel retry handler index file server error test request memory cache lock queue worker close")
	text := func(n int) string {
		var t strings.Builder
		for range n {
			fmt.Fprintf(&t, "%s%d ", words[random.IntN(len(words))], random.IntN(500))
		}
		return t.String()
	}
	for n := 0; written < size; n++ {
		log := newClaudeLog(b, home, filepath.Join(root, "sub"), fmt.Sprintf("s%d-%d", seed, n))
		var all strings.Builder
		for i := range 60 {
			id := fmt.Sprintf("call-%d-%d", n, i)
			if i%10 == 0 {
				all.WriteString(log.line("user", text(40)))
			}
			all.WriteString(log.line("assistant", []any{args{"type": "text", "text": text(60)}}))
			all.WriteString(log.line("assistant", []any{args{"type": "tool_use", "id": id, "name": "Bash", "input": args{"command": text(10)}}}))
			output := text(300)
			line := log.line("user", []any{args{"type": "tool_result", "tool_use_id": id, "content": output}})
			all.WriteString(strings.Replace(line, `{"cwd"`, fmt.Sprintf(`{"toolUseResult":{"stdout":%q},"cwd"`, output), 1))
			fmt.Fprintf(&all, `{"type":"progress","sessionId":%q,"data":{"type":"bash_progress","output":%q}}`+"\n", log.session, text(600))
		}
		log.write(all.String())
		written += all.Len()
	}
	return written
}

// settled waits until nothing is left to process of the import, so that requests have the processor
// to themselves.
func settled(b *testing.B, e *servertest.Editor) {
	for _, c := range ask[command.ListResult](b, e, "contexture.conversation.list", args{"limit": 1000}).Conversations {
		last := args{"conversationId": c.ID, "turnId": fmt.Sprintf("T-%d", c.TurnCount), "pin": false}
		for ask[command.TurnResult](b, e, "contexture.conversation.turn", last).Pending {
			pause := time.NewTimer(20 * time.Millisecond)
			<-pause.C
		}
	}
}
