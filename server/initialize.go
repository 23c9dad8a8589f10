package server

import (
	"context"
	"encoding/json"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/edit"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/settings"
	"go.lsp.dev/protocol"
)

// initialize begins the session: the indexes of its roots open in the background.
func (s *Session) initialize(raw json.RawMessage) rpc.Work {
	if s.phase != fresh {
		return rpc.Refuse(command.CodeInvalidRequest, "initialize was called before")
	}
	p, err := readInitialize(raw, s.log)
	if err != nil {
		return refuse("initialize", err)
	}
	s.client = clientOf(&p.Capabilities)
	s.phase = running
	if s.client.utf8 {
		s.encoding = edit.UTF8
	}
	if name := p.ClientInfo.Name; name != "" {
		version, _ := p.ClientInfo.Version.Get()
		s.log.Info("session begins", "client", name, "version", version)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers.init = section(json.RawMessage(p.InitializationOptions))
	s.refreshLocked()
	s.addRootsLocked(s.firstRoots(p))
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := int(*p.ProcessID)
		s.tasks.Go(func() { s.watchParent(pid) })
	}
	return rpc.Work{Inline: true, Run: func(context.Context) (any, error) {
		return s.greeting()
	}}
}

// firstRoots are the folders that the client opens: the list, which may be empty, before the older single root.
func (s *Session) firstRoots(p *initializeParams) []located {
	switch {
	case len(p.folders) > 0:
		return p.folders
	case p.root != "":
		return []located{{p.root}}
	case p.path != "":
		return []located{{fileURI(p.path)}}
	case s.opts.Root != "":
		return []located{{fileURI(s.opts.Root)}}
	}
	return nil
}

// initialized asks the client for what it can give, events of files and settings, and begins to tell it how the
// indexes stand. mu is held.
func (s *Session) initialized() {
	if s.greeted {
		return
	}
	s.greeted = true
	s.tasks.Go(s.reportStatus)
	s.tasks.Go(s.pullConfiguration)
	s.tasks.Go(s.register)
	s.tasks.Go(s.openMemory)
	s.touch()
}

// openMemory opens the memory before it is asked for, and tells the person at once where it cannot be.
func (s *Session) openMemory() {
	v := s.view()
	wanted := v.settings.Enabled && v.settings.Memory.Enabled
	for _, r := range v.roots {
		wanted = wanted || r.settings.Enabled && r.settings.Memory.Enabled
	}
	if !wanted {
		return
	}
	if _, err := s.server.memory.get(s.ctx); err != nil && s.ctx.Err() == nil {
		s.log.Error("memory not opened", "err", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.showLocked(protocol.MessageTypeError, "contexture: "+err.Error())
	}
}

// register asks the client to tell of what it can tell.
func (s *Session) register() {
	wanted, err := s.client.registrations()
	if err == nil && len(wanted) > 0 {
		err = s.call(protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: wanted}, nil)
	}
	if err != nil {
		s.log.Info("register capability", "err", err)
	}
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
