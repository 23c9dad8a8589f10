package main

import (
	"context"
	"errors"

	"github.com/contexture-dev/contexture/server/mcp"
	"github.com/spf13/cobra"
)

// newMCP is the server for assistants that speak the Model Context Protocol on standard input and output.
func newMCP(f *flags) *cobra.Command {
	var tools string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the same commands over the Model Context Protocol on standard input and output",
		Args:  noArguments,
	}
	shared := daemonFlag(c)
	c.Flags().StringVar(&tools, "tools", "", "names of the tools to offer, separated by commas (default: all)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		shared, err := shared()
		if err != nil {
			return err
		}
		list, err := mcp.Tools(tools)
		if err != nil {
			return usage("--tools: %s", err)
		}
		return f.mcp(c.Context(), shared, list)
	}
	return c
}

// mcp serves an assistant until it leaves.
func (f *flags) mcp(ctx context.Context, shared bool, tools []string) error {
	l, err := f.language(ctx, "contexture mcp", shared)
	if err != nil {
		return err
	}
	ctx, end := l.during(ctx)
	defer end()
	stop := context.AfterFunc(ctx, func() { _ = f.env.stdin.Close() }) // so that Serve ends with the session
	defer stop()
	options := mcp.Options{Execute: l.Execute, Status: l.Status, Version: readVersion().Version, Tools: tools, Logger: l.log}
	if f.root == "" { // a person who named the root means it
		options.Move = l.Move
	}
	server, err := mcp.New(options)
	if err != nil {
		return errors.Join(err, l.close())
	}
	err = server.Serve(ctx, f.env.stdin, f.env.stdout)
	return errors.Join(err, l.close())
}
