package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Client is a client of the language server: it acts like an editor, over a stream that may lead to
// the daemon that all editors share. Safe for concurrent use.
type Client struct {
	conn *Conn
	done chan struct{} // closed when the stream has ended
	err  error         // the reason; set before done is closed

	show  func(text string)
	event func(method string, params json.RawMessage)

	mu     sync.Mutex                            // guards the fields below
	roots  []string                              // URIs of the folders
	status map[string]*command.IndexStatusResult // by folder
}

// ClientOptions configure a [Client].
type ClientOptions struct {
	Folders       []string // absolute paths
	Name, Version string   // of the client, for the server's log
	Logger        *slog.Logger
	// Show is called with each message for the user, one at a time; nil shows none. It must not
	// block.
	Show func(text string)
	// Event is called with each of Contexture's own notifications (contexture/…) in order, after
	// Status is updated; nil ignores them. It must not block and must not keep params.
	Event func(method string, params json.RawMessage)
}

// NewClient starts a session over stream, which the client owns. Close ends it. The session
// outlives ctx, which only bounds its start.
func NewClient(ctx context.Context, stream io.ReadWriteCloser, opts ClientOptions) (*Client, error) {
	c := &Client{conn: NewConn(stream, opts.Logger, Options{}), done: make(chan struct{}), show: opts.Show, event: opts.Event}
	go func() { // ends with the stream, which Close closes and waits for
		defer close(c.done)
		c.err = c.conn.Serve(context.WithoutCancel(ctx), (*editor)(c))
	}()
	params := map[string]any{
		"processId":        os.Getpid(),
		"clientInfo":       map[string]string{"name": opts.Name, "version": opts.Version},
		"capabilities":     map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-16"}}},
		"workspaceFolders": c.folders(opts.Folders),
	}
	if err := c.conn.Call(ctx, protocol.MethodInitialize, params, nil); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	c.conn.NotifyInOrder(protocol.MethodInitialized, struct{}{})
	return c, nil
}

// folder is a workspace folder as defined by LSP.
type folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

func folderOf(path string) folder {
	return folder{FileURI(path), filepath.Base(path)}
}

// folders records the session's folders and returns them.
func (c *Client) folders(paths []string) []folder {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.roots = nil
	list := []folder{}
	for _, path := range paths {
		f := folderOf(path)
		list = append(list, f)
		c.roots = append(c.roots, f.URI)
	}
	return list
}

// Move replaces the session's folders.
func (c *Client) Move(paths []string) {
	c.mu.Lock()
	old := c.roots
	c.mu.Unlock()
	removed := []folder{}
	for _, uri := range old {
		removed = append(removed, folder{URI: uri, Name: uri})
	}
	c.change(c.folders(paths), removed)
}

// Add opens one more folder and returns its URI; a folder that is already open stays unchanged.
func (c *Client) Add(path string) (uri string) {
	f := folderOf(path)
	c.mu.Lock()
	known := slices.Contains(c.roots, f.URI)
	if !known {
		c.roots = append(c.roots, f.URI)
	}
	c.mu.Unlock()
	if !known {
		c.change([]folder{f}, []folder{})
	}
	return f.URI
}

// Remove closes a folder that Add opened.
func (c *Client) Remove(path string) {
	f := folderOf(path)
	c.mu.Lock()
	i := slices.Index(c.roots, f.URI)
	if i >= 0 {
		c.roots = slices.Delete(c.roots, i, i+1)
	}
	c.mu.Unlock()
	if i >= 0 {
		c.change([]folder{}, []folder{f})
	}
}

func (c *Client) change(added, removed []folder) {
	c.conn.NotifyInOrder(protocol.MethodWorkspaceDidChangeWorkspaceFolders, map[string]any{
		"event": map[string]any{"added": added, "removed": removed},
	})
}

