package mcp

//lint:file-ignore SA1019 clients that speak a protocol from before 2026-07-28 tell their folders this way and no other

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contexture-dev/contexture/server/transport"
)

// rootsOf returns the open folders that a call concerns if it names none; nil if it does.
func (s *Server) rootsOf(raw json.RawMessage) []string {
	var named struct{ Root *string }
	if s.opts.Roots == nil || json.Unmarshal(raw, &named) != nil || named.Root != nil {
		return nil
	}
	return s.opts.Roots()
}

// runIn answers a call by an answer for each of several folders, below the folder's path.
func (s *Server) runIn(ctx context.Context, t modelTool, req *sdk.CallToolRequest, raw json.RawMessage, roots []string) (*sdk.CallToolResult, error) {
	args := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return s.runOnce(ctx, t, req, raw) // which refuses them
	}
	all := &sdk.CallToolResult{}
	for _, root := range roots {
		args["root"] = marshalled(root, nil)
		one, err := s.runOnce(ctx, t, req, marshalled(args, raw))
		if err != nil {
			return nil, err
		}
		if one.IsError {
			return one, nil
		}
		all.Content = append(append(all.Content, &sdk.TextContent{Text: "In " + root + ":\n"}), one.Content...)
	}
	return all, nil
}

// followRoots requests the client's folders at the start and whenever they change.
func (s *Server) followRoots(options *sdk.ServerOptions) {
	options.InitializedHandler = func(ctx context.Context, r *sdk.InitializedRequest) { s.follow(ctx, r.Session) }
	options.RootsListChangedHandler = func(ctx context.Context, r *sdk.RootsListChangedRequest) { s.follow(ctx, r.Session) }
}

// follow passes on the client's own folders, if it has any on this machine. For a client that does
// not list folders, those of the start remain.
func (s *Server) follow(ctx context.Context, session *sdk.ServerSession) {
	p := session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
		return
	}
	list, err := session.ListRoots(ctx, nil)
	if err != nil {
		s.opts.Logger.Info("list the client's roots", "err", err)
		return
	}
	var folders []string
	for _, r := range list.Roots {
		if path, ok := transport.FilePath(r.URI); ok {
			folders = append(folders, path)
		}
	}
	if len(folders) > 0 {
		s.opts.Move(folders)
	}
}
