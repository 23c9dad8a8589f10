package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// addCommands gives root the commands that answer on standard output, and the manners of all: what is not a command
// is wrong usage, with a suggestion where one is near.
func addCommands(root *cobra.Command, f *flags) {
	for _, c := range []*cobra.Command{newBundle(f), newIndex(f), newSearch(f), newWhy(f), newDoctor(f)} {
		c.RunE = f.shared(onlyReads, untilClosed(c.RunE))
		root.AddCommand(c)
	}
	version := newVersion(f)
	version.RunE = untilClosed(version.RunE)
	root.AddCommand(newMemory(f), version)
	root.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := ""
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
		}
		return usage("%q is not a command%s (%s --help lists them)", args[0], hint, c.CommandPath())
	}
	root.RunE = func(c *cobra.Command, _ []string) error {
		c.SetOut(c.ErrOrStderr()) // nothing was asked, so this is no result
		if err := c.Help(); err != nil {
			return err
		}
		return &exitError{code: exitUsage}
	}
	root.SuggestionsMinimumDistance = 2
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}", 1))
	root.SetVersionTemplate(readVersion().String() + "\n")
	root.CompletionOptions.HiddenDefaultCmd = true
}

// untilClosed leaves without a word when the reader of the results has gone, as head does.
func untilClosed(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if errors.Is(err, syscall.EPIPE) {
			return &exitError{code: exitFailed}
		}
		return err
	}
}

// noArguments takes flags only.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no argument, but was given %q", c.CommandPath(), args[0])
	}
	return nil
}

// atMostOne takes one argument or none.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%s takes one %s at most, but was given %d", c.CommandPath(), argumentName(c), len(args))
	}
	return nil
}

// noWords takes no arguments.
func noWords(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, but was given %q; see %[1]s --help", c.CommandPath(), args[0])
	}
	return nil
}

// exactlyOne takes one argument.
func exactlyOne(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes one %s, but was given %d; see %[1]s --help", c.CommandPath(), argumentName(c), len(args))
	}
	return nil
}

// someWords takes words that need not stand in quotation marks. example shows how.
func someWords(example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs a %s, such as: %[1]s %[3]s", c.CommandPath(), argumentName(c), example)
		}
		return nil
	}
}

// argumentName is the word in capitals of a command's usage line.
func argumentName(c *cobra.Command) string {
	for word := range strings.FieldsSeq(c.Use) {
		if word = strings.Trim(word, "[].…"); word != "" && word == strings.ToUpper(word) {
			return word
		}
	}
	return "argument"
}
