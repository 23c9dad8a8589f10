package main

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/contexture-dev/contexture/server/transport/forward"
	"github.com/spf13/cobra"
)

// newServe returns the command of the language server on standard input and output.
func newServe(f *flags) *cobra.Command {
	var where string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve an editor: the Language Server Protocol on standard input and output",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			run := f.forward
			switch where {
			case "auto":
			case "off":
				run = f.serve
			default:
				return usage("--daemon=%s is not one of: auto, off", where)
			}
			code, err := run(c.Context(), stdio{f.env.stdin, f.env.stdout})
			var exit *exitError
			switch {
			case errors.As(err, &exit):
				return err
			case err != nil:
				return &exitError{exitFailed, err}
			case code != 0:
				return &exitError{code: code}
			}
			return nil
		},
	}
	c.Flags().Bool("stdio", true, "the only transport; language clients pass it")
	c.Flags().Lookup("stdio").Hidden = true
	c.Flags().StringVar(&where, "daemon", "auto", "auto: through the daemon that all editors share, which is started if none runs; off: in this process")
	return c
}

// serve runs a session over stream in this process.
func (f *flags) serve(ctx context.Context, stream io.ReadWriteCloser) (code int, err error) {
	opts, err := f.session()
	if err != nil {
		return exitFailed, err
	}
	v, closeAll, err := f.server()
	if err != nil {
		return exitFailed, err
	}
	v.Capture(ctx, opts)
	code, err = v.Serve(ctx, stream, opts)
	return code, errors.Join(err, closeAll())
}

// forward has the daemon serve the session over stream. If there can be no daemon, the session runs
// in this process.
func (f *flags) forward(ctx context.Context, stream io.ReadWriteCloser) (code int, err error) {
	if !daemon.Supported() {
		return f.serve(ctx, stream)
	}
	state, err := f.state()
	if err != nil {
		return exitFailed, err
	}
	if err := daemon.OwnState(state); err != nil {
		return exitFailed, err
	}
	log, closeLog, err := f.logger(state)
	if err != nil {
		return exitFailed, err
	}
	target, err := f.target(daemon.Session, state)
	if err != nil {
		return exitFailed, errors.Join(err, closeLog())
	}
	code, err = forward.Run(ctx, stream, forward.Options{Logger: log, Connect: func(ctx context.Context, again bool) (net.Conn, error) {
		target.Again = again
		return daemon.Connect(ctx, target)
	}})
	return code, errors.Join(err, closeLog())
}

// session returns the options of a session. The root is opened only if it was named.
func (f *flags) session() (opts engine.SessionOptions, err error) {
	opts, err = f.options()
	if err == nil && f.root != "" {
		opts.Root, err = f.workspace()
	}
	return opts, err
}

// stdio is standard input and output as one stream.
type stdio struct {
	in  io.ReadCloser
	out io.WriteCloser
}

func (s stdio) Read(p []byte) (int, error) { return s.in.Read(p) }

func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }

// Close closes both, but does not wait for a read of standard input. Windows closes a file only
// when its reads are over, and cannot interrupt one of a console.
func (s stdio) Close() error {
	go func() { _ = s.in.Close() }() // ends with the read, or with the process
	return s.out.Close()
}
