package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
)

// installer writes into the configuration of the hosts on this machine, or removes what it wrote.
type installer struct {
	f           *flags
	m           *hosts.Machine // set by install, uninstall and planAgents
	all, dryRun bool
	capture     optional // whether conversations are captured; unset to ask
	agents      agentsFlag
}

func newInstall(f *flags) *cobra.Command {
	o := installer{f: f}
	c := &cobra.Command{
		Use:   "install [HOST…]",
		Short: "Set up the assistants on this machine: tools, hooks, and the capture of conversations",
		Long: `Set up the assistants on this machine. install writes into each host's own configuration the server with this
program's tools and the hooks that bring context with every prompt. Without HOST it sets up the hosts that are found;
HOST is one of
` + wrapped(hosts.Names()) + `.

In a terminal it asks whether the conversations of these hosts are to be captured. Without a terminal they are only with
--capture.

Only the program's own entries are written: comments, order and layout of the rest stay. A copy of each changed file
is kept beside it, NAME` + hosts.Backup + `. Your own entries stay as they are, and a second run changes nothing.
"contexture uninstall" removes all of it.

With --agents-md it writes none of this, but a block into AGENTS.md in the root of the workspace, or into FILE, which is
created if there is none: what the assistant should ask Contexture for, and when not to. That file is shared with all
who work on the project. "contexture uninstall --agents-md" removes the block.`,
		Example: `  contexture install --dry-run
  contexture install
  contexture install claude-code codex
  contexture install --capture
  contexture install --agents-md
  contexture install --agents-md=docs/AGENTS.md`,
		Args: o.hostNames,
		RunE: func(c *cobra.Command, names []string) error {
			if o.agents.given {
				return o.installAgents()
			}
			return o.install(c.Context(), names)
		},
	}
	o.add(c, "set up all hosts, also those that are not found here")
	c.Flags().Var(&o.capture, "capture", "capture the conversations of these hosts, or not with =false; do not ask")
	c.Flags().Lookup("capture").NoOptDefVal = "true"
	o.agents.add(c, "write")
	return c
}

func newUninstall(f *flags) *cobra.Command {
	o := installer{f: f}
	c := &cobra.Command{
		Use:   "uninstall [HOST…]",
		Short: "Remove from the assistants' configuration what install wrote",
		Long: `Remove from the hosts' configuration what "contexture install" wrote, and stop the capture of their conversations.
A file that was not changed since becomes what it was, byte for byte; from one that was changed, only the program's own
entries are removed. What was captured stays; "contexture memory forget" removes it.

With --agents-md it removes only the block that "contexture install --agents-md" wrote into AGENTS.md, or into FILE. The
rest of the file stays byte for byte; a file that was created for the block is removed if nothing else is in it.`,
		Example: `  contexture uninstall --dry-run
  contexture uninstall
  contexture uninstall cursor
  contexture uninstall --agents-md`,
		Args: o.hostNames,
		RunE: func(c *cobra.Command, names []string) error {
			if o.agents.given {
				return o.uninstallAgents()
			}
			return o.uninstall(names)
		},
	}
	o.add(c, "all hosts, which is the default")
	o.agents.add(c, "remove")
	return c
}

func (o *installer) add(c *cobra.Command, all string) {
	c.ValidArgs = hosts.Names()
	c.Flags().BoolVar(&o.all, "all", false, all)
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be written")
}

// hostNames accepts names of hosts, or --all, or --agents-md.
func (o *installer) hostNames(c *cobra.Command, args []string) error {
	if err := o.checkAgents(c, args); err != nil {
		return err
	}
	if o.all && len(args) > 0 {
		return usage("%s takes either names of hosts or --all", c.CommandPath())
	}
	for _, name := range args {
		if _, err := hosts.ByName(name); err != nil {
			return usage("%w", err)
		}
	}
	return nil
}

// wrapped lists words on wrapped lines of a help text.
func wrapped(words []string) string {
	const half = 6
	if len(words) <= half {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:half], ", ") + ",\n" + strings.Join(words[half:], ", ")
}

