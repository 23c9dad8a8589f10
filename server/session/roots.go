package session

import (
	"encoding/json"
	"path/filepath"
	"reflect"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/protocol"
)

// Root is one workspace folder of a session.
type Root struct {
	session  *Session
	Path     string // absolute, as the client named it
	Real     string // the same without links, as used by index and memory
	Home     string // the root whose memory it uses: for a worktree that of its repository, else Real
	URI      string // as the client spells it
	file     layerFile
	settings settings.Settings // replaced whole
	scanner  *secrets.Scanner  // of the settings
	unscan   func()            // ends its use for the memory of the root
	opening  *Opening          // nil while switched off
	overlay  overlay
}

// addRootsLocked adds the folders that are not roots yet. The caller must hold mu.
func (s *Session) addRootsLocked(folders []uriRef) {
	roots := append([]*Root(nil), s.roots...)
	for _, f := range folders {
		path, ok := transport.FilePath(f.URI)
		if !ok {
			s.showLocked(protocol.MessageTypeError, "contexture: "+f.URI+" is not a folder of this machine and is not indexed")
			continue
		}
		if findRoot(roots, path) == nil {
			roots = append(roots, &Root{session: s, Path: path, Real: s.engine.Roots.Of(path), Home: s.engine.Roots.Home(path), URI: f.URI})
		}
	}
	if len(roots) > len(s.roots) {
		s.host.RootsAdded()
	}
	s.roots = roots
	for _, r := range s.roots {
		r.refreshFile(s.engine.Now())
	}
	s.applyLocked()
	s.Touch()
}

// findRoot returns the root at path.
func findRoot(roots []*Root, path string) *Root {
	for _, r := range roots {
		if r.Path == path {
			return r
		}
	}
	return nil
}

func (s *Session) didChangeWorkspaceFolders(raw json.RawMessage) error {
	var p foldersParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	for _, f := range p.Event.Removed {
		path, _ := transport.FilePath(f.URI)
		var rest []*Root
		for _, r := range s.roots {
			if r.Path != path {
				rest = append(rest, r)
				continue
			}
			r.unscan()
			if o := r.opening; o != nil {
				r.opening = nil
				s.tasks.Go(o.close)
			}
		}
		s.roots = rest
	}
	s.addRootsLocked(p.Event.Added)
	return nil
}

// scan installs the secret scanner of the settings. The caller must hold the session's mu.
func (r *Root) scan() {
	all := r.session.engine.Scanners
	scanner, before := all.Of(r.settings.Secrets.Allow), r.unscan
	if scanner == r.scanner {
		return
	}
	r.scanner, r.unscan = scanner, all.Hold(r.Home, scanner)
	if before != nil {
		before()
	}
}

// adjust updates the index to the settings. The caller must hold the session's mu.
func (r *Root) adjust() {
	r.scan()
	own := engine.OwnPaths(r.Path, r.session.engine.Options.StateDir, r.session.engine.Options.LogFile, r.session.Options.LogFile)
	want := engine.IndexOptionsOf(&r.settings, r.session.Options.Home, own)
	paused := r.settings.Index.Paused
	before := r.opening
	switch {
	case !r.settings.Enabled, r.session.Options.NoIndex:
		if before != nil {
			r.opening = nil
			r.session.tasks.Go(before.close)
			r.session.Touch()
		}
		return
	case before != nil && before.options.Equal(want):
		if before.paused.Swap(paused) != paused {
			r.session.tasks.Go(before.pause)
		}
		if server := r.modelServer(); !reflect.DeepEqual(before.server.Swap(server), server) {
			r.session.tasks.Go(func() { before.link(r.session.ctx, r.session.engine.Models) })
		}
		return
	}
	r.open(want, paused, before)
}

// modelServer returns the settings of the model server, nil when none may be used.
func (r *Root) modelServer() *settings.Ollama {
	if s := r.session; !s.engine.Options.Models || s.Options.Offline {
		return nil
	}
	set := r.settings.Ollama
	return &set
}

// leave releases the root's index at the end of the session.
func (r *Root) leave() {
	r.session.mu.Lock()
	o := r.opening
	r.opening = nil
	r.unscan()
	r.session.mu.Unlock()
	if o != nil {
		o.close()
	}
}

// changedOnDisk notifies the indexes of files that the client saw changing. The caller must hold
// mu.
func (s *Session) changedOnDisk(uris []string) {
	now := s.engine.Now()
	for _, r := range s.roots {
		var paths []string
		for _, uri := range uris {
			path, ok := transport.FilePath(uri)
			if !ok {
				continue
			}
			if path == filepath.Join(r.Path, settings.WorkspaceFile) {
				r.file.checked = now.Add(-settingsInterval)
			}
			paths = append(paths, path)
		}
		if o := r.opening; o != nil && len(paths) > 0 && o.failed() == nil {
			s.tasks.Go(func() { o.notify(paths) })
		}
	}
	s.refreshLocked()
}
