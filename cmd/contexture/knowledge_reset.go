package main

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newKnowledgeReset(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "reset [budgets|prediction]",
		Short: "Reset what was learned from use: how budgets are shared, what is expected next",
		Long: `How many tokens each layer of a bundle gets changes a little with what assistants use of it, and how probable
a prediction is, with what you ask. reset undoes that; topics, entities, lessons and rules stay as they are.

The settings budget.adaptive and prediction.enabled switch the learning itself off.`,
		Example: "  contexture knowledge reset\n  contexture knowledge reset budgets",
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) > 1 || len(words) == 1 && words[0] != "budgets" && words[0] != "prediction" {
				return usage("contexture knowledge reset takes budgets or prediction, or nothing for both, but was given %q", strings.Join(words, " "))
			}
			return nil
		},
		ValidArgs: []string{"budgets", "prediction"},
		RunE: func(c *cobra.Command, words []string) error {
			args := map[string]any{}
			if len(words) > 0 {
				args["what"] = words[0]
			}
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				out, err := call[command.LearnedResetResult](c.Context(), w.client, "contexture.learned.reset", args)
				if err != nil {
					return stopped(err)
				}
				_, err = fmt.Fprintf(f.env.stdout, "reset: %s\n", strings.Join(out.Reset, ", "))
				return err
			})
		},
	}
	return c
}
