package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/server/settings"
	"go.lsp.dev/protocol"
)

// sessionLayers are the settings that apply to all roots of a session. Pointers are replaced, never
// written through.
type sessionLayers struct {
	user   layerFile
	init   *settings.Layer // initializationOptions
	editor *settings.Layer // didChangeConfiguration, workspace/configuration
}

// layerFile is a settings file with its last content.
type layerFile struct {
	layer   settings.Layer
	stamp   stamp
	checked time.Time // when the stamp was last compared
}

// stamp identifies one state of a file.
type stamp struct {
	exists bool
	size   int64
	mod    time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{true, info.Size(), info.ModTime()}
}

// settingsInterval is the smallest time between two checks of a settings file.
const settingsInterval = time.Second

// refresh reads the file again if it changed; it reports whether it did.
func (f *layerFile) refresh(path string, now time.Time, read func() settings.Layer) bool {
	if !f.checked.IsZero() && now.Sub(f.checked) < settingsInterval {
		return false
	}
	first := f.checked.IsZero()
	f.checked = now
	at := stampOf(path)
	if !first && at == f.stamp {
		return false
	}
	f.stamp = at
	f.layer = read()
	return true
}

// refreshLocked reads settings files that changed and applies the settings. The caller must hold
// mu.
func (s *Session) refreshLocked() {
	now := s.engine.Now()
	changed := false
	if path, named := s.Options.UserFile(); path != "" {
		changed = s.layers.user.refresh(path, now, func() settings.Layer { return settings.ReadUser(path, named) })
	}
	for _, r := range s.roots {
		if r.refreshFile(now) {
			changed = true
		}
	}
	if changed {
		s.applyLocked()
	}
}

// FileProblems returns the problems in the settings files of a session with one root.
func (s *Session) FileProblems() []settings.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, problems := settings.Resolve(s.layers.user.layer, s.roots[0].file.layer)
	return problems
}

// refreshFile reads the root's settings file again if it changed. The caller must hold the
// session's mu.
func (r *Root) refreshFile(now time.Time) bool {
	path := filepath.Join(r.Path, settings.WorkspaceFile)
	return r.file.refresh(path, now, func() settings.Layer {
		if !r.file.stamp.exists { // also for a root that is no longer a folder
			return settings.Layer{Source: path}
		}
		return settings.ReadWorkspace(r.Path)
	})
}

// applyLocked resolves the settings of the session and of every root, reports their problems, and
// updates the indexes. The caller must hold mu.
func (s *Session) applyLocked() {
	base, problems := settings.Resolve(s.layers.user.layer, *s.layers.init, *s.layers.editor)
	s.base = base
	s.scan.renew(s.engine.Scanners, "", base.Secrets.Allow)
	for _, r := range s.roots {
		var found []settings.Problem
		r.settings, found = settings.Resolve(s.layers.user.layer, r.file.layer, *s.layers.init, *s.layers.editor)
		problems = append(problems, found...)
		r.adjust()
	}
	for _, p := range problems {
		s.showLocked(protocol.MessageTypeWarning, "contexture: "+p.String())
	}
	if !s.wired { // it ends too soon to be scraped
		return
	}
	if err := s.exported.listen(base.Metrics.Listen, s.host.ExportMetrics); err != nil {
		s.showLocked(protocol.MessageTypeWarning, "contexture: metrics.listen: "+err.Error())
	}
}

// didChangeConfiguration takes the section from the notification, or requests it from a client that
// only answers requests. The caller must hold mu.
func (s *Session) didChangeConfiguration(raw json.RawMessage) error {
	var p protocol.DidChangeConfigurationParams
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	if len(p.Settings) == 0 || string(p.Settings) == "null" {
		s.tasks.Go(s.pullConfiguration)
		return nil
	}
	s.layers.editor = section(json.RawMessage(p.Settings))
	s.applyLocked()
	return nil
}

// pullConfiguration requests the section from a client that supports that.
func (s *Session) pullConfiguration() {
	if !s.client.configuration {
		return
	}
	var answer []json.RawMessage
	params := protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: new(Name)}}}
	if err := s.call(protocol.MethodWorkspaceConfiguration, &params, &answer); err != nil {
		s.Log.Info("ask for settings", "err", err)
		return
	}
	if len(answer) == 0 || string(answer[0]) == "null" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers.editor = section(answer[0])
	s.applyLocked()
}

// metricsExport is the export of the metrics for a session, whose mu guards it.
type metricsExport struct {
	address string // the settings' address; "" for none
	release func() // nil when nothing is served
}

// listen serves the metrics at an address instead of the one before, by serve. An address that
// failed is not tried again.
func (m *metricsExport) listen(address string, serve func(string) (release func(), err error)) (err error) {
	if address == m.address {
		return nil
	}
	m.end()
	if m.address = address; address != "" {
		m.release, err = serve(address)
	}
	return err
}

// end releases the address.
func (m *metricsExport) end() {
	if m.release != nil {
		m.release()
	}
	*m = metricsExport{}
}
