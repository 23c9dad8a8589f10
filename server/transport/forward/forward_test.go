package forward

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// TestReplay: a new daemon is told what holds, in the order in which a session takes it, and the
// editor hears nothing.
func TestReplay(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	for _, m := range []message{
		{methodSettings, []byte(`{"settings":{"a":1}}`)},
		{methodSettings, []byte(`{"settings":{"a":2}}`)},
		{methodFolders, []byte(`{"event":{"added":[{"uri":"file:///x"},{"uri":"file:///y"}],"removed":[]}}`)},
		{methodFolders, []byte(`{"event":{"added":[],"removed":[{"uri":"file:///x/"},{"uri":"file:///z"}]}}`)},
		{methodOpen, []byte(`{"textDocument":{"uri":"file:///y/a","version":1,"text":"one"}}`)},
		{methodOpen, []byte(`{"textDocument":{"uri":"untitled:b","version":1,"text":"two"}}`)},
		{methodChange, []byte(`{"textDocument":{"uri":"file:///y/a","version":2},"contentChanges":[{"text":"three"}]}`)},
		{methodClose, []byte(`{"textDocument":{"uri":"untitled:b"}}`)},
		{methodSave, []byte(`{"textDocument":{"uri":"file:///y/a"}}`)},
	} {
		s.editor.notify(m.method, string(m.params))
		d.expect(m.method)
	}
	d.die()
	d = s.daemon()
	if m := d.expect("initialize"); string(m.ID) == "1" || !strings.Contains(string(m.Params), `"capabilities"`) {
		t.Errorf("initialize is %s %s", m.ID, m.Params)
	} else {
		d.answer(string(m.ID), `{"capabilities":{}}`)
	}
	d.expect("initialized")
	for _, want := range []message{
		{methodSettings, []byte(`{"settings":{"a":2}}`)},
		{methodFolders, []byte(`{"event":{"added":[{"uri":"file:///y"}],"removed":[{"uri":"file:///x/"},{"uri":"file:///z"}]}}`)},
		{methodOpen, []byte(`{"textDocument":{"uri":"file:///y/a","version":1,"text":"one"}}`)},
		{methodChange, []byte(`{"textDocument":{"uri":"file:///y/a","version":2},"contentChanges":[{"text":"three"}]}`)},
		{methodSave, []byte(`{"textDocument":{"uri":"file:///y/a"}}`)},
	} {
		if m := d.expect(want.method); string(m.Params) != string(want.params) {
			t.Errorf("%s is %s, want %s", want.method, m.Params, want.params)
		}
	}
	s.editor.call(2, "textDocument/hover", `{}`)
	d.expect("textDocument/hover")
	d.answer("2", "null")
	s.editor.gets("2") // and nothing before it
	// What an answered request came after needs not be told again.
	d.die()
	d = s.daemon()
	d.restored()
	for _, method := range []string{methodSettings, methodFolders, methodOpen, methodChange} {
		d.expect(method)
	}
	s.editor.call(3, "textDocument/hover", `{}`)
	d.expect("textDocument/hover")
}

// TestUnanswered: what becomes of a request that was under way.
func TestUnanswered(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		sent       bool                     // again
		then       func(d *peer, id string) // what the next daemon answers
		check      func(m wire) bool
	}{
		{"search", `{"query":"x"}`, true, ok, result(`{"deleted":true}`)},
		{"index.rebuild", `{}`, true, ok, result(`{"deleted":true}`)},
		{"index.exclude", `{"pattern":"x"}`, true, ok, result(`{"deleted":true}`)},
		{"index.exclude", `{"pattern":"x"}`, true, notFound, failed("notFound")},
		{"index.exclude", `{"pattern":"x","remove":true}`, true, notFound, unknownAnswer},
		{"no.such", `{}`, true, notFound, failed("notFound")},
		{"conversation.append", `{"conversationId":"c","messages":[{"id":"1"},{"id":"2"}]}`, true, ok, result(`{"deleted":true}`)},
		{"conversation.append", `{"conversationId":"c","messages":[{"id":"1"},{}]}`, false, nil, unknownAnswer},
		{"conversation.turn", `{}`, true, notFound, failed("notFound")},
		{"conversation.delete", `{"conversationId":"c"}`, true, notFound, result(`{"deleted":true}`)},
		{"conversation.delete", `{"conversationId":"c"}`, true, ok, result(`{"deleted":true}`)},
		{"conversation.delete", `{"conversationId":"c"}`, true, exists, failed("exists")},
		{"conversation.fork", `{}`, true, exists, unknownAnswer},
		{"conversation.fork", `{}`, true, notFound, failed("notFound")},
		{"task.unblock", `{}`, true, notFound, unknownAnswer},
		{"task.complete", `{}`, false, nil, unknownAnswer},
		{"remember", `{}`, true, ok, result(`{"deleted":true}`)},
		{"feedback", `{}`, false, nil, unknownAnswer},
		{"knowledge.put", `{"id":"k"}`, true, ok, result(`{"deleted":true}`)},
		{"knowledge.put", `{}`, false, nil, unknownAnswer},
		{"board.put", `{}`, false, nil, unknownAnswer},
		{"cabinet.put", `{}`, false, nil, unknownAnswer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			d := s.begun()
			s.editor.command(2, tt.name, tt.args)
			d.expect(methodExecute)
			d.die()
			d = s.daemon()
			d.restored()
			if tt.sent {
				m := d.expect(methodExecute)
				tt.then(d, string(m.ID))
			}
			if m := s.editor.gets("2"); !tt.check(m) {
				t.Errorf("the answer is %s, %v", m.Result, m.Error)
			}
			s.editor.call(3, "textDocument/hover", `{}`)
			d.expect("textDocument/hover") // it was not sent twice, or not at all
		})
	}
}

