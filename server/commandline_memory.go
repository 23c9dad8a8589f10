package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/request"
)

// heldBytes is how many bytes of an export are buffered until the client takes them. An export that
// is not larger does not keep the exported state of the memory open, for which forgetting would
// have to wait.
const heldBytes = 32 << 20

// export is an export in progress, between the memory that writes it and the client that takes it.
type export struct {
	mu    sync.Mutex // guards all fields below
	moved *sync.Cond // signals a change of the fields below
	parts [][]byte   // not yet taken, in order
	bytes int        // of parts
	ended bool       // everything is written
	err   error      // why it ended early
	left  bool       // parts are no longer taken

	done chan struct{} // closed when the writer has ended
}

// errLeft ends an export that is no longer read.
var errLeft = errors.New("the session has ended")

// newExport begins to export a memory. close must be called.
func newExport(w *memory.Workspace) *export {
	e := &export{done: make(chan struct{})}
	e.moved = sync.NewCond(&e.mu)
	v := w.View() // the state at this request
	go func() {   // close waits for it
		defer close(e.done)
		err := v.Export(e)
		v.Close()
		e.mu.Lock()
		defer e.mu.Unlock()
		e.ended, e.err = true, err
		e.moved.Broadcast()
	}()
	return e
}

// Write implements io.Writer for the memory. It blocks while more than heldBytes are buffered.
func (e *export) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.bytes > 0 && e.bytes+len(p) > heldBytes && !e.left {
		e.moved.Wait()
	}
	if e.left {
		return 0, errLeft
	}
	for part := range slices.Chunk(p, request.PartBytes) {
		e.parts = append(e.parts, bytes.Clone(part))
	}
	e.bytes += len(p)
	e.moved.Broadcast()
	return len(p), nil
}

// take returns the next part and blocks until there is one. end reports that it is the last one.
func (e *export) take(ctx context.Context) (part []byte, end bool, err error) {
	defer context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.moved.Broadcast()
	})()
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.parts) == 0 && !e.ended && ctx.Err() == nil {
		e.moved.Wait()
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	n, size := 0, 0
	for n < len(e.parts) && (n == 0 || size+len(e.parts[n]) <= request.PartBytes) {
		size += len(e.parts[n])
		n++
	}
	part = bytes.Join(e.parts[:n], nil)
	clear(e.parts[:n]) // parts that were taken are not kept
	e.parts, e.bytes = e.parts[n:], e.bytes-size
	e.moved.Broadcast()
	if len(e.parts) > 0 || !e.ended {
		return part, false, nil
	}
	return part, true, e.err
}

// close ends the export and waits for its writer.
func (e *export) close() {
	e.mu.Lock()
	e.left = true
	e.moved.Broadcast()
	e.mu.Unlock()
	<-e.done
}

