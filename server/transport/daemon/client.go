package daemon

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// Away is the notification by which a leaving daemon asks a session's client to go: it sends
// nothing more, waits for the answers that are due and closes the connection. It is no editor's
// business.
const Away = "contexture/away"

var awayMessage = func() []byte {
	body := `{"jsonrpc":"2.0","method":"` + Away + `"}`
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}()

// client is a connection that is served. Each Write is whole messages; they may be concurrent.
type client struct {
	conn    *net.UnixConn
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

// sendAway says Away, after the message that is being written. A client that does not read is not
// waited for longer than the others.
func (c *client) sendAway() { _, _ = c.Write(awayMessage) }

// Read implements net.Conn, as all below.
func (c *client) Read(p []byte) (int, error)         { return c.conn.Read(p) }
func (c *client) Close() error                       { return c.conn.Close() }
func (c *client) LocalAddr() net.Addr                { return c.conn.LocalAddr() }
func (c *client) RemoteAddr() net.Addr               { return c.conn.RemoteAddr() }
func (c *client) SetDeadline(t time.Time) error      { return c.conn.SetDeadline(t) }
func (c *client) SetReadDeadline(t time.Time) error  { return c.conn.SetReadDeadline(t) }
func (c *client) SetWriteDeadline(t time.Time) error { return c.conn.SetWriteDeadline(t) }