func ok(d *peer, id string)       { d.answer(id, `{"deleted":true}`) }
func notFound(d *peer, id string) { d.fail(id, command.CodeRequestFailed, command.DataNotFound) }
func exists(d *peer, id string)   { d.fail(id, command.CodeRequestFailed, command.DataExists) }

func result(want string) func(wire) bool {
	return func(m wire) bool { return string(m.Result) == want }
}

func failed(code string) func(wire) bool {
	return func(m wire) bool { return m.Error != nil && m.Error.Data.Code == code }
}

func unknownAnswer(m wire) bool {
	return m.Error != nil && m.Error.Code == command.CodeRequestFailed && strings.Contains(m.Error.Message, "not known")
}

// TestCommandsSentOnce: of the commands that change memory exactly those are never sent again of
// which a second one would add something; an append and a put only without an id.
func TestCommandsSentOnce(t *testing.T) {
	var got []string
	for _, info := range command.Infos {
		if policyOf(methodExecute, fmt.Appendf(nil, `{"command":%q,"arguments":[{"messages":[{}]}]}`, info.Name)) == never {
			got = append(got, strings.TrimPrefix(info.Name, command.Prefix))
		}
	}
	want := []string{"feedback", "conversation.append", "task.complete", "task.block", "knowledge.put", "board.put", "cabinet.put"}
	if !slices.Equal(got, want) {
		t.Errorf("sent once are %v, want %v", got, want)
	}
}

// TestCancelled: a request that was cancelled is not begun again.
func TestCancelled(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	s.editor.command(2, "search", `{"query":"x"}`)
	d.expect(methodExecute)
	s.editor.notify(methodCancel, `{"id":2}`)
	d.expect(methodCancel)
	d.die()
	if m := s.editor.gets("2"); m.Error == nil || m.Error.Code != command.CodeRequestCancelled {
		t.Errorf("the answer is %s, %v", m.Result, m.Error)
	}
	s.daemon().restored()
}

// TestBeforeInitialize: a daemon that dies before it has answered initialize is not missed.
func TestBeforeInitialize(t *testing.T) {
	s := newScene(t)
	d := s.daemon()
	s.editor.call(1, "initialize", `{"processId":null,"capabilities":{}}`)
	s.editor.notify("initialized", `{}`)
	s.editor.command(2, "search", `{}`)
	d.expect("initialize")
	d.die()
	d = s.daemon()
	if m := d.expect("initialize"); string(m.ID) != "1" {
		t.Errorf("its id is %s", m.ID)
	}
	d.answer("1", `{"capabilities":{}}`)
	d.expect("initialized")
	d.expect(methodExecute)
	d.answer("2", "null")
	s.editor.gets("1")
	s.editor.gets("2")
}

// TestServersRequests: each daemon counts its requests from one, and gets the answers to its own.
func TestServersRequests(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	d.call(1, "workspace/configuration", `{"items":[]}`)
	first := s.editor.expect("workspace/configuration")
	d.die()
	d = s.daemon()
	d.restored()
	d.call(1, "workspace/configuration", `{"items":[]}`)
	second := s.editor.expect("workspace/configuration")
	if string(first.ID) == string(second.ID) {
		t.Errorf("both have the id %s", first.ID)
	}
	s.editor.answer(string(first.ID), `["the dead one's"]`)
	s.editor.answer(string(second.ID), `["the new one's"]`)
	if m := d.gets("1"); string(m.Result) != `["the new one's"]` {
		t.Errorf("it gets %s", m.Result)
	}
}

