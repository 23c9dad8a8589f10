package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// DefaultIdle is how long a daemon runs without clients.
const DefaultIdle = 10 * time.Minute

const (
	// lockPatience is how long a daemon waits for another that is leaving. Including the start of
	// its process on a busy machine, it must fail within 5 s.
	lockPatience = 3500 * time.Millisecond
	// drainPatience is how long a leaving daemon waits for its clients' running requests.
	drainPatience = 2 * time.Second
	// lookInterval is the time between two checks that the socket still leads to the daemon, on a
	// system that does not report that it was moved.
	lookInterval = 2 * time.Second
)

// Options configure a daemon.
type Options struct {
	StateDir string // absolute
	Versions Versions
	Idle     time.Duration // 0 = DefaultIdle
	Logger   *slog.Logger  // nil = none
	// Session serves a client, an editor or a command line, until it disconnects or ctx is done,
	// when the daemon leaves and waits for Session. conn is closed after it returns.
	Session func(ctx context.Context, conn net.Conn, hello Hello) error
	// Close saves the remaining state after the last client has left; it may be nil. The daemon
	// keeps its lock until Close returns.
	Close func() error
	// Ready is called once, when the socket exists or its creation failed; it may be nil.
	Ready func(error)

	peer func(*peerConn) (int, error) // nil = the system's
}

// daemon is the state of Serve.
type daemon struct {
	opts    Options
	log     *slog.Logger
	listen  *listener
	idle    *time.Timer
	goAway  chan string   // the reason to leave; holds one
	unused  chan struct{} // the last client has left; holds one
	clients sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	open    map[*client]bool
	leaving bool
}

// Serve runs the daemon: it serves clients until ctx is done, there was no client for the time of
// Idle, or a newer build replaces it. It then lets running requests finish, tells sessions to
// connect to the next daemon, and closes. Errors: a *HeldError if another process holds the state
// directory, ErrUnsupported, and those of Close.
func Serve(ctx context.Context, opts Options) (err error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Idle <= 0 {
		opts.Idle = DefaultIdle
	}
	ready := sync.OnceFunc(func() {
		if opts.Ready != nil {
			opts.Ready(err)
		}
	})
	defer ready()
	p, err := newPlace(opts.StateDir)
	if err != nil {
		return err
	}
	if opts.peer != nil {
		p.peer = opts.peer
	}
	if err = p.prepare(); err != nil {
		return fmt.Errorf(startFailed+"%w", err)
	}
	wait, cancel := context.WithTimeout(ctx, lockPatience)
	held, err := p.await(wait, daemonLock, func() bool { return p.listens(wait) })
	cancel()
	if err != nil {
		return fmt.Errorf(startFailed+"%w", err)
	}
	held.signed()
	defer func() { err = errors.Join(err, held.release()) }()
	l, err := p.listen()
	if err != nil {
		return fmt.Errorf(startFailed+"%w", err)
	}
	ready()
	return newDaemon(opts, l).run(ctx)
}

// listens reports whether a daemon listens: the holder of the lock then stays, since one that
// leaves closes its socket first. So this daemon, whose starter may have been killed before another
// one started the holder, need not wait.
func (p *place) listens(ctx context.Context) bool {
	conn, err := p.connect(ctx)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

func newDaemon(opts Options, l *listener) *daemon {
	d := &daemon{opts: opts, log: opts.Logger, listen: l, goAway: make(chan string, 1), unused: make(chan struct{}, 1), open: map[*client]bool{}}
	d.idle = time.AfterFunc(opts.Idle, func() { d.leaveUnlessUsed("nobody has been here for " + opts.Idle.String()) })
	return d
}

// run accepts clients until there is a reason to leave, and leaves.
func (d *daemon) run(ctx context.Context) error {
	d.log.Info("daemon begins", "build", d.opts.Versions.Build.String(), "idle", d.opts.Idle.String())
	work, cancel := context.WithCancel(context.WithoutCancel(ctx)) // running requests may finish after ctx ends
	defer cancel()
	var loops sync.WaitGroup
	loops.Go(func() { d.accept(work) })
	why := d.await(ctx)
	d.log.Info("daemon leaves", "why", why)
	d.mu.Lock()
	d.leaving = true
	d.mu.Unlock()
	d.idle.Stop()
	err := d.listen.end()
	loops.Wait()
	d.drain()
	cancel()
	d.clients.Wait()
	if d.opts.Close != nil {
		err = errors.Join(err, d.opts.Close())
	}
	d.log.Info("daemon ends")
	return err
}

// await blocks until there is a reason to leave, and returns it.
func (d *daemon) await(ctx context.Context) (why string) {
	moved, stop, err := movedFrom(d.listen.place.run)
	var tick <-chan time.Time
	if err != nil {
		d.log.Debug("the socket is looked at now and then", "err", err)
		ticker := time.NewTicker(lookInterval)
		defer ticker.Stop()
		tick = ticker.C
	} else {
		defer stop()
	}
	d.leaveIfMoved() // it may have moved before it was watched
	for {
		select {
		case why = <-d.goAway:
			return why
		case <-ctx.Done():
			return "it was told to end"
		case <-moved:
		case <-d.unused:
		case <-tick:
		}
		d.leaveIfMoved()
	}
}

// leaveIfMoved leaves if the state directory was removed or moved: new clients cannot find it.
func (d *daemon) leaveIfMoved() {
	if !d.listen.ours() {
		d.leaveUnlessUsed("its socket is gone")
	}
}

// leaveUnlessUsed leaves if there are no clients.
func (d *daemon) leaveUnlessUsed(why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) == 0 {
		d.leaveLocked(why)
	}
}

