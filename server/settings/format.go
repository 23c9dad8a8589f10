package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// AnyHost in ollama.allowRemote allows whatever host is configured.
const AnyHost = "*"

// formats are the rules for strings that are not empty.
var formats = map[string]func(string) error{
	"path":     oneLine,
	"pattern":  checkGlob,
	"line":     oneLine,
	"httpURL":  checkHTTPURL,
	"host":     checkHost,
	"regexp":   checkAllow,
	"loopback": checkLoopback,
}

func oneLine(s string) error {
	if strings.ContainsAny(s, "\x00\n\r") {
		return errors.New("must be one line of text")
	}
	return nil
}

func checkGlob(s string) error {
	if !doublestar.ValidatePattern(s) {
		return errors.New("must be a glob such as docs/** or *.min.js")
	}
	return oneLine(s)
}

func checkHTTPURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("must be a URL such as http://127.0.0.1:11434")
	}
	if !validPort(u.Port()) && u.Port() != "" {
		return errors.New("must have a port from 1 to 65535")
	}
	return nil
}

func checkHost(s string) error {
	if s == AnyHost {
		return nil
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return nil
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(s, "."), ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, hostRunes) != "" {
			return errors.New("must be a host name or an address, without scheme and port")
		}
	}
	return nil
}

const hostRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func checkAllow(s string) error {
	if id, ok := strings.CutPrefix(s, "rule:"); ok {
		if id == "" {
			return errors.New("must name a rule, rule:<id>")
		}
		return nil
	}
	_, err := regexp.Compile(s)
	if at, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("must be a regular expression or rule:<id>: %s: %s", at.Code, quoted(at.Expr))
	}
	return err
}

func checkLoopback(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil || !IsLoopback(host) || port != "0" && !validPort(port) {
		return errors.New("must be a loopback address such as 127.0.0.1:9477")
	}
	return nil
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// IsLoopback reports whether host, a name or an address without a port, is this machine, by its
// form alone: no name is looked up.
func IsLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

// Allows reports whether texts may be sent to host, a name or an address without a port: this
// machine always, another only when it is named in AllowRemote.
func (o Ollama) Allows(host string) bool {
	if IsLoopback(host) {
		return true
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	for _, allowed := range o.AllowRemote {
		if allowed == AnyHost || strings.EqualFold(strings.TrimSuffix(allowed, "."), host) {
			return true
		}
	}
	return false
}
