package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestPendingIsBounded: of more requests than may be pending the handler sees no more than that; a
// cancel that comes after all of them is honoured, and all are answered.
func TestPendingIsBounded(t *testing.T) {
	var running, most atomic.Int64
	h := &fake{request: func(string, json.RawMessage) Work {
		most.Store(max(most.Load(), running.Add(1)))
		return Work{Run: func(ctx context.Context) (any, error) {
			defer running.Add(-1)
			<-ctx.Done()
			return nil, nil
		}}
	}}
	p := serve(t, h)
	const n = maxPending + 300
	go func() {
		for i := range n {
			p.send(call(i, "wait", "{}"))
		}
		for i := range n {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, i))
		}
	}()
	for range n {
		if a := p.receive(); a.code() != CodeRequestCancelled {
			t.Fatalf("the answer is %+v", a)
		}
	}
	if m := most.Load(); m > maxPending+1 || m < maxPending/2 {
		t.Errorf("%d were pending at a time", m)
	}
}

// TestEndCounts: what was sent before the end of the stream is handled, in its order.
func TestEndCounts(t *testing.T) {
	var got []string
	h := &fake{
		notify: func(method string, _ json.RawMessage) error { got = append(got, method); return nil },
		request: func(method string, _ json.RawMessage) Work {
			got = append(got, method)
			return Work{Inline: true, Run: func(context.Context) (any, error) { return nil, nil }}
		},
	}
	near, far := net.Pipe()
	c := NewConn(readOnly{near, strings.NewReader(framed(`{"jsonrpc":"2.0","method":"a"}`, call(1, "b", "{}"), `{"jsonrpc":"2.0","method":"c"}`))}, slog.New(slog.DiscardHandler), Options{})
	go func() { _, _ = io.Copy(io.Discard, far) }()
	if err := c.Serve(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if strings.Join(got, "") != "abc" {
		t.Errorf("handled: %q", got)
	}
}

// readOnly reads from another reader than it writes to.
type readOnly struct {
	net.Conn
	in io.Reader
}

func (r readOnly) Read(p []byte) (int, error) { return r.in.Read(p) }

// TestEndsForPeerThatDoesNotRead: an answer that nobody takes does not keep the connection from its
// end.
func TestEndsForPeerThatDoesNotRead(t *testing.T) {
	p := serve(t, echo())
	p.send(call(1, "inline", "{}")) // its answer waits while it is handled
	p.conn.Stop()
	if err := p.ended(); err != nil {
		t.Error(err)
	}
}

// TestCongested: answers that are not read are told, and that they were read.
func TestCongested(t *testing.T) {
	told := make(chan bool, 10)
	near, far := net.Pipe()
	c := NewConn(near, slog.New(slog.DiscardHandler), Options{Congested: func(now bool) { told <- now }})
	big := strings.Repeat("x", maxUnsent/2+1000)
	done := make(chan error, 1)
	go func() {
		done <- c.Serve(t.Context(), &fake{request: func(string, json.RawMessage) Work {
			return Work{Run: func(context.Context) (any, error) { return big, nil }}
		}})
	}()
	if _, err := io.WriteString(far, framed(call(1, "x", "{}"), call(2, "x", "{}"))); err != nil {
		t.Fatal(err)
	}
	if now := <-told; !now {
		t.Error("first it is told that it is over")
	}
	in := NewFrameReader(far)
	for range 2 {
		if _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if now := <-told; now {
		t.Error("then it is told again")
	}
	_ = far.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestBudget: connections that share a budget hold no more of large messages than it has, and all
// get through.
func TestBudget(t *testing.T) {
	const size, conns, each = smallFrame + 1000, 6, 4
	b := NewBudget(2*size + 10)
	var held, most atomic.Int64
	h := &fake{request: func(string, json.RawMessage) Work {
		n := held.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return Work{Run: func(context.Context) (any, error) {
			held.Add(-1)
			return nil, nil
		}}
	}}
	var all sync.WaitGroup
	for range conns {
		near, far := net.Pipe()
		c := NewConn(near, slog.New(slog.DiscardHandler), Options{Budget: b})
		all.Go(func() { _ = c.Serve(t.Context(), h) })
		all.Go(func() {
			defer far.Close()
			in := NewFrameReader(far)
			for i := range each {
				body := call(i, "x", `"`+strings.Repeat("y", size-60)+`"`)
				if _, err := io.WriteString(far, framed(body)); err != nil {
					t.Error(err)
					return
				}
				if _, err := in.Next(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if m := most.Load(); m > 2 || m == 0 {
		t.Errorf("%d large messages were held at a time", m)
	}
	if b.used != 0 || len(b.waiting) != 0 {
		t.Errorf("at the end %d bytes are held, %d wait", b.used, len(b.waiting))
	}
}

// TestBudgetGivenUp: who stops waiting holds nothing.
func TestBudgetGivenUp(t *testing.T) {
	b := NewBudget(10)
	release, err := b.acquire(t.Context(), 100) // gets all there is
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := b.acquire(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second gets %v", err)
	}
	release()
	release()
	if b.used != 0 || len(b.waiting) != 0 {
		t.Errorf("%d bytes are held, %d wait", b.used, len(b.waiting))
	}
}
