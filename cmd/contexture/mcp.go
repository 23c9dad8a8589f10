package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/daemon"
	"github.com/contexture-dev/contexture/server/mcp"
	"github.com/spf13/cobra"
)

// newMCP is the server for assistants that speak the Model Context Protocol on standard input and output.
func newMCP(f *flags) *cobra.Command {
	var where, tools string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the same commands over the Model Context Protocol on standard input and output",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if where != "auto" && where != "off" {
				return usage("--daemon=%s is not one of: auto, off", where)
			}
			return f.mcp(c.Context(), where == "auto" && daemon.Supported(), tools)
		},
	}
	c.Flags().StringVar(&where, "daemon", "auto", "auto: by the daemon that all editors share, which is started when it does not run; off: in this process")
	c.Flags().StringVar(&tools, "tools", "", "names of the tools to offer, separated by commas (default: all)")
	return c
}

// mcpBegin bounds the beginning of the language server's session, mcpEnd its end.
const mcpBegin, mcpEnd = 15 * time.Second, 5 * time.Second

// mcp serves an assistant: a session of the language server runs at the other end of a pipe, as an editor's would.
func (f *flags) mcp(ctx context.Context, shared bool, tools string) (err error) {
	root, err := f.workspace()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ours, theirs := net.Pipe()
	var session sync.WaitGroup
	defer session.Wait()
	failed := make(chan error, 1)
	session.Go(func() {
		defer cancel() // without the session there is nothing to answer
		run := f.serve
		if shared {
			run = f.forward
		}
		_, err := run(context.WithoutCancel(ctx), theirs)
		failed <- err
	})
	state, err := f.state()
	if err != nil {
		return errors.Join(err, ours.Close())
	}
	log, closeLog, err := f.logger(state)
	if err != nil {
		return errors.Join(err, ours.Close())
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	begin, stop := context.WithTimeout(ctx, mcpBegin)
	defer stop()
	client, err := mcp.Open(begin, ours, []string{root}, readVersion().Version, log)
	if err != nil {
		return errors.Join(fmt.Errorf("begin session: %w", err), <-failed)
	}
	options := mcp.Options{Execute: client.Execute, Status: client.Status, Version: readVersion().Version, Logger: log}
	if tools != "" {
		options.Tools = strings.Split(tools, ",")
	}
	if f.root == "" { // a person who named the root means it
		options.Move = client.Move
	}
	server, err := mcp.New(options)
	if err != nil {
		err = usage("--tools: %s", err)
	} else {
		err = server.Serve(ctx, f.env.stdin, f.env.stdout)
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), mcpEnd)
	defer stop()
	err = errors.Join(err, client.Close(end))
	return errors.Join(err, <-failed)
}
