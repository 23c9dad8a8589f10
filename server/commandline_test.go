package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/jsonrpc2"
)

// asking is a session of a command line in a test.
type asking struct {
	*testing.T
	client *transport.Client
	end    func()
}

// asks begins a session over a root without an index.
func asks(t *testing.T, v *Server, root string, opts engine.SessionOptions) *asking {
	t.Helper()
	opts.Root, opts.NoIndex, opts.Offline = root, !opts.OnlyIndexed, true
	ours, theirs := net.Pipe()
	var served sync.WaitGroup
	served.Go(func() {
		if _, err := v.Serve(context.WithoutCancel(t.Context()), theirs, opts); err != nil {
			t.Error(err)
		}
	})
	c, err := transport.NewClient(t.Context(), ours, transport.ClientOptions{Name: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = c.Close(context.WithoutCancel(t.Context()))
		served.Wait()
	})
	t.Cleanup(end)
	return &asking{t, c, end}
}

func (a *asking) ask(method string, params, result any) {
	a.Helper()
	if err := a.client.Request(a.Context(), method, params, result); err != nil {
		a.Fatal(err)
	}
}

// messages returns the number of stored messages.
func (a *asking) messages() int {
	a.Helper()
	var s memory.Stats
	a.ask(request.MemoryStats, nil, &s)
	return s.Messages
}

