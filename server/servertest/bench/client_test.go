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

// patience bounds one request, and the wait for an index.
const patience = 20 * time.Minute

// client is an editor with one server process. Its methods may be called from several goroutines.
type client struct {
	cmd     *exec.Cmd
	root    string
	started time.Time
	in      io.WriteCloser
	gone    chan struct{} // closed when the server's output has ended

	mu      sync.Mutex // guards in, next and waiting
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
	c := &client{cmd: cmd, root: root, started: time.Now(), gone: make(chan struct{}), waiting: map[int]chan answer{}}
	c.cmd.Dir = root
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go c.receive(bufio.NewReaderSize(out, 1<<20))
	uri := fileURI(root)
	err = c.request("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uri, "capabilities": map[string]any{},
		"workspaceFolders": []map[string]string{{"uri": uri, "name": filepath.Base(root)}},
	}, nil)
	if err == nil {
		err = c.notify("initialized", map[string]any{})
	}
	if err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
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

// deliver hands an answer to whoever waits for it; a request of the server's is answered with null.
func (c *client) deliver(id json.RawMessage, method string, a answer) {
	if method != "" {
		if len(id) > 0 {
			_ = c.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": nil}) // a dead pipe shows at the next request
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
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (c *client) notify(method string, params any) error {
	return c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// request waits for the answer and decodes it into result, which may be nil.
func (c *client) request(method string, params, result any) error {
	ch := make(chan answer, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.waiting[id] = ch
	c.mu.Unlock()
	if err := c.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return err
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case a := <-ch:
		if a.Error != nil {
			return fmt.Errorf("%s: %w", method, a.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-c.gone:
		return fmt.Errorf("%s: the server is gone", method)
	case <-limit.C:
		return fmt.Errorf("%s: no answer in %v", method, patience)
	}
}

// command executes one of the contract's commands.
func (c *client) command(name string, args, result any) error {
	err := c.request("workspace/executeCommand", map[string]any{"command": name, "arguments": []any{args}}, result)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// stop ends the session and waits for the process, which is killed when it lingers.
func (c *client) stop() error {
	select {
	case <-c.gone:
	default:
		if err := c.request("shutdown", nil, nil); err == nil {
			_ = c.notify("exit", nil) // the process may be faster
		}
	}
	kill := time.AfterFunc(30*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	<-c.gone
	return c.cmd.Wait()
}

// spent is the processor time of a stopped server and the children it waited for.
func (c *client) spent() time.Duration {
	u := c.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
