package main

import (
	"context"
	"errors"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

// welcomed returns what the program does without a command: on a terminal it shows what is known of
// the workspace and what to try, elsewhere it runs help, as for a command that was left out.
func (f *flags) welcomed(help func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	welcome := f.served(onlyReads, untilClosed(func(c *cobra.Command, _ []string) error { return f.welcome(c.Context()) }))
	return func(c *cobra.Command, args []string) error {
		if !f.env.out.On {
			return help(c, args)
		}
		return welcome(c, args)
	}
}

// welcome writes what is known of the workspace, three commands to try, and where help is.
func (f *flags) welcome(ctx context.Context) (err error) {
	root, err := f.folder()
	if err != nil {
		return err
	}
	w, err := f.begin(ctx, root, memoryFirst)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	index, indexed, err := w.indexSummary(ctx)
	if err != nil {
		return err
	}
	remembered, some, err := w.memorySummary(ctx)
	if err != nil {
		return err
	}
	e := f.env
	return e.show(e.outPalette().bold(oneLine(e.tilde(root), 0)) + "\n" +
		e.table("  ", [][]string{{"index", index}, {"memory", remembered}}) + "\nTry\n" +
		listing(toTry(indexed, some), e.widthOf(e.out)) + "\n\ncontexture --help lists all commands and topics.\n")
}

// indexSummary describes the index, without creating one.
func (w *workspace) indexSummary(ctx context.Context) (text string, indexed bool, err error) {
	switch {
	case !w.about.Enabled:
		return "switched off in " + w.about.Sources["enabled"], false, nil
	case !w.about.HasIndex:
		return "not indexed yet", false, nil
	}
	x, err := w.index(ctx)
	if err != nil {
		return "", false, stopped(err)
	}
	return counted(x.Status.Files, "file") + " in " + counted(x.Status.Chunks, "piece"), true, nil
}

// memorySummary describes the memory. some reports whether anything is in it.
func (w *workspace) memorySummary(ctx context.Context) (text string, some bool, err error) {
	if !w.about.Enabled || !w.about.MemoryEnabled {
		return "switched off", false, nil
	}
	s, err := asked[memory.Stats](ctx, w.client, request.MemoryStats, nil)
	if err != nil {
		return "", false, stopped(err)
	}
	return counted(s.Conversations, "conversation") + ", " + counted(s.Rules, "rule"), !s.Empty(), nil
}

// toTry lists three commands, for which the workspace is ready, and what each does.
func toTry(indexed, some bool) string {
	search := `contexture index                             read the workspace, as searches do too`
	if indexed {
		search = `contexture search error handling             lines about something`
	}
	last := `contexture install                           give it to your assistants`
	if some {
		last = `contexture recall "what was decided?"        what earlier conversations say`
	}
	return "  " + search + `
  contexture bundle "how are errors handled?"  what an assistant is given
  ` + last
}
