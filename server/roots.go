package server

import (
	"encoding/json"
	"path/filepath"
	"reflect"

	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/settings"
	"go.lsp.dev/protocol"
)

// root is one workspace folder of a session.
type root struct {
	session  *Session
	path     string // absolute, as the client named it
	real     string // the same without links: what index and memory go by
	home     string // the root whose memory it has: for a worktree that of its repository, else real
	uri      string // as the client spells it
	file     layerFile
	settings settings.Settings // replaced whole
	scanner  *secrets.Scanner  // that the settings want
	unscan   func()            // ends its hold on the memory of the root
	opening  *opening          // nil while switched off
	overlay  overlay
}

// addRootsLocked adds the folders that are not there yet. mu is held.
func (s *Session) addRootsLocked(folders []located) {
	roots := append([]*root(nil), s.roots...)
	for _, f := range folders {
		path, ok := filePath(f.URI)
		if !ok {
			s.showLocked(protocol.MessageTypeError, "contexture: "+f.URI+" is not a folder of this machine and is not indexed")
			continue
		}
		if findRoot(roots, path) == nil {
			roots = append(roots, &root{session: s, path: path, real: s.server.roots.of(path), home: s.server.roots.home(path), uri: f.URI})
		}
	}
	if len(roots) > len(s.roots) {
		s.server.capture.follower.Rescan() // some hosts keep their logs in the folders that people work in
	}
	s.roots = roots
	for _, r := range s.roots {
		r.refreshFile(s.server.now())
	}
	s.applyLocked()
	s.touch()
}

// findRoot finds the root at path.
func findRoot(roots []*root, path string) *root {
	for _, r := range roots {
		if r.path == path {
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
		path, _ := filePath(f.URI)
		var rest []*root
		for _, r := range s.roots {
			if r.path != path {
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

// scan makes the secret scanner of the settings hold. The session's mu is held.
func (r *root) scan() {
	all := r.session.server.scanners
	scanner, before := all.of(r.settings.Secrets.Allow), r.unscan
	if scanner == r.scanner {
		return
	}
	r.scanner, r.unscan = scanner, all.hold(r.home, scanner)
	if before != nil {
		before()
	}
}

// adjust brings the index in line with the settings. The session's mu is held.
func (r *root) adjust() {
	r.scan()
	own := ownPaths(r.path, r.session.server.opts.StateDir, r.session.server.opts.LogFile, r.session.opts.LogFile)
	want := indexOptionsOf(&r.settings, r.session.opts.Home, own)
	paused := r.settings.Index.Paused
	before := r.opening
	switch {
	case !r.settings.Enabled, r.session.opts.NoIndex:
		if before != nil {
			r.opening = nil
			r.session.tasks.Go(before.close)
			r.session.touch()
		}
		return
	case before != nil && before.options.equal(want):
		if before.paused.Swap(paused) != paused {
			r.session.tasks.Go(before.pause)
		}
		if server := r.modelServer(); !reflect.DeepEqual(before.server.Swap(server), server) {
			r.session.tasks.Go(func() { before.link(r.session.ctx, r.session.server.models) })
		}
		return
	}
	r.open(want, paused, before)
}

// modelServer is the one that the settings name, nil where none is to be talked to.
func (r *root) modelServer() *settings.Ollama {
	if s := r.session; !s.server.opts.Models || s.opts.Offline {
		return nil
	}
	set := r.settings.Ollama
	return &set
}

// leave gives the root's index back at the end of the session.
func (r *root) leave() {
	r.session.mu.Lock()
	o := r.opening
	r.opening = nil
	r.unscan()
	r.session.mu.Unlock()
	if o != nil {
		o.close()
	}
}

// changedOnDisk tells the indexes of files that the client saw changing. mu is held.
func (s *Session) changedOnDisk(uris []string) {
	now := s.server.now()
	for _, r := range s.roots {
		var paths []string
		for _, uri := range uris {
			path, ok := filePath(uri)
			if !ok {
				continue
			}
			if path == filepath.Join(r.path, settings.WorkspaceFile) {
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
