// Package ollama is a client of the model server: it lists models, embeds texts and completes
// prompts.
//
// A Client connects to one server. It sends to this machine only, unless the user has allowed
// another host by name; it follows no redirect, uses no proxy, and sets a deadline on every call
// and a size limit on every answer. Errors are *Error with a Kind that determines what to do;
// Reason converts it into the contract's words. If a server does not answer, calls fail at once for
// a while (see breaker), and a background probe detects when the server is available again.
//
// An Embedder is one embedding model on a Client: it is opened with probes, has a verified
// identity, and returns only vectors that it has checked. Chat returns one answer of a chat model,
// complete and valid, or an error.
//
// The package caches only the server's descriptions of its models: callers store vectors and
// answers.
package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"
)

// The deadlines of calls whose caller sets no earlier one.
const (
	metaTimeout     = 5 * time.Second  // lists and descriptions, which need no model
	queryTimeout    = 10 * time.Second // one short text; the model may have to be loaded first
	documentTimeout = 90 * time.Second // a batch of texts on a slow machine
	chatTimeout     = 60 * time.Second // a foreground answer
	patientTimeout  = 5 * time.Minute  // a background answer
	keepAlive       = 30 * time.Minute // how long the server keeps an unused model loaded
)

// Size limits of answers, in bytes. An endless answer uses processor time until it reaches its
// limit, so the limit is close to the size of a valid answer: vectors come as decimal text, about
// 12 bytes per number, with at most some thousand dimensions; a token of a text has a few bytes,
// each of which JSON may encode as six.
const (
	maxMetaBytes   = 4 << 20
	maxVectorBytes = 384 << 10
	maxTokenBytes  = 256
	maxRestBytes   = 64 << 10 // of an answer without vectors or text
	maxErrorBytes  = 64 << 10
)

// Options configure a Client.
type Options struct {
	URL   string                 // the setting ollama.url; empty means Env
	Env   string                 // the value of OLLAMA_HOST; empty means the default loopback port
	Allow func(host string) bool // whether texts may be sent to a remote host; nil allows none
	Log   *slog.Logger           // may be nil
	Now   func() time.Time       // nil means time.Now
	// Optional means that nobody named the server: that it cannot be reached is no fault, and is
	// logged for debugging alone.
	Optional bool
}

// Client is a connection to one model server. It is safe for concurrent use. Its owner must close
// it.
type Client struct {
	base *url.URL
	http *http.Client
	log  *slog.Logger
	now  func() time.Time
	gate gate
	// missing is the level at which it is logged that the server cannot be reached.
	missing slog.Level

	probes sync.WaitGroup // probes in progress, see probe
	closed chan struct{}  // closed by Close; ends the probes

	mu      sync.Mutex          // guards the fields below; never held during a call
	circuit map[string]*breaker // by the names that guards returns
	shown   map[string]Model    // by name and manifest digest
}

// New resolves the address and returns a Client without sending anything. The error, of kind
// Refused, names the host and the setting that would allow it.
func New(o Options) (*Client, error) {
	base, err := resolve(o.URL, o.Env)
	if err != nil {
		return nil, err
	}
	host := base.Hostname()
	local := isLoopback(host)
	if !local && (o.Allow == nil || !o.Allow(host)) {
		return nil, &Error{Kind: Refused, Op: "connect", Detail: fmt.Sprintf(
			"the model server %q is not this machine; to send texts there, name it in the setting ollama.allowRemote", host)}
	}
	c := &Client{base: base, log: o.Log, now: o.Now, closed: make(chan struct{}),
		circuit: map[string]*breaker{}, shown: map[string]Model{}, missing: slog.LevelWarn}
	if o.Optional {
		c.missing = slog.LevelDebug
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.now == nil {
		c.now = time.Now
	}
	dialer := &net.Dialer{Timeout: metaTimeout, KeepAlive: 30 * time.Second}
	if local {
		dialer.Control = loopbackOnly
	}
	c.http = &http.Client{
		Transport: &http.Transport{ // no Proxy: texts go directly to the server
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    metaTimeout,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// loopbackOnly refuses a connection to another machine, whatever name was resolved.
func loopbackOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return errors.New("the name of this machine resolves to another machine")
	}
	return nil
}

// Address returns the server's address without a password.
func (c *Client) Address() string { return c.base.Redacted() }

// Close cancels the probes in progress, waits for them and closes idle connections. It does not
// cancel other calls, which have their own contexts. A second Close does nothing.
func (c *Client) Close() {
	c.mu.Lock()
	select {
	case <-c.closed:
	default:
		close(c.closed)
	}
	c.mu.Unlock()
	c.probes.Wait()
	c.http.CloseIdleConnections()
}

// Version returns the server's version.
func (c *Client) Version(ctx context.Context) (string, error) {
	var out struct{ Version string }
	if err := c.do(ctx, metaCall("version", http.MethodGet, "api/version"), nil, &out); err != nil {
		return "", err
	}
	return out.Version, nil
}

// call describes a request apart from its body.
type call struct {
	op, method, path string
	model            string
	timeout          time.Duration
	limit            int64 // bytes of the answer
	window           int   // num_ctx, in tokens
	thinks           bool  // the model would generate reasoning first
	patient          bool  // a background call
	probe            bool  // a probe passes an open breaker
}

func metaCall(op, method, path string) call {
	return call{op: op, method: method, path: path, timeout: metaTimeout, limit: maxMetaBytes}
}

// do sends in as JSON and decodes the answer into out. A call that the breaker refuses fails at
// once. The error is an *Error, or wraps context.Canceled if ctx was cancelled.
func (c *Client) do(ctx context.Context, k call, in, out any) error {
	if !k.probe {
		if err := c.admit(ctx, k); err != nil {
			return err
		}
	}
	start := c.now()
	body, err := c.exchange(ctx, k, in)
	if err == nil {
		if bad := json.Unmarshal(body, out); bad != nil {
			err = &Error{Kind: BadAnswer, Op: k.op, Model: k.model, Detail: "the answer is not the JSON it should be", again: true}
		}
	}
	c.settle(ctx, k, err, c.now().Sub(start))
	return err
}

// exchange sends one request and returns the answer's body.
func (c *Client) exchange(ctx context.Context, k call, in any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	var payload io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, &Error{Kind: Failed, Op: k.op, Model: k.model, Detail: "the request cannot be written", Err: err}
		}
		payload = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, k.method, c.base.JoinPath(k.path).String(), payload)
	if err != nil {
		return nil, &Error{Kind: Failed, Op: k.op, Model: k.model, Detail: "the request cannot be made", Err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unanswered(ctx, k, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBytes))
		if ctx.Err() != nil {
			return nil, unanswered(ctx, k, ctx.Err())
		}
		return nil, refusal(k, res.StatusCode, text)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, k.limit+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, unanswered(ctx, k, ctx.Err())
	case err != nil:
		return nil, &Error{Kind: BadAnswer, Op: k.op, Model: k.model, Detail: "the answer was cut off", Err: err, again: true}
	case int64(len(body)) > k.limit:
		return nil, &Error{Kind: BadAnswer, Op: k.op, Model: k.model, Detail: fmt.Sprintf("the answer has more than %d bytes", k.limit)}
	}
	return body, nil
}

// kept returns how long a model stays loaded after a call: equal for all calls, so that none
// unloads it sooner.
func kept() *api.Duration { return &api.Duration{Duration: keepAlive} }
