package daemon

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// Away is the notification by which a leaving daemon asks a session's client to disconnect: the
// client sends nothing more, waits for the pending answers and closes the connection. It is not
// passed to the editor.
const Away = "contexture/away"

var awayMessage = func() []byte {
	body := `{"jsonrpc":"2.0","method":"` + Away + `"}`
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}()

// client is a served connection. Each Write is one or more whole messages; writes may be
// concurrent.
type client struct {
	conn    *peerConn
	session bool // guarded by daemon.mu

	writing sync.Mutex // held while a message is written
}

var _ net.Conn = (*client)(nil)

// Write writes whole messages.
func (c *client) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.conn.Write(p)
}

// sendAway sends Away, after the message that is being written. It waits for a client that does not
// read no longer than for others.
func (c *client) sendAway() { _, _ = c.Write(awayMessage) }

// Read and the methods below implement net.Conn.
func (c *client) Read(p []byte) (int, error)         { return c.conn.Read(p) }
func (c *client) Close() error                       { return c.conn.Close() }
func (c *client) LocalAddr() net.Addr                { return c.conn.LocalAddr() }
func (c *client) RemoteAddr() net.Addr               { return c.conn.RemoteAddr() }
func (c *client) SetDeadline(t time.Time) error      { return c.conn.SetDeadline(t) }
func (c *client) SetReadDeadline(t time.Time) error  { return c.conn.SetReadDeadline(t) }
func (c *client) SetWriteDeadline(t time.Time) error { return c.conn.SetWriteDeadline(t) }