// TestKept: what the editor has already is not told it again, and progress that has begun ends.
func TestKept(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	register := `{"registrations":[{"id":"contexture/watch","method":"workspace/didChangeWatchedFiles"}]}`
	d.call(1, methodRegister, register)
	s.editor.answer(string(s.editor.expect(methodRegister).ID), "null")
	d.gets("1")
	d.call(2, methodToken, `{"token":"index-1"}`)
	s.editor.answer(string(s.editor.expect(methodToken).ID), "null")
	d.gets("2")
	d.notify(methodProgress, `{"token":"index-1","value":{"kind":"begin","title":"Indexing"}}`)
	s.editor.expect(methodProgress)
	d.notify(methodShow, `{"type":2,"message":"unknown setting"}`)
	s.editor.expect(methodShow)
	d.die()

	if m := s.editor.expect(methodProgress); string(m.Params) != `{"token":"index-1","value":{"kind":"end"}}` {
		t.Errorf("progress ends with %s", m.Params)
	}
	d = s.daemon()
	d.restored()
	d.call(1, methodRegister, register)
	d.gets("1")
	d.notify(methodShow, `{"type":2,"message":"unknown setting"}`)
	d.notify(methodShow, `{"type":2,"message":"another"}`)
	if m := s.editor.expect(methodShow); !strings.Contains(string(m.Params), "another") {
		t.Errorf("%s is shown again", m.Params)
	}
	d.call(2, methodToken, `{"token":"index-1"}`)
	m := s.editor.expect(methodToken)
	if string(m.Params) != `{"token":"index-1.2"}` {
		t.Errorf("the token is %s", m.Params)
	}
	s.editor.answer(string(m.ID), "null")
	d.gets("2")
	d.notify(methodProgress, `{"token":"index-1","value":{"kind":"end"}}`)
	if m := s.editor.expect(methodProgress); !strings.Contains(string(m.Params), `"index-1.2"`) {
		t.Errorf("progress is %s", m.Params)
	}
}

// TestAway: a daemon that asks to be left finishes what it was sent and is sent nothing more.
func TestAway(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	s.editor.command(2, "task.complete", `{}`)
	d.expect(methodExecute)
	d.notify(daemon.Away, `{}`)
	d.answer("2", "null")
	if m := s.editor.gets("2"); m.Error != nil {
		t.Errorf("the answer is %v", m.Error)
	}
	d.ends()
	s.editor.command(3, "task.complete", `{}`)
	d = s.daemon()
	d.restored()
	d.expect(methodExecute)
}

// TestAwayTooLong: what does not end in time is as if the daemon had died.
func TestAwayTooLong(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	s.editor.command(2, "task.complete", `{}`)
	s.editor.command(3, "search", `{}`)
	d.expect(methodExecute)
	d.expect(methodExecute)
	d.notify(daemon.Away, `{}`)
	if m := s.editor.gets("2"); !unknownAnswer(m) {
		t.Errorf("the answer is %s, %v", m.Result, m.Error)
	}
	d.ends()
	d = s.daemon()
	d.restored()
	if m := d.expect(methodExecute); string(m.ID) != "3" {
		t.Errorf("%s is sent again", m.ID)
	}
}

// TestDeadly: a session whose daemons all die without a word ends, and so does a request that they
// die of.
func TestDeadly(t *testing.T) {
	t.Run("session", func(t *testing.T) {
		s := newScene(t)
		s.begun().die()
		for range maxDeaths {
			d := s.daemon()
			d.expect("initialize")
			d.die()
		}
		if code, err := s.left(); code != 1 || err == nil {
			t.Errorf("left with %d: %v", code, err)
		}
	})
	t.Run("request", func(t *testing.T) {
		s := newScene(t)
		d := s.begun()
		s.editor.command(2, "search", `{}`)
		for i := range maxSent - 1 {
			d.expect(methodExecute)
			s.editor.call(10+i, "textDocument/hover", "{}") // what is answered spares the pauses
			d.expect("textDocument/hover")
			d.answer(strconv.Itoa(10+i), "null")
			s.editor.gets(strconv.Itoa(10 + i))
			d.die()
			d = s.daemon()
			d.restored()
		}
		d.expect(methodExecute)
		d.die()
		if m := s.editor.gets("2"); m.Error == nil || !strings.Contains(m.Error.Message, "died") {
			t.Errorf("the answer is %s, %v", m.Result, m.Error)
		}
		s.daemon().restored()
	})
}

