package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// setHelp gives root and its commands their help. Cobra's templates would do the same, but as soon
// as a program parses a template, the linker keeps every exported method of every type: 8 MB.
func setHelp(root *cobra.Command, env *environment) {
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStderr(), usageText(c))
		return err
	})
	root.Flags().BoolP("version", "v", false, "version for "+root.Name())
	run := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if asked, err := c.Flags().GetBool("version"); err != nil || !asked {
			return run(c, args)
		}
		_, err := fmt.Fprintln(env.stdout, readVersion())
		return err
	}
}

// usageText returns how c is used: its line, examples, commands and flags.
func usageText(c *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n  %s [command]", c.CommandPath())
	} else if c.Runnable() {
		fmt.Fprintf(&b, "\n  %s", c.UseLine())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\n\nExamples:\n%s", c.Example)
	}
	writeCommands(&b, c)
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\nFlags:\n" + strings.TrimRight(c.LocalFlags().FlagUsages(), " \n"))
	}
	if c.HasAvailableInheritedFlags() {
		b.WriteString("\n\nGlobal Flags:\n" + strings.TrimRight(c.InheritedFlags().FlagUsages(), " \n"))
	}
	if !c.HasParent() {
		b.WriteString(topicList())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nUse %q for more information about a command.", c.CommandPath()+" [command] --help")
	}
	b.WriteString("\n")
	return b.String()
}

// writeCommands lists the commands of c below their headings, and those without a heading last.
func writeCommands(b *strings.Builder, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	list := func(title, group string) {
		b.WriteString("\n\n" + title)
		for _, sub := range c.Commands() {
			if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, g := range c.Groups() {
		list(g.Title, g.ID)
	}
	switch {
	case len(c.Groups()) == 0:
		list("Available Commands:", "")
	case !c.AllChildCommandsHaveGroup():
		list("Additional Commands:", "")
	}
}
