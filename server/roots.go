package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
)

// root is one workspace folder of a session.
type root struct {
	session  *Session
	uri      string // as the client spelt it
	path     string // absolute
	file     layerFile
	settings settings.Settings // replaced whole
	opening  *opening          // nil while switched off
	overlay  overlay
}

// opening is the index of a root: on its way, there, or failed.
type opening struct {
	paused  atomic.Bool // what the settings want
	pausing sync.Mutex  // held while the index is told

	// Set before ready is closed and never changed after.
	options indexOptions
	ready   chan struct{}
	over    context.CancelFunc // ends those who follow the index
	index   *indexer.Index
	release func()
	err     error
	tried   time.Time // when it failed
}

// retryAfter is how long a root that failed is left alone before a request makes it be tried again.
const retryAfter = 2 * time.Second

// addRootsLocked adds the folders that are not there yet. mu is held.
func (s *Session) addRootsLocked(folders []wireFolder) {
	roots := append([]*root(nil), s.roots...)
	for _, f := range folders {
		path, ok := filePath(f.URI)
		if !ok {
			s.showLocked(messageError, "contexture: "+f.URI+" is not a folder of this machine and is not indexed")
			continue
		}
		if findRoot(roots, path) == nil {
			roots = append(roots, &root{session: s, uri: f.URI, path: path})
		}
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
	var p wireFolders
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

// adjust brings the index in line with the settings. The session's mu is held.
func (r *root) adjust() {
	want := indexOptionsOf(&r.settings)
	paused := r.settings.Index.Paused
	before := r.opening
	switch {
	case !r.settings.Enabled:
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
		return
	}
	r.open(want, paused, before)
}

// open opens the index in the background, after the one before is closed. The session's mu is held.
func (r *root) open(want indexOptions, paused bool, before *opening) {
	s := r.session
	ctx, cancel := context.WithCancel(s.ctx)
	o := &opening{options: want, ready: make(chan struct{}), over: cancel}
	o.paused.Store(paused)
	r.opening = o
	s.tasks.Go(func() {
		if before != nil {
			before.close()
		}
		o.index, o.release, o.err = s.server.pool.acquire(ctx, r.path, want, paused)
		o.tried = s.server.now()
		close(o.ready)
		s.touch()
		if o.err != nil {
			if ctx.Err() == nil {
				s.log.Warn("open workspace", "err", o.err)
				s.mu.Lock()
				s.showLocked(messageError, "contexture: "+o.err.Error())
				s.mu.Unlock()
			}
			return
		}
		o.follow(ctx, s.touch)
	})
}

// follow tells of every change of the index until ctx is done.
func (o *opening) follow(ctx context.Context, touch func()) {
	for {
		changed := o.index.Changed()
		touch()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// close gives the index back, when it has been opened.
func (o *opening) close() {
	o.over()
	<-o.ready
	if o.release != nil {
		o.release()
	}
}

// pause tells the index whether it is to rest. Whoever comes last tells what was wanted last.
func (o *opening) pause() {
	<-o.ready
	if o.err != nil {
		return
	}
	o.pausing.Lock()
	defer o.pausing.Unlock()
	o.index.SetPaused(o.paused.Load())
}

// leave gives the root's index back at the end of the session.
func (r *root) leave() {
	r.session.mu.Lock()
	o := r.opening
	r.opening = nil
	r.session.mu.Unlock()
	if o != nil {
		o.close()
	}
}

// failed gives the error of an opening that has failed, nil for one that is there or on its way.
func (o *opening) failed() error {
	select {
	case <-o.ready:
		return o.err
	default:
		return nil
	}
}

// retryLocked tries a root again that failed some time ago. The session's mu is held.
func (r *root) retryLocked() {
	o := r.opening
	if o == nil || o.failed() == nil || r.session.server.now().Sub(o.tried) < retryAfter {
		return
	}
	r.open(o.options, r.settings.Index.Paused, o)
}

// unavailable is the answer of a command whose machinery is not there, with the reason for a person.
func unavailable(reason string) *command.Error {
	return &command.Error{Code: command.CodeRequestFailed, DataCode: command.DataUnavailable, Message: reason}
}

var errSwitchedOff = unavailable("contexture is switched off here: the setting enabled is false")

// wait gives the index when it is open, waiting for it until ctx is done. It gives nil without an error when it is
// still on its way then.
func (o *opening) wait(ctx context.Context) (*indexer.Index, error) {
	if o == nil {
		return nil, errSwitchedOff
	}
	select {
	case <-o.ready:
	default:
		select {
		case <-o.ready:
		case <-ctx.Done():
			return nil, nil
		}
	}
	if o.err != nil {
		return nil, unavailable(o.err.Error())
	}
	return o.index, nil
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

// notify tells the index of absolute paths, those of other roots among them.
func (o *opening) notify(paths []string) {
	<-o.ready
	if o.err != nil {
		return
	}
	var inside []string
	for _, path := range paths {
		if rel, ok := o.index.Tree().Rel(path); ok && rel != "" {
			inside = append(inside, rel)
		}
	}
	if len(inside) > 0 {
		o.index.Notify(inside)
	}
}
