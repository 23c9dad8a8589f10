package main

import (
	"context"
	"errors"
	"io"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/daemon"
)

// runRemote answers a command line that has connected to this daemon, until it has gone.
func runRemote(_ context.Context, _ io.ReadWriteCloser, _ daemon.Hello, _ *server.Server) error {
	return errors.New("command lines are not served")
}