func remembering(t *testing.T) *Server {
	t.Helper()
	v, err := New(engine.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

var byCommandLine = engine.SessionOptions{CommandLine: true}

// spoken returns an import of about size bytes.
func spoken(size int) []byte {
	var b bytes.Buffer
	b.WriteString("{\"type\":\"contexture-memory\",\"version\":1}\n")
	for c := 0; b.Len() < size; c++ {
		fmt.Fprintf(&b, "{\"type\":\"conversation\",\"conversation\":\"c%d\"}\n", c)
		fmt.Fprintf(&b, "{\"type\":\"messages\",\"conversation\":\"c%d\",\"messages\":[{\"role\":\"user\",\"content\":%q,\"id\":\"m\",\"at\":\"2026-10-01T09:00:00Z\"}]}\n",
			c, strings.Repeat(fmt.Sprintf("part %d of it ", c), 1+size/200))
	}
	return b.Bytes()
}

// TestOnlyACommandLineMayAsk checks that an editor's session rejects the requests.
func TestOnlyACommandLineMayAsk(t *testing.T) {
	a := asks(t, remembering(t), t.TempDir(), engine.SessionOptions{})
	for method := range answers {
		err := a.client.Request(t.Context(), method, nil, nil)
		if wire, ok := errors.AsType[*jsonrpc2.Error](err); !ok || wire.Code != command.CodeMethodNotFound {
			t.Errorf("%s gives %v", method, err)
		}
	}
}

// TestOnlyIndexed checks that a session which opens only an index that exists says of one that
// another session begins meanwhile neither that it exists nor that it is switched off.
func TestOnlyIndexed(t *testing.T) {
	v, root := remembering(t), t.TempDir()
	a := asks(t, v, root, engine.SessionOptions{CommandLine: true, OnlyIndexed: true})
	if err := os.MkdirAll(v.IndexDir(root), 0o700); err != nil {
		t.Fatal(err)
	}
	var got request.WorkspaceResult
	if a.ask(request.Workspace, &request.WorkspaceParams{}, &got); got.HasIndex || got.Indexed {
		t.Errorf("the session that began before has %+v", got)
	}
	later := asks(t, v, root, engine.SessionOptions{CommandLine: true, OnlyIndexed: true})
	if later.ask(request.Workspace, &request.WorkspaceParams{}, &got); !got.HasIndex || !got.Indexed {
		t.Errorf("the one after it has %+v", got)
	}
}

// TestImportIsDiscardedWithSession checks that the parts of an import are discarded with its
// session.
func TestImportIsDiscardedWithSession(t *testing.T) {
	v, root := remembering(t), t.TempDir()
	first, second := asks(t, v, root, byCommandLine), asks(t, v, root, byCommandLine)
	all := spoken(1000)
	first.ask(request.MemoryImport, &request.ImportParams{Data: all[:len(all)/2]}, nil)
	second.ask(request.MemoryImport, &request.ImportParams{Data: all[:len(all)/2]}, nil)
	first.end()
	if n := second.messages(); n != 0 {
		t.Errorf("%d messages are remembered", n)
	}
	var done request.ImportResult
	second.ask(request.MemoryImport, &request.ImportParams{Data: all[len(all)/2:], Last: true}, &done)
	if n := second.messages(); done.Messages == 0 || n != done.Messages {
		t.Errorf("%d messages are remembered, of %d", n, done.Messages)
	}
}

// TestBrokenImport checks that an import that could not be read to its end, or has an invalid line,
// stores nothing.
func TestBrokenImport(t *testing.T) {
	a := asks(t, remembering(t), t.TempDir(), byCommandLine)
	for _, tt := range []struct {
		params request.ImportParams
		want   string
	}{
		{request.ImportParams{Data: spoken(1000), Last: true, Broken: "odd"}, "read import: odd"},
		{request.ImportParams{Data: append(spoken(10), "{\"type\":\"diary\"}\n"...), Last: true}, "line 2: "},
	} {
		err := a.client.Request(t.Context(), request.MemoryImport, &tt.params, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
		if n := a.messages(); n != 0 {
			t.Errorf("%d messages are remembered", n)
		}
	}
}

// TestExportDoesNotBlockForgetting checks that a slow client does not block forgetting, and
// receives the state at the time of its request.
func TestExportDoesNotBlockForgetting(t *testing.T) {
	v, root := remembering(t), t.TempDir()
	slow, other := asks(t, v, root, byCommandLine), asks(t, v, root, byCommandLine)
	slow.ask(request.MemoryImport, &request.ImportParams{Data: spoken(3 * request.PartBytes), Last: true}, nil)
	var part request.ExportResult
	slow.ask(request.MemoryExport, nil, &part)
	other.ask(request.MemoryForget, &request.ForgetParams{}, nil)
	all := part.Data
	for !part.End {
		part = request.ExportResult{}
		if slow.ask(request.MemoryExportNext, nil, &part); len(part.Data) > request.PartBytes {
			t.Errorf("a part of %d bytes", len(part.Data))
		}
		all = append(all, part.Data...)
	}
	if len(all) < 3*request.PartBytes || !bytes.HasSuffix(all, []byte("\n")) {
		t.Errorf("exported %d bytes", len(all))
	}
	if n := other.messages(); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// TestExportIsBounded checks that an export buffers at most heldBytes, and that its writer ends if
// the rest is not read.
func TestExportIsBounded(t *testing.T) {
	e := &export{done: make(chan struct{})}
	e.moved = sync.NewCond(&e.mu)
	piece := make([]byte, heldBytes/4)
	for range 4 {
		if _, err := e.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	written := make(chan error)
	go func() {
		_, err := e.Write(piece)
		written <- err
		_, err = e.Write(make([]byte, heldBytes))
		written <- err
		close(e.done)
	}()
	for range len(piece) / request.PartBytes {
		if part, end, err := e.take(t.Context()); len(part) != request.PartBytes || end || err != nil {
			t.Fatalf("took %d bytes, %t, %v", len(part), end, err)
		}
	}
	if err := <-written; err != nil || e.bytes != heldBytes {
		t.Errorf("%v, %d bytes are held", err, e.bytes)
	}
	go e.close()
	if err := <-written; !errors.Is(err, errLeft) {
		t.Errorf("got %v", err)
	}
	<-e.done
}

// TestStopCancelsRequests checks that Stop cancels the work of all requests, and that each is
// answered.
func TestStopCancelsRequests(t *testing.T) {
	v := remembering(t)
	l := v.newCommandLine(t.Context())
	defer l.close()
	running := make(chan struct{})
	w := l.stoppable(transport.Work{Run: func(ctx context.Context) (any, error) {
		close(running)
		<-ctx.Done()
		return "done so far", nil
	}})
	go func() {
		<-running
		stop, ok := host{v, l}.Request(nil, request.Stop, nil)
		if _, err := stop.Run(t.Context()); !ok || !stop.Inline || err != nil {
			t.Errorf("stop is %t, %v", ok, err)
		}
	}()
	if got, err := w.Run(t.Context()); got != "done so far" || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

var _ io.Writer = (*export)(nil)
