// Package ollama talks to the model server: which models there are, texts to vectors, a prompt to
// an answer.
//
// A Client is one server. It sends to this machine only, unless the person has allowed another host
// by name; it follows no redirect, uses no proxy, and gives every call a deadline and every answer
// a bound. What goes wrong is an *Error with a Kind that says what to do; Reason puts it into the
// contract's words. A server that does not answer is left alone for a while (see breaker): calls
// then fail at once, and it is noticed without a caller waiting when it is back.
//
// An Embedder is one embedding model on a Client: opened by probes, sure of its identity, and
// unable to return a vector that it has not checked. Chat is one answer of a chat model, complete
// and valid or an error.
//
// Nothing here is remembered but what the server said of its models: callers keep vectors and
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
	metaTimeout     = 5 * time.Second  // lists and descriptions: no model works for them
	queryTimeout    = 10 * time.Second // one short text; the model may have to be loaded first
	documentTimeout = 90 * time.Second // a batch of texts on a slow machine
	chatTimeout     = 60 * time.Second // an answer somebody waits for
	patientTimeout  = 5 * time.Minute  // an answer nobody waits for
	keepAlive       = 30 * time.Minute // how long the server keeps a model that is not used
)

// The bounds of answers, in bytes. An answer that never ends takes a processor's time until it
// meets its bound, so that is near to what a right answer may have: vectors come as decimal text,
// about 12 bytes a number, of at most some thousand dimensions; a token of a text has some bytes,
// which JSON may write as six each.
const (
	maxMetaBytes   = 4 << 20
	maxVectorBytes = 384 << 10
	maxTokenBytes  = 256
	maxRestBytes   = 64 << 10 // of an answer apart from vectors or text
	maxErrorBytes  = 64 << 10
)

// Options are a Client's parts.
type Options struct {
	URL   string                 // the setting ollama.url; empty means Env
	Env   string                 // the value of OLLAMA_HOST; empty means the usual loopback port
	Allow func(host string) bool // whether texts may go to a host that is not this machine; nil allows none
	Log   *slog.Logger           // nil logs nothing
	Now   func() time.Time       // nil is time.Now
}

// Client is one model server. Safe for concurrent use. Close it.
type Client struct {
	base *url.URL
	http *http.Client
	log  *slog.Logger
	now  func() time.Time
	gate gate

	probes sync.WaitGroup // the probes under way, see probe
	closed chan struct{}  // closed by Close; ends the probes

	mu      sync.Mutex          // guards what follows; never held over a call
	circuit map[string]*breaker // by what is guarded, see guards
	shown   map[string]Model    // by name and manifest digest
}

// New resolves the address and makes a Client; nothing is sent yet. The error, a Refused one, names
// the host and the setting that would allow it.
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
		circuit: map[string]*breaker{}, shown: map[string]Model{}}
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
		Transport: &http.Transport{ // no Proxy: texts go to the server and to nobody else
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

// loopbackOnly refuses a connection that leaves this machine, whatever name it was asked for by.
func loopbackOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return errors.New("the name of this machine leads elsewhere")
	}
	return nil
}

// Address is where the server is, without a password.
func (c *Client) Address() string { return c.base.Redacted() }

// Close ends the probes under way, waits for them and closes idle connections. Calls of others are
// not ended: their own contexts do that. A second Close does nothing more.
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

// Version is the server's version.
func (c *Client) Version(ctx context.Context) (string, error) {
	var out struct{ Version string }
	if err := c.do(ctx, metaCall("version", http.MethodGet, "api/version"), nil, &out); err != nil {
		return "", err
	}
	return out.Version, nil
}

// call is what a request is, apart from its body.
type call struct {
	op, method, path string
	model            string
	timeout          time.Duration
	limit            int64 // bytes of the answer
	window           int   // num_ctx, in tokens
	thinks           bool  // the model would think aloud first
	patient          bool  // nobody waits for it
	probe            bool  // a probe passes an open breaker
}

func metaCall(op, method, path string) call {
	return call{op: op, method: method, path: path, timeout: metaTimeout, limit: maxMetaBytes}
}

// do sends in as JSON and reads the answer into out. A call that the breaker holds back fails at
// once. The error is an
// *Error, or wraps context.Canceled when ctx was cancelled.
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
	c.settle(k, err, c.now().Sub(start))
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

// kept is how long a model stays loaded after a call: the same for all, so that no call unloads it
// sooner.
func kept() *api.Duration { return &api.Duration{Duration: keepAlive} }
