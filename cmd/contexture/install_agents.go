package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/spf13/cobra"
)

// agentsName is the file of a workspace that most assistants read.
const agentsName = "AGENTS.md"

// rootAgents is the value of --agents-md if none was given: the file in the root of the workspace.
const rootAgents = "ROOT/" + agentsName

// agentsFlag is the flag --agents-md[=FILE].
type agentsFlag struct {
	given bool
	path  string // as typed, or rootAgents
}

// String returns the value, or "" if the flag was not given.
func (a *agentsFlag) String() string { return a.path }

// Set sets the value.
func (a *agentsFlag) Set(text string) error {
	a.given, a.path = true, text
	return nil
}

// Type returns the name of the value's type, which pflag needs.
func (*agentsFlag) Type() string { return "stringFile" }

// add defines the flag.
func (a *agentsFlag) add(c *cobra.Command, does string) {
	c.Flags().Var(a, "agents-md", does+" the block in a `FILE` of instructions, which most assistants read, and nothing else")
	c.Flags().Lookup("agents-md").NoOptDefVal = rootAgents
}

// checkAgents rejects what cannot be combined with the flag.
func (o *installFlags) checkAgents(c *cobra.Command, args []string) error {
	switch {
	case !o.agents.given:
		return nil
	case o.agents.path == "":
		return usage("--agents-md: is empty")
	case len(args) > 0:
		return usage("%s --agents-md takes no names of hosts; another file is named as --agents-md=%s", c.CommandPath(), args[0])
	case o.all || o.capture.given:
		return usage("%s --agents-md takes neither --all nor --capture: it is about one file", c.CommandPath())
	}
	return nil
}

// agentsFile returns the absolute path of the file.
func (f *flags) agentsFile(o *installFlags) (string, error) {
	if o.agents.path != rootAgents {
		return f.env.abs(o.agents.path)
	}
	root, err := f.folder()
	return filepath.Join(root, agentsName), err
}

// installAgents writes the block to a file.
func (f *flags) installAgents(o *installFlags) error {
	m, plan, err := f.planAgents(o, true)
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if err := f.installOne(m, plan, captureNone, o.dryRun); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if plan.Changed() && !o.dryRun {
		undo := "contexture uninstall --agents-md"
		if o.agents.path != rootAgents {
			undo += "=" + o.agents.path
		}
		fmt.Fprintln(f.env.stderr, "To undo it: "+undo)
	}
	return nil
}

// uninstallAgents removes the block from a file.
func (f *flags) uninstallAgents(o *installFlags) error {
	m, plan, err := f.planAgents(o, false)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was removed: %w", err)
	case !plan.Changed():
		fmt.Fprintf(f.env.stderr, "Nothing to remove: %s has no block of contexture install.\n", m.Short(plan.Changes[0].Path))
		return nil
	}
	return f.uninstallOne(m, plan, o.dryRun)
}

func (f *flags) planAgents(o *installFlags, install bool) (*hosts.Machine, *hosts.Plan, error) {
	m, err := f.machine()
	if err != nil {
		return nil, nil, err
	}
	path, err := f.agentsFile(o)
	if err != nil {
		return nil, nil, err
	}
	plan, err := m.PlanBlock(path, install)
	return m, plan, err
}

// sayAgents says that a block stays in the workspace after an uninstallation, which is about the
// machine and does not touch it.
func (f *flags) sayAgents(m *hosts.Machine) {
	root, err := f.workspace()
	if err != nil {
		return
	}
	path := filepath.Join(root, agentsName)
	if _, err := os.Lstat(path); err == nil && m.HasBlock(path) {
		fmt.Fprintf(f.env.stderr, "%s still has the block of contexture install; contexture uninstall --agents-md removes it.\n", m.Short(path))
	}
}
