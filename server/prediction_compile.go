package server

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/contexture-dev/contexture/context/predict"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/settings"
)

// foreseer compiles bundles in advance for one session, on a goroutine of the session's.
type foreseer struct {
	server  *Server
	session *session.Session
	poke    chan struct{} // the prediction may have changed; holds one element
}

// foresee makes the foreseer update its predictions.
func (e *foreseer) foresee() {
	select {
	case e.poke <- struct{}{}:
	default:
	}
}

// foreseer returns that of a session, and starts it with the first call.
func (v *Server) foreseer(s *session.Session) *foreseer {
	all := v.foresight
	all.mu.Lock()
	defer all.mu.Unlock()
	f := all.foreseers[s]
	if f == nil {
		f = &foreseer{server: v, session: s, poke: make(chan struct{}, 1)}
		if s.Start(f.run) {
			all.foreseers[s] = f
		}
	}
	return f
}

const (
	// presentFor is how long an editor's report about a person stays valid.
	presentFor = 10 * time.Minute
	// recheckInterval is the time between checks of whether what was compiled is still valid, while
	// the person is present.
	recheckInterval = 3 * time.Second
	// lull is how long no request must have been running before anything is compiled in advance.
	lull = 50 * time.Millisecond
)

// run compiles until the session ends.
func (e *foreseer) run(ctx context.Context) {
	defer e.server.foresight.leave(e)
	var again <-chan time.Time
	for {
		select {
		case <-e.poke:
		case <-again:
		case <-ctx.Done():
			return
		}
		again = nil
		if !e.server.Scheduler.AwaitLull(ctx, lull) {
			return
		}
		if e.warmAll(ctx) {
			again = time.After(recheckInterval)
		}
	}
}

// warmAll updates the session's outlooks and reports whether a person is present in any of them.
func (e *foreseer) warmAll(ctx context.Context) (present bool) {
	f := e.server.foresight
	for _, r := range e.session.Roots() {
		root := r.Real
		o := f.outlookOf(root, e)
		if o == nil {
			continue
		}
		if !f.present(o, e.server.Now()) {
			f.warm.clear(root)
			continue
		}
		present = true
		e.warmRoot(ctx, root, o)
	}
	return present
}

// warmRoot updates the predictions of a root and compiles them.
func (e *foreseer) warmRoot(ctx context.Context, root string, o *outlook) {
	c := e.server.commands(e.session, "contexture.bundle", 0)
	defer c.leave()
	r := c.RootAtReal(root)
	if r == nil || !r.Settings.Enabled || !r.Settings.Prediction.Enabled || e.server.OnBattery() {
		return
	}
	f, now := e.server.foresight, c.sightOf(r)
	if f.isDone(o, now) {
		return
	}
	start := time.Now()
	_, err := c.foresee(ctx, r, o)
	list := c.expected(r, o)
	f.work.spend(time.Since(start))
	switch {
	case err == nil:
		if c.compileAll(ctx, r, list) {
			f.done(o, now)
		}
	case ctx.Err() == nil:
		e.session.Log.Warn("predict what is asked next", "err", err)
	}
}

// compiledState is what may have changed since bundles were compiled, as far as it can be checked
// at no cost. The rest, the rules and a person's own files, is checked when a bundle is delivered.
type compiledState struct {
	index  weak.Pointer[indexer.Snapshot]
	docs   weak.Pointer[session.Documents]
	memory uint64
}

func (c bundleCommands) sightOf(r *session.RootView) compiledState {
	out := compiledState{docs: weak.Make(c.Documents)}
	if x, err := r.Opening.Now(); err == nil && x != nil {
		snapshot, release := x.Snapshot()
		out.index = weak.Make(snapshot)
		release()
	}
	if m := c.server.MemoryHolder.Opened(); m != nil {
		out.memory = m.Generation()
	}
	return out
}