// Execute runs a command of the contract; args is its JSON object, nil for none. Errors: the
// server's as *command.Error; ctx's, after which the server is told to cancel; or the reason why
// the session is over.
func (c *Client) Execute(ctx context.Context, id string, args json.RawMessage) (json.RawMessage, error) {
	params := map[string]any{"command": id}
	if len(args) > 0 {
		params["arguments"] = []json.RawMessage{args}
	}
	var result json.RawMessage
	err := c.conn.Call(ctx, protocol.MethodWorkspaceExecuteCommand, params, &result)
	var wire *jsonrpc2.Error
	if errors.As(err, &wire) {
		return nil, commandError(wire)
	}
	return result, err
}

// Request sends a request that is not a command of the contract and decodes its answer into result,
// which may be nil. Errors: the server's as *jsonrpc2.Error; ctx's, after which the server is told
// to cancel; and ErrStopped if the session is over.
func (c *Client) Request(ctx context.Context, method string, params, result any) error {
	return c.conn.Call(ctx, method, params, result)
}

// commandError converts the server's error into one of the contract.
func commandError(wire *jsonrpc2.Error) error {
	if wire.Code == command.CodeRequestCancelled {
		return command.Cancelled()
	}
	e := &command.Error{Code: int(wire.Code), Message: wire.Message}
	var data struct{ Field, Code string }
	if len(wire.Data) > 0 && json.Unmarshal(wire.Data, &data) == nil {
		e.Field, e.DataCode = data.Field, data.Code
		e.Message = strings.TrimPrefix(e.Message, e.Field+": ") // Error adds it
	}
	return e
}

// Status returns the last status of the indexes of all folders together that the server sent; nil
// before the first.
func (c *Client) Status() *command.IndexStatusResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all *command.IndexStatusResult
	for _, uri := range c.roots {
		switch st := c.status[uri]; {
		case st == nil:
		case all == nil:
			first := *st
			first.Skipped = slices.Clone(st.Skipped)
			all = &first
		default:
			all.Add(st)
		}
	}
	return all
}

// Done returns a channel that is closed when the session is over.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the session is over, nil if its stream just ended. Done must be closed.
func (c *Client) Err() error { return c.err }

// Close ends the session with a shutdown, or abruptly if ctx ends first.
func (c *Client) Close(ctx context.Context) error {
	select {
	case <-c.done:
		return c.err
	default:
	}
	err := c.conn.Call(ctx, protocol.MethodShutdown, nil, nil)
	c.conn.Notify(protocol.MethodExit, nil)
	if err != nil {
		c.conn.Stop()
		err = fmt.Errorf("end session: %w", err)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		c.conn.Stop()
		<-c.done
	}
	return errors.Join(err, c.err)
}

// editor implements Handler for the server's requests and notifications to the client.
type editor Client

// Request refuses every request: the client offers no capabilities in initialize.
func (e *editor) Request(_ context.Context, method string, _ json.RawMessage) Work {
	return Refuse(int(jsonrpc2.MethodNotFound), "%s is not offered", Clip(method))
}

// Notify stores the status, shows messages, passes on Contexture's own notifications and ignores
// the rest.
func (e *editor) Notify(_ context.Context, method string, params json.RawMessage) error {
	if e.event != nil && strings.HasPrefix(method, "contexture/") {
		defer e.event(method, params)
	}
	switch method {
	case protocol.MethodWindowShowMessage:
		var p struct{ Message string }
		if err := json.Unmarshal(params, &p); err != nil {
			return fmt.Errorf("read message: %w", err)
		}
		if e.show != nil {
			e.show(p.Message)
		}
		return nil
	case "contexture/status":
		return e.keepStatus(params)
	}
	return nil
}

func (e *editor) keepStatus(params json.RawMessage) error {
	status := new(command.IndexStatusResult)
	if err := json.Unmarshal(params, status); err != nil {
		return fmt.Errorf("read status: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.status == nil {
		e.status = map[string]*command.IndexStatusResult{}
	}
	e.status[status.Workspace] = status
	return nil
}
