package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addCommands adds to root the commands that answer on standard output, and the behaviour common to
// all: an unknown command is a usage error, with a suggestion if a similar one exists.
func addCommands(root *cobra.Command, f *flags) {
	bundle, delivery := newBundle(f)
	for _, c := range []*cobra.Command{bundle, newIndex(f), newSearch(f), newImpact(f), newWhy(f), newStatus(f), newDoctor(f), newRecall(f), newBlame(f), newHow(f), newFix(f), f.completesID(newReceipts(f), chatIDs), newTasks(f)} {
		c.RunE = f.served(onlyReads, untilClosed(c.RunE))
		root.AddCommand(c)
	}
	bundle.RunE = delivery.delivered(bundle.RunE)
	exclude := newExclude(f)
	exclude.RunE = f.served(perhapsStored, untilClosed(exclude.RunE))
	root.AddCommand(exclude)
	remember := newRemember(f)
	remember.RunE = f.served(perhapsStored, untilClosed(remember.RunE))
	root.AddCommand(remember)
	again := newReplay(f)
	again.RunE = untilClosed(again.RunE)
	version := newVersion(f)
	version.RunE = untilClosed(version.RunE)
	licenses := newLicenses(f)
	licenses.RunE = untilClosed(licenses.RunE)
	root.AddCommand(onlySubcommands(newMemory(f)), onlySubcommands(newCapture(f)), onlySubcommands(newChats(f)), onlySubcommands(newRules(f)), onlySubcommands(newKnowledge(f)), onlySubcommands(newState(f)), onlySubcommands(newTeam(f)), again, version, licenses, newGenMan(f))
	grouped(root)
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultCompletionCmd()
	root.SetHelpCommand(newHelp(root, f.env))
	root.SetHelpCommandGroupID(headings[len(headings)-1].title)
	onlySubcommands(root)
	root.RunE = f.welcomed(root.RunE)
	setHelp(root, f.env)
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		onlySubcommands(completion)
	}
}

// headings are the headings of the commands in the help of the program.
var headings = []struct {
	title    string
	commands []string
}{
	{"Context:", []string{"bundle", "search", "impact", "index", "why", "exclude"}},
	{"Memory:", []string{"recall", "blame", "how", "fix", "remember", "rules", "knowledge", "chats", "tasks", "capture", "memory", "team"}},
	{"Editors and assistants:", []string{"install", "uninstall", "receipts", "replay", "hook", "serve", "mcp", "panel", "daemon"}},
	{"This installation:", []string{"status", "doctor", "state", "version", "licenses"}},
}

// grouped sorts the commands of the program below their headings. A command without a heading is
// listed after them.
func grouped(root *cobra.Command) {
	for _, g := range headings {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, name := range g.commands {
			if c, _, err := root.Find([]string{name}); err == nil && c != root {
				c.GroupID = g.title
			}
		}
	}
}

// onlySubcommands makes c a group, which does nothing by itself: without an argument it shows its
// help, and an unknown subcommand is an error that names it. It returns c.
func onlySubcommands(c *cobra.Command) *cobra.Command {
	c.SuggestionsMinimumDistance = 2
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := ""
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
		}
		if own, _, err := c.Root().Find(args[:1]); err == nil && own.HasParent() {
			hint = fmt.Sprintf("; did you mean %s?", own.CommandPath())
		}
		if !c.HasParent() {
			return usage("%q is not a command%s (%s --help lists them)", args[0], hint, c.CommandPath())
		}
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return usage("%q is not a command of %s%s (there are %s)", args[0], c.CommandPath(), hint, strings.Join(names, ", "))
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		c.SetOut(c.ErrOrStderr()) // there was no command, so this is no result
		if err := c.Help(); err != nil {
			return err
		}
		return &exitError{code: exitUsage}
	}
	return c
}

// newHelp returns the command that shows the help of a command or a topic. Cobra's own exits with 0
// if there is none of that name.
func newHelp(root *cobra.Command, env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if c, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, sub := range c.Commands() {
					if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), begun) {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			for _, t := range topics() {
				if len(args) == 0 && strings.HasPrefix(t.name, begun) {
					names = append(names, cobra.CompletionWithDesc(t.name, t.title))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if t, ok := topicNamed(args[0]); ok {
					return env.page(markdownText(t.text, env.helpWidth(), env.outPalette()))
				}
			}
			c, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				if c.HasSubCommands() {
					return c.Args(c, rest)
				}
				return usage("%s has no command %q", c.CommandPath(), rest[0])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// flagError returns the error of a wrong flag, with the value it has and the values it takes.
func flagError(c *cobra.Command, err error) error {
	see := "; see " + c.CommandPath() + " --help"
	bad, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return usage("%w%s", err, see)
	}
	flag := bad.GetFlag()
	takes := map[string]string{"int": "a whole number", "bool": "true or false", "duration": "a time such as 500ms, 2s or 10m", "age": "a number of days such as 90d"}[flag.Value.Type()]
	switch {
	case takes == "":
		return usage("%w%s", err, see)
	case errors.Is(err, strconv.ErrRange):
		return usage("--%s: %s is out of range%s", flag.Name, bad.GetValue(), see)
	}
	return usage("--%s must be %s, not %q%s", flag.Name, takes, bad.GetValue(), see)
}

// check refuses, before anything begins, a path flag with an empty value, as from a variable that
// is not set: the command would otherwise work in another place than the intended one. It also
// checks the log level.
func (f *flags) check(c *cobra.Command, _ []string) error {
	for _, name := range []string{"root", "state-dir", "config", "log-file"} {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return usage("--%s: is empty", name)
		}
	}
	_, err := f.level()
	return err
}

// untilClosed exits silently when the reader of the results has gone, as with head.
func untilClosed(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if readerGone(err) {
			return &exitError{code: exitFailed}
		}
		return err
	}
}

// noArguments accepts flags only.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no argument, but was given %q", c.CommandPath(), args[0])
	}
	return nil
}

// atMostOne accepts one argument or none.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%s takes one %s at most, but was given %d", c.CommandPath(), argumentName(c), len(args))
	}
	return nil
}

// noWords accepts no arguments.
func noWords(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, but was given %q; see %[1]s --help", c.CommandPath(), args[0])
	}
	return nil
}

// exactlyOne accepts one argument.
func exactlyOne(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes one %s, but was given %d; see %[1]s --help", c.CommandPath(), argumentName(c), len(args))
	}
	return nil
}

// someWords accepts one or more words, which need no quotation marks. example shows how.
func someWords(example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs a %s, such as: %[1]s %[3]s", c.CommandPath(), argumentName(c), example)
		}
		return nil
	}
}

// argumentName returns the word in capitals of a command's usage line.
func argumentName(c *cobra.Command) string {
	for word := range strings.FieldsSeq(c.Use) {
		if word = strings.Trim(word, "[].…"); word != "" && word == strings.ToUpper(word) {
			return word
		}
	}
	return "argument"
}
