package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/mcp"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/parent"
	"github.com/spf13/cobra"
)

// newMCP returns the command of the server for assistants that use the Model Context Protocol on
// standard input and output.
func newMCP(f *flags) *cobra.Command {
	var tools string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve assistants over the Model Context Protocol on standard input and output",
		Args:  noArguments,
	}
	shared := daemonFlag(c)
	c.Flags().StringVar(&tools, "tools", mcp.DefaultTools,
		"tools to offer: default (context, search, symbol, recall, remember, turn), all, or their names separated by commas")
	c.RunE = func(c *cobra.Command, _ []string) error {
		shared, err := shared()
		if err != nil {
			return err
		}
		list, err := mcp.Tools(tools)
		if err != nil {
			return usage("--tools: %s", err)
		}
		return serveMCP(c.Context(), f, shared, list)
	}
	return c
}

// serveMCP serves an assistant until it disconnects, or until the process that started this one has
// ended: a host that is killed does not close the input if another of its processes holds it, too.
func serveMCP(ctx context.Context, f *flags, shared bool, tools []string) error {
	host := os.Getppid() // before anything that takes time
	l, err := f.language(ctx, "contexture mcp", shared, nil)
	if err != nil {
		return err
	}
	ctx, end := l.during(ctx)
	defer end()
	ctx, endWatch := whileRuns(ctx, host)
	defer endWatch()
	stop := context.AfterFunc(ctx, func() { _ = f.env.stdin.Close() }) // so that Serve ends with the session
	defer stop()
	folders := &openFolders{client: l.Client, own: []string{l.root}, home: f.env.getenv("HOME")}
	options := mcp.Options{Execute: l.Execute, Status: l.Status, Open: folders.open, Roots: folders.all, Version: readVersion().Version, Tools: tools, Logger: l.log}
	if p, err := f.program(); err != nil {
		l.log.Warn("serve no skill, whose commands need the program's place", "err", err)
	} else {
		options.Skill = hosts.SkillText(p)
	}
	if options.Given, err = givenTo(f, hosts.AskedBy+rand.Text(), l.log); err != nil {
		return errors.Join(err, l.close())
	}
	if f.root == "" { // if the person named the root, it stays
		options.Move = folders.move
	} else {
		folders.bound = l.root
	}
	server, err := mcp.New(options)
	if err != nil {
		return errors.Join(err, l.close())
	}
	err = server.Serve(ctx, f.env.stdin, f.env.stdout)
	return errors.Join(err, l.close())
}

// givenTo returns a function that records what tools answer, for receipts. What cannot be recorded
// is logged.
func givenTo(f *flags, id string, log *slog.Logger) (func(workspace, text string, took time.Duration), error) {
	state, err := f.state()
	if err != nil {
		return nil, err
	}
	return func(workspace, text string, took time.Duration) {
		root, ok := transport.FilePath(workspace)
		if !ok {
			return
		}
		if err := hosts.RecordGiven(state, root, id, hosts.Given{At: time.Now().UTC(), Moment: receipt.Asked, Text: text, Took: took}); err != nil {
			log.Warn("record what a tool answered", "err", err)
		}
	}, nil
}

// whileRuns returns a context that ends with ctx or with a process. stop also ends it, and waits.
func whileRuns(ctx context.Context, pid int) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		if parent.Gone(ctx, pid) {
			cancel()
		}
	})
	return ctx, func() { cancel(); watch.Wait() }
}

// mostAdded limits the folders that calls open in addition to the session's own: each has an index
// in memory.
const mostAdded = 4

// openFolders are the folders of an assistant's session: its own, and those that calls have named.
type openFolders struct {
	client *transport.Client
	bound  string // the only folder in which roots may lie, if the person named it; "" for no limit
	home   string

	mu    sync.Mutex // guards the fields below
	own   []string
	added []string // the most recently named is last
}

// move replaces the session's own folders.
func (o *openFolders) move(folders []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.own, o.added = folders, nil
	o.client.Move(folders)
}

// open implements mcp.Options.
func (o *openFolders) open(_ context.Context, root string) (uri string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if root == "" {
		if len(o.own) != 1 {
			return "", o.which()
		}
		return o.client.Add(o.own[0]), nil
	}
	folder, err := o.project(root)
	if err != nil {
		return "", err
	}
	if slices.Contains(o.own, folder) {
		return o.client.Add(folder), nil
	}
	o.added = append(slices.DeleteFunc(o.added, func(other string) bool { return other == folder }), folder)
	if len(o.added) > mostAdded {
		o.client.Remove(o.added[0])
		o.added = o.added[1:]
	}
	return o.client.Add(folder), nil
}

// all implements mcp.Options.
func (o *openFolders) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.own)
}

// which returns the error that asks for a root if several are possible.
func (o *openFolders) which() error {
	if len(o.own) == 0 {
		return nil
	}
	return command.InvalidParams("root", "is required, because several folders are open: %s", strings.Join(o.own, ", "))
}

// project returns the project of a root: the open folder that is the root or contains it, or the
// nearest folder with .git or .contexture.toml.
func (o *openFolders) project(root string) (string, error) {
	if path, ok := transport.FilePath(root); ok {
		root = path
	}
	if !filepath.IsAbs(root) {
		return "", command.InvalidParams("root", "%q is not the absolute path of a folder", root)
	}
	root = filepath.Clean(root)
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return "", command.InvalidParams("root", "there is no folder %s", root)
	}
	project, ok := projectOf(root)
	ok = ok && project != filepath.Clean(o.home)
	for _, own := range o.own {
		// A folder of projects that is no project itself does not represent them: a host may have
		// started the server anywhere.
		if within(own, root) && (o.bound != "" || !ok || within(project, own)) {
			return own, nil
		}
	}
	if o.bound != "" {
		return "", command.InvalidParams("root", "%s lies outside of %s, which this server was started for", root, o.bound)
	}
	if !ok {
		return "", command.InvalidParams("root", "%s lies in no project: no folder above it has .git or .contexture.toml", root)
	}
	return project, nil
}
