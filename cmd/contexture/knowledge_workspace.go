package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newKnowledgeWorkspace(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "workspace",
		Short: "Show what the workspace is made of and how it is written, each with its evidence",
		Long: `Show what the workspace is made of and how it is written: languages, versions, dependencies and how many files import
them, services, commands that build, test and check it, configured tools, and conventions and patterns that are measured
in its code. Each line ends in its evidence: files with their lines, or how many of those checked agree.`,
		Example: "  contexture knowledge workspace",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.recollect(c.Context(), withCode, func(w *workspace) error {
				_, err := w.index(c.Context())
				if err == nil {
					err = w.upToDate(c.Context())
				}
				if err != nil {
					return err
				}
				facts, err := call[command.WorkspaceFactsResult](c.Context(), w.client, "contexture.knowledge.workspace", map[string]any{})
				if err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, facts)
				}
				f.env.hintDegraded(facts.Degraded)
				return printFacts(f.env, facts.Facts)
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.workspace")
	return c
}

func printFacts(e *environment, facts []command.WorkspaceFact) error {
	if len(facts) == 0 {
		e.hint("nothing is known of this workspace: it has no manifest, no configuration and too little code")
		return nil
	}
	var b strings.Builder
	kind := ""
	for _, fact := range facts {
		if fact.Kind != kind {
			kind = fact.Kind
			fmt.Fprintf(&b, "%s\n", kind)
		}
		line := oneLine(fact.Name, 100)
		if fact.Value != "" {
			line += ": " + oneLine(fact.Value, 160)
		}
		fmt.Fprintf(&b, "  %s  (%s)\n", line, oneLine(strings.Join(shownBy(&fact), "; "), 240))
	}
	return e.show(b.String())
}

// shownBy lists the evidence for a fact.
func shownBy(fact *command.WorkspaceFact) []string {
	var out []string
	switch {
	case fact.Kind == "dependency" && fact.Count > 0:
		out = append(out, "imported by "+counted(fact.Count, "file"))
	case fact.Of > 0:
		out = append(out, fmt.Sprintf("%d of %d", fact.Count, fact.Of))
	}
	for _, e := range fact.Evidence {
		switch {
		case e.Path == "":
			out = append(out, strconv.Quote(e.Text))
		case e.Line > 0:
			out = append(out, e.Path+":"+strconv.Itoa(e.Line))
		default:
			out = append(out, e.Path)
		}
	}
	return out
}
