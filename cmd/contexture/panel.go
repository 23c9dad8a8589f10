package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/server/panel"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/spf13/cobra"
)

// newPanel returns the command that serves the panel to a browser.
func newPanel(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "panel",
		Short: "Serve the workbench as a page on loopback, for a browser on this machine",
		Args:  noArguments,
	}
	shared := daemonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		shared, err := shared()
		if err != nil {
			return err
		}
		return servePanel(c.Context(), f, shared)
	}
	return c
}

// servePanel serves the panel until it is interrupted.
func servePanel(ctx context.Context, f *flags, shared bool) error {
	events := new(panel.Events)
	l, err := f.language(ctx, "contexture panel", shared, events.Publish)
	if err != nil {
		return err
	}
	open, editorEnds := f.env.openEditor()
	defer editorEnds()
	page, err := panel.Listen(ctx, panel.Options{
		Execute: l.Execute, Roots: []string{transport.FileURI(l.root)}, Events: events, Open: open, Logger: l.log,
	})
	if err != nil {
		return errors.Join(err, l.close())
	}
	f.env.hint("open this address in a browser on this machine; it is single-use. Ctrl-C ends it.")
	if _, err := fmt.Fprintln(f.env.stdout, page.URL()); err != nil {
		return errors.Join(err, l.close())
	}
	ctx, end := l.during(ctx)
	defer end()
	return errors.Join(page.Serve(ctx), l.close())
}