// leaveLocked makes the daemon leave; mu is held. From here on no new client is served.
func (d *daemon) leaveLocked(why string) {
	d.leaving = true
	select {
	case d.goAway <- why:
	default:
	}
}

// acceptPause is the pause after a failed accept, for example for lack of descriptors.
const acceptPause = 50 * time.Millisecond

// accept takes clients until the listener is closed.
func (d *daemon) accept(ctx context.Context) {
	for {
		conn, err := d.listen.accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			d.log.Error("accept client", "err", err)
			pause := time.NewTimer(acceptPause)
			<-pause.C
			continue
		}
		c := &client{conn: conn}
		if !d.enter(c) {
			_ = conn.Close() // it looks for the next daemon
			continue
		}
		d.clients.Go(func() {
			defer d.exit(c)
			d.serve(ctx, c)
		})
	}
}

// enter counts a client; false when the daemon is leaving.
func (d *daemon) enter(c *client) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leaving {
		return false
	}
	d.open[c] = true
	d.idle.Stop()
	return true
}

func (d *daemon) exit(c *client) {
	_ = c.conn.Close() // its session has closed it already, or the client is gone
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, c)
	if len(d.open) == 0 && !d.leaving {
		d.idle.Reset(d.opts.Idle)
		select {
		case d.unused <- struct{}{}:
		default:
		}
	}
}

// serve greets a client and serves it. Invalid input ends only the client's own connection.
func (d *daemon) serve(ctx context.Context, c *client) {
	if err := d.listen.place.checkPeer(c.conn); err != nil {
		d.log.Warn("client refused", "err", err)
		return
	}
	hello, v, err := d.greet(c)
	if err != nil {
		d.log.Debug("client not greeted", "err", err)
		return
	}
	log := d.log.With("client", hello.PID, "purpose", hello.Purpose)
	switch v {
	case leaving:
		log.Info("a newer build asks for the daemon's place", "build", hello.Versions.Build.String())
		d.mu.Lock()
		d.leaveLocked("a newer build takes its place")
		d.mu.Unlock()
		return
	case served:
	default:
		log.Info("client not served", "verdict", string(v), "build", hello.Versions.Build.String())
		return
	}
	log.Debug("client begins")
	d.mu.Lock()
	c.session = hello.Purpose == Session
	late := c.session && d.leaving
	d.mu.Unlock()
	if late { // sending it twice does no harm
		c.sendAway()
	}
	if err := d.opts.Session(ctx, c, hello); err != nil {
		log.Warn("client ended", "err", err)
		return
	}
	log.Debug("client ends")
}

// greet reads a client's hello and answers it.
func (d *daemon) greet(c *client) (h Hello, v verdict, err error) {
	if err = c.conn.SetDeadline(time.Now().Add(greetPatience)); err != nil {
		return h, "", err
	}
	if err = readGreeting(c.conn, &h); err != nil {
		return h, "", err
	}
	v, reason := judge(h, d.opts.Versions)
	d.mu.Lock()
	if d.leaving && v == served {
		v = leaving
	}
	d.mu.Unlock()
	err = writeGreeting(c.conn, welcome{Verdict: v, Reason: reason, Versions: d.opts.Versions, PID: os.Getpid()})
	if err == nil {
		err = c.conn.SetDeadline(time.Time{})
	}
	return h, v, err
}

// drain asks the sessions to connect to the next daemon, and waits a while for the clients' running
// requests.
func (d *daemon) drain() {
	d.mu.Lock()
	for c := range d.open {
		if c.session {
			d.clients.Go(c.sendAway)
		}
	}
	d.mu.Unlock()
	done := make(chan struct{})
	go func() { d.clients.Wait(); close(done) }() // ends with the clients, for which run waits
	timer := time.NewTimer(drainPatience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		d.log.Warn("clients did not finish in time")
	}
}
