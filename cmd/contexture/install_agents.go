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
func (o *installer) checkAgents(c *cobra.Command, args []string) error {
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
func (o *installer) agentsFile() (string, error) {
	if o.agents.path != rootAgents {
		return o.f.env.abs(o.agents.path)
	}
	root, err := o.f.folder()
	return filepath.Join(root, agentsName), err
}

// installAgents writes the block to a file.
func (o *installer) installAgents() error {
	plan, err := o.planAgents(true)
	if err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if err := o.installOne(plan, captureNone); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if plan.Changed() && !o.dryRun {
		undo := "contexture uninstall --agents-md"
		if o.agents.path != rootAgents {
			undo += "=" + o.agents.path
		}
		fmt.Fprintln(o.f.env.stderr, "To undo it: "+undo)
	}
	return nil
}

// uninstallAgents removes the block from a file.
func (o *installer) uninstallAgents() error {
	plan, err := o.planAgents(false)
	switch {
	case err != nil:
		return fmt.Errorf("nothing was removed: %w", err)
	case !plan.Changed():
		fmt.Fprintf(o.f.env.stderr, "Nothing to remove: %s has no block of contexture install.\n", o.m.Short(plan.Changes[0].Path))
		return nil
	}
	return o.uninstallOne(plan)
}

func (o *installer) planAgents(install bool) (plan *hosts.Plan, err error) {
	if o.m, err = o.f.machine(); err != nil {
		return nil, err
	}
	path, err := o.agentsFile()
	if err != nil {
		return nil, err
	}
	return o.m.PlanBlock(path, install)
}

// sayAgents says that a block stays in the workspace after an uninstallation, which is about the
// machine and does not touch it.
func (o *installer) sayAgents() {
	root, err := o.f.workspace()
	if err != nil {
		return
	}
	path := filepath.Join(root, agentsName)
	if _, err := os.Lstat(path); err == nil && o.m.HasBlock(path) {
		fmt.Fprintf(o.f.env.stderr, "%s still has the block of contexture install; contexture uninstall --agents-md removes it.\n", o.m.Short(path))
	}
}
