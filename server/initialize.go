package server

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/settings"
)

// initialize begins the session: the indexes of its roots open in the background.
func (s *Session) initialize(raw json.RawMessage) rpc.Work {
	if s.phase != fresh {
		return rpc.Refuse(command.CodeInvalidRequest, "initialize was called before")
	}
	var p wireInitialize
	if err := decode(raw, &p); err != nil {
		return rpc.Refuse(command.CodeInvalidParams, "initialize: %v", err)
	}
	if err := json.Unmarshal(p.Capabilities, &s.client); err != nil {
		s.log.Info("a capability of the client cannot be read and counts as absent", "err", err)
	}
	s.phase = running
	if slices.Contains(s.client.General.PositionEncodings, string(utf8Units)) {
		s.encoding = utf8Units
	}
	if p.ClientInfo != nil {
		s.log.Info("session begins", "client", p.ClientInfo.Name, "version", p.ClientInfo.Version)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers.init = section(p.InitializationOptions)
	s.refreshLocked()
	s.addRootsLocked(s.firstRoots(&p))
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := *p.ProcessID
		s.tasks.Go(func() { s.watchParent(pid) })
	}
	return rpc.Work{Inline: true, Run: func(context.Context) (any, error) {
		return wireInitialized{Capabilities: s.capabilities(), ServerInfo: wireInfo{Name, s.server.opts.Version}}, nil
	}}
}

// firstRoots are the folders that the client opens: the list, which may be empty, before the older single root.
func (s *Session) firstRoots(p *wireInitialize) []wireFolder {
	switch {
	case len(p.WorkspaceFolders) > 0:
		return p.WorkspaceFolders
	case p.RootURI != "":
		return []wireFolder{{URI: p.RootURI}}
	case p.RootPath != "":
		return []wireFolder{{URI: fileURI(p.RootPath)}}
	case s.opts.Root != "":
		return []wireFolder{{URI: fileURI(s.opts.Root)}}
	}
	return nil
}

func (s *Session) capabilities() map[string]any {
	const incremental = 2 // TextDocumentSyncKind
	return map[string]any{
		"positionEncoding": s.encoding,
		"textDocumentSync": map[string]any{"openClose": true, "change": incremental, "save": map[string]any{"includeText": false}},
		"workspace": map[string]any{
			"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true},
		},
		"executeCommandProvider": map[string]any{"commands": command.Names},
		"experimental":           map[string]any{Name: map[string]any{"version": command.Version}},
	}
}

// initialized asks the client for what it can give, events of files and settings, and begins to tell it how the
// indexes stand. mu is held.
func (s *Session) initialized() {
	if s.greeted {
		return
	}
	s.greeted = true
	var wanted []map[string]any
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		wanted = append(wanted, map[string]any{
			"id": "contexture/watch", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*"}}},
		})
	}
	if s.client.Workspace.DidChangeConfiguration.DynamicRegistration {
		wanted = append(wanted, map[string]any{
			"id": "contexture/configuration", "method": "workspace/didChangeConfiguration",
			"registerOptions": map[string]any{"section": Name},
		})
	}
	s.tasks.Go(s.reportStatus)
	s.tasks.Go(s.pullConfiguration)
	if len(wanted) > 0 {
		s.tasks.Go(func() {
			if err := s.conn.Call(s.ctx, "client/registerCapability", map[string]any{"registrations": wanted}, nil); err != nil {
				s.log.Info("register capability", "err", err)
			}
		})
	}
	s.touch()
}

// section is a layer of the editor's settings, which may stand under the section's name among others'.
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
