package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// setHelp gives root and its commands their help. Cobra's templates would do the same, but as soon
// as a program parses a template, the linker keeps every exported method of every type: 8 MB.
func setHelp(root *cobra.Command, env *environment) {
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStderr(), usageText(c, env.helpWidth()))
		return err
	})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		most, out := env.helpWidth(), c.OutOrStdout()
		text := prose(strings.TrimSpace(cmp.Or(c.Long, c.Short)), most) + "\n\n" + usageText(c, most)
		if out == io.Writer(env.stdout) {
			_ = env.page(text) // run reports a failure
			return
		}
		_, _ = io.WriteString(out, text)
	})
	root.Flags().BoolP("version", "v", false, "version for "+root.Name())
	run := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if asked, err := c.Flags().GetBool("version"); err != nil || !asked {
			return run(c, args)
		}
		return env.show(readVersion().String() + "\n")
	}
}

// usageText returns how c is used: its line, examples, commands and flags, in most columns at most.
func usageText(c *cobra.Command, most int) string {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n  %s [command]", c.CommandPath())
	} else if c.Runnable() {
		b.WriteString("\n" + fold("  "+c.UseLine(), 2+hanging, most))
	}
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + prose(c.Example, most))
	}
	writeCommands(&b, c, most)
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\nFlags:\n" + listing(c.LocalFlags().FlagUsages(), most))
	}
	if c.HasAvailableInheritedFlags() {
		b.WriteString("\n\nGlobal Flags:\n" + listing(c.InheritedFlags().FlagUsages(), most))
	}
	if !c.HasParent() {
		b.WriteString(topicList(most))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\n" + fold(fmt.Sprintf("Use %q for more information about a command.", c.CommandPath()+" [command] --help"), 0, most))
	}
	b.WriteString("\n")
	return b.String()
}

// writeCommands lists the commands of c below their headings, and those without a heading last.
func writeCommands(b *strings.Builder, c *cobra.Command, most int) {
	if !c.HasAvailableSubCommands() {
		return
	}
	list := func(title, group string) {
		var rows [][]string
		for _, sub := range c.Commands() {
			if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help") {
				rows = append(rows, []string{fmt.Sprintf("%-*s", sub.NamePadding()-1, sub.Name()), sub.Short})
			}
		}
		b.WriteString("\n\n" + title + "\n" + strings.TrimRight(grid{most: most, indent: "  ", rows: rows}.String(), "\n"))
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
