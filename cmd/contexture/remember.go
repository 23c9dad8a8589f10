package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// rememberNames maps each field of command.RememberArgs that the command line can set to its
// argument.
var rememberNames = map[string]string{"kind": "KIND", "text": "TEXT"}

func newRemember(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "remember rule|decision|lesson|note TEXT…",
		Short: "Store a rule, a decision, a lesson or a note in your own words; prints its id",
		Long: `Store what you want remembered, in your own words:

  rule      what you want of an assistant every time; it is in every bundle
  decision  what was settled, and why
  lesson    what went wrong, and what worked
  note      anything else that may be of use later

Decisions, lessons and notes are in the bundles of prompts that they are about. TEXT "-" reads standard input. The id
goes to standard output.`,
		Example: `  contexture remember rule "never commit generated files"
  contexture remember decision "we keep SQLite, since the data fits into memory"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage(`%s needs a KIND (rule, decision, lesson or note) and a TEXT, such as: %[1]s note "the staging database is reset on Mondays"`, c.CommandPath())
			}
			return nil
		},
		ValidArgs: []cobra.Completion{"rule", "decision", "lesson", "note"},
		RunE: func(c *cobra.Command, words []string) error {
			return remember(c.Context(), f, words[0], words[1:], asJSON)
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.remember")
	return c
}

// remember stores a person's words, and prints the new item's id and what it replaces.
func remember(ctx context.Context, f *flags, kind string, words []string, asJSON bool) error {
	if err := check(map[string]any{"kind": kind, "text": "x"}, &command.RememberArgs{}, rememberNames); err != nil {
		return err
	}
	text, err := f.env.readText(ctx, words)
	if err != nil {
		return err
	}
	args := map[string]any{"kind": kind, "text": text}
	if err := check(args, &command.RememberArgs{}, rememberNames); err != nil {
		return err
	}
	return f.recollect(ctx, memoryAlone, func(w *workspace) error {
		done, err := call[command.RememberResult](ctx, w.client, "contexture.remember", args)
		if err != nil {
			return stopped(refusal(err, rememberNames))
		}
		if asJSON {
			return printJSON(f.env.stdout, done)
		}
		if _, err := fmt.Fprintln(f.env.stdout, oneLine(done.Item.ID, 0)); err != nil {
			return err
		}
		for _, old := range done.Replaced {
			f.env.hint("it replaces %s: %s", old.ID, wordsOf(old.Content))
		}
		if strings.Contains(done.Item.Content, "[REDACTED:") {
			f.env.hint("a secret in it was not stored: %s", wordsOf(done.Item.Content))
		}
		if done.Item.Kind == "rule" {
			f.env.see("contexture rules list for all rules")
		} else {
			f.env.see("contexture recall QUERY to find it again, contexture memory forget --knowledge %s to remove it", shellWord(done.Item.ID))
		}
		return nil
	})
}
