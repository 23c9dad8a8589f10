package ollama

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// defaultPort is the port of Ollama unless the address names another.
const defaultPort = "11434"

// resolve returns the server's address from the setting, else from OLLAMA_HOST, else the default.
// Both may be written as Ollama's own client accepts them (envconfig.Host): host, host:port, :port,
// scheme://host[:port][/path]; the default port is 11434 for a plain name, and that of the scheme
// for http and https. An address that means "every interface" of this machine, which is valid for
// listening only, becomes loopback.
func resolve(setting, env string) (*url.URL, error) {
	text, from := strings.TrimSpace(setting), "the setting ollama.url"
	if text == "" {
		text, from = strings.Trim(strings.TrimSpace(env), `"'`), "OLLAMA_HOST"
	}
	bad := func(what string) error {
		return &Error{Kind: Refused, Op: "connect", Detail: fmt.Sprintf("%s: %s", from, what)}
	}
	port := defaultPort
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case !found:
		scheme, rest = "http", text
	case strings.EqualFold(scheme, "http"):
		scheme, port = "http", "80"
	case strings.EqualFold(scheme, "https"):
		scheme, port = "https", "443"
	default:
		return nil, bad("only http and https can be used")
	}
	rest, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest+path, "?#\\ \t\r\n") {
		return nil, bad("not an address")
	}
	var user *url.Userinfo
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		parsed, err := url.Parse(scheme + "://" + rest[:at] + "@x")
		if err != nil {
			return nil, bad("the user name cannot be read")
		}
		user, rest = parsed.User, rest[at+1:]
	}
	host := strings.Trim(rest, "[]")
	if h, p, err := net.SplitHostPort(rest); err == nil {
		if host = h; p != "" {
			port = p
		}
	} else if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ":") {
		return nil, bad("not a host and a port")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, bad(fmt.Sprintf("%q is not a port", port))
	}
	return &url.URL{Scheme: scheme, User: user, Host: net.JoinHostPort(reachable(host), port), Path: "/" + strings.Trim(path, "/")}, nil
}

// reachable returns the host to connect to: loopback for an empty one and for the addresses that
// mean every interface.
func reachable(host string) string {
	if host == "" {
		return "127.0.0.1"
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.IsUnspecified() {
		if addr.Is4() {
			return "127.0.0.1"
		}
		return "::1"
	}
	return host
}

// isLoopback reports whether host is this machine by its form alone, without a name lookup. The
// connection is checked again by its address.
func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
