package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
	"go.lsp.dev/protocol"
)

// opening is the index of a root: on its way, there, or failed.
type opening struct {
	root    string                          // whose memory it has
	host    string                          // OLLAMA_HOST of the session
	paused  atomic.Bool                     // what the settings want
	server  atomic.Pointer[settings.Ollama] // the model server they want; nil for none
	pausing sync.Mutex                      // held while the index is told

	modelMu sync.Mutex // guards the three below
	model   *modelServer
	detach  func() // from model
	over    bool

	// Set before ready is closed and never changed after.
	options indexOptions
	ready   chan struct{}
	linked  chan struct{}      // closed when the index follows the first model server, or none
	cancel  context.CancelFunc // ends those who follow the index
	index   *indexer.Index
	lease   *lease
	settle  func() // ends that the session's open documents are embedded first
	err     error
	tried   time.Time // when it failed
}

// retryAfter is how long a root that failed is left alone before a request makes it be tried again.
const retryAfter = 2 * time.Second

// open opens the index in the background, after the one before is closed. The session's mu is held.
func (r *root) open(want indexOptions, paused bool, before *opening) {
	s, server := r.session, r.modelServer()
	ctx, cancel := context.WithCancel(s.ctx)
	o := &opening{root: r.home, host: s.opts.ModelHost, options: want, ready: make(chan struct{}), linked: make(chan struct{}), cancel: cancel}
	o.paused.Store(paused)
	o.server.Store(server)
	r.opening = o
	s.tasks.Go(func() {
		if before != nil {
			before.close()
		}
		if o.lease, o.err = s.server.pool.acquire(ctx, r.path, want, paused); o.err == nil {
			o.index = o.lease.index
			o.settle = o.index.Prefer(func() []string { return s.preferred(o.index.Tree()) })
		}
		o.tried = s.server.now()
		close(o.ready)
		o.link(ctx, s.server.models)
		close(o.linked)
		s.touch()
		if o.err != nil {
			if ctx.Err() == nil {
				s.log.Warn("open workspace", "err", o.err)
				s.mu.Lock()
				s.showLocked(protocol.MessageTypeError, "contexture: "+o.err.Error())
				s.mu.Unlock()
			}
			return
		}
		o.follow(ctx, func() {
			s.touch()
			r.noticeRenames(o)
		})
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
	o.cancel()
	<-o.ready
	o.modelMu.Lock()
	o.over = true
	if o.detach != nil {
		o.detach()
	}
	o.modelMu.Unlock()
	if o.lease != nil {
		o.settle()
		o.lease.release()
	}
}

// link makes the index follow the model server that is wanted, or none.
func (o *opening) link(ctx context.Context, m *models) {
	<-o.ready
	o.modelMu.Lock()
	defer o.modelMu.Unlock()
	set := o.server.Load()
	if o.err != nil || o.over {
		return
	}
	before := o.detach
	o.model, o.detach = nil, nil
	if set != nil {
		var detach func()
		o.model, detach = m.attach(ctx, *set, o.host, o.index)
		end := m.serve(o.root, o.model)
		o.detach = func() {
			end()
			detach()
		}
	} else {
		o.detach = m.serve(o.root, nil)
		m.settle(o.index)
	}
	if before != nil {
		before() // after the new one: a server that is named again stays open
	}
}

// models is the model server that the index follows; nil for none, and where there is no opening.
func (o *opening) models() *modelServer {
	if o == nil {
		return nil
	}
	o.modelMu.Lock()
	defer o.modelMu.Unlock()
	return o.model
}

// pause tells the index whether it is to rest. Whoever comes last tells what was wanted last.
func (o *opening) pause() {
	<-o.ready
	if o.err != nil {
		return
	}
	o.pausing.Lock()
	defer o.pausing.Unlock()
	o.lease.pause(o.paused.Load())
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
	return o.result()
}

// now gives the index when it is open, else nil. The errors are those of wait.
func (o *opening) now() (*indexer.Index, error) {
	if o == nil {
		return nil, errSwitchedOff
	}
	select {
	case <-o.ready:
		return o.result()
	default:
		return nil, nil
	}
}

// result is what came of an opening that has ended.
func (o *opening) result() (*indexer.Index, error) {
	if o.err != nil {
		return nil, unavailable(o.err.Error())
	}
	return o.index, nil
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
