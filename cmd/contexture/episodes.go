package main

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// usualEpisodes is how many episodes are listed by default.
const usualEpisodes = 20

func newKnowledgeEpisodes(f *flags) *cobra.Command {
	var months, asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "episodes [WORD…]",
		Short: "List episodes: when, title, what was decided, what is open, what went wrong and what worked",
		Long: `An episode is a conversation that the offline learning has read, with quotations of what was settled in it, each with
its turn. Without words the newest are listed, with words those that a search for them finds, the best first.`,
		Example: "  contexture knowledge episodes\n  contexture knowledge episodes retry uploads\n  contexture knowledge episodes --months",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, words []string) error {
			args := map[string]any{"kind": "episode"}
			if months {
				args["kind"] = "month"
			}
			if limit < 1 {
				return usage("--limit is %d, but must be at least 1", limit)
			}
			if months && len(words) > 0 {
				return usage("contexture knowledge episodes --months takes no words")
			}
			if len(words) > 0 {
				args["topic"] = strings.Join(words, " ")
			}
			if err := check(args, &command.KnowledgeListArgs{}, map[string]string{"topic": "WORD"}); err != nil {
				return err
			}
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				list, err := call[command.KnowledgeListResult](c.Context(), w.client, "contexture.knowledge.list", args)
				if err != nil {
					return stopped(err)
				}
				list.Items = list.Items[:min(limit, len(list.Items))]
				if asJSON {
					return printJSON(f.env.stdout, list)
				}
				return printEpisodes(f.env, list.Items)
			})
		},
	}
	c.Flags().BoolVar(&months, "months", false, "list months instead, each with the episodes in which most was settled")
	c.Flags().IntVar(&limit, "limit", usualEpisodes, "list at most `N`")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.list")
	return c
}

func printEpisodes(e *environment, items []command.KnowledgeItem) error {
	if len(items) == 0 {
		e.hint("no episode was found; contexture knowledge process makes them of new conversations")
		return nil
	}
	var b strings.Builder
	for i := range items {
		it := &items[i]
		when := dateOf(it.CreatedAt.Time)
		if end := dateOf(it.UpdatedAt.Time); end != when {
			when += " to " + end
		}
		if it.Kind == "month" {
			when = counted(int(it.Weight), "episode")
		}
		b.WriteString(hang(when+"  "+oneLine(it.Title, 120), e.widthOf(e.out)) + "\n")
		for line := range strings.SplitSeq(it.Content, "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", clipLine(line, 200))
			}
		}
		for _, source := range it.SourceTurns[:min(1, len(it.SourceTurns))] {
			conversation, turn, _ := knowledge.ParseSource(source)
			fmt.Fprintf(&b, "  see %s %s\n", oneLine(conversation, 60), turn)
		}
	}
	return e.show(b.String())
}

// clipLine is like oneLine, but keeps leading blanks.
func clipLine(line string, most int) string {
	text := strings.TrimLeft(line, " ")
	return line[:len(line)-len(text)] + oneLine(text, most)
}