// machine returns this machine as the person's environment describes it.
func (f *flags) machine() (*hosts.Machine, error) {
	state, err := f.state()
	if err != nil {
		return nil, err
	}
	home := f.env.getenv("HOME")
	if runtime.GOOS == "windows" && home == "" {
		home = f.env.getenv("USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return nil, usage("no home directory: set HOME to its absolute path")
	}
	if err := daemon.OwnState(state); err != nil {
		return nil, explain(err)
	}
	return &hosts.Machine{
		StateDir: state, UID: os.Getuid(), Owner: ownerOf,
		Env: hosts.Environment{
			OS: runtime.GOOS, Home: filepath.Clean(home), Getenv: f.env.getenv,
			Exists:   func(path string) bool { _, err := os.Lstat(path); return err == nil },
			ReadFile: os.ReadFile,
			InPath:   func(name string) bool { _, ok := inPath(f.env.getenv("PATH"), name); return ok },
			List:     namesIn,
			Read:     func(path string) []byte { data, _ := os.ReadFile(path); return data },
		},
	}, nil
}

// namesIn returns the names in a folder; nil if it cannot be read.
func namesIn(folder string) (out []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// inPath finds an executable in the folders of PATH.
func inPath(list, name string) (string, bool) {
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

// program returns how hosts start this program: by its path in PATH if that leads to this file, so
// that a new version at the same path is used, else by the path of the file itself.
func (f *flags) program() (hosts.Program, error) {
	p := hosts.Program{Windows: runtime.GOOS == "windows"}
	exe, err := os.Executable()
	if err == nil {
		p.Path, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return p, fmt.Errorf("find this program: %w", err)
	}
	if strings.Contains(filepath.ToSlash(p.Path), "/go-build") {
		return p, errors.New("this program was built by go run and is gone when it ends: install it first (go install ./cmd/contexture), then run contexture install")
	}
	if path, ok := inPath(f.env.getenv("PATH"), "contexture"); ok {
		if real, err := filepath.EvalSymlinks(path); err == nil && real == p.Path {
			p.Path = path
		}
	}
	if f.stateDir != "" || f.env.getenv("CONTEXTURE_STATE_DIR") != "" { // a host's environment may lack it
		state, err := f.state()
		if err != nil {
			return p, err
		}
		p.Args = append(p.Args, "--state-dir", state)
	}
	if f.config != "" {
		config, err := f.env.abs(f.config)
		if err != nil {
			return p, err
		}
		p.Args = append(p.Args, "--config", config)
	}
	if f.offline {
		p.Args = append(p.Args, "--offline")
	}
	return p, nil
}

// install sets up hosts, each completely or not at all. It reports a host that fails, and continues
// with the others.
func (o *installer) install(ctx context.Context, names []string) (err error) {
	if o.m, err = o.f.machine(); err != nil {
		return err
	}
	list := o.chosen(names, func(h hosts.Host) bool { return h.Where(o.m.Env) != "" })
	if len(list) == 0 {
		return fmt.Errorf("no assistant was found on this machine; name one (%s), or give --all", strings.Join(hosts.Names(), ", "))
	}
	program, err := o.f.program()
	if err != nil {
		return err
	}
	if len(names) == 0 && !o.all {
		o.sayFound(list)
	}
	agreed, err := o.askCapture(ctx, list)
	if err != nil {
		return err
	}
	var failed []error
	written := false
	for _, h := range list {
		plan, err := o.m.PlanInstall(h, program)
		if err == nil {
			err = o.installOne(plan, agreed[h.Name])
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: nothing was written: %w", h.Title, err))
			continue
		}
		written = written || plan.Changed()
	}
	if !o.dryRun {
		o.tellDaemon(ctx, list)
	}
	if written && !o.dryRun {
		fmt.Fprintln(o.f.env.stderr, "Restart the programs above if they are running: they read this when they start.\nTo undo all of it: contexture uninstall")
	}
	return errors.Join(failed...)
}

// tellDaemon has a running daemon check the logs of hosts whose capture may have been switched on.
// If that fails, the daemon checks them with the next conversation.
func (o *installer) tellDaemon(ctx context.Context, list []hosts.Host) {
	ctx, cancel := context.WithTimeout(ctx, tellTime)
	defer cancel()
	hello, err := o.f.hello(daemon.Session, o.m.StateDir)
	if err != nil {
		return
	}
	hello.Root = ""
	conn, err := daemon.Dial(ctx, o.m.StateDir, hello)
	if err != nil {
		return
	}
	c, err := transport.NewClient(ctx, conn, transport.ClientOptions{Name: "contexture install", Version: readVersion().Version, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return
	}
	for _, h := range list {
		if h.Source != "" && poke(ctx, c, h.Source, "") != nil {
			break // the daemon does not capture
		}
	}
	_ = c.Close(ctx) // nothing remains to be sent
}

// tellTime limits the time for notifying a daemon.
const tellTime = 3 * time.Second

// chosen returns the named hosts, or all, or those for which found is true.
func (o *installer) chosen(names []string, found func(hosts.Host) bool) (out []hosts.Host) {
	for _, h := range hosts.All() {
		if slices.Contains(names, h.Name) || len(names) == 0 && (o.all || found(h)) {
			out = append(out, h)
		}
	}
	return out
}

func (o *installer) sayFound(list []hosts.Host) {
	var found []string
	for _, h := range list {
		found = append(found, fmt.Sprintf("%s (%s)", h.Title, o.m.Short(h.Where(o.m.Env))))
	}
	fmt.Fprintln(o.f.env.stderr, "Found: "+strings.Join(found, ", "))
}

// installOne shows and writes the plan of a host.
func (o *installer) installOne(plan *hosts.Plan, c captureChoice) error {
	if o.dryRun {
		return o.showPlan(plan, c.line(plan.Host))
	}
	plan.Consent = plan.Consent || c == captureAgreed
	if len(plan.Changes) > 0 {
		if err := plan.Apply(); err != nil {
			return err
		}
	}
	if c == captureAgreed || c == captureRefused {
		if err := capture.SetConsent(o.m.StateDir, plan.Host.Source, c == captureAgreed); err != nil {
			return err
		}
	}
	return o.sayDone(plan, c.line(plan.Host))
}

// sayDone lists what was written.
func (o *installer) sayDone(plan *hosts.Plan, capturing string) error {
	rows := [][]string{}
	for _, c := range plan.Changes {
		rows = append(rows, []string{o.m.Short(c.Path), changeText(c)})
	}
	for _, path := range plan.Unwritten {
		rows = append(rows, []string{o.m.Short(path), unwritten(plan.Host)})
	}
	if capturing != "" {
		rows = append(rows, []string{"capture", capturing})
	}
	text := plan.Host.Title + "\n" + o.f.env.table("  ", rows)
	if note := plan.Host.Note; note != "" && plan.Changed() {
		text += "  " + note + "\n"
	}
	if off := hooksOff(o.m, plan.Host); off != "" {
		text += "  " + off + "\n"
	}
	return o.f.env.show(text)
}

// hooksOff says that a host's own setting stops its hooks, and what to do; "" if none does.
func hooksOff(m *hosts.Machine, h hosts.Host) string {
	setting, path := h.HooksOff(m.Env)
	if setting == "" {
		return ""
	}
	return fmt.Sprintf("%s runs no hooks: %s in %s. Remove that setting, or no context comes with your prompts.", h.Title, setting, m.Short(path))
}

// changeText describes what was done to a file.
func changeText(c hosts.Change) string {
	switch {
	case len(c.Kept) > 0:
		return c.What + ": your own " + strings.Join(c.Kept, ", ") + " stays as it is"
	case !c.Changed():
		return c.What + ", as before"
	}
	return c.What
}

// unwritten describes a setting that was left out.
func unwritten(h hosts.Host) string {
	return "not written: " + h.Title + " does not have Contexture's extension (contexture help editors)"
}

// showPlan prints the diff of a plan.
func (o *installer) showPlan(plan *hosts.Plan, capturing string) error {
	var b strings.Builder
	for _, c := range plan.Changes {
		if !c.Changed() {
			continue
		}
		before, after := o.m.Short(c.Path), o.m.Short(c.Path)
		if c.Before == nil {
			before = os.DevNull
		}
		if c.After == nil {
			after = os.DevNull
		}
		b.Write(diff.Diff(before, c.Before, after, c.After))
	}
	_, err := io.WriteString(o.f.env.stdout, b.String()) // as a patch, whose lines stay whole
	unchanged := b.Len() == 0
	b.Reset()
	if unchanged && len(plan.Unwritten) == 0 {
		fmt.Fprintf(&b, "# %s: nothing to write\n", plan.Host.Title)
	}
	for _, path := range plan.Unwritten {
		fmt.Fprintf(&b, "# %s: %s %s\n", plan.Host.Title, o.m.Short(path), unwritten(plan.Host))
	}
	if capturing != "" {
		fmt.Fprintf(&b, "# %s: %s\n", plan.Host.Title, capturing)
	}
	if off := hooksOff(o.m, plan.Host); off != "" && plan.Installs() {
		fmt.Fprintf(&b, "# %s\n", off)
	}
	return errors.Join(err, o.f.env.show(b.String()))
}

// uninstall removes the entries of hosts.
func (o *installer) uninstall(names []string) (err error) {
	if o.m, err = o.f.machine(); err != nil {
		return err
	}
	var failed []error
	found := false
	for _, h := range o.chosen(names, func(hosts.Host) bool { return true }) {
		plan, err := o.m.PlanUninstall(h)
		if err == nil && (plan.Changed() || hosts.Installed(o.m.StateDir, h.Name)) {
			found = true
			err = o.uninstallOne(plan)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: nothing was removed: %w", h.Title, err))
		}
	}
	if !found && len(failed) == 0 {
		fmt.Fprintln(o.f.env.stderr, "Nothing to remove: contexture install has set up no assistant here.")
	}
	if len(names) == 0 {
		o.sayAgents()
	}
	return errors.Join(failed...)
}

func (o *installer) uninstallOne(plan *hosts.Plan) error {
	stops := ""
	if plan.Consent && plan.Host.Source != "" {
		stops = "conversations are no longer captured"
	}
	if o.dryRun {
		return o.showPlan(plan, stops)
	}
	if stops != "" {
		if err := capture.SetConsent(o.m.StateDir, plan.Host.Source, false); err != nil {
			return err
		}
	}
	if err := plan.Apply(); err != nil {
		return err
	}
	var rows [][]string
	for _, c := range plan.Changes {
		if c.Changed() {
			text := c.What + ": entry removed"
			if c.After == nil {
				text = c.What + ": file removed"
			}
			rows = append(rows, []string{o.m.Short(c.Path), text})
		}
	}
	if stops != "" {
		rows = append(rows, []string{"capture", stops})
	}
	return o.f.env.show(plan.Host.Title + "\n" + o.f.env.table("  ", rows))
}