// expected lists the requests to compile, the most probable first: the last one again, since
// whoever looks at its answer will want it updated, and those of the predictions. It records which
// prediction each belongs to.
func (c bundleCommands) expected(r *session.RootView, o *outlook) (out []*command.BundleArgs) {
	f := c.server.foresight
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[warmKey]bool{}
	add := func(args *command.BundleArgs) warmKey {
		key := keyOf(r, args)
		if !known[key] && len(out) < predict.Most {
			known[key] = true
			out = append(out, args)
		}
		return key
	}
	if o.last != nil {
		add(o.last)
	}
	for i := range o.predicted {
		p := &o.predicted[i]
		p.requests = nil
		for _, b := range p.Bundles {
			p.requests = append(p.requests, add(o.request(c.settingsOf(r), &p.Prediction, b)))
		}
	}
	for key := range o.files {
		if !known[key] {
			delete(o.files, key)
		}
	}
	return out
}

// request returns the request that would be made for a bundle of a prediction.
func (o *outlook) request(set *settings.Settings, p *predict.Prediction, b predict.Bundle) *command.BundleArgs {
	args := &command.BundleArgs{}
	if o.habit != nil {
		*args = *o.habit
	} else if err := command.Decode([]json.RawMessage{[]byte(`{"prompt":"-"}`)}, args); err != nil {
		panic(err) // it is a valid request
	}
	withDefaults(args, set)
	args.Prompt, args.ConversationID = b.Prompt, p.Conversation
	if p.Deep && !b.Verbatim {
		args.KnowledgeDepth = "deep"
	}
	return args
}

// compiledAtOnce is how many bundles are compiled at a time.
const compiledAtOnce = 3

// compileAll compiles the requests that are not ready, concurrently, until a request arrives or the
// time is used up. It reports whether it completed.
func (c bundleCommands) compileAll(ctx context.Context, r *session.RootView, list []*command.BundleArgs) bool {
	v := c.server
	var missing []*command.BundleArgs
	for _, args := range list {
		if !c.isReady(ctx, r, args) {
			missing = append(missing, args)
		}
	}
	for len(missing) > 0 && v.foresight.work.left() > 0 {
		n := min(compiledAtOnce, len(missing))
		quiet, end := v.Scheduler.UntilAsked(ctx)
		start := time.Now()
		var group sync.WaitGroup
		for _, args := range missing[:n] {
			group.Go(func() { c.compile(quiet, r, args) })
		}
		group.Wait()
		v.foresight.work.spend(time.Since(start) * time.Duration(min(n, runtime.GOMAXPROCS(0))))
		stirred := quiet.Err() != nil
		end()
		if stirred {
			return false // it continues when that request is answered
		}
		missing = missing[n:]
	}
	return len(missing) == 0
}

// isReady reports whether a request's bundle is compiled and valid.
func (c bundleCommands) isReady(ctx context.Context, r *session.RootView, args *command.BundleArgs) bool {
	if !c.server.foresight.warm.has(keyOf(r, args)) {
		return false
	}
	src, err := c.Open(ctx, r)
	if err != nil {
		return false
	}
	defer src.Release()
	return c.ready(args, &bundleInputs{root: r, source: src}) != nil
}

// compileDeadline bounds the time for compiling one bundle.
const compileDeadline = 10 * time.Second

// compile builds the bundle of a request as Bundle would and caches it, unless it is incomplete or
// was cut short.
func (c bundleCommands) compile(ctx context.Context, r *session.RootView, args *command.BundleArgs) {
	v := c.server
	src, err := c.Open(ctx, r)
	if err != nil {
		return
	}
	defer src.Release()
	counter, err := counterOf(args.Encoding)
	if err != nil {
		return
	}
	from := &bundleInputs{root: r, source: src, counter: counter}
	req, err := bundleRequest(args)
	if err != nil {
		return
	}
	keep := c.keeping(args, from)
	if keep == nil {
		return
	}
	placed := c.requestOf(args)
	c.place(placed, req, src)
	keep.watch(req)
	work, cancel := context.WithTimeout(ctx, compileDeadline)
	defer cancel()
	m, err := c.build(ctx, work, placed, req, from)
	if err != nil || work.Err() != nil {
		return
	}
	key := keyOf(r, args)
	if !keep.put(v.foresight.warm, key, m) {
		return
	}
	v.foresight.compiled(r.Real, key, filesOf(m))
}