func TestLeaving(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(s *scene, d *peer)
		code int
		err  string // "" = none
	}{
		{"in good order", func(s *scene, d *peer) {
			s.editor.call(9, methodShutdown, "null")
			d.expect(methodShutdown)
			d.answer("9", "null")
			s.editor.gets("9")
			s.editor.notify(methodExit, "null")
			d.expect(methodExit)
			d.die()
		}, 0, ""},
		{"without shutdown", func(s *scene, d *peer) {
			s.editor.notify(methodExit, "null")
			d.expect(methodExit)
			d.die()
		}, 1, ""},
		{"the stream ends", func(s *scene, _ *peer) { _ = s.stream.Close() }, 1, ""},
		{"the stream ends after shutdown", func(s *scene, d *peer) {
			s.editor.call(9, methodShutdown, "null")
			d.expect(methodShutdown)
			d.answer("9", "null")
			s.editor.gets("9")
			_ = s.stream.Close()
		}, 0, ""},
		{"the daemon dies of shutdown", func(s *scene, d *peer) {
			s.editor.call(9, methodShutdown, "null")
			d.expect(methodShutdown)
			d.die()
			s.editor.gets("9")
			s.editor.call(10, "textDocument/hover", "{}")
			if m := s.editor.gets("10"); m.Error == nil || m.Error.Code != command.CodeInvalidRequest {
				s.t.Errorf("a request after shutdown: %v", m.Error)
			}
			s.editor.notify(methodExit, "null")
		}, 0, ""},
		{"no messages", func(s *scene, _ *peer) { _, _ = io.WriteString(s.stream, "{}\n") }, 1, "header"},
		{"there is no next daemon", func(s *scene, d *peer) {
			s.refuse <- errors.New("nobody is there")
			d.die()
		}, 1, "nobody is there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			d := s.begun()
			tt.do(s, d)
			code, err := s.left()
			if code != tt.code || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("left with %d: %v", code, err)
			}
		})
	}
}

// halfGone is a connection that takes no end of messages any more, and has some of the peer's.
type halfGone struct {
	net.Conn
	hung chan struct{} // closed when the end was refused
}

func (c *halfGone) CloseWrite() error {
	close(c.hung)
	return io.ErrClosedPipe
}

// TestAnswersOfDaemonThatLeft checks that an answer is passed on which the daemon sent before it
// left, though it took no end of the editor's messages.
func TestAnswersOfDaemonThatLeft(t *testing.T) {
	hung := make(chan struct{})
	s := newSceneOver(t, func(c net.Conn) net.Conn { return &halfGone{c, hung} })
	d := s.begun()
	s.editor.command(9, "bundle", `{"prompt":"p"}`)
	d.expect(methodExecute)
	s.editor.notify(methodExit, "null")
	d.expect(methodExit)
	<-hung
	d.answer("9", `"late"`)
	if m := s.editor.gets("9"); string(m.Result) != `"late"` {
		t.Errorf("the answer is %s, %v", m.Result, m.Error)
	}
	d.die()
	if code, err := s.left(); code != 1 || err != nil {
		t.Errorf("left with %d: %v", code, err)
	}
}

// TestEditorDies: the end of the editor's process is the forwarder's, and the daemon is not told to
// watch it.
func TestEditorDies(t *testing.T) {
	editor := exec.Command(os.Args[0])
	editor.Env = append(os.Environ(), waitsForInput+"=1")
	in, err := editor.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	s := newScene(t)
	d := s.daemon()
	s.editor.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"capabilities":{}}}`, editor.Process.Pid)
	if m := d.expect("initialize"); !strings.Contains(string(m.Params), `"processId":null`) {
		t.Errorf("initialize is passed on as %s", m.Params)
	}
	_ = in.Close()
	_ = editor.Process.Kill()
	_ = editor.Wait()
	if code, err := s.left(); code != 1 || err != nil {
		t.Errorf("left with %d: %v", code, err)
	}
}

// TestPassedOn: what is no message, or unknown, is the session's to judge.
func TestPassedOn(t *testing.T) {
	s := newScene(t)
	d := s.begun()
	s.editor.send("{")
	if m := d.next(); !strings.HasPrefix(m.Method, "broken") {
		t.Errorf("%s came", m.Method)
	}
	d.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`)
	s.editor.gets("null")
	s.editor.send(`{"jsonrpc":"2.0","method":"$/unknown"}`)
	d.expect("$/unknown")
	s.editor.send(`{"jsonrpc":"2.0","id":"a\"b","method":"unknown/request"}`)
	d.expect("unknown/request")
	d.fail(`"a\"b"`, command.CodeMethodNotFound, "")
	if m := s.editor.next(); m.Error == nil || m.Error.Code != command.CodeMethodNotFound {
		t.Errorf("%s %v came", m.ID, m.Error)
	}
	// Two requests under one id get two answers.
	s.editor.call(7, "textDocument/hover", "{}")
	s.editor.call(7, "textDocument/hover", "{}")
	d.expect("textDocument/hover")
	d.expect("textDocument/hover")
	d.fail("7", command.CodeInvalidRequest, "")
	d.answer("7", "null")
	s.editor.gets("7")
	s.editor.gets("7")
}
