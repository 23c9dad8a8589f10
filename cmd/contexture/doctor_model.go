package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/settings"
)

// usualModelPort is where Ollama listens when nothing else is said.
const usualModelPort = "11434"

// modelPatience is how long the model server may take to tell its version.
const modelPatience = time.Second

// modelServer gives the model server's address (CONTRACT §1): the setting, else OLLAMA_HOST, else the usual loopback
// port. named says that somebody chose it, and where.
func modelServer(set settings.Settings, getenv func(string) string) (base *url.URL, named string, err error) {
	text := set.Ollama.URL
	switch {
	case text != "":
		named = "ollama.url in " + set.Source("ollama.url")
	case getenv("OLLAMA_HOST") != "":
		text, named = getenv("OLLAMA_HOST"), "OLLAMA_HOST"
	default:
		text = "127.0.0.1"
	}
	base, err = parseModelURL(text)
	if err != nil {
		return nil, named, fmt.Errorf("%s: %w", named, err)
	}
	return base, named, nil
}

// parseModelURL reads what OLLAMA_HOST may hold: a host, a port, both, or a URL. The address that a server listens
// on everywhere by is that of this machine for a client.
func parseModelURL(text string) (*url.URL, error) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no http address", text)
	}
	host, port := u.Hostname(), u.Port()
	if port == "" && u.Scheme == "http" {
		port = usualModelPort
	}
	switch host {
	case "", "0.0.0.0", "::":
		host = "127.0.0.1"
	}
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}, nil
}

// checkModel asks the model server for its version, where that is allowed, and lists every address that may be
// talked to.
func (p *patient) checkModel(ctx context.Context) {
	const check = "model server"
	set := p.place.settings
	if set.Budget.Default == 0 { // the workspace could not be looked at
		set = settings.Defaults()
	}
	base, named, err := modelServer(set, p.f.env.getenv)
	switch {
	case err != nil:
		p.add(check, warning, err.Error(), "give it as http://HOST:PORT")
	case p.f.offline:
		p.add(check, fine, "not asked: --offline", "")
	case !set.Ollama.Allows(base.Hostname()):
		p.endpoint(base.String(), "model server", "not asked")
		p.add(check, warning, fmt.Sprintf("%s (%s) is another machine and is not asked", base, named), fmt.Sprintf("allow it with ollama.allowRemote = [%q] in your own settings, or name one on this machine", base.Hostname()))
	default:
		p.askModel(ctx, base, named)
	}
	if set.Metrics.Listen != "" {
		p.endpoint("http://"+set.Metrics.Listen+"/metrics", "measures, for whoever asks on this machine", "listens")
	}
}

func (p *patient) askModel(ctx context.Context, base *url.URL, named string) {
	const check = "model server"
	version, err := modelVersion(ctx, base)
	switch {
	case err == nil:
		p.endpoint(base.String(), "model server", "reachable")
		p.add(check, fine, fmt.Sprintf("%s answers, version %s", base, version), "")
	case named == "":
		p.endpoint(base.String(), "model server, when one runs", "unreachable")
		p.add(check, fine, fmt.Sprintf("none at %s, and none is needed", base), "")
	default:
		p.endpoint(base.String(), "model server", "unreachable")
		p.add(check, warning, fmt.Sprintf("%s (%s) does not answer: %v", base, named, err), "start it, or remove the setting; everything works without one")
	}
}

func (p *patient) endpoint(address, use, state string) {
	p.Endpoints = append(p.Endpoints, endpoint{address, use, state})
}

// modelVersion asks for the server's version. No proxy is used and no redirection followed, so that nothing is
// talked to but the address that was named.
func modelVersion(ctx context.Context, base *url.URL) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, modelPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("api", "version").String(), nil)
	if err != nil {
		return "", err
	}
	client := http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("it answers %s", response.Status)
	}
	var body struct {
		Version string `json:"version"`
	}
	const most = 64 << 10 // bytes of an answer that is one short string
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&body); err != nil || body.Version == "" {
		return "", fmt.Errorf("it is no model server: its answer has no version")
	}
	return oneLine(body.Version, 40), nil
}
