package teamtest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy passes TCP connections on to an address, until it is told otherwise. Its methods may be
// called concurrently.
type Proxy struct {
	listener net.Listener
	to       string
	running  sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool // guarded by mu
	cut   bool              // guarded by mu; connections are closed
	held  chan struct{}     // guarded by mu; not nil: nothing passes until it is closed
}

// NewProxy starts a proxy to an address. It ends with the test.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, to: to, conns: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.Hold(false)
		p.Cut(true)
		p.running.Wait()
	})
	return p
}

// Address returns the address of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Cut closes all connections and those to come, or ends that.
func (p *Proxy) Cut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if !cut {
		return
	}
	for c := range p.conns {
		c.Close()
	}
}

// Hold lets connections be accepted and pass nothing, or lets what was held up pass.
func (p *Proxy) Hold(hold bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case hold && p.held == nil:
		p.held = make(chan struct{})
	case !hold && p.held != nil:
		close(p.held)
		p.held = nil
	}
}

// Connections returns the number of connections that pass through.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns) / 2
}

func (p *Proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.pass(in) })
	}
}

// pass passes one connection on, in both directions.
func (p *Proxy) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer out.Close()
	if !p.add(in, out) {
		return
	}
	defer p.remove(in, out)
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			p.copy(pair[1], pair[0])
			in.Close()
			out.Close()
		})
	}
	both.Wait()
}

// copy copies until one end closes. What is held up is delivered later.
func (p *Proxy) copy(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		held := p.held
		p.mu.Unlock()
		if held != nil {
			<-held
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) add(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	for _, c := range conns {
		p.conns[c] = true
	}
	return true
}

func (p *Proxy) remove(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}
