package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

const (
	// followInterval is the time between two readings of the account's file.
	followInterval = time.Second
	// maxAccountBytes is the maximum size of that file: some 10,000 removed members.
	maxAccountBytes = 1 << 20
)

// Options are what a node is started with.
type Options struct {
	Dir string       // the node's folder
	Log *slog.Logger // receives the server's messages; required
}

// Node is a running server. Its methods may be called concurrently.
type Node struct {
	server  *server.Server
	account string // the file with the account's JWT
	log     *slog.Logger
	cancel  context.CancelFunc
	follows sync.WaitGroup
}

// Start starts the server of a folder and returns when it accepts connections, ctx ends, or it
// failed. The node runs until [Node.Stop]; ctx bounds only the start.
func Start(ctx context.Context, o Options) (*Node, error) {
	opts, err := configure(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("configure the server: %w", err)
	}
	s.SetLoggerV2(serverLog{o.Log}, false, false, false)
	life, cancel := context.WithCancel(context.WithoutCancel(ctx)) // ends with Stop
	n := &Node{server: s, account: filepath.Join(o.Dir, enrol.AccountFile), log: o.Log, cancel: cancel}
	s.Start()
	if err := n.ready(ctx); err != nil {
		n.Stop()
		return nil, err
	}
	n.follows.Go(func() { n.followAccount(life) })
	return n, nil
}

// ready blocks until the server accepts connections, ctx ends, or the server gave up.
func (n *Node) ready(ctx context.Context) error {
	const slice = 50 * time.Millisecond
	for !n.server.ReadyForConnections(slice) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("start the server: %w", err)
		}
		if !n.server.Running() {
			return errors.New("start the server: it has stopped; its messages say why")
		}
	}
	return nil
}

// Stop stops the server and waits until its files are closed. Clients reconnect elsewhere.
func (n *Node) Stop() {
	n.cancel()
	n.follows.Wait()
	n.server.Shutdown()
	n.server.WaitForShutdown()
}

// Address returns the address at which clients connect.
func (n *Node) Address() net.Addr { return n.server.Addr() }

// InProcessConn connects to the server within the process.
func (n *Node) InProcessConn() (net.Conn, error) { return n.server.InProcessConn() }

// configure reads a folder's configuration. Paths in it that begin with "./ are relative to the
// folder.
func configure(dir string) (*server.Options, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, enrol.ServerConfig))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: contexture team init writes the folder of each server: %w", dir, enrol.ServerConfig, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's configuration: %w", err)
	}
	opts := &server.Options{}
	if err := opts.ProcessConfigString(strings.ReplaceAll(string(text), `"./`, `"`+filepath.ToSlash(dir)+"/")); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, enrol.ServerConfig), err)
	}
	opts.NoSigs = true // the program handles signals
	return opts, nil
}

// followAccount applies each change of the account's file, until ctx ends.
func (n *Node) followAccount(ctx context.Context) {
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	var applied []byte
	for {
		text, err := readAccount(n.account)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the account comes from the cluster
		case err != nil:
			n.log.Warn("the account's file cannot be read; members removed since still have access", "err", err)
		case !bytes.Equal(text, applied):
			if err := n.apply(string(text)); errors.Is(err, errNewer) {
				n.log.Info("the account's file is older than what the servers have")
			} else if err != nil {
				n.log.Error("the account's file was not applied; members removed since still have access", "err", err)
			} else {
				n.log.Info("applied the account's file")
			}
			applied = text
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func readAccount(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxAccountBytes {
		return nil, fmt.Errorf("%s has more than %d bytes", file, maxAccountBytes)
	}
	text, err := os.ReadFile(file)
	return bytes.TrimSpace(text), err
}

// errNewer says that the server has a newer account than the file.
var errNewer = errors.New("the server has a newer account")

// apply stores an account's JWT unless the server has a newer one. Connections of members who are
// removed by it are closed.
func (n *Node) apply(text string) error {
	claims, err := jwt.DecodeAccountClaims(text)
	if err != nil {
		return fmt.Errorf("read the account's JWT: %w", err)
	}
	accounts := n.server.AccountResolver()
	if err := accounts.Store(claims.Subject, text); err != nil {
		return fmt.Errorf("store the account's JWT: %w", err)
	}
	stored, err := accounts.Fetch(claims.Subject)
	if err != nil {
		return fmt.Errorf("read the account's JWT back: %w", err)
	}
	if stored != text {
		return errNewer
	}
	return nil
}
