package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/protocol"
)

// client holds the capabilities of the client that matter here.
type client struct {
	utf8          bool // counts characters in UTF-8 bytes
	progress      bool // shows progress
	configuration bool // answers requests for settings
	watchFiles    bool // can report changes of files
	watchSettings bool // can report changes of settings
	plainHover    bool // shows only plain text in hovers
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

// experimental holds the server's capabilities beyond the protocol, which has no type for them.
type experimental struct {
	Contexture struct {
		Version int `json:"version"`
	} `json:"contexture"`
}

// greeting returns the answer to initialize of a program with a version.
func greeting(e transport.Encoding, program string) (json.RawMessage, error) {
	var beyond experimental
	beyond.Contexture.Version = command.Version
	extra, err := json.Marshal(beyond)
	if err != nil {
		return nil, fmt.Errorf("encode experimental capabilities: %w", err)
	}
	return marshal(&protocol.InitializeResult{
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: protocol.PositionEncodingKind(e),
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
		ServerInfo: protocol.ServerInfo{Name: Name, Version: protocol.NewOptional(program)},
	})
}

// registrations returns the events that the client is asked to report.
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

// initialize starts the session: the indexes of its roots open in the background.
func (s *Session) initialize(raw json.RawMessage) transport.Work {
	if s.phase != fresh {
		return transport.Refuse(command.CodeInvalidRequest, "initialize was called before")
	}
	p, err := readInitialize(raw, s.Log)
	if err != nil {
		return refuse("initialize", err)
	}
	s.client = clientOf(&p.Capabilities)
	s.phase = running
	if s.client.utf8 {
		s.Encoding = transport.UTF8
	}
	if name := p.ClientInfo.Name; name != "" && !s.Options.CommandLine { // commands come and go
		version, _ := p.ClientInfo.Version.Get()
		s.Log.Info("session begins", "client", name, "version", version)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers.init = section(json.RawMessage(p.InitializationOptions))
	s.refreshLocked()
	s.addRootsLocked(p.firstRoots(s.Options.Root))
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := int(*p.ProcessID)
		s.tasks.Go(func() { s.watchParent(pid) })
	}
	return transport.Work{Inline: true, Run: func(context.Context) (any, error) {
		return greeting(s.Encoding, s.engine.Options.Version)
	}}
}

// firstRoots returns the folders that the client opens, or else the given one: the list, which may
// be empty, takes precedence over the older single root.
func (p *initializeParams) firstRoots(given string) []uriRef {
	switch {
	case len(p.folders) > 0:
		return p.folders
	case p.root != "":
		return []uriRef{{p.root}}
	case p.path != "":
		return []uriRef{{transport.FileURI(p.path)}}
	case given != "":
		return []uriRef{{transport.FileURI(given)}}
	}
	return nil
}

// initialized registers for the client's events, of files and settings, and starts the reports on
// the indexes. The caller must hold mu.
func (s *Session) initialized() {
	if s.greeted || s.Options.CommandLine { // it asks for what it wants to know
		return
	}
	s.greeted = true
	s.tasks.Go(s.reportStatus)
	s.tasks.Go(s.pullConfiguration)
	s.tasks.Go(s.register)
	s.tasks.Go(s.openMemory)
	s.Touch()
}

// openMemory opens the memory in advance, and tells the person at once if that fails.
func (s *Session) openMemory() {
	v := s.View()
	wanted := v.Settings.Enabled && v.Settings.Memory.Enabled
	for _, r := range v.Roots {
		wanted = wanted || r.Settings.Enabled && r.Settings.Memory.Enabled
	}
	if !wanted {
		return
	}
	if _, err := s.engine.MemoryHolder.Get(s.ctx); err != nil && s.ctx.Err() == nil {
		s.Log.Error("memory not opened", "err", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.showLocked(protocol.MessageTypeError, "contexture: "+err.Error())
	}
}

// register asks the client to report the events that it can report.
func (s *Session) register() {
	wanted, err := s.client.registrations()
	if err == nil && len(wanted) > 0 {
		err = s.call(protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: wanted}, nil)
	}
	if err != nil {
		s.Log.Info("register capability", "err", err)
	}
}

// section returns a layer of the editor's settings, which may be under the section's name among
// others.
func section(raw json.RawMessage) *settings.Layer {
	var outer map[string]json.RawMessage
	if json.Unmarshal(raw, &outer) == nil {
		if inner, ok := outer[Name]; ok {
			raw = inner
		}
	}
	layer := settings.EditorJSON("editor", raw)
	return &layer
}
