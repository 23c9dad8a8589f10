package mcp

//lint:file-ignore SA1019 clients that speak a protocol from before 2026-07-28 tell their folders this way and no other

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contexture-dev/contexture/server/transport"
)

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
