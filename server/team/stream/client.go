package stream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

const (
	// reconnectSpread is the time over which clients reconnect that lost a server at the same
	// moment.
	reconnectSpread = 5 * time.Second
	// maxReconnectDelay is the maximum time between two attempts to connect.
	maxReconnectDelay = time.Minute
	// pollInterval is the time between two readings of a stream's state by a follower. What is
	// stored meanwhile is announced; a poll finds what an announcement was lost for.
	pollInterval = time.Minute
	// failoverAfter is how long a server may answer nothing until another one is tried.
	failoverAfter = 15 * time.Second
	// rewindGrace is how long a stream must be shorter than before to have lost messages. A server
	// that is cut off from the others may report an old state until it notices.
	rewindGrace = 15 * time.Second
	// denialPoll is the time between two looks whether an attempt to connect was denied.
	denialPoll = 20 * time.Millisecond
	// minBurst is the smallest burst of the bandwidth limit: one pack always passes.
	minBurst = 1 << 20
)

// Options are what a client is opened with. The zero value of a field is its default, unless it is
// required.
type Options struct {
	Membership *enrol.Membership // required
	Servers    []string          // instead of those of the membership
	Log        *slog.Logger      // required; receives addresses and errors, never content
	Now        func() time.Time  // default time.Now
	// BytesPerSecond limits packs, in each direction. Zero is no limit. Facts are not limited.
	BytesPerSecond int
	// Dial connects to a server, where tests do it in another way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	Tune Tuning
}

// Tuning has durations that tests shorten; the zero value of each is its default.
type Tuning struct {
	ReconnectSpread, MaxReconnectDelay time.Duration
	Poll, RewindGrace, Failover        time.Duration
}

// Client is one member's access to a team. Its methods may be called concurrently.
type Client struct {
	o       Options
	author  string // the member's public key
	tls     *tls.Config
	packs   *rate.Limiter
	life    context.Context
	end     context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	link    *link         // guarded by mu; nil while there is no connection
	changed chan struct{} // guarded by mu; closed when link changes
	state   State         // guarded by mu
	closed  bool          // guarded by mu; no worker is started any more
}

// State is the state of a client's connection.
type State struct {
	Connected bool
	Server    string        // the address of the server, while connected
	Since     time.Time     // when the connection was made or lost
	RTT       time.Duration // measured when the connection was made
	LastError error         // why there is no connection; nil while connected
}

// errClosed is the cause of what fails since the client was closed.
var errClosed = errors.New("the connection to the team was closed")

// Open returns a client that connects in the background, and reconnects until [Client.Close]. It
// does not wait for the network. ctx ends the client too.
func Open(ctx context.Context, o Options) (*Client, error) {
	if err := o.Membership.Validate(); err != nil {
		return nil, err
	}
	author, err := o.Membership.PublicKey()
	if err != nil {
		return nil, err
	}
	if len(o.Servers) == 0 {
		o.Servers = o.Membership.Servers
	}
	o = o.withDefaults()
	c := &Client{o: o, author: author, changed: make(chan struct{}), packs: rate.NewLimiter(rate.Inf, 0)}
	if o.BytesPerSecond > 0 {
		c.packs = rate.NewLimiter(rate.Limit(o.BytesPerSecond), max(o.BytesPerSecond, minBurst))
	}
	if o.Membership.CA != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(o.Membership.CA)) // validated
		c.tls = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	c.state = State{Since: o.Now(), LastError: ErrUnavailable}
	c.life, c.end = context.WithCancel(ctx)
	c.workers.Go(c.keepConnected)
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	o.Servers = slices.Clone(o.Servers)
	for _, d := range []struct {
		value *time.Duration
		or    time.Duration
	}{
		{&o.Tune.ReconnectSpread, reconnectSpread}, {&o.Tune.MaxReconnectDelay, maxReconnectDelay},
		{&o.Tune.Poll, pollInterval}, {&o.Tune.RewindGrace, rewindGrace}, {&o.Tune.Failover, failoverAfter},
	} {
		if *d.value == 0 {
			*d.value = d.or
		}
	}
	return o
}

// Close ends the connection and all calls, and waits for them. What was not acknowledged may be
// stored or not.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.workers.Wait()
}

// Author returns the member's public key, under which the member's facts are published.
func (c *Client) Author() string { return c.author }

// State returns the state of the connection, without asking a server.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Connected blocks until there is a connection, and returns nil. Where the servers deny access, or
// ctx ends first, it returns the error of the last attempt.
func (c *Client) Connected(ctx context.Context) error {
	for {
		_, changed := c.connection()
		s := c.State()
		switch {
		case s.Connected:
			return nil
		case errors.Is(s.LastError, ErrDenied):
			return s.LastError
		}
		select {
		case <-ctx.Done():
			return c.State().LastError
		case <-changed:
		case <-time.After(denialPoll): // a failed attempt changes no connection
		}
	}
}

// connection returns the present connection, or nil, and a channel that is closed when that
// changes.
func (c *Client) connection() (*link, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link, c.changed
}

// setLink records a connection, or why there is none.
func (c *Client) setLink(l *link, s State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Since = c.o.Now()
	if l == nil && c.link == nil {
		s.Since = c.state.Since // another attempt failed
	}
	c.state = s
	if c.link != l {
		c.link = l
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

// bind returns a context that also ends with the client.
func (c *Client) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(errClosed) })
	return ctx, func() { stop(); cancel(nil) }
}
