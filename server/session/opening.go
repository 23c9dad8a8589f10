package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
	"go.lsp.dev/protocol"
)

// Opening is the index of a root: being opened, open, or failed. A nil Opening belongs to a root
// that is switched off. Safe for concurrent use.
type Opening struct {
	root    string                          // the root whose memory it uses
	host    string                          // OLLAMA_HOST of the session
	paused  atomic.Bool                     // as in the settings
	server  atomic.Pointer[settings.Ollama] // the model server of the settings; nil for none
	pausing sync.Mutex                      // held while the index is paused or resumed

	modelMu sync.Mutex // guards the three below
	model   *engine.ModelServer
	detach  func() // ends the following of model
	over    bool

	// Set before ready is closed and immutable afterwards.
	options engine.IndexOptions
	ready   chan struct{}
	linked  chan struct{}      // closed when the index follows the first model server, or none
	cancel  context.CancelFunc // ends the goroutines that follow the index
	index   *indexer.Index
	lease   *engine.Lease
	settle  func() // ends the preference for the session's open documents
	err     error
	tried   time.Time // when it failed
}

// retryAfter is how long after a failure a request causes another attempt.
const retryAfter = 2 * time.Second

// open opens the index in the background, after the previous one is closed. The caller must hold
// the session's mu.
func (r *Root) open(want engine.IndexOptions, paused bool, before *Opening) {
	s, server := r.session, r.modelServer()
	ctx, cancel := context.WithCancel(s.ctx)
	o := &Opening{root: r.Home, host: s.Options.ModelHost, options: want, ready: make(chan struct{}), linked: make(chan struct{}), cancel: cancel}
	o.paused.Store(paused)
	o.server.Store(server)
	r.opening = o
	s.tasks.Go(func() {
		if before != nil {
			before.close()
		}
		if o.lease, o.err = s.engine.Indexes.Acquire(ctx, r.Path, want, paused); o.err == nil {
			o.index = o.lease.Index
			o.settle = o.index.Prefer(func() []string { return s.preferred(o.index.Tree()) })
		}
		o.tried = s.engine.Now()
		close(o.ready)
		o.link(ctx, s.engine.Models)
		close(o.linked)
		s.Touch()
		if o.err != nil {
			if ctx.Err() == nil {
				s.Log.Warn("open workspace", "err", o.err)
				s.mu.Lock()
				s.showLocked(protocol.MessageTypeError, "contexture: "+o.err.Error())
				s.mu.Unlock()
			}
			return
		}
		o.follow(ctx, func() {
			s.Touch()
			r.noticeRenames(o)
		})
	})
}

// follow calls touch at every change of the index until ctx is done.
func (o *Opening) follow(ctx context.Context, touch func()) {
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

// close releases the index, once it has been opened.
func (o *Opening) close() {
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
		o.lease.Release()
	}
}

// link makes the index follow the settings' model server, or none.
func (o *Opening) link(ctx context.Context, m *engine.Models) {
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
		o.model, detach = m.Attach(ctx, *set, o.host, o.index)
		end := m.Serve(o.root, o.model)
		o.detach = func() {
			end()
			detach()
		}
	} else {
		o.detach = m.Serve(o.root, nil)
		m.Settle(o.index)
	}
	if before != nil {
		before() // after the new one: a server that is named again stays open
	}
}

// ModelServer returns the model server that the index follows; nil for none, and for a nil Opening.
func (o *Opening) ModelServer() *engine.ModelServer {
	if o == nil {
		return nil
	}
	o.modelMu.Lock()
	defer o.modelMu.Unlock()
	return o.model
}

// pause pauses or resumes the index. Concurrent calls end with the latest setting.
func (o *Opening) pause() {
	<-o.ready
	if o.err != nil {
		return
	}
	o.pausing.Lock()
	defer o.pausing.Unlock()
	o.lease.Pause(o.paused.Load())
}

// failed returns the error of a failed opening, nil for one that succeeded or is in progress.
func (o *Opening) failed() error {
	select {
	case <-o.ready:
		return o.err
	default:
		return nil
	}
}

// retryLocked retries a root that failed some time ago. The caller must hold the session's mu.
func (r *Root) retryLocked() {
	o := r.opening
	if o == nil || o.failed() == nil || r.session.engine.Now().Sub(o.tried) < retryAfter {
		return
	}
	r.open(o.options, r.settings.Index.Paused, o)
}

// unavailable returns the answer of a command whose facility is missing, with the reason for a
// person.
func unavailable(reason string) *command.Error {
	return &command.Error{Code: command.CodeRequestFailed, DataCode: command.DataUnavailable, Message: reason}
}

// ErrSwitchedOff is the answer of every command in a folder whose settings switch the program off.
var ErrSwitchedOff = unavailable("contexture is switched off here: the setting enabled is false")

// Wait blocks until the index is open, at most until ctx is done, and returns it. If it is still
// being opened then, it returns nil without an error. Other errors are answers of the contract:
// [ErrSwitchedOff] for a nil Opening, else why it failed.
func (o *Opening) Wait(ctx context.Context) (*indexer.Index, error) {
	if o == nil {
		return nil, ErrSwitchedOff
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

// AwaitIndex blocks until the index is open and returns it, nil for a nil Opening. Errors are ctx's
// and those of indexer.Open.
func (o *Opening) AwaitIndex(ctx context.Context) (*indexer.Index, error) {
	if o == nil {
		return nil, nil
	}
	select {
	case <-o.ready:
		return o.index, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// AwaitModel blocks until the index's model server was checked for the first time and reports
// whether it has an embedding model. The error is ctx's.
func (o *Opening) AwaitModel(ctx context.Context) (bool, error) {
	if o == nil {
		return false, nil
	}
	select {
	case <-o.linked:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return o.ModelServer().Embeds(ctx)
}

// IndexStatus returns the status of the index; ok is false when it is not open.
func (o *Opening) IndexStatus() (st indexer.Status, ok bool) {
	if o == nil {
		return indexer.Status{}, false
	}
	select {
	case <-o.ready:
	default:
		return indexer.Status{}, false
	}
	if o.err != nil {
		return indexer.Status{}, false
	}
	return o.index.Status(), true
}

// Before returns the status that the index had when the session began, where it was open by then
// (shared). It must be open.
func (o *Opening) Before() (st indexer.Status, shared bool) {
	if o.lease == nil || o.lease.Before == nil {
		return indexer.Status{}, false
	}
	return *o.lease.Before, true
}

// Now returns the index if it is open, else nil. The errors are those of Wait.
func (o *Opening) Now() (*indexer.Index, error) {
	if o == nil {
		return nil, ErrSwitchedOff
	}
	select {
	case <-o.ready:
		return o.result()
	default:
		return nil, nil
	}
}

// isUnsafe reports whether the opening has ended because the root is not a project.
func (o *Opening) isUnsafe() bool { return o != nil && errors.Is(o.failed(), source.ErrUnsafeRoot) }

// result returns the result of an opening that has ended.
func (o *Opening) result() (*indexer.Index, error) {
	if o.err != nil {
		return nil, unavailable(o.err.Error())
	}
	return o.index, nil
}

// notify reports changed absolute paths to the index, including those of other roots.
func (o *Opening) notify(paths []string) {
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
