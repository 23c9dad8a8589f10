package main

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/contexture-dev/contexture/server"
	"github.com/spf13/cobra"
)

// newServe is the language server on standard input and output.
func newServe(f *flags) *cobra.Command {
	var daemon string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the Language Server Protocol on standard input and output",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if daemon != "off" {
				return usage("--daemon=%s is not one of: off", daemon)
			}
			opts, err := f.session()
			if err != nil {
				return err
			}
			v, _, closeAll, err := f.server()
			if err != nil {
				return err
			}
			code, err := v.Serve(c.Context(), stdio{f.env.stdin, f.env.stdout}, opts)
			if err := errors.Join(err, closeAll()); err != nil {
				return &exitError{exitFailed, err}
			}
			if code != 0 {
				return &exitError{code: code}
			}
			return nil
		},
	}
	c.Flags().StringVar(&daemon, "daemon", "off", "off: serve in this process")
	return c
}

// session gives the options of a session. The root is opened only where it was named.
func (f *flags) session() (opts server.SessionOptions, err error) {
	opts.Offline = f.offline
	if f.config != "" {
		if opts.ConfigFile, err = filepath.Abs(f.config); err != nil {
			return opts, err
		}
	}
	if f.root != "" {
		opts.Root, err = filepath.Abs(f.root)
	}
	return opts, err
}

// stdio is standard input and output as one stream.
type stdio struct {
	in  io.ReadCloser
	out io.WriteCloser
}

func (s stdio) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s stdio) Close() error                { return errors.Join(s.in.Close(), s.out.Close()) }
