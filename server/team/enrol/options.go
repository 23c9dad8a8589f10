package enrol

import (
	"errors"
	"fmt"
	"net"
	"strconv"
)

const (
	defaultFactBytes   = 1 << 30
	defaultVectorBytes = 8 << 30
	routePort          = "6222"
)

// Options are what a team is made with. The zero value of a field is its default.
type Options struct {
	Team string // a name for people; required
	// Servers are the addresses at which members reach the servers, host:port each: 1, 3 or 5.
	// Without any, it is one server on this machine.
	Servers []string
	// Listen are the addresses that the servers bind, one for each of Servers, which is the
	// default.
	Listen []string
	// Routes are the addresses at which the servers reach each other, one for each of Servers; the
	// default is the server's host with port 6222.
	Routes []string
	// CertFile and KeyFile are the servers' certificate, with CAFile where the members' systems do
	// not trust it. Without them, a certificate authority is made for servers beyond this machine.
	CertFile, KeyFile, CAFile string
	Encrypt                   bool  // makes an authority even where everything is on this machine
	FactBytes, VectorBytes    int64 // the limits of the streams; default 1 GiB and 8 GiB
}

// normalized returns the options with defaults, or what is wrong with them.
func (o Options) normalized() (Options, error) {
	if len(o.Servers) == 0 {
		o.Servers = []string{"127.0.0.1:4222"}
	}
	if n := len(o.Servers); n != 1 && n != 3 && n != 5 {
		return o, fmt.Errorf("a team has 1, 3 or 5 servers, not %d: an even number survives no more failures", n)
	}
	if !isName(o.Team) {
		return o, fmt.Errorf("the team's name %q is not 1 to %d printable bytes", o.Team, maxName)
	}
	if (o.CertFile == "") != (o.KeyFile == "") || o.CAFile != "" && o.CertFile == "" {
		return o, errors.New("a certificate needs its key, and the authority's certificate needs both")
	}
	if len(o.Listen) == 0 {
		o.Listen = o.Servers
	}
	if len(o.Routes) == 0 {
		for _, s := range o.Servers {
			host, _, _ := net.SplitHostPort(s)
			o.Routes = append(o.Routes, net.JoinHostPort(host, routePort))
		}
	}
	if len(o.Listen) != len(o.Servers) || len(o.Routes) != len(o.Servers) {
		return o, fmt.Errorf("%d servers need as many addresses to listen on and for routes", len(o.Servers))
	}
	for _, list := range [][]string{o.Servers, o.Listen, o.Routes} {
		for _, address := range list {
			if err := checkAddress(address); err != nil {
				return o, err
			}
		}
	}
	if o.FactBytes == 0 {
		o.FactBytes = defaultFactBytes
	}
	if o.VectorBytes == 0 {
		o.VectorBytes = defaultVectorBytes
	}
	if o.FactBytes < 1<<20 || o.VectorBytes < 1<<20 {
		return o, errors.New("a stream needs at least 1 MiB")
	}
	return o, nil
}

func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not like host:4222: %w", address, err)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || host == "" || !isHost(host) {
		return fmt.Errorf("%q is not like host:4222", address)
	}
	return nil
}

// isHost reports whether s is an IP address or consists of the characters of a host name.
func isHost(s string) bool {
	if net.ParseIP(s) != nil {
		return true
	}
	for _, r := range s {
		if r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// local reports whether all addresses are on this machine, so that nothing need be encrypted.
func (o Options) local() bool {
	for _, list := range [][]string{o.Servers, o.Listen, o.Routes} {
		for _, address := range list {
			if host, _, err := net.SplitHostPort(address); err != nil || !isLoopback(host) {
				return false
			}
		}
	}
	return true
}
