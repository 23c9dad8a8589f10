package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

const (
	// connectTimeout bounds each step of connecting: a server that accepts and then is silent.
	connectTimeout = 5 * time.Second
	// writeTimeout is how long a server may take nothing that is sent until the connection counts
	// as broken.
	writeTimeout = 10 * time.Second
	// pingInterval and maxPings detect a server that is silent: after half a minute.
	pingInterval, maxPings = 10 * time.Second, 2
	// stableAfter is how long a connection must last for the next attempts to begin soon again.
	stableAfter = 30 * time.Second
)

// link is one connection. It is never reconnected: while the library reconnects, its calls may
// block longer than their callers wait.
type link struct {
	nc     *nats.Conn
	raw    *rawConn
	broken chan struct{} // closed when the connection is
	// failover is how long requests may fail until another server is tried; zero is for ever.
	failover time.Duration

	mu      sync.Mutex
	denied  map[string][]*context.CancelCauseFunc // guarded by mu; by subject: ends who waits for an answer
	failing time.Time                             // guarded by mu; since when no request was answered; zero if the last one was
}

// rawConn records the network's connection below a link, so that it can be cut while the library
// waits for it.
type rawConn struct {
	mu   sync.Mutex
	conn net.Conn // guarded by mu
	gone bool     // guarded by mu; it was cut
	dial func(network, address string) (net.Conn, error)
}

// Dial implements nats.CustomDialer.
func (r *rawConn) Dial(network, address string) (net.Conn, error) {
	conn, err := r.dial(network, address)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	r.conn = conn
	return conn, nil
}

// cut closes the network's connection, also one that is made later. What waits for it fails at
// once.
func (r *rawConn) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	if r.conn != nil {
		r.conn.Close() // errors do not matter: it is given up
	}
}

// keepConnected connects, and again whenever the connection is lost, until the client ends.
func (c *Client) keepConnected() {
	servers := slices.Clone(c.o.Servers)
	var delay time.Duration
	for failures, at := 0, 0; wait(c.life, delay); at++ {
		if at%len(servers) == 0 {
			rand.Shuffle(len(servers), func(i, j int) { servers[i], servers[j] = servers[j], servers[i] })
		}
		server := servers[at%len(servers)]
		began := time.Now()
		l, rtt, err := c.connect(c.life, server)
		if err != nil {
			c.setLink(nil, State{LastError: requestError(c.life, err)})
			c.o.Log.Debug("no connection to the team", "server", server, "err", err)
		} else {
			c.setLink(l, State{Connected: true, Server: server, RTT: rtt})
			c.o.Log.Info("connected to the team", "server", server)
			err = l.wait(c.life)
			c.setLink(nil, State{LastError: requestError(c.life, err)})
			c.o.Log.Info("lost the connection to the team", "server", server, "err", err)
		}
		failures++
		if err == nil || time.Since(began) > stableAfter {
			failures = 0
		}
		delay = c.reconnectDelay(failures)
	}
	c.setLink(nil, State{LastError: errClosed})
}

// reconnectDelay returns the time until the next attempt. It is random, so that clients which lost
// a server at one moment do not come back at one.
func (c *Client) reconnectDelay(failures int) time.Duration {
	spread := c.o.Tune.ReconnectSpread
	for range min(failures/max(len(c.o.Servers), 1), 10) {
		spread = min(2*spread, c.o.Tune.MaxReconnectDelay)
	}
	return rand.N(spread) + 1
}

// wait waits for a duration and reports whether ctx still goes on.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// connect connects to one server and returns when it has answered.
func (c *Client) connect(ctx context.Context, server string) (*link, time.Duration, error) {
	raw := &rawConn{dial: func(network, address string) (net.Conn, error) {
		dialing, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		return c.o.Dial(dialing, network, address)
	}}
	stop := context.AfterFunc(ctx, raw.cut)
	defer stop()
	l := &link{raw: raw, failover: c.failover(), broken: make(chan struct{}), denied: map[string][]*context.CancelCauseFunc{}}
	options := []nats.Option{
		nats.Name("contexture"), nats.NoReconnect(), nats.SetCustomDialer(raw), nats.Timeout(connectTimeout),
		nats.FlusherTimeout(writeTimeout), nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(maxPings),
		nats.CustomInboxPrefix(enrol.InboxPrefix(c.author)), nats.IgnoreDiscoveredServers(),
		nats.UserJWT(func() (string, error) { return c.o.Membership.JWT, nil }, c.o.Membership.Sign),
		nats.ClosedHandler(func(*nats.Conn) { close(l.broken) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.asyncError(err) }),
	}
	if c.tls != nil {
		options = append(options, nats.Secure(c.tls))
	}
	nc, err := nats.Connect(server, options...)
	if err != nil {
		return nil, 0, fmt.Errorf("connect to %s: %w", server, err)
	}
	l.nc = nc
	began := time.Now()
	if err := nc.FlushTimeout(connectTimeout); err != nil {
		l.close()
		return nil, 0, fmt.Errorf("connect to %s: %w", server, err)
	}
	return l, time.Since(began), nil
}

// failover returns how long a connection's requests may fail.
func (c *Client) failover() time.Duration {
	if len(c.o.Servers) < 2 {
		return 0
	}
	return c.o.Tune.Failover
}

// close closes the connection and waits for it.
func (l *link) close() {
	l.raw.cut()
	l.nc.Close()
	<-l.broken
}

// wait blocks until the connection is broken or ctx ends, and returns why it broke.
func (l *link) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		l.close()
		return nil
	case <-l.broken:
	}
	if err := l.nc.LastError(); err != nil {
		return err
	}
	return errors.New("the server closed the connection")
}

// asyncError passes on that a publication was denied, which the server says without an answer.
func (l *link) asyncError(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	subject, ok := deniedSubject(err.Error())
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, stop := range l.denied[subject] {
		(*stop)(err)
	}
}

// answered notes whether a request was answered. A server that is cut off from the others stays
// connected and answers nothing; then the connection is given up for one to another server.
func (l *link) answered(ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ok:
		l.failing = time.Time{}
	case l.failing.IsZero():
		l.failing = time.Now()
	case l.failover > 0 && time.Since(l.failing) > l.failover:
		l.raw.cut()
	}
}

// onDenial calls stop with the error when a publication under subject is denied, until release is
// called.
func (l *link) onDenial(subject string, stop context.CancelCauseFunc) (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.denied[subject] = append(l.denied[subject], &stop)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.denied[subject] = slices.DeleteFunc(l.denied[subject], func(o *context.CancelCauseFunc) bool { return o == &stop })
		if len(l.denied[subject]) == 0 {
			delete(l.denied, subject)
		}
	}
}
