//go:build linux

package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// patience limits one request, and the wait for an index.
const patience = 20 * time.Minute

// client is an editor with one server process. Its methods may be called from several goroutines.
type client struct {
	cmd     *exec.Cmd // nil if the server is in this process
	root    string
	started time.Time
	greeted time.Time     // time of initialize's answer
	gone    chan struct{} // closed when the server's output has ended

	writing sync.Mutex // guards in; not mu, so that a blocked write delays no answer
	in      io.WriteCloser

	mu      sync.Mutex // guards next and waiting
	next    int
	waiting map[int]chan answer
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *failure        `json:"error"`
}

// failure is a JSON-RPC error.
type failure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (f *failure) Error() string { return fmt.Sprintf("%d %s %s", f.Code, f.Message, f.Data) }

// start runs bin on root, without a model server, and greets it. The caller stops the client.
func start(bin, root, state string) (*client, error) {
	return greet(exec.Command(bin, "serve", "--daemon=off", "--offline", "--state-dir", state, "--root", root), root)
}

// greet starts a server and opens root in it.
func greet(cmd *exec.Cmd, root string) (*client, error) {
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := newClient(cmd, in, root)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, c.hello(out)
}

func newClient(cmd *exec.Cmd, in io.WriteCloser, root string) *client {
	return &client{cmd: cmd, in: in, root: root, started: time.Now(), gone: make(chan struct{}), waiting: map[int]chan answer{}}
}

// hello begins the session; a client that cannot is stopped.
func (c *client) hello(out io.Reader) error {
	go c.receive(bufio.NewReaderSize(out, 1<<20))
	uri := fileURI(c.root)
	err := c.request("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uri, "capabilities": map[string]any{},
		"workspaceFolders": []map[string]string{{"uri": uri, "name": filepath.Base(c.root)}},
	}, nil)
	c.greeted = time.Now()
	if err == nil {
		err = c.notify("initialized", map[string]any{})
	}
	if err != nil {
		return errors.Join(err, c.stop())
	}
	return nil
}

// receive reads messages until the output ends.
func (c *client) receive(r *bufio.Reader) {
	defer close(c.gone)
	headers := textproto.NewReader(r)
	for {
		header, err := headers.ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			answer
		}
		if json.Unmarshal(body, &m) != nil {
			return
		}
		c.deliver(m.ID, m.Method, m.answer)
	}
}

// deliver passes an answer to its waiter; a request of the server is answered with null.
func (c *client) deliver(id json.RawMessage, method string, a answer) {
	if method != "" {
		if len(id) > 0 {
			_ = c.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": nil}) // the next request fails too
		}
		return
	}
	n, err := strconv.Atoi(string(id))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch := c.waiting[n]; ch != nil {
		delete(c.waiting, n)
		ch <- a
	}
}

func (c *client) write(message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (c *client) notify(method string, params any) error {
	return c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// call is a pending request.
type call struct {
	c      *client
	id     int
	method string
	ch     chan answer
}

// begin sends a request.
func (c *client) begin(method string, params any) (*call, error) {
	q := &call{c: c, method: method, ch: make(chan answer, 1)}
	c.mu.Lock()
	c.next++
	q.id = c.next
	c.waiting[q.id] = q.ch
	c.mu.Unlock()
	return q, c.write(map[string]any{"jsonrpc": "2.0", "id": q.id, "method": method, "params": params})
}

// wait waits for the answer and decodes it into result, which may be nil.
func (q *call) wait(result any) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case a := <-q.ch:
		if a.Error != nil {
			return fmt.Errorf("%s: %w", q.method, a.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-q.c.gone:
		return fmt.Errorf("%s: the server is gone", q.method)
	case <-limit.C:
		return fmt.Errorf("%s: no answer in %v", q.method, patience)
	}
}

// cancel cancels the request, which is still answered.
func (q *call) cancel() error { return q.c.notify("$/cancelRequest", map[string]any{"id": q.id}) }

// request waits for the answer and decodes it into result, which may be nil.
func (c *client) request(method string, params, result any) error {
	q, err := c.begin(method, params)
	if err != nil {
		return err
	}
	return q.wait(result)
}

// command executes one of the contract's commands.
func (c *client) command(name string, args, result any) error {
	q, err := c.beginCommand(name, args)
	if err == nil {
		err = q.wait(result)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// beginCommand sends one of the contract's commands.
func (c *client) beginCommand(name string, args any) (*call, error) {
	return c.begin("workspace/executeCommand", map[string]any{"command": name, "arguments": []any{args}})
}

// stop ends the session and waits for the process, which is killed if it does not exit in time.
func (c *client) stop() error {
	select {
	case <-c.gone:
	default:
		if err := c.request("shutdown", nil, nil); err == nil {
			_ = c.notify("exit", nil) // the process may have exited already
		}
	}
	if c.cmd == nil {
		err := c.in.Close()
		<-c.gone
		return err
	}
	kill := time.AfterFunc(30*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	<-c.gone
	return c.cmd.Wait()
}

// spent returns the processor time of a stopped server and the children it waited for.
func (c *client) spent() time.Duration {
	u := c.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
