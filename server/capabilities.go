package server

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/protocol"
)

// client is what the client can do, as far as it matters here.
type client struct {
	utf8          bool // counts characters in bytes
	progress      bool // shows what takes long
	configuration bool // can be asked for settings
	watchFiles    bool // can be asked to tell of files
	watchSettings bool // can be asked to tell of settings
	plainHover    bool // shows plain text only in hovers
}

func clientOf(c *protocol.ClientCapabilities) client {
	var out client
	if g := c.General; g != nil {
		out.utf8 = slices.Contains(g.PositionEncodings, protocol.PositionEncodingKindUTF8)
	}
	if w := c.Window; w != nil {
		out.progress = isTrue(w.WorkDoneProgress)
	}
	if w := c.Workspace; w != nil {
		out.configuration = isTrue(w.Configuration)
		if d := w.DidChangeWatchedFiles; d != nil {
			out.watchFiles = isTrue(d.DynamicRegistration)
		}
		if d := w.DidChangeConfiguration; d != nil {
			out.watchSettings = isTrue(d.DynamicRegistration)
		}
	}
	if d := c.TextDocument; d != nil && d.Hover != nil {
		formats := d.Hover.ContentFormat
		out.plainHover = len(formats) > 0 && !slices.Contains(formats, protocol.MarkupKindMarkdown)
	}
	return out
}

func isTrue(b *bool) bool { return b != nil && *b }

// experimental is what the server can beyond the protocol, which has no type for it.
type experimental struct {
	Contexture struct {
		Version int `json:"version"`
	} `json:"contexture"`
}

// greeting is the answer to initialize (CONTRACT §2).
func (s *Session) greeting() (json.RawMessage, error) {
	var beyond experimental
	beyond.Contexture.Version = command.Version
	extra, err := json.Marshal(beyond)
	if err != nil {
		return nil, fmt.Errorf("encode experimental capabilities: %w", err)
	}
	return marshal(&protocol.InitializeResult{
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: protocol.PositionEncodingKind(s.encoding),
			TextDocumentSync: &protocol.TextDocumentSyncOptions{
				OpenClose: new(true), Change: new(protocol.TextDocumentSyncKindIncremental), Save: &protocol.SaveOptions{IncludeText: new(false)},
			},
			Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: new(true), ChangeNotifications: protocol.Boolean(true),
			}, FileOperations: &protocol.FileOperationOptions{DidRename: protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{
				{Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**/*"}},
			}}}},
			CodeLensProvider:       &protocol.CodeLensOptions{ResolveProvider: new(false)},
			HoverProvider:          protocol.Boolean(true),
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: command.Names},
			Experimental:           extra,
		},
		ServerInfo: protocol.ServerInfo{Name: Name, Version: protocol.NewOptional(s.server.opts.Version)},
	})
}

// registrations are what the client is asked to tell of.
func (c client) registrations() ([]protocol.Registration, error) {
	var out []protocol.Registration
	add := func(id, method string, options any) error {
		raw, err := protocol.Marshal(options)
		out = append(out, protocol.Registration{ID: id, Method: method, RegisterOptions: raw})
		return err
	}
	if c.watchFiles {
		all := protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}}}
		if err := add("contexture/watch", protocol.MethodWorkspaceDidChangeWatchedFiles, &all); err != nil {
			return nil, fmt.Errorf("encode registration: %w", err)
		}
	}
	if c.watchSettings {
		ours := protocol.DidChangeConfigurationRegistrationOptions{Section: protocol.String(Name)}
		if err := add("contexture/configuration", protocol.MethodWorkspaceDidChangeConfiguration, &ours); err != nil {
			return nil, fmt.Errorf("encode registration: %w", err)
		}
	}
	return out, nil
}