func (a commandRequest) memoryExport(ctx context.Context, _ *none) (*request.ExportResult, error) {
	w, err := a.memory(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	begun := a.export == nil && a.running.Err() == nil
	if begun {
		a.export = newExport(w)
	}
	a.mu.Unlock()
	if !begun {
		return nil, errors.New("an export was begun before")
	}
	return a.memoryExportNext(ctx, nil)
}

func (a commandRequest) memoryExportNext(ctx context.Context, _ *none) (*request.ExportResult, error) {
	a.mu.Lock()
	e := a.export
	a.mu.Unlock()
	if e == nil {
		return nil, errors.New("no export was begun")
	}
	part, end, err := e.take(ctx)
	if err != nil {
		return nil, err
	}
	return &request.ExportResult{Data: part, End: end}, nil
}

func (a commandRequest) memoryImport(ctx context.Context, p *request.ImportParams) (*request.ImportResult, error) {
	a.mu.Lock()
	a.received = append(a.received, p.Data...)
	all := a.received
	if p.Last {
		a.received = nil
	}
	a.mu.Unlock()
	if !p.Last {
		return &request.ImportResult{}, nil
	}
	w, err := a.memory(ctx)
	if err != nil {
		return nil, err
	}
	var in io.Reader = bytes.NewReader(all)
	if p.Broken != "" {
		in = io.MultiReader(in, broken{errors.New(p.Broken)})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	done, err := w.Import(in)
	if err != nil {
		return nil, err
	}
	out := &request.ImportResult{Conversations: done.Conversations, Messages: done.Messages, Records: done.Records}
	if a.view.Roots[0].Settings.Memory.Learn {
		if err := w.LearnFrom(ctx, done.Unlearned); err != nil {
			out.Unlearned = err.Error()
		}
	}
	return out, nil
}

func (a commandRequest) memoryForget(ctx context.Context, p *request.ForgetParams) (none, error) {
	w, err := a.memory(ctx)
	if err != nil {
		return none{}, err
	}
	gone, err := a.goneWith(ctx, w, p)
	if err != nil {
		return none{}, err
	}
	what := "the workspace"
	switch {
	case p.Knowledge != "":
		what, err = fmt.Sprintf("item %q of knowledge", p.Knowledge), w.ForgetKnowledge(ctx, p.Knowledge)
	case p.Turn > 0:
		what = fmt.Sprintf("turn %s of conversation %q", dialogue.TurnID(p.Turn), p.Conversation)
		err = w.ForgetTurn(ctx, p.Conversation, p.Turn)
	case p.Conversation != "":
		what, err = fmt.Sprintf("conversation %q", p.Conversation), w.ForgetConversation(ctx, p.Conversation)
	default:
		err = w.ForgetAll(ctx)
	}
	if errors.Is(err, conversation.ErrNotFound) || errors.Is(err, knowledge.ErrNotFound) {
		return none{}, absentError(what)
	}
	if err != nil {
		return none{}, fmt.Errorf("forget %s: %w", what, err)
	}
	if p.Knowledge != "" || p.Turn > 0 {
		return none{}, hosts.RemoveTexts(a.server.Options.StateDir)
	}
	if p.Conversation == "" {
		err = hosts.RemoveTrial(a.server.Options.StateDir, a.view.Roots[0].Path)
	}
	return none{}, errors.Join(err, hosts.RemoveGiven(a.server.Options.StateDir, gone))
}

// goneWith returns which records of hooks are forgotten together with a conversation or the whole
// workspace: of that also those of its other worktrees, whose conversations are in its memory.
func (a commandRequest) goneWith(ctx context.Context, w *memory.Workspace, p *request.ForgetParams) (gone func(root, id string) bool, err error) {
	v := w.View() // before anything is forgotten
	defer v.Close()
	roots, known := rootsOf(&a.view.Roots[0]), map[string]bool{}
	switch {
	case p.Knowledge != "" || p.Turn > 0:
		return nil, nil // and no record
	case p.Conversation != "":
		return withConversation(ctx, v, a.server.Options.StateDir, roots, p.Conversation)
	}
	_, err = hosts.ReadGiven(a.server.Options.StateDir, a.server.Now(), func(_, id string) bool {
		_, err := v.Conversations.Find(id)
		known[id] = err == nil
		return false
	})
	return func(root, id string) bool { return known[id] || slices.Contains(roots, root) }, err
}

// absentError is the error that the thing it names does not exist; clients find fs.ErrNotExist in
// it.
type absentError string

func (e absentError) Error() string      { return string(e) + " does not exist" }
func (absentError) Is(target error) bool { return target == fs.ErrNotExist }

func (a commandRequest) memoryStats(ctx context.Context, _ *none) (any, error) {
	w, err := a.memory(ctx)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	return v.Stats()
}

// chatsNamed is how many conversations with one beginning are named.
const chatsNamed = 100

func (a commandRequest) chatFind(ctx context.Context, p *request.ChatFindParams) (*request.ChatFindResult, error) {
	w, err := a.memory(ctx)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	out := &request.ChatFindResult{}
	add := func(i conversation.Info) {
		out.Chats = append(out.Chats, request.Chat{ID: i.ID, Title: i.Title, Turns: i.Turns, StartedAt: i.StartedAt, LastAt: i.LastAt})
	}
	info, err := v.Conversations.Find(p.ID)
	if !errors.Is(err, conversation.ErrNotFound) {
		add(info)
		return out, err
	}
	if p.ID == "" {
		return out, nil
	}
	ids, err := v.Conversations.Beginning(p.ID, chatsNamed)
	if err != nil {
		return nil, err
	}
	if whole := slices.IndexFunc(ids, func(id string) bool { return strings.HasSuffix(id, "/"+p.ID) }); whole >= 0 {
		ids = ids[whole : whole+1]
	}
	for _, id := range ids {
		if info, err = v.Conversations.Find(id); err != nil {
			return nil, err
		}
		add(info)
	}
	return out, nil
}

func (a commandRequest) chatRead(ctx context.Context, p *request.ChatReadParams) (*request.ChatReadResult, error) {
	w, err := a.memory(ctx)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find(p.ID)
	if err != nil {
		return nil, named(err, "conversation %q", p.ID)
	}
	out, size := &request.ChatReadResult{}, 0
	for n := p.From; n <= p.To && size < request.PartBytes; n++ {
		turn, err := v.Conversations.Turn(info, n)
		if err != nil {
			return nil, err
		}
		out.Turns = append(out.Turns, request.Turn{TurnID: dialogue.TurnID(n), Messages: turn.Messages})
		for i := range turn.Messages {
			size += textBytes(&turn.Messages[i])
		}
	}
	return out, nil
}

// textBytes returns the approximate number of bytes that a message takes.
func textBytes(m *dialogue.Message) int {
	n := len(m.Content) + len(m.Reasoning)
	for i := range m.ToolCalls {
		n += len(m.ToolCalls[i].Arguments) + len(m.ToolCalls[i].Result)
	}
	return n
}
