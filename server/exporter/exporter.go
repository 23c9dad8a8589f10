// Package exporter serves metrics as Prometheus text to programs on this machine: `GET /metrics` at
// the loopback addresses in the sessions' settings.
package exporter

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/settings"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is the path of the metrics below an address.
const Path = "/metrics"

const (
	// headerPatience bounds the time for a client to send its request, idlePatience is how long a
	// connection is kept open for the next one: scrapers send one every fifteen seconds or so.
	headerPatience = 5 * time.Second
	idlePatience   = time.Minute
	maxHeader      = 16 << 10
)

// Exporter serves at any number of addresses. It is safe for concurrent use.
type Exporter struct {
	handler http.Handler
	log     *slog.Logger

	mu   sync.Mutex // guards open
	open map[string]*endpoint
}

// endpoint is an address that has holders.
type endpoint struct {
	holders int
	address string // of the listener; its port is not 0
	server  *http.Server
	over    chan struct{} // closed when the server has ended
}

// New returns an exporter that calls gather for each request.
func New(gather func() Figures, log *slog.Logger) *Exporter {
	registry := prometheus.NewRegistry()
	registry.MustRegister(figures(gather), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}))
	return &Exporter{handler: local(mux), log: log, open: map[string]*endpoint{}}
}

// local rejects requests of web pages by a host name of their own (DNS rebinding).
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !settings.IsLoopback(host) {
			http.Error(w, "the metrics are for this machine only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Hold serves at a loopback address, as written in the setting metrics.listen, until every holder
// has called release. The error states what the user can do.
func (e *Exporter) Hold(address string) (release func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.open[address]
	if p == nil {
		if p, err = e.listen(address); err != nil {
			return nil, err
		}
		e.open[address] = p
	}
	p.holders++
	return sync.OnceFunc(func() { e.release(address, p) }), nil
}

func (e *Exporter) release(address string, p *endpoint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.holders--; p.holders > 0 {
		return
	}
	delete(e.open, address)
	if err := p.server.Close(); err != nil {
		e.log.Warn("close metrics", "address", p.address, "err", err)
	}
	<-p.over
}

// Numeric returns the numeric form of a loopback address with a port. It does not look up a name,
// whatever that may resolve to: a name means this machine's first loopback address.
func Numeric(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !settings.IsLoopback(host) {
		return "", fmt.Errorf("%s is not a loopback address such as 127.0.0.1:9477", address)
	}
	if net.ParseIP(host) == nil {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// listen starts to serve at an address.
func (e *Exporter) listen(address string) (*endpoint, error) {
	numeric, err := Numeric(address)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", numeric)
	switch {
	case errors.Is(err, errAddressTaken):
		return nil, fmt.Errorf("nothing is served at %s: another process listens there; end it, or choose another port", address)
	case errors.Is(err, errPortDenied):
		return nil, fmt.Errorf("nothing is served at %s: ports below 1024 are the system's; choose a higher one", address)
	case err != nil:
		return nil, fmt.Errorf("nothing is served at %s: %w", address, err)
	}
	p := &endpoint{
		address: l.Addr().String(), over: make(chan struct{}),
		server: &http.Server{
			Handler: e.handler, ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: maxHeader,
			ErrorLog: slog.NewLogLogger(e.log.Handler(), slog.LevelDebug),
		},
	}
	go func() { // ends with the server, which the last holder closes and waits for
		defer close(p.over)
		if err := p.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			e.log.Warn("serve metrics", "address", p.address, "err", err)
		}
	}()
	e.log.Info("metrics are served", "url", "http://"+p.address+Path)
	return p, nil
}

// Address returns the address of the listener for a held address, with its actual port if that was
// 0; "" if it has no holder.
func (e *Exporter) Address(held string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.open[held]; p != nil {
		return p.address
	}
	return ""
}

// IsOurs reports whether an answer to `GET /metrics` is from an exporter.
func IsOurs(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, namespace+"_uptime_seconds ") })
}
