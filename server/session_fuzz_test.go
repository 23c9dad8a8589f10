package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/jsonrpc2"
)

// sessionSeeds are messages that a client sends after initialize, one a line; ROOT is replaced by
// the URI of its workspace.
func sessionSeeds() []string {
	seeds := []string{
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"ROOT/a.go","languageId":"go","version":1,"text":"package a\n\nfunc Unsaved() {}\n"}}}
{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"ROOT/a.go","version":2},"contentChanges":[{"range":{"start":{"line":2,"character":5},"end":{"line":2,"character":12}},"text":"Renamed"}]}}
{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"contexture.search","arguments":[{"query":"Renamed"}]}}
{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"ROOT/a.go"},"position":{"line":2,"character":6}}}
{"jsonrpc":"2.0","id":3,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"ROOT/a.go"}}}
{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"ROOT/a.go"}}}
{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"ROOT/a.go"}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"workspace/executeCommand","params":{"command":"contexture.conversation.append","arguments":[{"conversationId":"c","messages":[{"role":"user","content":"Use tabs.","id":"m"},{"role":"assistant","content":"Done.","toolCalls":[{"name":"edit","arguments":{"path":"a.go"},"result":[1,null]}]}]}]}}
{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}}
{"jsonrpc":"2.0","id":"y","method":"workspace/executeCommand","params":{"command":"contexture.bundle","arguments":[{"prompt":"what did we say of tabs in a.go?","conversationId":"c","budget":2000}]}}
{"jsonrpc":"2.0","id":"y","method":"workspace/executeCommand","params":{"command":"contexture.conversation.window","arguments":[{"conversationId":"c"}]}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"contexture":{"budget":{"default":700},"index":{"exclude":["*.md"]},"memory":{"enabled":false},"odd":1}}}}
{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"ROOT/a.go","type":2},{"uri":"ROOT/%FF","type":3}]}}
{"jsonrpc":"2.0","method":"workspace/didRenameFiles","params":{"files":[{"oldUri":"ROOT/a.go","newUri":"ROOT/b.go"}]}}
{"jsonrpc":"2.0","id":5,"method":"shutdown"}
{"jsonrpc":"2.0","id":6,"method":"shutdown","params":null}`,
		`{"jsonrpc":"2.0","id":1,"result":null}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}
{"jsonrpc":"1.0","id":3,"method":"shutdown"}
{"jsonrpc":"2.0","id":null,"method":"x"}
{"jsonrpc":"2.0","id":1.5,"method":"x"}
{"jsonrpc":"2.0","id":4,"method":7}
{"id":9}
[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]
nonsense
null

{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"capabilities":{}}}`,
	}
	for i, name := range command.Names {
		seeds = append(seeds, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":%q,"arguments":[{"conversationId":"c","query":"q","prompt":"p"}]}}`, i, name)+
			fmt.Sprintf("\n"+`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":%q}}`, i+100, name))
	}
	return seeds
}

// FuzzSession sends a session arbitrary messages in valid frames: the session survives, nothing in
// it panics, and every request is answered once; an invalid message is answered without an id.
func FuzzSession(f *testing.F) {
	for _, text := range sessionSeeds() {
		f.Add(text)
	}
	h := &fuzzHost{dir: f.TempDir()}
	h.root = servertest.Tree(f, map[string]string{"a.go": "package a\n\n// F is here.\nfunc F() {}\n", "doc.md": "# Tabs\n\nUse tabs.\n"})
	f.Cleanup(func() { h.stop(f) })
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "\n") > 30 || len(text) > 1<<16 {
			return
		}
		c := h.client(t)
		defer c.close(t)
		want := map[jsonrpc2.ID]int{}
		for line := range strings.SplitSeq(text, "\n") {
			body := []byte(strings.ReplaceAll(line, "ROOT", servertest.URI(h.root)))
			message, err := jsonrpc2.DecodeMessage(body)
			if err != nil || !json.Valid(body) { // the library reads some input that is not JSON
				message = nil
				want[jsonrpc2.ID{}]++
			}
			switch m := message.(type) {
			case *jsonrpc2.Call:
				want[m.ID()]++
			case *jsonrpc2.Notification:
				if m.Method() == "exit" || m.Method() == "workspace/didChangeWorkspaceFolders" {
					continue // would end it, or open any folder of the machine that runs the test
				}
			}
			c.send(t, body)
		}
		c.await(t, want)
		h.calm(t)
	})
}

// fuzzHost is a server with an index and a memory, which many sessions use in sequence.
type fuzzHost struct {
	dir, root string
	server    *server.Server
	holder    *fuzzClient // keeps the index open between sessions
	log       faults
	count     int
}

