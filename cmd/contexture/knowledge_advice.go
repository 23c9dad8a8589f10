package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newKnowledgeRecommendations(f *flags) *cobra.Command {
	recommendations := report[command.RecommendationsResult]{request: "contexture.knowledge.recommendations", print: func(e *environment, list *command.RecommendationsResult) error {
		return printRecommendations(e, list.Recommendations)
	}}
	return recommendations.command(f, &cobra.Command{
		Use:   "recommendations",
		Short: "List what is worth doing about the knowledge, each with its evidence and the command that does it",
		Long: `List what is worth doing about the knowledge, as the last offline run found it: rules that contradict each other, rules
that were said again and again and never confirmed, decisions that a later one is about, topics that are one, and topics
that are often asked about and that nothing covers. Each has the turns that show it and the command that does it.`,
		Example: "  contexture knowledge recommendations",
	})
}

func printRecommendations(e *environment, list []command.Recommendation) error {
	if len(list) == 0 {
		e.hint("nothing to do; contexture knowledge process checks again")
		return nil
	}
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%s: %s\n  why: %s\n  do: %s\n  %s\n", r.Kind, oneLine(r.Topic, 100), oneLine(r.Reason, 240), oneLine(r.Action, 240), shellLine(r.Command))
		for _, q := range r.Quotations {
			fmt.Fprintf(&b, "  %s  %s %s  %s\n", dayOf(q.At), oneLine(q.ConversationID, 40), q.TurnID, oneLine(wordsOf(q.Text), 160))
		}
	}
	return e.show(b.String())
}

// shellLine formats a command for a shell.
func shellLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = oneLine(w, 200); strings.ContainsAny(w, " \t\n\"'`$\\*?;&|<>()[]{}#~!…") {
			out[i] = "'" + strings.ReplaceAll(out[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func newKnowledgeReferences(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "references [TOPIC]",
		Short: "List references, or show one with its sources: the documents, definitions and turns on a topic",
		Long: `List references: what documents, definitions and conversations of the workspace say of a topic, quoted. With a TOPIC, show
the reference on it, each quotation with its place. The offline learning rebuilds them when a source changes.`,
		Example: "  contexture knowledge references\n  contexture knowledge references quaymaster",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				list, err := call[command.KnowledgeListResult](c.Context(), w.client, "contexture.knowledge.list", map[string]any{"kind": "reference"})
				if err != nil {
					return stopped(err)
				}
				if len(args) > 0 {
					return printReference(f.env, list.Items, args[0])
				}
				if asJSON {
					return printJSON(f.env.stdout, list)
				}
				return printReferences(f.env, list.Items)
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.list")
	return c
}

func printReferences(e *environment, items []command.KnowledgeItem) error {
	if len(items) == 0 {
		e.hint("this workspace has no references yet; contexture knowledge process makes them from topics that come up often")
		return nil
	}
	var rows [][]string
	for _, it := range items {
		files := 0
		for _, q := range it.Quotations {
			if q.Path != "" {
				files++
			}
		}
		rows = append(rows, []string{
			oneLine(it.Title, 60), stateNames[it.State], counted(len(it.Quotations), "quotation"), strconv.Itoa(files) + " of files", dateOf(it.UpdatedAt.Time), oneLine(it.ID, 0),
		})
	}
	return e.show(e.table("", rows))
}

func printReference(e *environment, items []command.KnowledgeItem, topic string) error {
	for _, it := range items {
		named := it.ID == topic || strings.EqualFold(it.Title, topic)
		for _, t := range it.Topics {
			named = named || strings.EqualFold(t, topic)
		}
		if !named {
			continue
		}
		var b strings.Builder
		if len(it.Quotations) == 0 {
			fmt.Fprintf(&b, "%s\n", it.Content)
		}
		for _, q := range it.Quotations {
			if q.Path != "" {
				fmt.Fprintf(&b, "%s:%d\n", q.Path, q.Line)
			} else if q.At != nil {
				fmt.Fprintf(&b, "%s %s %s\n", dateOf(q.At.Time), oneLine(q.ConversationID, 40), q.TurnID)
			} else {
				fmt.Fprintf(&b, "%s %s\n", oneLine(q.ConversationID, 40), q.TurnID)
			}
			for line := range strings.Lines(q.Text) {
				fmt.Fprintf(&b, "  %s\n", oneLine(strings.TrimRight(line, "\n"), 400))
			}
		}
		return e.show(b.String())
	}
	return fmt.Errorf("there is no reference on %q; contexture knowledge references lists them", topic)
}
