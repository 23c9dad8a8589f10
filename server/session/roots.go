package session

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"

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
	scan     scannerLease      // of the settings, for the memory of the root
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
		if !slices.ContainsFunc(roots, func(r *Root) bool { return r.Path == path }) {
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
			r.scan.release()
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

// scannerLease is a secret scanner in use for the memory of a root; the zero value has none. Its
// owner's mutex guards it.
type scannerLease struct {
	scanner *secrets.Scanner
	end     func() // nil before the first
}

// renew uses the scanner of a setting from now on.
func (l *scannerLease) renew(all *engine.Scanners, root string, allow []string) {
	before := *l
	if l.scanner = all.Of(allow); l.scanner == before.scanner {
		return
	}
	l.end = all.Hold(root, l.scanner)
	before.release()
}

// release ends the use, once.
func (l *scannerLease) release() {
	if l.end != nil {
		l.end()
	}
}

// adjust updates the index to the settings. The caller must hold the session's mu.
func (r *Root) adjust() {
	r.scan.renew(r.session.engine.Scanners, r.Home, r.settings.Secrets.Allow)
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
	r.scan.release()
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
