package main

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newKnowledgeDigest(f *flags) *cobra.Command {
	digest := report[command.DigestResult]{request: "contexture.knowledge.digest", print: printDigest}
	return digest.command(f, &cobra.Command{
		Use:   "digest",
		Short: "Sum up what was learned: preferences with how often they were said, and mistakes with what worked",
		Long: `Sum up what was learned: the standing rules with how often each was said, confirmed ones first, and the mistakes to avoid,
those that came up most first, with the files and commands that worked. Both are quotations; contexture rules why ID
shows where a rule was said.`,
		Example: "  contexture knowledge digest",
	})
}

func printDigest(e *environment, d *command.DigestResult) error {
	if len(d.Preferences)+len(d.Mistakes) == 0 {
		e.hint("nothing was learned from this workspace yet; contexture knowledge process learns now")
		return nil
	}
	var b strings.Builder
	if len(d.Preferences) > 0 {
		b.WriteString("preferences\n")
	}
	for _, p := range d.Preferences {
		times := "stored"
		if p.Times > 0 {
			times = fmt.Sprintf("said %s in %s", counted(p.Times, "time"), counted(p.ConversationCount, "conversation"))
		}
		fmt.Fprintf(&b, "  %s  (%s, %s, %s; %s)\n", oneLine(wordsOf(p.Text), 160), stateNames[p.State], times, dateOf(p.LastAt.Time), oneLine(p.ID, 0))
	}
	if len(d.Mistakes) > 0 {
		b.WriteString("mistakes\n")
	}
	for _, m := range d.Mistakes {
		fmt.Fprintf(&b, "  %s  (%s, last %s)\n", oneLine(m.Problem, 160), counted(m.Times, "time"), dateOf(m.LastAt.Time))
		for _, w := range m.Worked {
			fmt.Fprintf(&b, "    worked: %s\n", oneLine(w, 160))
		}
	}
	return e.show(b.String())
}