// perServer is the number of sessions of one server, because what they write adds up.
const perServer = 300

func (h *fuzzHost) client(t testing.TB) *fuzzClient {
	if h.count%perServer == 0 {
		h.stop(t)
		state := filepath.Join(h.dir, fmt.Sprint(h.count))
		v, err := server.New(engine.Options{Version: "test", StateDir: state, ConfigDir: h.dir, Home: h.dir, Logger: slog.New(slog.NewTextHandler(&h.log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		h.server = v
		h.holder = h.connect(t)
	}
	h.count++
	return h.connect(t)
}

func (h *fuzzHost) stop(t testing.TB) {
	if h.server == nil {
		return
	}
	h.holder.close(t)
	if err := h.server.Close(); err != nil {
		t.Error(err)
	}
	h.server = nil
	_ = os.RemoveAll(filepath.Join(h.dir, fmt.Sprint((h.count-1)/perServer*perServer))) // the next has another
}

// calm fails the test if a handler has panicked.
func (h *fuzzHost) calm(t *testing.T) {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	if h.log.text != "" {
		text := h.log.text
		h.log.text = ""
		t.Fatal(text)
	}
}

// connect begins a session and initializes it.
func (h *fuzzHost) connect(t testing.TB) *fuzzClient {
	near, far := net.Pipe()
	c := &fuzzClient{stream: far, out: transport.NewFrameWriter(far), ended: make(chan struct{}), answers: make(chan jsonrpc2.ID, 1000), left: make(chan error, 1)}
	go func() {
		_, err := h.server.Serve(t.Context(), near, engine.SessionOptions{Offline: true})
		c.left <- err
	}()
	go c.read()
	c.send(t, []byte(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"processId":null,"capabilities":{},"rootUri":"`+servertest.URI(h.root)+`"}}`))
	c.await(t, map[jsonrpc2.ID]int{jsonrpc2.NewStringID("hello"): 1})
	c.send(t, []byte(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	return c
}

// fuzzClient is the client of one session. It counts answers and answers the session's requests.
type fuzzClient struct {
	stream  net.Conn
	out     *transport.FrameWriter
	answers chan jsonrpc2.ID
	ended   chan struct{} // closed at the end of the stream
	left    chan error    // what Serve returned
}

func (c *fuzzClient) send(t testing.TB, body []byte) {
	if err := c.out.Write(body); err != nil {
		t.Fatalf("the session is gone before %q: %v", body, err)
	}
}

// read reads until the stream ends. It never waits for the session, which may be waiting for it.
func (c *fuzzClient) read() {
	defer close(c.ended)
	in := transport.NewFrameReader(c.stream)
	var replies sync.WaitGroup
	defer replies.Wait()
	for {
		body, err := in.Next()
		if err != nil {
			return
		}
		message, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			c.answers <- jsonrpc2.NewStringID(fmt.Sprintf("not a message: %s", body))
			continue
		}
		switch m := message.(type) {
		case *jsonrpc2.Response:
			c.answers <- m.ID()
		case *jsonrpc2.Call:
			replies.Go(func() {
				if answer, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(m.ID(), []byte("null"), nil)); err == nil {
					_ = c.out.Write(answer) // the end of the session is noticed elsewhere
				}
			})
		}
	}
}

// await waits until n answers have arrived, and checks each.
func (c *fuzzClient) await(t testing.TB, want map[jsonrpc2.ID]int) {
	timer := time.NewTimer(servertest.Patience)
	defer timer.Stop()
	total := 0
	for _, n := range want {
		total += n
	}
	for ; total > 0; total-- {
		select {
		case id := <-c.answers:
			if want[id]--; want[id] < 0 {
				t.Fatalf("%q is answered too often, or was never asked", id)
			}
		case <-c.ended:
			t.Fatalf("the session is gone; not answered: %v", want)
		case <-timer.C:
			t.Fatalf("not answered: %v", want)
		}
	}
}

// close closes the connection and waits; no message may arrive that was not requested.
func (c *fuzzClient) close(t testing.TB) {
	_ = c.stream.Close() // closing a pipe does not fail
	<-c.ended
	<-c.left // its error only says that the stream ended
	select {
	case id := <-c.answers:
		t.Errorf("%q is answered once more", id)
	default:
	}
}

// faults records the first panic that is logged.
type faults struct {
	mu   sync.Mutex // guards text
	text string
}

func (l *faults) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == "" && bytes.Contains(p, []byte("panick")) {
		l.text = string(p)
	}
	return len(p), nil
}
