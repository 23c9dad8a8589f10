package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/exporter"
)

// Limits on the time for fetching the metrics, and on how much of them is read, in bytes.
const (
	metricsPatience = 2 * time.Second
	maxMetrics      = 4 << 20
)

// checkMetrics checks whether the metrics are served at the address that the settings name. They
// are served while an editor or another client has a session, by the process that serves that
// session.
func (p *patient) checkMetrics(ctx context.Context, setting string) {
	const check = "metrics"
	if setting == "" {
		return
	}
	address, err := exporter.Numeric(setting)
	if err != nil {
		return // the settings have been rejected
	}
	if at := p.askMetrics(ctx, setting); at != "" {
		address = at
	}
	url := "http://" + address + exporter.Path
	const use = "metrics, for any program on this machine"
	text, err := getMetrics(ctx, url)
	if err == nil && exporter.IsOurs(text) {
		p.endpoint(url, use, "listens")
		p.add(check, fine, "served at "+url, "")
		return
	}
	p.endpoint(url, use, "does not listen")
	var slow net.Error
	switch {
	case nobodyListens(err), isChosenLater(address):
		p.add(check, fine, fmt.Sprintf("not served at %s now: they are served while an editor with this setting is connected", address), "")
	case err == nil, errors.As(err, &slow) && slow.Timeout():
		p.add(check, warning, fmt.Sprintf("not served at %s, where another program listens", address),
			"end that program, or choose another address with metrics.listen")
	default:
		p.add(check, warning, fmt.Sprintf("not served at %s: %v", address, errors.Unwrap(err)), "choose another address with metrics.listen")
	}
}

// askMetrics returns the address at which the daemon serves the metrics of a setting, since only
// the daemon knows which port was chosen if the setting names none; "" if it does not serve them or
// no daemon runs.
func (p *patient) askMetrics(ctx context.Context, setting string) string {
	stream, err := p.f.dial(ctx, p.state, engine.SessionOptions{NoIndex: true})
	if err != nil {
		return "" // which checkDaemon tells
	}
	d, err := askProcess(ctx, stream, setting)
	if err != nil {
		p.notes(err)
		return ""
	}
	return d.Metrics
}

// isChosenLater reports whether the port of an address is chosen only when it is listened on.
func isChosenLater(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == "0"
}

// getMetrics fetches url from this machine, without a proxy and without following redirects.
func getMetrics(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, metricsPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxMetrics))
	return string(text), err
}
