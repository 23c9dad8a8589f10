package teamtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

// Processes is a team whose servers are processes, with a proxy on each route between two of them.
type Processes struct {
	Dir     string
	t       testing.TB
	serve   func(number int) *exec.Cmd // runs a server
	running []*exec.Cmd                // nil where one is stopped
	logs    []*log
	routes  map[[2]int]*Proxy // from a server to another
}

// log keeps the last output of a process. Its methods may be called concurrently.
type log struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

// Write keeps the last 64 KiB.
func (l *log) Write(p []byte) (int, error) {
	const keep = 64 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if len(l.text) > keep {
		l.text = bytes.Clone(l.text[len(l.text)-keep:])
	}
	return len(p), nil
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// StartProcesses makes a team with options, except its addresses, builds contexture-team, and runs
// it for each of the servers. It returns when the streams are ready.
func StartProcesses(t testing.TB, servers int, o enrol.Options) *Processes {
	t.Helper()
	program := build(t, "contexture-team", "github.com/contexture-dev/contexture/cmd/contexture-team")
	return start(t, servers, o, func(dir string, number int) *exec.Cmd {
		return exec.Command(program, "serve", "--dir", dir, "--node", strconv.Itoa(number))
	})
}

// StartStock is [StartProcesses] with the server that NATS distributes, in the version with which
// contexture-team is built.
func StartStock(t testing.TB, servers int, o enrol.Options) *Processes {
	t.Helper()
	program := build(t, "nats-server", "github.com/nats-io/nats-server/v2")
	return start(t, servers, o, func(dir string, number int) *exec.Cmd {
		cmd := exec.Command(program, "--config", enrol.ServerConfig)
		cmd.Dir = filepath.Join(dir, enrol.NodeFolder(number))
		return cmd
	})
}

func build(t testing.TB, name, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", source, err, out)
	}
	return program
}

func start(t testing.TB, servers int, o enrol.Options, serve func(dir string, number int) *exec.Cmd) *Processes {
	t.Helper()
	p := &Processes{Dir: filepath.Join(t.TempDir(), "team"), t: t, running: make([]*exec.Cmd, servers), routes: map[[2]int]*Proxy{}}
	p.serve = func(number int) *exec.Cmd { return serve(p.Dir, number) }
	o.Team, o.Servers, o.Routes = "Test", Addresses(t, servers), Addresses(t, servers)
	if err := enrol.Init(p.Dir, o); err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		p.logs = append(p.logs, new(log))
		p.proxyRoutes(i, o.Routes)
	}
	t.Cleanup(func() {
		for i := range servers {
			p.Kill(i + 1)
			if t.Failed() {
				t.Logf("server %d ends with:\n%s", i+1, p.logs[i])
			}
		}
	})
	for i := range servers {
		p.Start(i + 1)
	}
	Setup(t, p.Dir)
	return p
}

// proxyRoutes makes a server reach the others through proxies only: it is also told no address of
// theirs that it could reach.
func (p *Processes) proxyRoutes(from int, routes []string) {
	p.t.Helper()
	file := filepath.Join(p.Dir, enrol.NodeFolder(from+1), enrol.ServerConfig)
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	changed := strings.Replace(string(text), "no_advertise: true", "no_advertise: true\n  advertise: \"127.0.0.1:9\"", 1)
	for to, address := range routes {
		if to == from {
			continue
		}
		proxy := NewProxy(p.t, address)
		p.routes[[2]int{from, to}] = proxy
		changed = strings.Replace(changed, "nats-route://"+address, "nats-route://"+proxy.Address(), 1)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// Start starts a server, which must be stopped, and waits until it accepts connections.
func (p *Processes) Start(number int) {
	p.t.Helper()
	cmd := p.serve(number)
	cmd.Stdout, cmd.Stderr = p.logs[number-1], p.logs[number-1]
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.running[number-1] = cmd
	described, err := enrol.Load(p.Dir)
	if err != nil {
		p.t.Fatal(err)
	}
	_, address, _ := strings.Cut(described.Servers[number-1], "://")
	Await(p.t, fmt.Sprint("server ", number), func() error {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

// Kill kills a server, if it runs, as a crash does, and waits for its end.
func (p *Processes) Kill(number int) {
	cmd := p.running[number-1]
	if cmd == nil {
		return
	}
	if err := cmd.Process.Kill(); err != nil {
		p.t.Errorf("kill server %d: %v", number, err)
	}
	cmd.Wait() // its error is that it was killed
	p.running[number-1] = nil
}

// Isolate cuts a server off from the others, or ends that. Members still reach it.
func (p *Processes) Isolate(number int, cut bool) {
	for pair, proxy := range p.routes {
		if pair[0] == number-1 || pair[1] == number-1 {
			proxy.Cut(cut)
		}
	}
}

// Hold lets nothing pass between a server and the others, without closing their connections, or
// ends that.
func (p *Processes) Hold(number int, hold bool) {
	for pair, proxy := range p.routes {
		if pair[0] == number-1 || pair[1] == number-1 {
			proxy.Hold(hold)
		}
	}
}

// PIDs returns the process of each server that runs.
func (p *Processes) PIDs() []int {
	var out []int
	for _, cmd := range p.running {
		if cmd != nil {
			out = append(out, cmd.Process.Pid)
		}
	}
	return out
}
